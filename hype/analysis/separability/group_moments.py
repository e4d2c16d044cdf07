"""Evaluators' scores, condition by condition, as numbers, means and sums of squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

FloatArray = npt.NDArray[np.float64]

ROUNDING = 1e-12
"""Scores that differ by less than this part of the largest score are the same, but for rounding."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupMoments:
    """What the tests need to know of the scores; every array has shape (conditions,).

    Parameters
    ----------
    names
        The conditions, in the order given.
    sizes
        Evaluators in each.
    means
        Of their scores, in the score's unit.
    squares
        Sum of squared deviations from the condition's mean; exactly 0 where all are the same.
    """

    names: tuple[str, ...]
    sizes: FloatArray
    means: FloatArray
    squares: FloatArray

    @property
    def df_between(self) -> int:
        """One less than there are conditions."""
        return len(self.names) - 1

    @property
    def df_within(self) -> int:
        """Evaluators in all, less the number of conditions."""
        return int(self.sizes.sum()) - len(self.names)

    @property
    def varies(self) -> bool:
        """Whether the scores differ within any condition."""
        return bool(self.squares.any())

    @property
    def variances(self) -> FloatArray:
        """Sample variance in each condition; 0 where there is a single evaluator."""
        return np.asarray(self.squares / np.maximum(self.sizes - 1, 1))

    @property
    def mean_square_within(self) -> float:
        """Pooled variance; for scores that vary."""
        return float(self.squares.sum() / self.df_within)


def as_arrays(scores: Mapping[str, npt.ArrayLike]) -> dict[str, FloatArray]:
    """Turn scores into arrays of shape (evaluators,).

    Raises
    ------
    InputError
        No condition; a condition without scores; a score that is missing or infinite.
    """
    if not scores:
        raise InputError("scores", "there is no condition", "allowed is one condition or more")
    arrays = {name: np.asarray(values, dtype=float).ravel() for name, values in scores.items()}
    for name, values in arrays.items():
        if not (values.size and np.isfinite(values).all()):
            problem = "a score is missing or infinite" if values.size else "there is no score"
            raise InputError(f"scores of {name}", problem, "allowed are finite numbers, 1 or more")
    return arrays


def rounding(groups: Mapping[str, FloatArray]) -> float:
    """Give the difference below which scores are the same, in their own unit."""
    return ROUNDING * max(float(np.abs(values).max()) for values in groups.values())


def moments(groups: Mapping[str, FloatArray], *, rounding: float) -> GroupMoments:
    """Summarise scores.

    Parameters
    ----------
    groups
        Condition to its evaluators' scores, shape (evaluators,), not empty.
    rounding
        Where scores of a condition lie no further apart than this, they count as the same.
    """
    squares = [
        float(((values - values.mean()) ** 2).sum()) if np.ptp(values) > rounding else 0.0
        for values in groups.values()
    ]
    return GroupMoments(
        names=tuple(groups),
        sizes=np.array([len(values) for values in groups.values()], dtype=float),
        means=np.array([values.mean() for values in groups.values()]),
        squares=np.array(squares),
    )
