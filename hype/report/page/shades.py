"""Shades of a share in a square table: blue above one half, vermillion below, none at it."""

from __future__ import annotations

from typing import Final

SHADES: Final = 5
"""Steps of colour on either side of one half."""


def shade(share: float) -> str:
    """Give the class of a share, from 0 to 1."""
    return shade_class(round((share - 0.5) * 2 * SHADES))


def shade_class(at: int) -> str:
    """Give the class of a step, from minus `SHADES` to `SHADES`."""
    if not at:
        return "even"
    return f"{'over' if at > 0 else 'under'}-{abs(at)}"


def scale() -> tuple[str, ...]:
    """Give the classes of a legend, from none to all."""
    return tuple(shade_class(at) for at in range(-SHADES, SHADES + 1))
