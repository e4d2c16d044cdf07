"""A psychometric function, fitted to correct and wrong answers at several exposures.

Accuracy as a function of exposure t is a Weibull function that rises from chance, ½, to 1 − λ:

    ψ(t) = ½ + (½ − λ)·(1 − exp(−(t/α)^β))                  Wichmann & Hill (2001), eq. 1

This is the usual choice for durations and contrasts, whose ratios matter. On ln t, ψ is the Gumbel
function that psignifit calls "weibull". λ, the rate of lapses, is a free parameter. Answers scatter
more than coin tosses, since people learn and tire: the number of correct answers at a level is
beta-binomial, with overdispersion η from 0 (binomial) to 1 (all or nothing).

Wichmann & Hill (2001), "The psychometric function: I", Perception & Psychophysics 63, 1293-1313.
Schütt, Harmeling, Macke & Wichmann (2016), "Painfree and accurate Bayesian estimation of
psychometric functions for (potentially) overdispersed data", Vision Research 122, 105-123: their
posterior is computed here, on a grid, under psignifit's default priors. psignifit itself is not
used, since it goes through the levels one by one, which took most of the time of a fit.

`fit_psychometric` fits one set of answers, with intervals. `fit_each` fits the answers of each of
many people at once, under the same priors. It leaves out overdispersion, which widens intervals but
hardly moves the function.

Each function describes one person. A function fitted to the pooled answers of different people is
biased, since a staircase gives long exposures to people who need them. For people with a median
threshold of 251 ms, the fit gave 289, 194 or 152 ms, depending on the staircase's rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import gammaln, xlog1py, xlogy

from hype.errors import InputError
from hype.statistics.arrays import FloatArray, IntArray

CHANCE: Final = 0.5
TOLERANCE: Final = 0.03
"""Levels closer together than this in ln t are fitted as one: the time of a fit grows with their
number, and accuracy hardly changes if an exposure changes by 3 %."""
GRID: Final = 8, 12, 30, 25
"""Number of steps of η, λ, threshold and width; psignifit has more (20, 20, 40, 40). The threshold
differs from psignifit's by at most 0.5 %, and the ends of its interval by 2 %, or 4 % if the
interval is wide."""
FIRST_GRID: Final = 8, 8, 20, 20
"""Steps of the first, wider grid, which shows where to place the second grid."""
LIKELY: Final = 1e-5
"""The second grid contains all cells of the first with at least this share of the posterior."""
BINOMIAL: Final = 1e-9
"""If η² is at most this, answers count as binomial."""

# psignifit's width is the distance in ln t between 5 and 95 % of the rise; its threshold is at half
# of the rise.
WIDTH: Final = float(np.log(-np.log(0.05)) - np.log(-np.log(0.95)))
HALFWAY: Final = float(np.log(np.log(2)))
NORMAL_WIDTH: Final = 3.289707253902945
"""Distance between 5 and 95 % of a normal distribution, in standard deviations."""
STEEPEST: Final = 30.0
"""exp(-exp(30)) is 0. A larger value gives 0 too, but could overflow the inner exponential."""


@dataclass(frozen=True, kw_only=True)
class LevelCounts:
    """Answers counted by exposure."""

    levels_ms: FloatArray  # exposures, ascending, above 0, shape (levels,)
    # correct, trials: numbers of correct answers and of all answers at each level, shape (levels,)
    correct: FloatArray
    trials: FloatArray
    # shortest_ms, longest_ms: the shortest and longest exposure, before levels were joined
    shortest_ms: float
    longest_ms: float


@dataclass(frozen=True, kw_only=True)
class PsychometricFunction:
    """Accuracy as a function of exposure, ψ."""

    scale_ms: float  # α: the exposure at which accuracy has risen by 63 % of its range
    exponent: float  # β: how steeply it rises
    lapse: float  # λ: how far accuracy stays below 1 at long exposures

    def accuracy(self, exposures_ms: npt.ArrayLike) -> FloatArray:
        """Return the probability of a correct answer at exposures above 0, in ms."""
        shown_ms = np.asarray(exposures_ms, dtype=float)
        return weibull(shown_ms, self.scale_ms, self.exponent, self.lapse)

    def exposure_ms_at(self, at: float) -> float:
        """Return the exposure at which accuracy is ``at``; infinite if accuracy stays lower."""
        exposures_ms = weibull_inverse(
            at, *np.array([[self.scale_ms, self.exponent, self.lapse]]).T
        )
        return float(exposures_ms[0])


@dataclass(frozen=True, kw_only=True)
class PsychometricFit(PsychometricFunction):
    """The function at the posterior's maximum, with the posterior."""

    overdispersion: float  # η at the posterior's maximum
    # The posterior: one row of (scale_ms, exponent, lapse, overdispersion) for each cell of the
    # grid that has any probability, shape (cells, 4)
    draws: FloatArray
    weights: FloatArray  # the cells' probabilities, which sum to 1, shape (cells,)

    def interval_ms(self, at: float, confidence: float) -> tuple[float, float]:
        """Return the equal-tailed interval of the exposure with accuracy ``at``; ends may be ∞.

        It comes from the posterior of the exposure, since the parameters depend on one another.
        """
        exposures_ms = weibull_inverse(at, *self.draws.T[:3])
        order = np.argsort(exposures_ms)
        cumulative = np.cumsum(self.weights[order])
        tails = np.array([1 - confidence, 1 + confidence]) / 2
        ends = np.minimum(np.searchsorted(cumulative, tails * cumulative[-1]), len(order) - 1)
        low_ms, high_ms = exposures_ms[order][ends]
        return float(low_ms), float(high_ms)


