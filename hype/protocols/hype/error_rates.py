"""HYPE_infinity: how often evaluators are wrong, over all images, fakes and reals.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, kw_only=True)
class ErrorCounts:
    """Judgements of fake and of real images, and how many of each were wrong."""

    fakes: int
    fakes_wrong: int
    reals: int
    reals_wrong: int

    @property
    def judgements(self) -> int:
        return self.fakes + self.reals

    @property
    def wrong(self) -> int:
        return self.fakes_wrong + self.reals_wrong

    @property
    def fakes_error(self) -> float | None:
        """Percent of the fakes taken for real; None without fakes."""
        return percent(self.fakes_wrong, self.fakes)

    @property
    def reals_error(self) -> float | None:
        """Percent of the reals taken for fake; None without reals."""
        return percent(self.reals_wrong, self.reals)


def percent(part: int, whole: int) -> float | None:
    """Return `part` of `whole` in percent, or None where there is no whole."""
    # Multiplied first: equal rates of unequal counts are then equal to the last bit.
    return 100 * part / whole if whole else None


def error_counts(judgements: pd.DataFrame) -> dict[tuple[str, str], ErrorCounts]:
    """Count each evaluator's judgements and errors.

    Parameters
    ----------
    judgements
        Rows of one protocol, as `check_judgements` returns them.

    Returns
    -------
    dict
        (condition, evaluator) to counts, in sorted order.
    """
    conditions, names = pd.factorize(judgements["condition"], sort=True)
    evaluators, codes = pd.factorize(judgements["evaluator"], sort=True)
    pairs, found = pd.factorize(conditions * len(codes) + evaluators, sort=True)
    # Four kinds of judgement, in the order of the fields: fakes, those wrong, reals, those wrong.
    real = judgements["truth"].eq("real").to_numpy()
    wrong = real != judgements["answer"].eq("real").to_numpy()
    tally = np.bincount(4 * pairs + 2 * real + wrong, minlength=4 * len(found)).reshape(-1, 4)
    return {
        (names[pair // len(codes)], codes[pair % len(codes)]): ErrorCounts(
            fakes=right + missed, fakes_wrong=missed, reals=known + denied, reals_wrong=denied
        )
        for pair, (right, missed, known, denied) in zip(found.tolist(), tally.tolist(), strict=True)
    }


def pooled(counts: Iterable[ErrorCounts]) -> ErrorCounts:
    """Add up the counts of several evaluators."""
    each = tuple(counts)
    return ErrorCounts(
        fakes=sum(c.fakes for c in each),
        fakes_wrong=sum(c.fakes_wrong for c in each),
        reals=sum(c.reals for c in each),
        reals_wrong=sum(c.reals_wrong for c in each),
    )
