"""Schema 5: ratings, and the acts of which rankings are made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "5"
down_revision = "4"


def upgrade() -> None:
    """Add two tables and a column; what was recorded before has nothing in them."""
    op.add_column("evaluators", sa.Column("groups", sa.Text))
    op.create_table(
        "ratings",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("evaluator_id", sa.Integer, sa.ForeignKey("evaluators.id"), nullable=False),
        sa.Column("session_id", sa.Integer, sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("task", sa.String(16), nullable=False),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
        sa.Column("item", sa.String(16), nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("axis", sa.String(64), nullable=False),
        sa.Column("first", sa.String(64), nullable=False),
        sa.Column("first_image", sa.Text, nullable=False),
        sa.Column("first_sha256", sa.String(64), nullable=False),
        sa.Column("second", sa.String(64)),
        sa.Column("second_image", sa.Text),
        sa.Column("second_sha256", sa.String(64)),
        sa.Column("first_side", sa.String(8)),
        sa.Column("answer", sa.String(16), nullable=False),
        sa.Column("truth", sa.String(16)),
        sa.Column("rt_ms", sa.Float, nullable=False),
        sa.Column("key", sa.String(16), nullable=False),
        sa.Column("onset_unix_s", sa.Float, nullable=False),
        sa.Column("onset_monotonic_s", sa.Float, nullable=False),
        sa.UniqueConstraint("evaluator_id", "task", "block", "trial"),
    )
    op.create_table(
        "placements",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("evaluator_id", sa.Integer, sa.ForeignKey("evaluators.id"), nullable=False),
        sa.Column("session_id", sa.Integer, sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("task", sa.String(16), nullable=False),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
        sa.Column("group", sa.String(16), nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("shown_sha256", sa.String(64), nullable=False),
        sa.Column("standing", sa.String(32), nullable=False),
        sa.Column("answer", sa.String(8), nullable=False),
        sa.Column("image", sa.Text),
        sa.Column("image_sha256", sa.String(64)),
        sa.Column("condition", sa.String(64)),
        sa.Column("rt_ms", sa.Float, nullable=False),
        sa.Column("key", sa.String(16), nullable=False),
        sa.Column("onset_unix_s", sa.Float, nullable=False),
        sa.Column("onset_monotonic_s", sa.Float, nullable=False),
        sa.UniqueConstraint("evaluator_id", "task", "block", "trial"),
    )