def weibull(exposures_ms: FloatArray, scale_ms: Any, exponent: Any, lapse: Any) -> FloatArray:
    """Return the accuracy ψ(t) at exposures t; arguments are broadcast."""
    height = np.minimum(exponent * np.log(exposures_ms / scale_ms), STEEPEST)
    rise: FloatArray = -np.expm1(-np.exp(height))
    accuracy: FloatArray = CHANCE + (1 - CHANCE - lapse) * rise
    return accuracy


def weibull_inverse(
    at: float, scale_ms: FloatArray, exponent: FloatArray, lapse: FloatArray
) -> FloatArray:
    """Return the exposure at which accuracy is ``at``; infinite if 1 − λ is not above it.

    Parameters and result have the same shape.
    """
    exposures_ms = np.full(np.shape(scale_ms), np.inf)
    able = 1 - lapse > at
    share = (at - CHANCE) / (1 - CHANCE - lapse[able])
    exposures_ms[able] = scale_ms[able] * (-np.log1p(-share)) ** (1 / exponent[able])
    return exposures_ms


def count_levels(
    exposures_ms: npt.ArrayLike, correct: npt.ArrayLike, *, tolerance: float = TOLERANCE
) -> LevelCounts:
    """Count answers by exposure, and join exposures that nearly coincide; shapes are (trials,).

    ``tolerance``: exposures are joined if they differ by at most this in ln t; with 0, none are
    joined. A joint level is the geometric mean of its trials' exposures.
    """
    shown_ms = np.asarray(exposures_ms, dtype=float)
    levels_ms, level, times = np.unique(shown_ms, return_inverse=True, return_counts=True)
    log_levels = np.log(levels_ms)
    group = _groups(log_levels, tolerance)
    trials = np.bincount(group, times)
    return LevelCounts(
        # Sum over levels, so that the order of the trials does not matter.
        levels_ms=np.exp(np.bincount(group, times * log_levels) / trials),
        correct=np.bincount(group[level], np.asarray(correct, dtype=float)).astype(float),
        trials=trials.astype(float),
        shortest_ms=float(levels_ms[0]),
        longest_ms=float(levels_ms[-1]),
    )


