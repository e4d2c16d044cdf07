"""Intervals and tests for shares, means on a scale, coefficients and medians."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy.sparse import csr_array

from hype.statistics.arrays import FloatArray, IntArray, renumber
from hype.statistics.crossed import Crossed, Error, group_means
from hype.statistics.estimate import Estimate


def wilson(
    successes: npt.ArrayLike, trials: npt.ArrayLike, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Wilson's score intervals of proportions; all arrays have the same shape.

    Wilson (1927), "Probable inference, the law of succession, and statistical inference", JASA 22.
    Successes may be halves, for ties. NaN without trials.
    """
    x, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    z = float(special.ndtri((1 + confidence) / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (x + z * z / 2) / (n + z * z)
        half = z / (n + z * z) * np.sqrt(x * (n - x) / n + z * z / 4)
    # Rounding must not move a limit that is exactly 0 or 1.
    low = np.where(x <= 0, np.where(n > 0, 0.0, np.nan), centre - half)
    high = np.where(x >= n, np.where(n > 0, 1.0, np.nan), centre + half)
    return np.asarray(low, dtype=float), np.asarray(high, dtype=float)


def shares(
    successes: npt.ArrayLike, trials: npt.ArrayLike, *, confidence: float = 0.95
) -> list[Estimate | None]:
    """Return proportions with the interval of `wilson`; None if there are no trials."""
    x, n = np.atleast_1d(successes), np.atleast_1d(trials)
    ends = zip(*wilson(x, n, confidence=confidence), strict=True)
    return [
        Estimate(value=float(won / of), low=float(low), high=float(high)) if of > 0 else None
        for won, of, (low, high) in zip(x, n, ends, strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class CrossedShare:
    """A share of answers that depend on one another, since each person gives several.

    Intervals are Wilson's, and tests are score tests, with Student's t instead of the normal
    distribution. Both replace the number of answers by p(1 - p)/V, the number of independent
    answers whose share would have the same variance V. Intervals are never narrower than if answers
    were independent (Korn and Graubard 1998, "Confidence intervals for proportions with small
    expected number of positive counts estimated from survey data", Survey Methodology 24). Interval
    and test agree: the interval excludes one half if and only if the test is significant.
    """

    value: float
    answers: float  # maximum number of independent answers to assume
    # Number of independent answers that give the share's variance; infinite if the variance is 0
    effective: float
    freedom: float  # degrees of freedom of the variance

    def estimate(self, confidence: float) -> Estimate:
        outside = (1 - confidence) / 2
        wider = float(special.ndtri(outside) / special.stdtrit(self.freedom, outside))
        number = min(self.answers, self.effective * wider**2)
        low, high = wilson(self.value * number, number, confidence=confidence)
        return Estimate(value=self.value, low=float(low), high=float(high))

    def p_above(self, bound: float) -> float:
        distance = (bound - self.value) / np.sqrt(bound * (1 - bound))
        alone = special.ndtr(distance * np.sqrt(self.answers))
        if np.isinf(self.effective):
            return float(alone)
        clustered = special.stdtr(self.freedom, distance * np.sqrt(self.effective))
        return float(max(alone, clustered))


_AT_ONCE: Final = 16
"""The number of shares whose answers are processed at once."""


def estimate_shares(
    group: IntArray, points: FloatArray, people: IntArray, items: IntArray | None, *, groups: int
) -> list[CrossedShare | None]:
    """Estimate the share of each group of answers, which is the mean of their points.

    ``group``: each answer's group, from 0, shape (answers,). ``points``: 0 or 1, or one half for a
    tie. ``people``, ``items``: as in `Crossed`. None if fewer than two people answered.
    """
    short = group.astype(np.min_scalar_type(groups))  # small integers sort faster
    order = np.argsort(short, kind="stable")
    ends = np.searchsorted(group[order], np.arange(0, groups + _AT_ONCE, _AT_ONCE))
    crossed: list[CrossedShare | None] = []
    for first, begin, end in zip(range(0, groups, _AT_ONCE), ends, ends[1:], strict=False):
        own = order[begin:end]
        crossed += _estimate_groups(
            group[own] - first,
            points[own],
            people[own] if groups <= _AT_ONCE else renumber(people[own])[1],
            None if items is None else items[own],
            min(_AT_ONCE, groups - first),
        )
    return crossed


def _estimate_groups(
    group: IntArray, points: FloatArray, people: IntArray, items: IntArray | None, groups: int
) -> Iterator[CrossedShare | None]:
    number = np.bincount(group, minlength=groups)
    tied = np.bincount(group, points % 1 > 0, minlength=groups)
    sums = np.bincount(group, points, minlength=groups)
    mean = sums / np.maximum(number, 1)
    size = int(people.max(initial=-1)) + 1
    seen = np.bincount(people.astype(np.int64) * groups + group, minlength=size * groups) > 0
    persons = seen.reshape(size, groups).sum(axis=0)
    places, shape = (np.arange(len(group)), group), (len(group), groups)
    share = 1 / number[group]
    terms = csr_array(((points - mean[group]) * share, places), shape=shape)
    crossed = Crossed(terms, csr_array((share, places), shape=shape), people, items, of_pairs=False)
    for place in range(groups):
        if persons[place] < 2:
            yield None
            continue
        n, value = float(number[place]), float(mean[place])
        answers = n * _worth(float(sums[place]), float(tied[place]), n)
        found = make_share(value, answers, crossed.error(place), people=int(persons[place]))
        # With two people, an error below that of independent answers may be due to chance.
        by_chance = persons[place] == 2 and found.effective > answers
        yield replace(found, effective=answers, freedom=1.0) if by_chance else found


def make_share(value: float, answers: float, error: Error, *, people: int) -> CrossedShare:
    """Return a share of answers with its error; ``answers``: as in `CrossedShare`."""
    freedom, variance = error.freedom, error.variance
    effective = value * (1 - value) / variance if variance > 0 else np.inf
    if value in (0, 1):
        effective, freedom = answers, people - 1.0
    return CrossedShare(value=value, answers=answers, effective=effective, freedom=freedom)


def estimate_means(
    group: IntArray,
    values: FloatArray,
    people: IntArray,
    items: IntArray | None,
    *,
    groups: int,
    confidence: float,
    scale: tuple[float, float],
) -> list[Estimate | None]:
    """Return the mean of each group of answers on a bounded scale; None without answers.

    ``scale``: the lowest and the highest value. Other parameters are those of `group_means`. There
    is no interval if fewer than two people answered.
    """
    means, number, crossed = group_means(group, values, people, items, groups)
    seen = np.unique(people.astype(np.int64) * groups + group) % groups
    persons = np.bincount(seen, minlength=groups)
    return [
        mean_on_scale(
            float(means[place]),
            crossed.error(place).reach(confidence) if persons[place] > 1 else None,
            int(persons[place]),
            confidence=confidence,
            scale=scale,
        )
        if number[place]
        else None
        for place in range(groups)
    ]


def mean_on_scale(
    value: float, reach: float | None, people: int, *, confidence: float, scale: tuple[float, float]
) -> Estimate:
    """Return a mean with an interval that stays on its scale.

    The mean is treated as a share of the scale. The interval is Wilson's; its number of independent
    answers is the one that would give the half-width ``reach`` on an unlimited scale. If all
    answers are the same, the interval allows for people who would answer otherwise: it uses the
    upper limit of their share (Clopper and Pearson 1934), which is 31 % if 10 people agree. For
    each limit, all of them are assumed to choose that end of the scale.
    """
    if reach is None:
        return Estimate(value=value)
    lowest, length = scale[0], scale[1] - scale[0]
    share = min(max((value - lowest) / length, 0.0), 1.0)
    if reach > 0 and 0 < share < 1:
        z = float(special.ndtri((1 + confidence) / 2))
        number = share * (1 - share) * (z * length / reach) ** 2
        low, high = (float(end) for end in wilson(share * number, number, confidence=confidence))
    else:
        others = 1 - ((1 - confidence) / 2) ** (1 / people)
        low, high = share * (1 - others), share + (1 - share) * others
    return Estimate(value=value, low=lowest + low * length, high=lowest + high * length)


_NEARLY_ONE: Final = 1.0 - 1e-12
"""A larger value counts as 1 (it differs by rounding only), for which Fisher's z is infinite."""


def interval_on_fisher_scale(
    value: npt.ArrayLike, reach: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of intervals of α, κ and correlations, which are between −1 and 1.

    ``reach``: the half-width on Fisher's scale z = artanh r (Fisher 1921, "On the probable error of
    a coefficient of correlation deduced from a small sample"), where the interval is nearly
    symmetric. So both ends stay between −1 and 1. NaN if the value is −1 or 1, since it is unknown
    how such a value varies.
    """
    values = np.asarray(value, dtype=float)
    z = np.arctanh(np.where(np.abs(values) < _NEARLY_ONE, values, np.nan))
    return np.tanh(z - reach), np.tanh(z + reach)


def interval_within_one(value: float, reach: float | None) -> tuple[float | None, float | None]:
    """Do the same as `interval_on_fisher_scale`; ``reach`` is on the value's own scale."""
    if not reach or abs(value) >= 1:
        return None, None
    low, high = interval_on_fisher_scale(value, reach / (1 - value * value))
    return number_or_none(low), number_or_none(high)


def number_or_none(number: npt.ArrayLike) -> float | None:
    return None if np.isnan(number) else float(number)  # type: ignore[arg-type]


def _worth(points: float, tied: float, number: float) -> float:
    """Return how many choices an answer is worth on average: more than 1 if there are ties.

    Ties vary less than choices. Two answers for each choice are added, so the result is finite.
    """
    share = (points + 2) / (number + 4)
    even = share * (1 - share)
    return even / (even - tied / (number + 4) / 4)


def share_error(successes: float, trials: float, error: Error) -> Error:
    """Raise the error to at least that of independent answers plus 2 successes and 2 failures."""
    share = (successes + 2) / (trials + 4)
    return replace(error, variance=max(error.variance, share * (1 - share) / trials))


def even_chance_p(successes: npt.ArrayLike, trials: npt.ArrayLike) -> FloatArray:
    """Return the exact two-sided p of the binomial test against one half."""
    x, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    tail = special.bdtr(np.minimum(x, n - x), n.astype(np.int64), 0.5)
    return np.asarray(np.minimum(1.0, 2 * tail), dtype=float)


def holm(p: npt.ArrayLike) -> FloatArray:
    """Correct several p by Holm's rule; NaN is ignored and stays NaN.

    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6.
    """
    values = np.asarray(p, dtype=float)
    corrected = np.full(values.shape, np.nan)
    places = np.flatnonzero(~np.isnan(values))
    order = places[np.argsort(values[places], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * factors))
    return corrected


def holm_known(p: Sequence[float | None]) -> list[float | None]:
    """Do the same as `holm`; None is ignored and stays None."""
    corrected = holm([np.nan if value is None else value for value in p]).tolist()
    return [None if value is None else both for value, both in zip(p, corrected, strict=True)]


MOST_EXACT: Final = 10_000_000
"""p is exact if the number of people times the sum of all |net| is at most this."""


def sign_flip_p(net: npt.ArrayLike) -> float:
    """Test whether two options are chosen equally often; return the two-sided p.

    ``net``: for each person, how often the first was chosen minus how often the second was. p is 1
    if everybody chose both equally often. If the exact p would take too long, a normal distribution
    with the same variance gives p.
    """
    signed = np.asarray(net, dtype=np.int64)
    sizes = np.abs(signed[signed != 0])
    total, furthest = abs(int(signed.sum())), int(sizes.sum())
    larger = sizes[sizes > 1]
    if furthest == 0:
        return 1.0
    if not len(larger):
        return min(1.0, 2 * float(special.bdtr((furthest - total) / 2, furthest, 0.5)))
    if len(sizes) * furthest > MOST_EXACT:
        deviation = np.sqrt(np.square(sizes, dtype=float).sum())
        return float(2 * special.ndtr(-total / deviation))
    singles = len(sizes) - len(larger)
    sums = np.zeros(singles + int(larger.sum()) + 1)
    ones = np.arange(singles + 1)
    logs = special.gammaln(singles + 1) - special.gammaln(ones + 1)
    sums[: singles + 1] = np.exp(logs - special.gammaln(singles - ones + 1) - singles * np.log(2))
    for size in larger.tolist():
        sums[size:] = sums[size:] / 2 + sums[:-size] / 2
        sums[:size] /= 2
    return min(1.0, 2 * float(sums[: (furthest - total) // 2 + 1].sum()))


CONFIDENCE: Final = 0.95


def median_interval(
    values: FloatArray, *, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Return the interval of the median of ascending values; both ends are among the values.

    David & Nagaraja (2003), "Order Statistics", 3rd edition, section 7.1: the interval reaches from
    the d-th smallest to the d-th largest value, for the largest d at which P(Bin(n, ½) < d) is at
    most (1 − confidence)/2. The interval is valid for any distribution: it covers the median with
    at least the probability ``confidence``. None if there are too few values.
    """
    n = len(values)
    # the probability of fewer than 1, 2, … n values below the median
    below = special.bdtr(np.arange(n, dtype=float), n, 0.5)
    d = int(np.count_nonzero(below <= (1 - confidence) / 2))
    return (float(values[d - 1]), float(values[n - d])) if d else None


def median_over_people(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """Return the median of people's values; the interval treats people as a sample.

    Finite values are above 0. A value that is only known to be very large or very small is ∞ or −∞.
    The median must be finite. The interval is that of `median_interval`. If there are too few
    people and all values are finite, it is Student's interval for the mean logarithm, valid for the
    median if logarithms have a symmetric distribution. An infinite limit is returned as None.
    """
    ends = median_interval(np.sort(values), confidence=confidence) or _interval_of_few(
        values, confidence
    )
    low, high = (end if math.isfinite(end) else None for end in ends)
    return Estimate(value=statistics.median(values), low=low, high=high)


def _interval_of_few(values: Sequence[float], confidence: float) -> tuple[float, float]:
    if len(values) < 2 or not all(map(math.isfinite, values)):
        return -math.inf, math.inf
    logs = np.log(values)
    t = float(special.stdtrit(len(logs) - 1, (1 + confidence) / 2))
    reach = t * float(logs.std(ddof=1)) / math.sqrt(len(logs))
    return math.exp(logs.mean() - reach), math.exp(logs.mean() + reach)
