"""due days are spread"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # A user who is there loses the calibration: all is folded anew before the next review.
    user = sa.table("user", sa.column("calibration"))
    op.execute(user.update().values(calibration=sa.null()))


def downgrade() -> None:
    pass
