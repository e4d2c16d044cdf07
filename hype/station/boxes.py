"""Upright rectangles of a window: where things stand, and where a click belongs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EDGE_PX: Final = 1e-6
"""Rectangles that share less share an edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle in pixels. ``x`` and ``y`` are its middle, from the window's, y upwards."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def between(cls, left: float, right: float, bottom: float, top: float) -> Box:
        """Give the rectangle between four edges."""
        return cls(
            x=(left + right) / 2, y=(bottom + top) / 2, width=right - left, height=top - bottom
        )

    @property
    def left(self) -> float:
        """Its left edge."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y - self.height / 2

    @property
    def top(self) -> float:
        """Its upper edge."""
        return self.y + self.height / 2

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies in it."""
        return abs(x - self.x) <= self.width / 2 and abs(y - self.y) <= self.height / 2

    def meets(self, other: Box) -> bool:
        """Whether two rectangles share more than an edge."""
        return (
            abs(self.x - other.x) < (self.width + other.width) / 2 - EDGE_PX
            and abs(self.y - other.y) < (self.height + other.height) / 2 - EDGE_PX
        )

    def mirrored(self, about: Box) -> Box:
        """Give the rectangle at the other side of the middle of another one."""
        return Box(x=2 * about.x - self.x, y=self.y, width=self.width, height=self.height)

    def grown(self, by_px: float) -> Box:
        """Give the rectangle whose edges lie so much further out."""
        return Box(x=self.x, y=self.y, width=self.width + 2 * by_px, height=self.height + 2 * by_px)
