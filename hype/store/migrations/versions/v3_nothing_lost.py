"""Schema 3: the trial that is being shown, what befell a session, which masks, who was removed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Add the columns and the table; what was recorded before has nothing in them."""
    op.add_column("evaluators", sa.Column("mask_files", sa.String(64)))
    op.add_column("sessions", sa.Column("showing", sa.String(64)))
    for column in (
        sa.Column("task", sa.String(16)),
        sa.Column("block", sa.Integer),
        sa.Column("trial", sa.Integer),
        sa.Column("seconds", sa.Float),
    ):
        op.add_column("events", column)
    op.create_table(
        "removals",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("condition", sa.String(64), nullable=False),
        sa.Column("methods", sa.String(64), nullable=False),
        sa.Column("sessions", sa.Integer, nullable=False),
        sa.Column("judgements", sa.Integer, nullable=False),
        sa.Column("removed_unix_s", sa.Float, nullable=False),
    )
