"""estimates and figures"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "estimate",
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("experiment", sa.String(length=100), nullable=False),
        sa.Column("metric", sa.String(length=100), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("factor", sa.Double(), nullable=True),
        sa.Column("margin", sa.Double(), nullable=True),
        sa.Column("unit", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["revision_id"],
            ["revision.id"],
            name=op.f("fk_estimate_revision_id_revision"),
        ),
        sa.PrimaryKeyConstraint("revision_id", name=op.f("pk_estimate")),
    )
    with op.batch_alter_table("estimate", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_estimate_experiment"), ["experiment"], unique=False
        )

    op.create_table(
        "figure",
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("experiment", sa.String(length=100), nullable=False),
        sa.Column("figure", sa.String(length=100), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"],
            ["revision.id"],
            name=op.f("fk_figure_revision_id_revision"),
        ),
        sa.PrimaryKeyConstraint("revision_id", name=op.f("pk_figure")),
    )
    with op.batch_alter_table("figure", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_figure_experiment"), ["experiment"], unique=False
        )

    with op.batch_alter_table("answer", schema=None) as batch_op:
        batch_op.add_column(sa.Column("number", sa.Double(), nullable=True))

    with op.batch_alter_table("presentation", schema=None) as batch_op:
        for name in ("key_run_id", "figure_run_id"):
            batch_op.add_column(sa.Column(name, sa.String(length=40), nullable=True))
            batch_op.create_foreign_key(
                batch_op.f(f"fk_presentation_{name}_run"), "run", [name], ["id"]
            )

    # The revisions that are there get a value; later ones are given theirs.
    with op.batch_alter_table("revision", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("unmeasured", sa.JSON(), nullable=False, server_default="[]")
        )
    with op.batch_alter_table("revision", schema=None) as batch_op:
        batch_op.alter_column("unmeasured", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("revision", schema=None) as batch_op:
        batch_op.drop_column("unmeasured")

    with op.batch_alter_table("presentation", schema=None) as batch_op:
        for name in ("figure_run_id", "key_run_id"):
            batch_op.drop_constraint(
                batch_op.f(f"fk_presentation_{name}_run"), type_="foreignkey"
            )
            batch_op.drop_column(name)

    with op.batch_alter_table("answer", schema=None) as batch_op:
        batch_op.drop_column("number")

    op.drop_table("figure")
    op.drop_table("estimate")
