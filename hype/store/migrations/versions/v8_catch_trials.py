"""Schema 8: judgements of obvious images, whose task is "catch"."""

from __future__ import annotations

revision = "8"
down_revision = "7"


def upgrade() -> None:
    """Change nothing: a cell may hold what no earlier program would know what to do with."""
