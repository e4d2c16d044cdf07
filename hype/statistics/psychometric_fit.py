"""A psychometric function fitted to correct and wrong answers at several exposures.

Accuracy as a function of exposure t is a Weibull function that rises from chance, ½, to 1 − λ:

    ψ(t) = ½ + (½ − λ)·(1 − exp(−(t/α)^β))                  Wichmann & Hill (2001), eq. 1

the usual choice for durations and contrasts, which are ratios. On ln t it is the Gumbel function
that psignifit calls "weibull". λ is the rate of lapses, left free. Answers scatter more than coins
do, since people learn and tire: how many are correct at a level is beta-binomial, with
overdispersion η from 0 (binomial) to 1 (all or nothing).

Wichmann & Hill (2001), "The psychometric function: I", Perception & Psychophysics 63, 1293-1313.
Schütt, Harmeling, Macke & Wichmann (2016), "Painfree and accurate Bayesian estimation of
psychometric functions for (potentially) overdispersed data", Vision Research 122, 105-123, whose
program psignifit does the fit: the posterior on a grid under its default priors.

`fit_psychometric` is for one set of answers, with intervals, and takes half a second. `fit_each` is
for the functions of many people at once, under the same priors but without overdispersion, which
widens intervals and hardly moves the function.

A function is of one person. Fitted to the pooled answers of people who differ it is biased, since a
staircase sends those who need long exposures to long exposures: of people whose thresholds have a
median of 251 ms it made 289, 194 or 152 ms, by the staircase's rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hype.errors import InputError
from hype.statistics.arrays import FloatArray, IntArray

CHANCE: Final = 0.5
TOLERANCE: Final = 0.03
"""Levels nearer together than this on the scale of ln t are fitted as one: the time of a fit grows
with their number, and accuracy changes little over 3 % of an exposure."""
GRID: Final = {"threshold": 30, "width": 25, "lambda": 12, "eta": 8}
"""Steps of the posterior's grid, fewer than psignifit's own (40, 40, 20, 20). The threshold is the
same to 0.5 %, and the ends of its interval to 2 %, or 4 % where the interval is wide."""
FIRST_GRID: Final = {"threshold": 20, "width": 20, "lambda": 8, "eta": 8}
"""Steps of the first, wider grid, which finds out where the second one must lie."""

# psignifit's width is that of ln t between 5 and 95 % of the rise; its threshold is at half of it.
WIDTH: Final = float(np.log(-np.log(0.05)) - np.log(-np.log(0.95)))
HALFWAY: Final = float(np.log(np.log(2)))
NORMAL_WIDTH: Final = 3.289707253902945
"""Between 5 and 95 % of a normal distribution, in standard deviations."""
STEEPEST: Final = 30.0
"""exp(-exp(30)) is 0: beyond it nothing changes but that the inner exponential overflows."""


@dataclass(frozen=True, kw_only=True)
class LevelCounts:
    """Answers counted by exposure."""

    levels_ms: FloatArray  # exposures, ascending, above 0, shape (levels,)
    # correct, trials: correct answers and all answers at each, shape (levels,)
    correct: FloatArray
    trials: FloatArray
    # shortest_ms, longest_ms: the extremes of what was shown, before levels were joined
    shortest_ms: float
    longest_ms: float


@dataclass(frozen=True, kw_only=True)
class PsychometricFunction:
    """Accuracy as a function of exposure, ψ."""

    scale_ms: float  # α: the exposure at which accuracy has gone 63 % of its way from chance
    exponent: float  # β: how steeply it rises
    lapse: float  # λ: what is missing from 1 at long exposures

    def accuracy(self, exposures_ms: npt.ArrayLike) -> FloatArray:
        """Probability of a correct answer at exposures above 0, in ms; of the shape of these."""
        shown_ms = np.asarray(exposures_ms, dtype=float)
        return weibull(shown_ms, self.scale_ms, self.exponent, self.lapse)

    def exposure_ms_at(self, at: float) -> float:
        """Exposure at which accuracy is `at`; infinite where it never gets there."""
        exposures_ms = weibull_inverse(
            at, *np.array([[self.scale_ms, self.exponent, self.lapse]]).T
        )
        return float(exposures_ms[0])


@dataclass(frozen=True, kw_only=True)
class PsychometricFit(PsychometricFunction):
    """The function at the posterior's maximum, and how sure it is."""

    overdispersion: float  # η, of the posterior's maximum too
    # The posterior: one row of (scale_ms, exponent, lapse, overdispersion) for each cell of the
    # grid that has any probability, shape (cells, 4)
    draws: FloatArray
    weights: FloatArray  # the cells' probabilities, which sum to 1, shape (cells,)

    def interval_ms(self, at: float, confidence: float) -> tuple[float, float]:
        """Equal-tailed credible interval of that exposure; an end may be infinite.

        It is taken from the posterior of the exposure itself, not put together from the intervals
        of the parameters, which depend on one another.
        """
        exposures_ms = weibull_inverse(at, *self.draws.T[:3])
        order = np.argsort(exposures_ms)
        cumulative = np.cumsum(self.weights[order])
        tails = np.array([1 - confidence, 1 + confidence]) / 2
        ends = np.minimum(np.searchsorted(cumulative, tails * cumulative[-1]), len(order) - 1)
        low_ms, high_ms = exposures_ms[order][ends]
        return float(low_ms), float(high_ms)


