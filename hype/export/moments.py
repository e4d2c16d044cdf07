"""Moments of the wall clock, as data standards write them."""

from __future__ import annotations

from datetime import datetime, timezone


def utc(unix_s: float | None) -> str:
    """Write a moment in UTC, to the millisecond; nothing if there is none, or no calendar has it.

    >>> utc(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    try:
        moment = datetime.fromtimestamp(unix_s or 0.0, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return ""
    written = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return "" if unix_s is None else written


def day(unix_s: float) -> str:
    """Write the day of a moment, in UTC."""
    return utc(unix_s)[:10]
