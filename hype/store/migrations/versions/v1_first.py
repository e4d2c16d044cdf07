"""Schema 1: the first."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "studies",
        sa.Column("checksum", sa.String(64), primary_key=True),
        sa.Column("resolved", sa.Text, nullable=False),
    )
    make_evaluators()
    make_sessions()
    make_judgements()
    make_events()


def make_evaluators() -> None:
    """Make the table of those who came."""
    op.create_table(
        "evaluators",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("evaluator", sa.String(64), nullable=False),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("condition", sa.String(64), nullable=False),
        sa.Column("methods", sa.String(64), nullable=False),
        sa.Column("left_means", sa.String(4), nullable=False),
        sa.Column("qualified_in", sa.Text, nullable=False),
        sa.Column("seed", sa.String(40), nullable=False),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("plan", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("assigned_unix_s", sa.Float, nullable=False),
        sa.UniqueConstraint("evaluator", "simulated"),
    )


def make_sessions() -> None:
    """Make the table of sessions."""
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("evaluator_id", sa.Integer, sa.ForeignKey("evaluators.id"), nullable=False),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("observer_seed", sa.String(40)),
        sa.Column("versions", sa.Text, nullable=False),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("display", sa.Text, nullable=False),
        sa.Column("started_unix_s", sa.Float, nullable=False),
        sa.Column("utc_offset_s", sa.Float, nullable=False),
        sa.Column("ended_unix_s", sa.Float),
        sa.Column("ended", sa.String(16)),
    )
    op.create_index("ix_sessions_evaluator_id", "sessions", ["evaluator_id"])


def make_judgements() -> None:
    """Make the table of judgements."""
    op.create_table(
        "judgements",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("evaluator_id", sa.Integer, sa.ForeignKey("evaluators.id"), nullable=False),
        sa.Column("session_id", sa.Integer, sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("task", sa.String(16), nullable=False),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
        sa.Column("image", sa.Text, nullable=False),
        sa.Column("image_sha256", sa.String(64), nullable=False),
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("truth", sa.String(4), nullable=False),
        sa.Column("exposure_ms", sa.Float),
        sa.Column("exposure_frames", sa.Integer),
        sa.Column("exposure_measured_ms", sa.Float),
        sa.Column("mask_ms", sa.Float),
        sa.Column("masks", sa.Text),
        sa.Column("mask_measured_ms", sa.Text),
        sa.Column("answer", sa.String(4), nullable=False),
        sa.Column("correct", sa.Boolean, nullable=False),
        sa.Column("rt_ms", sa.Float, nullable=False),
        sa.Column("key", sa.String(16), nullable=False),
        sa.Column("onset_unix_s", sa.Float, nullable=False),
        sa.Column("onset_monotonic_s", sa.Float, nullable=False),
        sa.UniqueConstraint("evaluator_id", "task", "block", "trial"),
    )


def make_events() -> None:
    """Make the table of screens and pauses."""
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("session_id", sa.Integer, sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("event", sa.String(32), nullable=False),
        sa.Column("answer", sa.String(8), nullable=False),
        sa.Column("unix_s", sa.Float, nullable=False),
        sa.Column("monotonic_s", sa.Float, nullable=False),
        sa.Column("rt_ms", sa.Float, nullable=False),
    )
    op.create_index("events_of_session", "events", ["session_id"])
