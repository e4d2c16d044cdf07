"""Schema 9: which condition a judgement is of, where its evaluator serves several."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "9"
down_revision = "8"


def upgrade() -> None:
    """Add a column; what was recorded before is of the evaluator's condition."""
    op.add_column("judgements", sa.Column("condition", sa.String(64)))
