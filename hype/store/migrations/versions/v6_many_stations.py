"""Schema 6: what tells evaluators of several stations apart, and when they were asked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "6"
down_revision = "5"


def upgrade() -> None:
    """Add columns; what was recorded before has nothing in them."""
    op.add_column("evaluators", sa.Column("uid", sa.String(32)))
    op.add_column("evaluators", sa.Column("station", sa.String(64)))
    op.add_column("demographics", sa.Column("asked_unix_s", sa.Float))
    op.add_column("removals", sa.Column("uid", sa.String(32)))
