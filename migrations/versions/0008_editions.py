"""editions"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "edition",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("token", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_edition")),
    )


def downgrade() -> None:
    op.drop_table("edition")