def weibull(exposures_ms: FloatArray, scale_ms: Any, exponent: Any, lapse: Any) -> FloatArray:
    """Give the accuracy at exposures, ψ(t); arguments are broadcast."""
    height = np.minimum(exponent * np.log(exposures_ms / scale_ms), STEEPEST)
    rise: FloatArray = -np.expm1(-np.exp(height))
    accuracy: FloatArray = CHANCE + (1 - CHANCE - lapse) * rise
    return accuracy


def weibull_inverse(
    at: float, scale_ms: FloatArray, exponent: FloatArray, lapse: FloatArray
) -> FloatArray:
    """Give the exposure at which accuracy is `at`, above chance; infinite where 1 − λ is not above.

    Parameters are of one shape, which is that of the result.
    """
    exposures_ms = np.full(np.shape(scale_ms), np.inf)
    able = 1 - lapse > at
    share = (at - CHANCE) / (1 - CHANCE - lapse[able])
    exposures_ms[able] = scale_ms[able] * (-np.log1p(-share)) ** (1 / exponent[able])
    return exposures_ms


def count_levels(
    exposures_ms: npt.ArrayLike, correct: npt.ArrayLike, *, tolerance: float = TOLERANCE
) -> LevelCounts:
    """Count answers by exposure, shape (trials,), and join exposures that nearly coincide.

    `tolerance` is the greatest distance of two exposures of a joint level, on the scale of ln t; 0
    joins nothing. A joint level lies at the geometric mean over its trials.
    """
    shown_ms = np.asarray(exposures_ms, dtype=float)
    levels_ms, level, times = np.unique(shown_ms, return_inverse=True, return_counts=True)
    log_levels = np.log(levels_ms)
    group = _groups(log_levels, tolerance)
    trials = np.bincount(group, times)
    return LevelCounts(
        # Summed over levels and not over trials, so that the order of the trials has no say.
        levels_ms=np.exp(np.bincount(group, times * log_levels) / trials),
        correct=np.bincount(group[level], np.asarray(correct, dtype=float)).astype(float),
        trials=trials.astype(float),
        shortest_ms=float(levels_ms[0]),
        longest_ms=float(levels_ms[-1]),
    )