def _groups(log_levels: FloatArray, tolerance: float) -> IntArray:
    """Return the group of each level (levels ascend); no group is wider than ``tolerance``."""
    groups = np.zeros(len(log_levels), dtype=np.int64)
    first = log_levels[0]
    for place, level in enumerate(log_levels[1:], start=1):
        apart = level - first > tolerance
        groups[place] = groups[place - 1] + apart
        first = level if apart else first
    return groups


def fit_psychometric(counts: LevelCounts, bounds_ms: tuple[float, float]) -> PsychometricFit:
    """Fit a psychometric function to at least two levels.

    ``bounds_ms``: the exposures between which the function probably rises, the shorter first;
    InputError if they are equal. The prior of the rise's middle is flat between the bounds, and
    falls to zero at half their distance (in ln t) beyond each bound. As bounds, use the shortest
    and longest exposure of the design: a staircase may show neither.
    """
    refuse_one_exposure(bounds_ms)
    low, high = np.log(bounds_ms).tolist()
    spread = high - low
    log_posterior = partial(_log_posterior, counts, (low, high))

    def log_posteriors(axes: Sequence[FloatArray]) -> FloatArray:
        cells = np.meshgrid(*axes[1:], indexing="ij", sparse=True)
        return np.stack([log_posterior(eta, *cells) for eta in axes[0].tolist()])

    def unlikely(at: FloatArray) -> float:
        return -float(log_posterior(*at.tolist()).item())

    middles, widths = (low - spread / 2, high + spread / 2), (spread / 100, 3 * spread)
    ends = (0, 1 - 1e-10), (0, 0.5), middles, widths
    axes = [np.linspace(*own, steps) for own, steps in zip(ends, FIRST_GRID, strict=True)]
    likely = (_shares(log_posteriors(axes)) >= LIKELY).nonzero()
    axes = [
        np.linspace(axis[max(at.min() - 1, 0)], axis[min(at.max() + 1, len(axis) - 1)], steps)
        for axis, at, steps in zip(axes, likely, GRID, strict=True)
    ]
    found = log_posteriors(axes)
    top = np.unravel_index(found.argmax(), found.shape)
    start = [axis[at] for axis, at in zip(axes, top, strict=True)]
    overdispersion, lapse, *best = scipy.optimize.fmin(unlikely, start, disp=False)
    scale_ms, exponent = scale_and_exponent(*best)
    weights = _shares(found).ravel()
    some = weights > 0
    eta, rate, *rise = (at.ravel()[some] for at in np.meshgrid(*axes, indexing="ij"))
    return PsychometricFit(
        scale_ms=float(scale_ms),
        exponent=float(exponent),
        lapse=float(lapse),
        overdispersion=float(overdispersion),
        draws=np.column_stack([*scale_and_exponent(*rise), rate, eta]),
        weights=weights[some] / weights[some].sum(),
    )


def _log_posterior(
    counts: LevelCounts,
    bounds: tuple[float, float],
    overdispersion: float,
    lapse: Any,
    middle: Any,
    width: Any,
) -> FloatArray:
    """Return ln of the posterior density at one η, up to a constant; other arguments are broadcast.

    Schütt et al. (2016), equations A.4 and A.5.
    """
    correct, trials = (each.reshape(-1, 1, 1, 1) for each in (counts.correct, counts.trials))
    wrong, missed = trials - correct, counts.correct < counts.trials
    with np.errstate(all="ignore"):  # outside the bounds the prior is 0
        prior = _log_prior(middle, width, lapse, bounds) + _log_rate_prior(overdispersion)
        levels_ms = counts.levels_ms.reshape(-1, 1, 1, 1)
        right = weibull(levels_ms, *scale_and_exponent(middle, width), lapse)
        if overdispersion**2 <= BINOMIAL:
            likely = (xlogy(correct, right) + xlog1py(wrong, -right)).sum(axis=0)
        else:
            nu = 1 / overdispersion**2 - 1
            a, b = right * nu, (1 - right[missed]) * nu
            likely = (gammaln(correct + a) - gammaln(a)).sum(axis=0)
            likely += (gammaln(wrong[missed] + b) - gammaln(b)).sum(axis=0)
            likely += (gammaln(nu) - gammaln(trials + nu)).sum()
    return np.where(np.isfinite(prior), likely + prior, -np.inf)


