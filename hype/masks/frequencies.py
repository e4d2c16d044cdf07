"""Where in the Fourier domain the gradients of statistics are compared.

At high frequencies, which are many and alike, only a random part is kept, with the weight of those
left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hype.masks.fields import Analyser, Field
from hype.masks.model import Shape

Indices = NDArray[np.intp]
DENSE_RADIUS: Final = 32.0
"""Frequencies up to this many periods an image are all kept, others in proportion 1/radius**2.

In colour the channels share them, as more rows stand against the same number of columns.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """Frequencies of the right half plane, those of the coarsest level first.

    Parameters
    ----------
    rows, columns
        Vertical and horizontal frequencies (n), in periods an image; the vertical may be negative.
    scale
        Square root of the number of frequencies that each stands for, its mirror image included.
    counts
        How many of them, from the start, lie on the grid of each level.
    """

    rows: Indices
    columns: Indices
    scale: Field
    counts: tuple[int, ...]

    def places(self, shape: Shape, count: int, sign: int = 1) -> Indices:
        """Give where the first ``count`` (``sign`` -1: their mirror images) lie in a spectrum."""
        y, x = sign * self.rows[:count], sign * self.columns[:count]
        return (y % shape[0]) * shape[1] + x % shape[1]


def choose_frequencies(analyser: Analyser, radius: float) -> Frequencies:
    """Choose the frequencies at which gradients are compared."""
    height, width = analyser.shape
    y, x = (a.ravel() for a in np.mgrid[1 - height // 2 : height // 2, 0 : width // 2])
    share = np.minimum(1.0, radius**2 / np.maximum(x**2 + y**2, 1))
    kept = (np.random.default_rng(0).random(len(share)) < share) & ((x > 0) | (y >= 0))
    y, x, share = y[kept], x[kept], share[kept]
    scale = np.sqrt(np.where((x == 0) & (y == 0), 1.0, 2.0) / share)
    inside = [(2 * np.abs(y) < low.shape[0]) & (2 * x < low.shape[1]) for low in analyser.lowpasses]
    order = np.argsort(-np.sum(inside, axis=0), kind="stable")
    return Frequencies(
        y[order],
        x[order],
        scale[order].astype(analyser.real),
        tuple(int(np.sum(level)) for level in inside),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """How to read, from the spectrum of a band's gradient, that of the image's.

    A band's filter is zero on one half plane; where that is the right one, the mirror image is
    read instead and conjugated.
    """

    places: Indices
    weights: Field
    signs: Field

    @classmethod
    def of(cls, frequencies: Frequencies, level: int, mask: Field, shape: Shape) -> Probe:
        """Read a spectrum of ``shape`` where the band of a level with this ``mask`` lies."""
        count = frequencies.counts[level]
        grid = mask.shape[0], mask.shape[1]
        ahead, behind = (mask.ravel()[frequencies.places(grid, count, sign)] for sign in (1, -1))
        forward = ahead >= behind
        there, mirrored = (frequencies.places(shape, count, sign) for sign in (1, -1))
        weights = np.maximum(ahead, behind) * frequencies.scale[:count] / 2
        return cls(
            np.where(forward, there, mirrored),
            weights.astype(mask.dtype),
            np.where(forward, 1, -1).astype(mask.dtype),
        )


class Rows:
    """Rows of J for one level and channel, each found by the number of its moment."""

    def __init__(self, most: int, frequencies: Frequencies, level: int, real: Any) -> None:
        self.count = frequencies.counts[level]
        self.matrix: Field = np.zeros((most, 2 * self.count), real)  # rows cost memory once used
        self.places: dict[int, int] = {}

    def of(self, numbers: Indices) -> Indices:
        """Give the rows of some moments, new ones at the end."""
        return np.array([self.places.setdefault(int(n), len(self.places)) for n in numbers])

    @property
    def numbers(self) -> Indices:
        """The moments' numbers, in the order of the rows."""
        return np.array(list(self.places), dtype=np.intp)

    def low(self, count: int) -> Field:
        """Give the rows at the first ``count`` frequencies."""
        return self.matrix[: len(self.places), : 2 * count]
