"""Durations and frames: the one place where milliseconds become what a screen can show."""

from __future__ import annotations


def frames_of(duration_ms: float, refresh_hz: float) -> int:
    """Whole number of frames, at least one, that comes nearest to ``duration_ms``."""
    return max(1, round(duration_ms * refresh_hz / 1000))


def duration_of(frames: int, refresh_hz: float) -> float:
    """Give what ``frames`` frames last nominally, in ms."""
    return frames * 1000 / refresh_hz
