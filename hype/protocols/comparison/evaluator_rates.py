"""What each evaluator chose between two conditions, beside what chance alone would scatter.

A win rate of 60 % may be everybody's or an average of camps (`hype.protocols.comparison.camps`
tests which); the rates of the evaluators show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy import stats

from hype.protocols.comparison.camps import TELLING, pair_choices

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from hype.protocols.comparison.camps import PairChoices

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

FEWEST: Final = 5
"""Evaluators with enough choices, before it is said how chance would scatter them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluatorRates:
    """The evaluators of one pair of conditions.

    Parameters
    ----------
    a, b
        The conditions.
    chosen, choices
        How often each evaluator chose `a`, and chose at all (ties are no choice); shape
        (evaluators,).
    by_chance
        Between which shares 95 % of the evaluators with five choices or more would lie if all of
        them preferred `a` equally often; None where fewer than five have so many.
    """

    a: str
    b: str
    chosen: IntArray
    choices: IntArray
    by_chance: tuple[float, float] | None

    @property
    def shares(self) -> FloatArray:
        """Of the choices of each that are for `a`."""
        return self.chosen / self.choices

    @property
    def telling(self) -> npt.NDArray[np.bool_]:
        return self.choices >= TELLING

    @property
    def share(self) -> float:
        return float(self.chosen.sum() / self.choices.sum())


def evaluator_rates(
    votes: pd.DataFrame, pairs: Sequence[tuple[str, str]], *, coverage: float = 0.95
) -> tuple[EvaluatorRates, ...]:
    """Count the choices of each evaluator between some pairs of conditions.

    Parameters
    ----------
    votes
        The scored rows.
    pairs
        Each with the condition first whose share is wanted.
    coverage
        Of the range that chance alone would make, as a proportion.

    Returns
    -------
    tuple of EvaluatorRates
        In the order of the pairs, without those between which nobody chose; none where evaluators
        are not known.
    """
    if "evaluator" not in votes:
        return ()
    left, right = (votes[side].astype(object) for side in ("left", "right"))
    found = []
    for a, b in pairs:
        own = (left.eq(a) & right.eq(b)) | (left.eq(b) & right.eq(a))
        own &= votes["answer"].isin(["left", "right"])
        if own.any():
            (choices,) = pair_choices(votes[own.to_numpy()])
            found.append(_rates(a, b, choices, coverage))
    return tuple(found)


def _rates(a: str, b: str, found: PairChoices, coverage: float) -> EvaluatorRates:
    chosen = found.chosen if found.a == a else found.choices - found.chosen
    telling = found.choices[found.choices >= TELLING]
    share = float(chosen.sum() / found.choices.sum())
    return EvaluatorRates(
        a=a,
        b=b,
        chosen=chosen,
        choices=found.choices,
        by_chance=_by_chance(share, telling, coverage) if len(telling) >= FEWEST else None,
    )


def _by_chance(share: float, choices: IntArray, coverage: float) -> tuple[float, float]:
    """Give the quantiles of binomial shares, over evaluators with so many choices each."""
    numbers, people = np.unique(choices, return_counts=True)
    parts = [np.arange(number + 1) for number in numbers]
    shares = np.concatenate([part / number for part, number in zip(parts, numbers, strict=True)])
    weights = np.concatenate(
        [
            stats.binom.pmf(part, number, share) * who
            for part, number, who in zip(parts, numbers, people, strict=True)
        ]
    )
    order = np.argsort(shares, kind="stable")
    below = np.cumsum(weights[order]) / weights.sum()
    tail = (1 - coverage) / 2
    low, high = np.searchsorted(below, [tail, 1 - tail])
    return float(shares[order][low]), float(shares[order][min(high, len(shares) - 1)])