def _shares(log_posterior: FloatArray) -> FloatArray:
    """Return each cell's share of the posterior; cells at the ends of an axis are half as wide."""
    shares = np.exp(log_posterior - log_posterior.max())
    for axis in range(shares.ndim):
        ends = np.moveaxis(shares, axis, 0)[:: shares.shape[axis] - 1]
        ends /= 2
    return np.asarray(shares / shares.sum())


def refuse_one_exposure(bounds_ms: tuple[float, float]) -> None:
    """Refuse bounds if the first is not below the second."""
    shortest_ms, longest_ms = bounds_ms
    if not shortest_ms < longest_ms:
        allowed = "give two different exposures, the shorter one first"
        raise InputError("bounds_ms", f"{shortest_ms:g} to {longest_ms:g}", allowed)


def scale_and_exponent(threshold: Any, width: Any) -> tuple[Any, Any]:
    """Turn psignifit's parameters, in ln t, into α in ms and β; arguments are broadcast."""
    exponent = WIDTH / width
    return np.exp(threshold - HALFWAY / exponent), exponent


def width_prior(widths: FloatArray, spread: float) -> FloatArray:
    """Return psignifit's prior of the width.

    The prior is flat from 1/50 of the ``spread`` of the stimulus range (in ln t) to the whole
    spread. Cosine flanks fall to zero at 1/100 of the spread and at three times the spread.
    """
    narrow = spread / 100
    # rounds the last digit as psignifit does
    width = np.asarray(widths * NORMAL_WIDTH / NORMAL_WIDTH)
    prior = np.zeros_like(width)
    prior[(2 * narrow < width) & (width < spread)] = 1.0
    left = (narrow <= width) & (width <= 2 * narrow)
    prior[left] = (1 - np.cos(np.pi * (width[left] - narrow) / narrow)) / 2
    right = (spread <= width) & (width <= 3 * spread)
    prior[right] = (1 + np.cos(np.pi / 2 * (width[right] - spread) / spread)) / 2
    return prior


LAPSE_PRIOR: Final = 9.0
"""Exponent of 1 − λ and of 1 − η in their priors, which are Beta(1, 10)."""
MIDDLES: Final = 60
WIDTHS: Final = tuple(np.geomspace(0.04, 2.5, 20).tolist())
"""Widths of the function's rise, as shares of the distance between the bounds."""
LAPSES: Final = (0.002, 0.02, 0.05, 0.1, 0.2, 0.4)
AT_ONCE: Final = 256
"""The likelihoods of this many people are computed at once."""


