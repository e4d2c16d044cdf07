"""Rectangles in a window: where things are, and what a click hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle in pixels. ``x``, ``y``: its middle, relative to the window's; y points up."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def between(cls, left: float, right: float, bottom: float, top: float) -> Box:
        return cls(
            x=(left + right) / 2, y=(bottom + top) / 2, width=right - left, height=top - bottom
        )

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        return self.y - self.height / 2

    @property
    def top(self) -> float:
        return self.y + self.height / 2

    def holds(self, x: float, y: float) -> bool:
        return abs(x - self.x) <= self.width / 2 and abs(y - self.y) <= self.height / 2

    def mirror(self, about: Box) -> Box:
        return Box(x=2 * about.x - self.x, y=self.y, width=self.width, height=self.height)

    def grow(self, by_px: float) -> Box:
        return Box(x=self.x, y=self.y, width=self.width + 2 * by_px, height=self.height + 2 * by_px)


MARGIN: Final = 0.03
"""Free space at the window's sides; a share of its width."""
GAP: Final = 0.012
"""Smallest gap between images: a share of the window's width in rows, of its height in columns."""
HEAD: Final = 0.2
"""Space above all images, for words and the ranking so far; a share of the window's height."""
FOOT: Final = 0.1
"""Space below all images, for the keys."""
LETTER: Final = 0.05
"""Space under each image, for its letter."""
TIGHT: Final = 0.66
"""With large images, `HEAD`, `FOOT` and `LETTER` may shrink to this share of their usual size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Images in rows (the last may be shorter), each at most ``side_px`` wide and high."""

    columns: int
    rows: int
    side_px: int


def grid_of(window_px: tuple[int, int], images: int, tightness: float = 1.0) -> Grid:
    """Arrange images so that they are as large as possible.

    Of arrangements with equally large images, take the one with fewer empty places, then the one
    with fewer rows. ``tightness``: the height of words and keys, as a share of their usual height.
    """
    width, height = window_px
    grids = []
    for columns in range(1, images + 1):
        rows = -(-images // columns)
        words = tightness * (HEAD + FOOT + rows * LETTER)
        across = (1 - 2 * MARGIN - (columns - 1) * GAP) * width / columns
        up = (1 - words - (rows - 1) * GAP) * height / rows
        grids.append(Grid(columns=columns, rows=rows, side_px=max(1, int(min(across, up)))))
    return max(grids, key=lambda grid: (grid.side_px, -grid.columns * grid.rows, -grid.rows))


def grid_for(window_px: tuple[int, int], images: int, side_px: int) -> Grid:
    """Arrange images of a given size; if they do not fit, leave less space for words."""
    usual = grid_of(window_px, images)
    return usual if side_px <= usual.side_px else grid_of(window_px, images, TIGHT)
