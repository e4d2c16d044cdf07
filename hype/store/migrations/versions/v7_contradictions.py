"""Schema 7: answers that a central store did not take, since it has others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "7"
down_revision = "6"


def upgrade() -> None:
    """Add a table; it is empty, since nothing was noted before."""
    op.create_table(
        "contradictions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("evaluator_id", sa.Integer, sa.ForeignKey("evaluators.id"), nullable=False),
        sa.Column("station", sa.String(64), nullable=False),
        sa.Column("task", sa.String(16), nullable=False),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
        sa.Column("onset_unix_s", sa.Float, nullable=False),
        sa.Column("settled", sa.Boolean, nullable=False),
        sa.UniqueConstraint("evaluator_id", "task", "block", "trial", "onset_unix_s", "settled"),
    )
