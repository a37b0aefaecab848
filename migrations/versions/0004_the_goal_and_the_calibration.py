"""the goal and the calibration"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

LISTS = ("packs", "topics", "levels", "languages")


def upgrade() -> None:
    # A user who is there gets no calibration: all is folded anew before the next review.
    with op.batch_alter_table("user", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "chose_zone", sa.Boolean(), nullable=False, server_default=sa.false()
            )
        )
        batch_op.add_column(sa.Column("interview_date", sa.Date(), nullable=True))
        batch_op.add_column(
            sa.Column(
                "minutes_per_day", sa.Integer(), nullable=False, server_default="20"
            )
        )
        for name in LISTS:
            batch_op.add_column(
                sa.Column(name, sa.JSON(), nullable=False, server_default="[]")
            )
        batch_op.add_column(sa.Column("calibration", sa.JSON(), nullable=True))
        batch_op.add_column(
            sa.Column("folded", sa.Integer(), nullable=False, server_default="0")
        )
    with op.batch_alter_table("user", schema=None) as batch_op:
        for name in ("chose_zone", "minutes_per_day", *LISTS, "folded"):
            batch_op.alter_column(name, server_default=None)
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.add_column(sa.Column("calibration", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.drop_column("calibration")
    with op.batch_alter_table("user", schema=None) as batch_op:
        for name in ("folded", "calibration", *reversed(LISTS), "minutes_per_day"):
            batch_op.drop_column(name)
        batch_op.drop_column("interview_date")
        batch_op.drop_column("chose_zone")