def fit_each(
    people: Sequence[LevelCounts], bounds_ms: tuple[float, float]
) -> list[PsychometricFunction]:
    """Fit a psychometric function to the answers of each of many people.

    The result is the maximum of psignifit's posterior of (middle, ln width, λ), without
    overdispersion, on a common grid. Between two grid points of the middle, a parabola gives the
    maximum. A prior on ln width, not on width, slightly prefers wide rises; this balances a
    staircase's bias towards narrow rises. Fitting hundreds of people takes a tenth of a second.
    ``bounds_ms``: as in `fit_psychometric`.
    """
    refuse_one_exposure(bounds_ms)
    low, high = np.log(bounds_ms).tolist()
    edges = np.linspace(low - (high - low) / 2, high + (high - low) / 2, MIDDLES + 2)
    axes = np.meshgrid(edges[1:-1], (high - low) * np.array(WIDTHS), LAPSES, indexing="ij")
    middle, width, lapse = (axis.ravel() for axis in axes)
    levels_ms, correct, trials = _side_by_side(people)
    right = weibull(levels_ms[:, np.newaxis], *scale_and_exponent(middle, width), lapse)
    log_right, log_wrong = np.log(right), np.log1p(-right)
    prior = _log_prior(middle, width, lapse, (low, high)) + np.log(width)
    functions: list[PsychometricFunction] = []
    for some in (slice(start, start + AT_ONCE) for start in range(0, len(people), AT_ONCE)):
        wrong = trials[some] - correct[some]
        posterior = correct[some] @ log_right + wrong @ log_wrong + prior
        tops = posterior.argmax(axis=1)
        moved = _top_of_parabola(posterior.reshape(len(posterior), MIDDLES, -1), tops)
        at = middle[tops] + moved * (edges[1] - edges[0])
        columns = (*scale_and_exponent(at, width[tops]), lapse[tops])
        functions += [
            PsychometricFunction(scale_ms=scale_ms, exponent=exponent, lapse=rate)
            for scale_ms, exponent, rate in zip(*(each.tolist() for each in columns), strict=True)
        ]
    return functions


def _side_by_side(people: Sequence[LevelCounts]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the joint levels, and how many correct answers and trials each person has at each.

    The numbers have shape (people, levels). Levels that nearly coincide are joined.
    """
    places = np.repeat(np.arange(len(people)), [len(own.levels_ms) for own in people])
    shown_ms = np.concatenate([own.levels_ms for own in people])
    levels_ms, level = np.unique(shown_ms, return_inverse=True)
    group = _groups(np.log(levels_ms), TOLERANCE)
    joint_ms = np.exp(np.bincount(group, np.log(levels_ms)) / np.bincount(group))
    cell = places * len(joint_ms) + group[level]
    shape = len(people), len(joint_ms)
    correct, trials = np.zeros(shape), np.zeros(shape)
    np.add.at(correct.ravel(), cell, np.concatenate([own.correct for own in people]))
    np.add.at(trials.ravel(), cell, np.concatenate([own.trials for own in people]))
    return joint_ms, correct, trials


def _log_prior(
    middle: FloatArray, width: FloatArray, lapse: FloatArray, bounds: tuple[float, float]
) -> FloatArray:
    """Return ln of the prior density of (middle, width, λ), up to a constant.

    The middle's density is flat between the bounds, then falls to 0 within half their distance.
    """
    spread = bounds[1] - bounds[0]
    beyond = np.maximum(np.maximum(bounds[0] - middle, middle - bounds[1]), 0)
    flank = 2 * np.log(np.cos(np.pi * np.minimum(beyond / spread, 0.5)))
    return np.asarray(flank + np.log(width_prior(width, spread)) + _log_rate_prior(lapse))


def _log_rate_prior(rate: Any) -> FloatArray:
    return np.asarray(LAPSE_PRIOR * np.log(np.where(rate < 0, 0, np.maximum(1 - rate, 0))))


def _top_of_parabola(posterior: FloatArray, tops: IntArray) -> FloatArray:
    """Return each maximum's distance from its grid point, in steps of the middle (−½ to ½).

    ``posterior`` has the shape (people, middles, others). At both ends, the distance is 0.
    """
    people = np.arange(len(posterior))
    at, other = np.divmod(tops, posterior.shape[2])
    inner = np.clip(at, 1, posterior.shape[1] - 2)
    below, here, above = (posterior[people, inner + by, other] for by in (-1, 0, 1))
    bend = below - 2 * here + above
    moved = np.divide(below - above, 2 * bend, out=np.zeros_like(bend), where=bend < 0)
    return np.where(at == inner, np.clip(moved, -0.5, 0.5), 0.0)