def _groups(log_levels: FloatArray, tolerance: float) -> IntArray:
    """Number groups of ascending levels, each at most `tolerance` wide."""
    groups = np.zeros(len(log_levels), dtype=np.int64)
    first = log_levels[0]
    for place, level in enumerate(log_levels[1:], start=1):
        apart = level - first > tolerance
        groups[place] = groups[place - 1] + apart
        first = level if apart else first
    return groups


def fit_psychometric(counts: LevelCounts, bounds_ms: tuple[float, float]) -> PsychometricFit:
    """Fit a psychometric function to two levels at least.

    `bounds_ms` say between which exposures it is expected to rise, the first below the second: the
    prior of its middle is flat there, and falls off to zero at half their distance (in ln t) on
    either side. Not those that happened to be shown: a staircase shows few. InputError where they
    are one exposure.
    """
    from psignifit import psignifit

    refuse_one_exposure(bounds_ms)
    data = np.column_stack([np.log(counts.levels_ms), counts.correct, counts.trials])
    result = psignifit(
        data,
        sigmoid=_quick_weibull(),
        experiment_type="2AFC",
        stimulus_range=tuple(np.log(bounds_ms).tolist()),
        priors={"width": partial(width_prior, spread=float(np.diff(np.log(bounds_ms))[0]))},
        grid_steps=dict(GRID),
        steps_moving_bounds=dict(FIRST_GRID),
        debug=True,  # which hands out the posterior, and does nothing else
        # What it would warn of does not hold here, or is said with the threshold: levels are many,
        # but the range is given; the posterior may go beyond the range, and its interval is open.
        verbose=False,
    )
    return _from_psignifit(result)


def refuse_one_exposure(bounds_ms: tuple[float, float]) -> None:
    """Refuse bounds between which nothing can rise: the first is not below the second."""
    shortest_ms, longest_ms = bounds_ms
    if not shortest_ms < longest_ms:
        allowed = "allowed are a shorter and a longer exposure, where more than one was shown"
        raise InputError("bounds_ms", f"{shortest_ms:g} to {longest_ms:g}", allowed)


def _from_psignifit(result: Any) -> PsychometricFit:
    best = result.parameter_estimate_MAP
    scale_ms, exponent = scale_and_exponent(best["threshold"], best["width"])
    # The axes of the posterior are the parameters in alphabetical order.
    names = sorted(result.parameter_values)
    axes = np.meshgrid(*(result.parameter_values[name] for name in names), indexing="ij")
    weights = result.debug["posteriors"].ravel()
    likely = weights > 0
    cells = {name: axis.ravel()[likely] for name, axis in zip(names, axes, strict=True)}
    scales_ms, exponents = scale_and_exponent(cells["threshold"], cells["width"])
    return PsychometricFit(
        scale_ms=float(scale_ms),
        exponent=float(exponent),
        lapse=float(best["lambda"]),
        overdispersion=float(best["eta"]),
        draws=np.column_stack([scales_ms, exponents, cells["lambda"], cells["eta"]]),
        weights=weights[likely] / weights[likely].sum(),
    )


def scale_and_exponent(threshold: Any, width: Any) -> tuple[Any, Any]:
    """Turn psignifit's parameters, on the scale of ln t, into α in ms and β; they are broadcast."""
    exponent = WIDTH / width
    return np.exp(threshold - HALFWAY / exponent), exponent


def width_prior(widths: FloatArray, spread: float) -> FloatArray:
    """Give psignifit's own prior of the width: it asks scipy.stats anew, for half of the time.

    Flat from a fiftieth of the ``spread`` of the stimulus range (in ln t) to all of it, with cosine
    flanks to zero at half of the one and at three times the other.
    """
    narrow = spread / 100
    width = widths * NORMAL_WIDTH / NORMAL_WIDTH  # as psignifit does, to the last digit
    prior = np.zeros_like(widths)
    prior[(2 * narrow < width) & (width < spread)] = 1.0
    left = (narrow <= width) & (width <= 2 * narrow)
    prior[left] = (1 - np.cos(np.pi * (width[left] - narrow) / narrow)) / 2
    right = (spread <= width) & (width <= 3 * spread)
    prior[right] = (1 + np.cos(np.pi / 2 * (width[right] - spread) / spread)) / 2
    return prior


