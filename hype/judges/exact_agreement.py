"""Which part of two columns of levels is equal beyond what answers given apart would be.

Answers of two who look at the same are cut, at either's own thresholds, out of two normal numbers
that are correlated (Pearson 1900, "Mathematical contributions to the theory of evolution VII",
Philosophical Transactions A 195; Olsson 1979, "Maximum likelihood estimation of the polychoric
correlation coefficient", Psychometrika 44). Who takes a share of the answers over has equal ones in
excess: too many, for how far apart the others are. Share and correlations are found by maximum
likelihood on a grid; the share's error is the sandwich over items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]

IntArray = npt.NDArray[np.int64]

_SHARES: Final = np.linspace(0, 0.98, 50)
_ANGLES: Final = np.linspace(0, np.pi / 2 - 0.02, 40)
"""Correlations are their sines."""
_LIMIT: Final = 8.0
"""Where a threshold stands that no answer is beyond."""
_LEAST: Final = 1e-7
"""Chance of a cell, where there is none by rounding."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Column:
    """Levels from 0 that two gave on one axis, and of which items; arrays of shape (n,)."""

    a: IntArray
    b: IntArray
    item: IntArray
    levels: int


@dataclass(frozen=True, kw_only=True)
class Taken:
    """The share that is equal because it was taken over, its standard error, and items."""

    share: float
    error: float
    items: int
    equal: float  # the share of equal answers


def taken(columns: Sequence[Column]) -> Taken | None:
    """Find the share that was taken over, the same on all axes; None where nothing is known."""
    columns = [each for each in columns if each.levels > 2 and each.a.size]
    if not columns:
        return None
    fitted = [_Fitted(column) for column in columns]
    likelihood = np.sum([each.likelihood.max(axis=1) for each in fitted], axis=0)
    best = int(np.argmax(likelihood))
    adds = [each.adds(best) for each in fitted]
    items, cell = np.unique(np.concatenate([each.item for each in columns]), return_inverse=True)
    sums = np.bincount(cell, weights=np.concatenate(adds))
    information = float(sum((each**2).sum() for each in adds))
    error = np.inf
    if information > 0 and len(items) > 1:
        error = float(np.sqrt((sums**2).sum() * len(items) / (len(items) - 1))) / information
    number = sum(each.a.size for each in columns)
    equal = sum(int((each.a == each.b).sum()) for each in columns) / number
    return Taken(share=float(_SHARES[best]), error=error, items=len(items), equal=equal)


class _Fitted:
    def __init__(self, column: Column) -> None:
        size = column.levels
        self._cell = column.a * size + column.b
        counts = np.bincount(self._cell, minlength=size * size).astype(np.float64)
        share = counts.reshape(size, size) / counts.sum()
        of_a, of_b = share.sum(axis=1), share.sum(axis=0)
        apart = np.maximum(_chances(of_a, of_b).reshape(size * size, -1), _LEAST)
        equal = np.sqrt(of_a * of_b)
        self._equal = np.diag(equal / max(equal.sum(), _LEAST)).ravel()[:, None]
        self._apart = apart
        used = counts > 0
        mixed = (
            _SHARES[:, None, None] * self._equal[used] + (1 - _SHARES)[:, None, None] * apart[used]
        )
        self.likelihood: FloatArray = np.einsum("c,sca->sa", counts[used], np.log(mixed))

    def adds(self, place: int) -> FloatArray:
        """Give what each row adds to the score of the share, the correlation's part taken off."""
        share = _SHARES[place]
        angle = int(np.argmax(self.likelihood[place]))
        apart = self._apart[:, angle]
        mixed = share * self._equal[:, 0] + (1 - share) * apart
        low, high = max(0, angle - 1), min(len(_ANGLES) - 1, angle + 1)
        moved = (1 - share) * (self._apart[:, high] - self._apart[:, low]) / mixed
        own, other = ((self._equal[:, 0] - apart) / mixed)[self._cell], moved[self._cell]
        square = float((other**2).sum())
        return np.asarray(own - (own @ other) / square * other if square > 0 else own)


def _chances(of_a: FloatArray, of_b: FloatArray) -> FloatArray:
    """Give the chances of all cells, shape (levels, levels, angles).

    ``of_a``, ``of_b``: shares of the levels. The distribution function grows with the correlation
    by the density (Plackett 1954, "A reduction formula for normal multivariate integrals").
    """
    h, k = (
        np.clip(special.ndtri(np.clip(each.cumsum()[:-1], 0, 1)), -_LIMIT, _LIMIT)
        for each in (of_a, of_b)
    )
    h, k = h[:, None, None], k[None, :, None]
    sine, cosine = np.sin(_ANGLES), np.cos(_ANGLES)
    density = np.exp(-(h**2 - 2 * h * k * sine + k**2) / (2 * cosine**2)) / (2 * np.pi)
    steps = (density[..., 1:] + density[..., :-1]) / 2 * np.diff(_ANGLES)
    grown = np.concatenate([np.zeros((*steps.shape[:-1], 1)), steps.cumsum(axis=-1)], axis=-1)
    padded = np.pad(grown, ((1, 1), (1, 1), (0, 0)))
    chances: FloatArray = np.outer(of_a, of_b)[:, :, None] + (
        padded[1:, 1:] - padded[:-1, 1:] - padded[1:, :-1] + padded[:-1, :-1]
    )
    return chances
