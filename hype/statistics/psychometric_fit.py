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
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hype.errors import InputError

FloatArray = npt.NDArray[np.float64]

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
STEEPEST: Final = 30.0
"""exp(-exp(30)) is 0: beyond it nothing changes but that the inner exponential overflows."""


@dataclass(frozen=True, kw_only=True)
class LevelCounts:
    """Answers counted by exposure.

    Parameters
    ----------
    levels_ms
        Exposures, ascending, above 0, shape (levels,).
    correct, trials
        Correct answers and all answers at each, shape (levels,).
    shortest_ms, longest_ms
        The extremes of what was shown, before levels were joined.
    """

    levels_ms: FloatArray
    correct: FloatArray
    trials: FloatArray
    shortest_ms: float
    longest_ms: float


@dataclass(frozen=True, kw_only=True)
class PsychometricFit:
    """A fitted psychometric function, and how sure it is.

    Parameters
    ----------
    scale_ms
        α: the exposure at which accuracy has gone 63 % of its way.
    exponent
        β: how steeply it rises.
    lapse
        λ: what is missing from 1 at long exposures.
    overdispersion
        η. All four are of the posterior's maximum.
    draws
        The posterior: one row of (scale_ms, exponent, lapse, overdispersion) for each cell of the
        grid that has any probability, shape (cells, 4).
    weights
        The cells' probabilities, which sum to 1, shape (cells,).
    """

    scale_ms: float
    exponent: float
    lapse: float
    overdispersion: float
    draws: FloatArray
    weights: FloatArray

    def accuracy(self, exposures_ms: FloatArray) -> FloatArray:
        return weibull(exposures_ms, self.scale_ms, self.exponent, self.lapse)

    def exposure_ms_at(self, at: float) -> float:
        """Exposure at which accuracy is `at`; infinite where it never gets there."""
        exposures_ms = weibull_inverse(
            at, *np.array([[self.scale_ms, self.exponent, self.lapse]]).T
        )
        return float(exposures_ms[0])

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
    """Count answers by exposure, and join exposures that nearly coincide.

    Parameters
    ----------
    exposures_ms
        Exposure of each trial, above 0, shape (trials,), at least one.
    correct
        Whether its answer was correct, shape (trials,).
    tolerance
        Greatest distance of two exposures of a joint level, on the scale of ln t. A joint level
        lies at the geometric mean over its trials. 0 joins nothing.
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


def _groups(log_levels: FloatArray, tolerance: float) -> npt.NDArray[np.int64]:
    """Number groups of ascending levels, each at most `tolerance` wide."""
    groups = np.zeros(len(log_levels), dtype=np.int64)
    first = log_levels[0]
    for place, level in enumerate(log_levels[1:], start=1):
        apart = level - first > tolerance
        groups[place] = groups[place - 1] + apart
        first = level if apart else first
    return groups


def fit_psychometric(counts: LevelCounts, bounds_ms: tuple[float, float]) -> PsychometricFit:
    """Fit a psychometric function.

    Parameters
    ----------
    counts
        At least two levels.
    bounds_ms
        Between which exposures the function is expected to rise, the first below the second: the
        prior of its middle is flat there, and falls off to zero at half their distance (in ln t)
        on either side. Not those that happened to be shown: a staircase shows few.

    Raises
    ------
    InputError
        The two bounds are one exposure.
    """
    from psignifit import psignifit

    refuse_one_exposure(bounds_ms)
    data = np.column_stack([np.log(counts.levels_ms), counts.correct, counts.trials])
    result = psignifit(
        data,
        sigmoid=_quick_weibull(),
        experiment_type="2AFC",
        stimulus_range=tuple(np.log(bounds_ms).tolist()),
        grid_steps=dict(GRID),
        steps_moving_bounds=dict(FIRST_GRID),
        debug=True,  # which hands out the posterior, and does nothing else
        # What it would warn of does not hold here, or is said with the threshold: levels are many,
        # but the range is given; the posterior may go beyond the range, and its interval is open.
        verbose=False,
    )
    return _from_psignifit(result)


def refuse_one_exposure(bounds_ms: tuple[float, float]) -> None:
    """Refuse bounds between which nothing can rise.

    Raises
    ------
    InputError
        The first is not below the second.
    """
    shortest_ms, longest_ms = bounds_ms
    if not shortest_ms < longest_ms:
        allowed = "allowed are a shorter and a longer exposure, where more than one was shown"
        raise InputError("bounds_ms", f"{shortest_ms:g} to {longest_ms:g}", allowed)


def _from_psignifit(result: Any) -> PsychometricFit:
    """Take the parameters and the posterior out of psignifit's result."""
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


@cache
def _quick_weibull() -> Any:
    """Make psignifit's "weibull" in closed form: its own asks scipy.stats, for most of the time."""
    from psignifit.sigmoids import Weibull

    def value(_: object, level: float, threshold: Any, width: Any) -> FloatArray:
        height = (level - threshold) * (WIDTH / width) + HALFWAY
        rise: FloatArray = -np.expm1(-np.exp(np.minimum(height, STEEPEST)))
        return rise

    return type("QuickWeibull", (Weibull,), {"_value": value})()


@dataclass(frozen=True, kw_only=True)
class PsychometricFunction:
    """Accuracy as a function of exposure: ψ of `psychometric_fit`.

    Parameters
    ----------
    scale_ms
        α: the exposure at which accuracy has gone 63 % of its way from chance.
    exponent
        β: how steeply it rises.
    lapse
        λ: what is missing from 1 at long exposures.
    """

    scale_ms: float
    exponent: float
    lapse: float

    def accuracy(self, exposures_ms: npt.ArrayLike) -> FloatArray:
        """Probability of a correct answer at exposures above 0, in ms; of the shape of these."""
        shown_ms = np.asarray(exposures_ms, dtype=float)
        return weibull(shown_ms, self.scale_ms, self.exponent, self.lapse)
