"""Whether evaluators differ more than chance makes them, in one pair of conditions or in many.

Tarone (1979), "Testing the goodness of fit of the binomial distribution", Biometrika 66: with S
the sum of (x - np)²/(pq) over evaluators, Z = (S - Σn) / √(2Σn(n - 1)) is about standard normal
where all have the same probability, and the score test against the beta-binomial distribution.
Where prompts differ and everybody saw the same ones, an evaluator's choices vary less than those of
a coin, so that the test errs to the safe side.
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

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, kw_only=True)
class Dispersion:
    """What Tarone's test is made of.

    Parameters
    ----------
    excess
        S - Σn.
    variance
        2Σn(n - 1).
    """

    excess: float
    variance: float

    @property
    def camps_z(self) -> float:
        """What Z would be about if everybody always made the same choice."""
        return float(np.sqrt(self.variance) / 2)


def dispersion(chosen: IntArray, choices: IntArray) -> Dispersion:
    """Compute it for one pair, in which both conditions were chosen; shape (evaluators,)."""
    share = chosen.sum() / choices.sum()
    squares = np.square(chosen - share * choices).sum() / (share * (1 - share))
    return Dispersion(
        excess=float(squares - choices.sum()), variance=float(2 * (choices * (choices - 1)).sum())
    )


def tarone_p(found: Sequence[Dispersion]) -> float | None:
    """Test pairs together: one-sided p; None where no evaluator chose twice in any pair."""
    variance = sum(one.variance for one in found)
    if variance <= 0:
        return None
    return float(special.ndtr(-sum(one.excess for one in found) / np.sqrt(variance)))


def permuted_p(
    chosen: IntArray, choices: IntArray, *, draws: int, rng: np.random.Generator
) -> float:
    """Test one pair by dealing out the choices anew, which needs no approximation.

    Given how many of all choices were for `a`, and how many everybody made, every deal is as
    probable where all have the same probability. p is the part of deals with S as large or larger,
    the observed one among them.
    """
    share = chosen.sum() / choices.sum()
    dealt = rng.multivariate_hypergeometric(
        choices, int(chosen.sum()), size=draws, method="marginals"
    )
    limit = np.square(chosen - share * choices).sum()
    drawn = np.square(dealt - share * choices).sum(axis=1)
    return float((1 + (drawn >= limit * (1 - _ROUNDING)).sum()) / (draws + 1))
