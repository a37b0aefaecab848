"""what a review proves: chance, confidence, seconds"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# What the reviews that are there were given from their answers.
FILL = """
UPDATE review SET
  seconds = (SELECT round(a.seconds * 1000) / 1000 FROM answer a WHERE a.id = answer_id),
  confidence = (
    SELECT CASE WHEN a.dont_know THEN 'dont-know' ELSE a.confidence END
    FROM answer a WHERE a.id = answer_id
  ),
  chance = (
    SELECT CASE
      WHEN a.dont_know THEN 0.0
      WHEN r.type = 'single' THEN 1.0 / c.choices
      WHEN r.type = 'multi' THEN 1.0 / ((1 << c.choices) - 1)
      ELSE 0.0 END
    FROM answer a
    JOIN presentation p ON p.id = a.presentation_id
    JOIN revision r ON r.id = p.revision_id
    LEFT JOIN (
      SELECT revision_id, CAST(count(*) AS integer) AS choices
      FROM choice GROUP BY revision_id
    ) c ON c.revision_id = r.id
    WHERE a.id = answer_id
  )
WHERE answer_id IS NOT NULL
"""


def upgrade() -> None:
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("chance", sa.Double(), nullable=False, server_default="0")
        )
        batch_op.add_column(
            sa.Column("confidence", sa.String(length=40), nullable=True)
        )
        batch_op.add_column(sa.Column("seconds", sa.Double(), nullable=True))
    op.execute(FILL)
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.alter_column("chance", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("review", schema=None) as batch_op:
        for name in ("seconds", "confidence", "chance"):
            batch_op.drop_column(name)