@cache
def _quick_weibull() -> Any:
    """Make psignifit's "weibull" in closed form: its own asks scipy.stats, for most of the time."""
    from psignifit.sigmoids import Weibull

    def value(_: object, level: float, threshold: Any, width: Any) -> FloatArray:
        height = (level - threshold) * (WIDTH / width) + HALFWAY
        rise: FloatArray = -np.expm1(-np.exp(np.minimum(height, STEEPEST)))
        return rise

    return type("QuickWeibull", (Weibull,), {"_value": value})()


LAPSE_PRIOR: Final = 9.0
"""Exponent of 1 − λ in its prior, Beta(1, 10)."""
MIDDLES: Final = 60
WIDTHS: Final = tuple(np.geomspace(0.04, 2.5, 20).tolist())
"""Of the rise, as shares of the distance of the bounds."""
LAPSES: Final = (0.002, 0.02, 0.05, 0.1, 0.2, 0.4)
AT_ONCE: Final = 256
"""People whose likelihoods are held in memory together."""


def fit_each(
    people: Sequence[LevelCounts], bounds_ms: tuple[float, float]
) -> list[PsychometricFunction]:
    """Fit a psychometric function to the answers of each of many people.

    The maximum of psignifit's posterior of (m, ln w, λ), for answers without overdispersion, on a
    grid that is the same for all; between two m of it, the top of a parabola. Being of ln w and not
    of w it prefers wide rises a little, which makes up for a staircase's bias to narrow ones. A
    tenth of a second for hundreds of people. `bounds_ms` are as those of `fit_psychometric`.
    """
    refuse_one_exposure(bounds_ms)
    low, high = np.log(bounds_ms).tolist()
    edges = np.linspace(low - (high - low) / 2, high + (high - low) / 2, MIDDLES + 2)
    axes = np.meshgrid(edges[1:-1], (high - low) * np.array(WIDTHS), LAPSES, indexing="ij")
    middle, width, lapse = (axis.ravel() for axis in axes)
    levels_ms, correct, trials = _side_by_side(people)
    right = weibull(levels_ms[:, np.newaxis], *scale_and_exponent(middle, width), lapse)
    log_right, log_wrong = np.log(right), np.log1p(-right)
    prior = _log_prior(middle, width, lapse, (low, high))
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
    """Give joint levels, and everybody's correct and all answers there, of shape (people, levels).

    Levels that nearly coincide are joined.
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
    """Give ln of the density of (m, ln w, λ).

    That of m is flat between the bounds, and falls to zero at half their distance beyond.
    """
    spread = bounds[1] - bounds[0]
    beyond = np.maximum(np.maximum(bounds[0] - middle, middle - bounds[1]), 0)
    flank = 2 * np.log(np.cos(np.pi * beyond / spread))
    density: FloatArray = flank + np.log(width_prior(width, spread) * width)
    return density + LAPSE_PRIOR * np.log1p(-lapse)


def _top_of_parabola(posterior: FloatArray, tops: IntArray) -> FloatArray:
    """Give how far from its place each top lies along the middles, in steps, −½ to ½.

    ``posterior`` has the shape (people, middles, others); no move where a top is at an end.
    """
    people = np.arange(len(posterior))
    at, other = np.divmod(tops, posterior.shape[2])
    inner = np.clip(at, 1, posterior.shape[1] - 2)
    below, here, above = (posterior[people, inner + by, other] for by in (-1, 0, 1))
    bend = below - 2 * here + above
    moved = np.divide(below - above, 2 * bend, out=np.zeros_like(bend), where=bend < 0)
    return np.where(at == inner, np.clip(moved, -0.5, 0.5), 0.0)
