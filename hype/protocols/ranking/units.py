"""What of a study is independent: its evaluators, or its groups where there is one evaluator.

Comparisons of one ranking are not, and nor are rankings of one person. Of a single evaluator, or
of nobody knows whom, the groups of images are what could have been others; then nothing is said of
other people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from hype.protocols.ranking.members import codes_of

if TYPE_CHECKING:
    import pandas as pd

    from hype.protocols.ranking.orders import Orders

IntArray = npt.NDArray[np.int64]
Unit = Literal["evaluators", "groups"]

MOST_UNITS: Final = 2_000
"""Units that are drawn one by one; more are drawn in bundles, see `Units.bundled`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Units:
    """The units.

    Parameters
    ----------
    kind
        "evaluators" or "groups".
    of_ranking
        Whose each ranking is: numbers from 0, shape (rankings,).
    number
        How many there are.
    """

    kind: Unit
    of_ranking: IntArray
    number: int

    def bundled(self) -> Units:
        """Put so many units together that `MOST_UNITS` are left at most.

        Sums of independent units are independent: a bootstrap of 2,000 of them has the spread of
        one of 100,000, but for 2,000 being the number from which it is known (the "random groups"
        of Wolter 2007, "Introduction to Variance Estimation", chapter 2).
        """
        if self.number <= MOST_UNITS:
            return self
        return Units(kind=self.kind, of_ranking=self.of_ranking % MOST_UNITS, number=MOST_UNITS)


def units(rankings: pd.DataFrame, laid: Orders) -> Units:
    """Find the units of the rankings that were laid out."""
    row = laid.row[laid.starts]
    if "evaluator" in rankings:
        found, own = np.unique(codes_of(rankings["evaluator"])[row], return_inverse=True)
        if len(found) > 1:
            return Units(kind="evaluators", of_ranking=own, number=len(found))
    found, own = np.unique(codes_of(rankings["group"])[row], return_inverse=True)
    return Units(kind="groups", of_ranking=own, number=len(found))
