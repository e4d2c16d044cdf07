"""Rectangles in a window, to place what is drawn and to find what a click hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle in pixels. ``x``, ``y``: its middle, from the window's middle; y points up."""

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
"""Free space on the left and on the right, as a share of the window's width."""
GAP: Final = 0.012
"""Minimum gap between images: a share of the window's width (columns) or height (rows)."""
HEAD: Final = 0.2
"""Space above all images, for words and the ranking so far; a share of the window's height."""
FOOT: Final = 0.1
"""Space below all images, for the keys."""
LETTER: Final = 0.05
"""Space under each image, for its letter."""
TIGHT: Final = 0.66
"""With large images, `HEAD`, `FOOT` and `LETTER` may shrink to this share of their size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """An arrangement of images in rows; each image is at most ``side_px`` wide and high."""

    columns: int
    rows: int
    side_px: int


def grid_of(window_px: tuple[int, int], images: int, tightness: float = 1.0) -> Grid:
    """Arrange images so that they are as large as possible.

    If several arrangements allow the same size, the one with the fewest empty places is taken, then
    the one with the fewest rows. ``tightness``: the height of words, relative to the usual one.
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
    """Arrange images of a given size; if they do not fit, words get less space (`TIGHT`)."""
    usual = grid_of(window_px, images)
    return usual if side_px <= usual.side_px else grid_of(window_px, images, TIGHT)
