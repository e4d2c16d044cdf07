"""Schema 4: comparisons, and what evaluators say of themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"


def upgrade() -> None:
    """Add two tables and two columns; what was recorded before has nothing in them."""
    op.add_column("evaluators", sa.Column("share", sa.Integer))
    op.add_column("evaluators", sa.Column("pairs", sa.Text))
    op.create_table(
        "comparisons",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("evaluator_id", sa.Integer, sa.ForeignKey("evaluators.id"), nullable=False),
        sa.Column("session_id", sa.Integer, sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("task", sa.String(16), nullable=False),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("left_image", sa.Text, nullable=False),
        sa.Column("left_sha256", sa.String(64), nullable=False),
        sa.Column("left", sa.String(64), nullable=False),
        sa.Column("right_image", sa.Text, nullable=False),
        sa.Column("right_sha256", sa.String(64), nullable=False),
        sa.Column("right", sa.String(64), nullable=False),
        sa.Column("obvious", sa.String(8)),
        sa.Column("answer", sa.String(8), nullable=False),
        sa.Column("correct", sa.Boolean),
        sa.Column("hasty", sa.Boolean, nullable=False),
        sa.Column("rt_ms", sa.Float, nullable=False),
        sa.Column("key", sa.String(16), nullable=False),
        sa.Column("onset_unix_s", sa.Float, nullable=False),
        sa.Column("onset_monotonic_s", sa.Float, nullable=False),
        sa.UniqueConstraint("evaluator_id", "block", "trial", "task"),
    )
    op.create_table(
        "demographics",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("evaluator_id", sa.Integer, sa.ForeignKey("evaluators.id"), nullable=False),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.UniqueConstraint("evaluator_id", "question"),
    )
