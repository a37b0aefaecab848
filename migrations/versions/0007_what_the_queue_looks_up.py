"""what the queue looks up"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BEFORE = "ix_review_user_id_review_question_id_review_study_day"
FIRST = sa.text("predicted IS NULL")


def upgrade() -> None:
    op.drop_index(op.f(BEFORE), table_name="review")
    op.create_index(
        "ix_review_tests",
        "review",
        ["user_id", "question_id", "study_day", "rating", "voided_at"],
    )
    op.create_index(
        op.f("ix_review_user_id_review_study_day"), "review", ["user_id", "study_day"]
    )
    op.create_index(
        op.f("ix_review_user_id_review_sequence"),
        "review",
        ["user_id", "sequence"],
        sqlite_where=FIRST,
        postgresql_where=FIRST,
    )


def downgrade() -> None:
    op.drop_index(op.f("ix_review_user_id_review_sequence"), table_name="review")
    op.drop_index(op.f("ix_review_user_id_review_study_day"), table_name="review")
    op.drop_index("ix_review_tests", table_name="review")
    op.create_index(op.f(BEFORE), "review", ["user_id", "question_id", "study_day"])
