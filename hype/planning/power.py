"""How likely a planned study is to tell two conditions apart: power by simulation.

Studies are drawn from evaluators that were simulated before, and each is put to the test that
`hype.analysis.compare_conditions` makes of a real one: Student's t where there are two conditions,
Tukey's HSD of the one pair where there are more.

Evaluators are drawn with replacement. Drawn without, studies from a finite population would be more
alike than studies from all people there are: their means vary less by the factor 1 - N/M, for N of
M, and power would come out too high. With replacement N may be any number, and what is left
is how well the M stand for everybody, which is the same for all N: for its share in the standard
error of the power see `hype.planning.power.people_error`.

Simulation (`hype.planning.power`) gives the power of a number of evaluators that is asked about;
the closed form says about how many are needed, and how much a power depends on who was simulated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special

from hype.errors import InputError
from hype.protocols.hype.condition_scores import ALPHA, CONFIDENCE
from hype.statistics.anova import ROUNDING
from hype.statistics.arrays import FloatArray
from hype.statistics.pairs import STUDENT, TUKEY, critical

_PARTS: Final = 20
"""Of the people simulated, each left out in turn."""


@lru_cache(maxsize=256)
def critical_t(conditions: int, df: float, alpha: float = ALPHA) -> float:
    if conditions == 2:
        return -float(special.stdtrit(df, alpha / 2))
    return float(critical(alpha, conditions, df) / np.sqrt(2))


def normal_power(
    difference: float, deviations: Sequence[float], evaluators: int, *, alpha: float = ALPHA
) -> float:
    """Give the power of the test for normal scores, as the noncentral t distribution has it.

    `deviations` are those of each condition's scores, not all 0; the two of the pair come first,
    whose true scores differ by `difference`. `evaluators` are 2 or more per condition.

    Exact where all deviations are the same: the difference of a pair over its standard error is
    then noncentral t on k·(N - 1) degrees of freedom (Cohen 1988, chapter 2, for k = 2). Where they
    are not, the error is pooled over all conditions and the difference varies with the two of the
    pair, so that the ratio is stretched accordingly.
    """
    variances = np.square(np.asarray(deviations, dtype=float))
    pooled, own = float(variances.mean()), float(variances[:2].mean())
    df = len(variances) * (evaluators - 1)
    limit = critical_t(len(variances), df, alpha) * np.sqrt(2 * pooled / evaluators)
    error = np.sqrt(2 * own / evaluators)
    s, weight = _estimated_deviation(df)
    with np.errstate(divide="ignore"):  # where nobody of the pair varies, it is 0 or 1
        beyond = special.ndtr((difference - limit * s) / error)
        beyond += special.ndtr((-difference - limit * s) / error)
    return float(min(1.0, weight @ beyond))


@lru_cache(maxsize=256)
def _estimated_deviation(df: int) -> tuple[FloatArray, FloatArray]:
    """Give values of an estimated standard deviation of 1, and their weights, which sum to 1.

    s is the root of a chi-squared variate on df degrees of freedom, divided by df; outside of the
    values lies less than 1e-12. Integrating over it is slower than the noncentral t distribution
    of SciPy, but has a value for all arguments.
    """
    low, high = np.sqrt(special.chdtri(df, [1 - 1e-13, 1e-13]) / df)
    nodes, weights = _legendre()
    s = low + (high - low) * (nodes + 1) / 2
    log_density = df * (np.log(s) - s * s / 2)
    density = weights * s**-1.0 * np.exp(log_density - log_density.max())
    return s, np.asarray(density / density.sum())


@lru_cache(maxsize=1)
def _legendre() -> tuple[FloatArray, FloatArray]:
    return np.polynomial.legendre.leggauss(128)


def people_power(
    scores: Sequence[FloatArray], difference: float, evaluators: int, *, alpha: float = ALPHA
) -> float:
    deviations = [float(each.std(ddof=1)) for each in scores]
    if not any(deviations):
        return 0.0
    return normal_power(difference, deviations, evaluators, alpha=alpha)


def people_error(scores: Sequence[FloatArray], evaluators: int, *, alpha: float = ALPHA) -> float:
    """Give the standard error of a power by who was simulated, for a fixed difference.

    By a jackknife: one part of the people after the other is left out. The difference is fixed
    since it was made to be what it is.
    """
    difference = float(scores[1].mean() - scores[0].mean())
    parts = min(_PARTS, *map(len, scores))
    without = [
        people_power(_without(scores, part, parts), difference, evaluators, alpha=alpha)
        for part in range(parts)
    ]
    return float(np.sqrt((parts - 1) * np.var(without)))


def _without(scores: Sequence[FloatArray], part: int, parts: int) -> list[FloatArray]:
    return [each[np.arange(len(each)) % parts != part] for each in scores]


ENOUGH: Final = 0.8
"""The power that is usually asked for: Cohen (1988)."""
MOST_EVALUATORS: Final = 1_000_000
"""No more than these are said to be needed."""
_CELLS: Final = 2**18
"""Evaluators times studies held in memory at once."""
_INTERVALS: Final = 400
"""Drawn studies whose bootstrap interval is computed."""
_RESAMPLES: Final = 2_000


@dataclass(frozen=True, kw_only=True)
class Power:
    """What so many evaluators per condition can show."""

    evaluators: int  # per condition
    power: float  # share of drawn studies, 0 to 1, in which the pair is separable
    # Its standard error, by the number of studies and by that of simulated evaluators
    power_se: float
    false_alarms: float  # the same share where both conditions of the pair are the first one
    false_alarms_se: float  # its standard error by the number of studies
    # Width of the bootstrap's percentile interval of the first condition's score, as
    # `hype.analysis.bootstrap` has it: the median over drawn studies
    interval_width: float


def planned_test(conditions: int) -> str:
    return STUDENT if conditions == 2 else TUKEY


def power(
    people: Sequence[npt.ArrayLike],
    evaluators: int,
    *,
    studies: int,
    seed: int,
    alpha: float = ALPHA,
) -> Power:
    """Draw studies of so many evaluators per condition, 2 or more, and see what they show.

    `people` are, for each condition, the scores of simulated evaluators, shape (people,), 3 or
    more; the two conditions of the pair come first. The same seed gives the same figures, whichever
    other numbers of evaluators are asked about. A pair counts as separable below `alpha`, 1e-12 to
    below 1.
    """
    scores = checked(people, evaluators, studies)
    streams = np.random.SeedSequence(seed, spawn_key=(evaluators,)).spawn(3)
    rngs = [np.random.default_rng(stream) for stream in streams]
    found = separable_share(scores, evaluators, studies=studies, rng=rngs[0], alpha=alpha)
    same = [scores[0], scores[0], *scores[2:]]
    false = separable_share(same, evaluators, studies=studies, rng=rngs[1], alpha=alpha)
    drawn = binomial_error(found, studies)
    return Power(
        evaluators=evaluators,
        power=found,
        power_se=float(np.hypot(drawn, people_error(scores, evaluators, alpha=alpha))),
        false_alarms=false,
        false_alarms_se=binomial_error(false, studies),
        interval_width=interval_width(scores[0], evaluators, studies=studies, rng=rngs[2]),
    )


def checked(people: Sequence[npt.ArrayLike], evaluators: int, studies: int) -> list[FloatArray]:
    scores = [np.asarray(each, dtype=float).ravel() for each in people]
    for name, number, least in (
        ("conditions", len(scores), 2),
        ("people", min(map(len, scores), default=0), 3),
        ("evaluators", evaluators, 2),
        ("studies", studies, 1),
    ):
        if number < least:
            raise InputError(name, str(number), f"allowed is a whole number, {least} or more")
    return scores


def separable_share(
    scores: Sequence[FloatArray],
    evaluators: int,
    *,
    studies: int,
    rng: np.random.Generator,
    alpha: float = ALPHA,
) -> float:
    step = max(1, _CELLS // evaluators)
    found = 0
    for start in range(0, studies, step):
        shape = (min(step, studies - start), evaluators)
        drawn = [each[rng.integers(len(each), size=shape)] for each in scores]
        found += int(separable(drawn, alpha=alpha).sum())
    return found / studies


def separable(drawn: Sequence[FloatArray], *, alpha: float = ALPHA) -> npt.NDArray[np.bool_]:
    """Test the first two conditions of many studies; shape (studies,).

    `drawn` are each condition's scores, shape (studies, evaluators). It says whether
    `compare_conditions` would call the pair separable. A study in which nobody varies within a
    condition has no test, and the pair is not.
    """
    conditions, evaluators = len(drawn), drawn[0].shape[1]
    rounding = ROUNDING * max(float(np.abs(each).max()) for each in drawn)
    within = sum(_squares(each, rounding) for each in drawn)
    df = conditions * (evaluators - 1)
    error = np.sqrt(within / df * 2 / evaluators)
    difference = np.abs(drawn[0].mean(axis=1) - drawn[1].mean(axis=1))
    limit = critical_t(conditions, df, alpha)
    return np.asarray((error > 0) & (difference > limit * error))


def _squares(scores: FloatArray, rounding: float) -> FloatArray:
    squares = scores.var(axis=1) * scores.shape[1]
    return np.where(np.ptp(scores, axis=1) > rounding, squares, 0.0)


def binomial_error(share: float, studies: int) -> float:
    """Give the standard error of a share of studies; not 0 where all or none are counted."""
    kept = (share * studies + 1) / (studies + 2)
    return float(np.sqrt(kept * (1 - kept) / studies))


def interval_width(
    scores: FloatArray, evaluators: int, *, studies: int, rng: np.random.Generator
) -> float:
    shape = (min(studies, _INTERVALS), evaluators)
    drawn = scores[rng.integers(len(scores), size=shape)]
    return float(np.median(interval_widths(drawn, rng)))


def interval_widths(drawn: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Give the width of the bootstrap's percentile interval of the mean of each study.

    Of scores of shape (studies, evaluators). All studies are resampled alike, and each as
    `hype.analysis.bootstrap` would.
    """
    means = np.vstack(list(_resampled(drawn, rng)))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, (tail, 1 - tail), axis=0)
    return np.asarray(high - low)


def _resampled(drawn: FloatArray, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield the means of all studies over resampled evaluators, shape (resamples, studies)."""
    evaluators = drawn.shape[1]
    step = max(1, _CELLS // evaluators)
    for start in range(0, _RESAMPLES, step):
        times = rng.multinomial(
            evaluators, np.full(evaluators, 1 / evaluators), size=min(step, _RESAMPLES - start)
        )
        yield times.astype(float) @ drawn.T / evaluators


def evaluators_for(
    people: Sequence[npt.ArrayLike], *, wanted: float = ENOUGH, alpha: float = ALPHA
) -> int | None:
    """Say about how many evaluators per condition have the power wanted, for normal scores.

    The smallest number by `people_power`; None where it is above `MOST_EVALUATORS`. `people` as for
    `power`; `wanted` is above alpha and below 1.
    """
    scores = checked(people, 2, 1)
    difference = float(scores[1].mean() - scores[0].mean())

    def enough(evaluators: int) -> bool:
        return people_power(scores, difference, evaluators, alpha=alpha) >= wanted

    low, high = 1, 2
    while not enough(high):
        low, high = high, high * 2
        if low >= MOST_EVALUATORS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
