"""mock interviews"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "mock_interview",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("lang", sa.String(length=40), nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("levels", sa.JSON(), nullable=False),
        sa.Column("mixed", sa.Boolean(), nullable=False),
        sa.Column("ahead", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_mock_interview_user_id_user")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mock_interview")),
    )
    with op.batch_alter_table("mock_interview", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_mock_interview_user_id_mock_interview_created_at"),
            ["user_id", "created_at"],
            unique=False,
        )
    op.create_table(
        "mock_question",
        sa.Column("mock_id", sa.String(length=40), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("presentation_id", sa.String(length=40), nullable=True),
        sa.Column("follows", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["mock_id"],
            ["mock_interview.id"],
            name=op.f("fk_mock_question_mock_id_mock_interview"),
        ),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["question.id"],
            name=op.f("fk_mock_question_question_id_question"),
        ),
        sa.ForeignKeyConstraint(
            ["presentation_id"],
            ["presentation.id"],
            name=op.f("fk_mock_question_presentation_id_presentation"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("mock_id", "position", name=op.f("pk_mock_question")),
        sa.UniqueConstraint(
            "presentation_id", name=op.f("uq_mock_question_presentation_id")
        ),
    )


def downgrade() -> None:
    op.drop_table("mock_question")
    with op.batch_alter_table("mock_interview", schema=None) as batch_op:
        batch_op.drop_index(
            batch_op.f("ix_mock_interview_user_id_mock_interview_created_at")
        )
    op.drop_table("mock_interview")
