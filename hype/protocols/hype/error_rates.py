"""HYPE_infinity: how often evaluators are wrong, over all images, fakes and reals.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
section 2.2.

Beside them, how well evaluators tell fakes from reals, apart from how readily they say "real".
Green & Swets (1966), "Signal Detection Theory and Psychophysics"; Macmillan & Creelman (2005),
"Detection Theory: A User's Guide", 2nd ed., eqs. 1.5 and 2.1. The fakes are what is to be detected:
a hit is a fake called fake, a false alarm a real called fake.

An error rate mixes the two: an evaluator who calls everything real errs as often as one who
guesses. d′ is the same for whatever criterion an evaluator of equal-variance normal evidence takes.

A staircase of HYPE_time moves through exposures at which d′ differs, so its judgements have no
single d′.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from hype.statistics.arrays import FloatArray

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
        return percent(self.fakes_wrong, self.fakes)

    @property
    def reals_error(self) -> float | None:
        return percent(self.reals_wrong, self.reals)


def percent(part: int, whole: int) -> float | None:
    # Multiplied first: equal rates of unequal counts are then equal to the last bit.
    return 100 * part / whole if whole else None


def error_counts(judgements: pd.DataFrame) -> dict[tuple[str, str], ErrorCounts]:
    """Count the judgements and errors in one protocol by (condition, evaluator), sorted."""
    conditions, names = pd.factorize(judgements["condition"], sort=True)
    evaluators, codes = pd.factorize(judgements["evaluator"], sort=True)
    pairs, evaluated = pd.factorize(conditions * len(codes) + evaluators, sort=True)
    # Four kinds of judgement, in the order of the fields: fakes, those wrong, reals, those wrong.
    real = judgements["truth"].eq("real").to_numpy()
    wrong = real != judgements["answer"].eq("real").to_numpy()
    tally = np.bincount(4 * pairs + 2 * real + wrong, minlength=4 * len(evaluated)).reshape(-1, 4)
    return {
        (names[pair // len(codes)], codes[pair % len(codes)]): ErrorCounts(
            fakes=right + missed, fakes_wrong=missed, reals=known + denied, reals_wrong=denied
        )
        for pair, (right, missed, known, denied) in zip(
            evaluated.tolist(), tally.tolist(), strict=True
        )
    }


def pooled(counts: Iterable[ErrorCounts]) -> ErrorCounts:
    each = tuple(counts)
    return ErrorCounts(
        fakes=sum(c.fakes for c in each),
        fakes_wrong=sum(c.fakes_wrong for c in each),
        reals=sum(c.reals for c in each),
        reals_wrong=sum(c.reals_wrong for c in each),
    )


CHANCE_PERCENT = 50.0
"""The infinity score of evaluators who cannot tell fakes from reals, with as many of each."""


@dataclass(frozen=True, kw_only=True)
class SignalDetection:
    """Means over a condition's evaluators."""

    # 0 where fakes cannot be told from reals, below 0 where they are taken for real more often than
    # the reals are
    d_prime: float
    # d_prime_low, d_prime_high, criterion_low, criterion_high: their intervals; None for a single
    # evaluator, who cannot show how evaluators vary
    d_prime_low: float | None
    d_prime_high: float | None
    criterion: float  # in units of d′; above 0 says "real" more often, 0 favours neither answer
    criterion_low: float | None
    criterion_high: float | None
    evaluators: int  # how many judged both fakes and reals; the others have no d′ and are left out
    confidence: float  # coverage the intervals aim at, as a proportion


def d_prime_and_criterion(
    fakes: npt.ArrayLike,
    fakes_wrong: npt.ArrayLike,
    reals: npt.ArrayLike,
    reals_wrong: npt.ArrayLike,
) -> tuple[FloatArray, FloatArray]:
    """Compute d′ = z(H) − z(F) and c = −½(z(H) + z(F)) from counts that broadcast.

    NaN where there were no fakes or no reals. With the log-linear correction of Hautus (1995),
    "Corrections for extreme proportions and their biasing effects on estimated values of d′",
    always applied: half a hit and half a false alarm are added, and one trial of each kind. Without
    a single error d′ is then finite, and all the smaller the fewer trials there were: at most 4.67
    with 50 fakes and 50 reals.
    """
    fakes, reals = np.asarray(fakes, dtype=float), np.asarray(reals, dtype=float)
    # z(H) is taken as -z(1 - H): as many misses as false alarms then give a criterion of just 0.
    z_miss = special.ndtri((np.asarray(fakes_wrong) + 0.5) / (fakes + 1))
    z_alarm = special.ndtri((np.asarray(reals_wrong) + 0.5) / (reals + 1))
    d_prime, criterion = -z_miss - z_alarm, (z_miss - z_alarm) / 2
    defined = (fakes > 0) & (reals > 0)
    return np.where(defined, d_prime, np.nan), np.where(defined, criterion, np.nan)


def signal_detection(
    counts: Iterable[ErrorCounts], *, confidence: float = 0.95
) -> SignalDetection | None:
    """Summarise d′ and criterion over the evaluators of a condition who judged both kinds.

    The mean over evaluators, not d′ of their pooled answers: pooling people whose criteria differ
    understates d′ (Macmillan & Kaplan 1985, "Detection theory analysis of group data"). Every
    evaluator counts alike.

    The interval is Student's, mean ± t(n − 1)·s/√n: evaluators are independent, their d′ spread
    about normally, and for few of them it is wide enough where a percentile bootstrap is too
    narrow (Hesterberg 2015, "What teachers should know about the bootstrap"). It needs no draws.
    """
    each = _each(counts)
    each = each[~np.isnan(each).any(axis=1)]
    if not len(each):
        return None
    (d_prime, d_low, d_high), (criterion, c_low, c_high) = (
        _mean_and_interval(values, confidence) for values in each.T
    )
    return SignalDetection(
        d_prime=d_prime,
        d_prime_low=d_low,
        d_prime_high=d_high,
        criterion=criterion,
        criterion_low=c_low,
        criterion_high=c_high,
        evaluators=len(each),
        confidence=confidence,
    )


def _each(counts: Iterable[ErrorCounts]) -> FloatArray:
    """Return d′ and criterion of each evaluator, shape (evaluators, 2)."""
    rows = [(c.fakes, c.fakes_wrong, c.reals, c.reals_wrong) for c in counts]
    return np.stack(d_prime_and_criterion(*np.array(rows, dtype=float).reshape(-1, 4).T), axis=1)


def _mean_and_interval(
    values: FloatArray, confidence: float
) -> tuple[float, float | None, float | None]:
    mean = float(values.mean())
    if len(values) == 1:
        return mean, None, None
    quantile = special.stdtrit(len(values) - 1, (1 + confidence) / 2)
    half = float(quantile * values.std(ddof=1) / math.sqrt(len(values)))
    return mean, mean - half, mean + half
