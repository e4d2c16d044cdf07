"""Schema 2: how exact exposures were, and which trials repeat others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Add the columns; what was recorded before has nothing in them."""
    for column in (
        sa.Column("repeats", sa.Integer),
        sa.Column("exposure_nominal_ms", sa.Float),
        sa.Column("exposure_deviation_ms", sa.Float),
        sa.Column("mask_frames", sa.Integer),
        sa.Column("mask_nominal_ms", sa.Float),
        sa.Column("flips_s", sa.Text),
        sa.Column("flip_uncertainty_ms", sa.Float),
        sa.Column("missed_frames", sa.Integer),
        sa.Column("verdict", sa.String(8)),
    ):
        op.add_column("judgements", column)
    op.add_column("sessions", sa.Column("timing", sa.Text))
