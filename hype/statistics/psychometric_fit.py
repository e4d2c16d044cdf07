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

`fit_psychometric` lays a grid over the posterior, for its intervals, and takes half a second. Where
nothing but the curve is wanted, its maximum is enough: `quick_fit` takes milliseconds. This is the
same posterior: the same beta-binomial likelihood and the same priors (Schütt, Harmeling, Macke &
Wichmann 2016, Vision Research 122, 105-123, section 2.2 and appendix A), climbed with its gradient
from several places by a truncated Newton method (Nash 1984, SIAM Journal on Numerical Analysis 21,
770-788).

Where the answers do not show the rise, as when a staircase never leaves the longest exposure, the
posterior has several peaks of almost one height, and the two fits may stand on different ones,
mostly the quick one on the higher. They then differ where hardly anything was shown.

Its parameters are those of psignifit: m, the middle of the rise, and w, its width, both on the
scale of ln t; the rate of lapses λ; the overdispersion η.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import gammaln, psi, xlog1py, xlogy

from hype.errors import InputError
from hype.statistics.arrays import FloatArray

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@dataclass(frozen=True, kw_only=True)
class PsychometricFit(PsychometricFunction):
    """The function at the posterior's maximum, and how sure it is."""

    overdispersion: float  # η, of the posterior's maximum too
    # The posterior: one row of (scale_ms, exponent, lapse, overdispersion) for each cell of the
    # grid that has any probability, shape (cells, 4)
    draws: FloatArray
    weights: FloatArray  # the cells' probabilities, which sum to 1, shape (cells,)

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
OVERDISPERSION_PRIOR: Final = 9.0
"""Exponents of 1 − λ and 1 − η in their priors, both Beta(1, 10)."""
NARROWEST: Final = 0.01
"""The least width, as a share of the distance of the bounds."""
WIDEST: Final = 3.0
"""The greatest."""
LEAST_LAPSE: Final = 1e-6
"""So that no wrong answer is impossible."""
MOST_LAPSE: Final = 0.4999
LEAST_OVERDISPERSION: Final = 5e-4
"""Scatters 0.1 % more than coins do among 4,000 answers; below it rounding spoils the gradient."""
MOST_OVERDISPERSION: Final = 0.999
INSIDE: Final = 1e-4
"""How far from the ends of its prior, where the density is 0, a parameter is kept (as a share)."""
PRECISION: Final = 1e-5
"""Of the log density; as much changes no accuracy by 0.001."""
MOST_STEPS: Final = 300
"""Of one climb; usual are 30 to 70."""
START_MIDDLES: Final = 9
START_WIDTHS: Final = (0.1, 0.2, 0.4, 0.7, 1.2, 2.0)
"""As shares of the distance of the bounds."""
STARTS: Final = ((0.005, 0.02), (0.05, 0.2), (0.15, 0.02), (0.35, 0.02))
"""λ and η of each: few lapses and many can explain the same answers, and so can much scatter."""


def quick_fit(counts: LevelCounts, bounds_ms: tuple[float, float]) -> PsychometricFunction:
    """Fit a psychometric function, and nothing but the function; as `fit_psychometric`."""
    refuse_one_exposure(bounds_ms)
    posterior = Posterior(counts, bounds_ms)
    climbs = [_climbed(posterior, start) for start in posterior.starts()]
    middle, log_width, lapse, _ = min(climbs)[1]
    scale_ms, exponent = scale_and_exponent(middle, math.exp(log_width))
    return PsychometricFunction(scale_ms=float(scale_ms), exponent=float(exponent), lapse=lapse)


def _climbed(posterior: Posterior, start: FloatArray) -> tuple[float, list[float]]:
    """Climb from one place; gives minus the log density at the top, and where it is."""
    # Not L-BFGS-B, whose small matrices some versions of SciPy hand to threads that wait in a loop,
    # and not SLSQP, which some of them let step out of bounds.
    top = minimize(
        posterior.descent,
        start,
        jac=True,
        method="TNC",
        bounds=posterior.limits,
        options={"maxfun": MOST_STEPS, "ftol": PRECISION, "xtol": 1e-4, "gtol": 1e-3},
    )
    return float(top.fun), top.x.tolist()


class Posterior:
    """The logarithm of the posterior density of (m, ln w, λ, η), but for a constant."""

    def __init__(self, counts: LevelCounts, bounds_ms: tuple[float, float]) -> None:
        self._counts = counts
        self._levels = np.log(counts.levels_ms)
        self._low, self._high = math.log(bounds_ms[0]), math.log(bounds_ms[1])
        self._spread = self._high - self._low

    @property
    def limits(self) -> list[tuple[float, float]]:
        margin = (0.5 - INSIDE) * self._spread
        return [
            (self._low - margin, self._high + margin),
            (
                math.log(NARROWEST * (1 + INSIDE) * self._spread),
                math.log(WIDEST * (1 - INSIDE) * self._spread),
            ),
            (LEAST_LAPSE, MOST_LAPSE),
            (LEAST_OVERDISPERSION, MOST_OVERDISPERSION),
        ]

    def starts(self) -> Iterator[FloatArray]:
        """Yield for each of `STARTS` where on a grid the answers, taken as coins, are likeliest."""
        middles = np.linspace(self._low, self._high, START_MIDDLES)
        widths = self._spread * np.array(START_WIDTHS)
        middle, width = (axis.ravel() for axis in np.meshgrid(middles, widths, indexing="ij"))
        scales_ms, exponents = scale_and_exponent(middle[:, None], width[:, None])
        for lapse, overdispersion in STARTS:
            right = weibull(self._counts.levels_ms, scales_ms, exponents, lapse)
            best = int(_coins(self._counts, right).argmax())
            yield np.array([middle[best], math.log(width[best]), lapse, overdispersion])

    def descent(self, place: FloatArray) -> tuple[float, FloatArray]:
        likely, slope = self._likelihood(place)
        believed, prior_slope = self._prior(place)
        return -(likely + believed), -(slope + prior_slope)

    def _likelihood(self, place: FloatArray) -> tuple[float, FloatArray]:
        middle, log_width, lapse, overdispersion = place
        steepness = WIDTH / math.exp(log_width)
        height = steepness * (self._levels - middle)
        rise, rate = _rise(height + HALFWAY)
        likely, by_accuracy, by_overdispersion = beta_binomial(
            self._counts, CHANCE + (CHANCE - lapse) * rise, float(overdispersion)
        )
        by_height = (CHANCE - lapse) * (by_accuracy * rate)
        return likely, np.array(
            [
                -steepness * by_height.sum(),
                -(by_height * height).sum(),
                -(by_accuracy * rise).sum(),
                by_overdispersion,
            ]
        )

    def _prior(self, place: FloatArray) -> tuple[float, FloatArray]:
        middle, log_width, lapse, overdispersion = place.tolist()
        at_middle, by_middle = self._prior_of_middle(middle)
        width = math.exp(log_width)
        at_width, by_width = self._prior_of_width(width)
        lapses = LAPSE_PRIOR * math.log1p(-lapse)
        scatter = OVERDISPERSION_PRIOR * math.log1p(-overdispersion)
        return at_middle + at_width + lapses + scatter, np.array(
            [
                by_middle,
                by_width * width,
                -LAPSE_PRIOR / (1 - lapse),
                -OVERDISPERSION_PRIOR / (1 - overdispersion),
            ]
        )

    def _prior_of_middle(self, middle: float) -> tuple[float, float]:
        """Flat between the bounds, and down to zero at half their distance on either side."""
        beyond = max(self._low - middle, middle - self._high, 0.0)
        side = 1.0 if middle > self._high else -1.0
        at, by = _falling(beyond, self._spread / 2)
        return at, side * by

    def _prior_of_width(self, width: float) -> tuple[float, float]:
        """Flat from twice the least width to the distance of the bounds, zero at the limits."""
        least = NARROWEST * self._spread
        at_narrow, by_narrow = _falling(max(2 * least - width, 0.0), least)
        at_wide, by_wide = _falling(max(width - self._spread, 0.0), (WIDEST - 1) * self._spread)
        return at_narrow + at_wide, by_wide - by_narrow


def _falling(beyond: float, until: float) -> tuple[float, float]:
    """Give ln((1 + cos(π x / u)) / 2), which falls from 0 at x = 0, and its derivative."""
    angle = math.pi * beyond / until / 2
    return 2 * math.log(math.cos(angle)), -math.pi / until * math.tan(angle)


def _rise(height: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the Gumbel function, 1 − exp(−exp(z)), and its derivative."""
    grown = np.exp(np.minimum(height, STEEPEST))
    left = np.exp(-grown)
    return 1 - left, grown * left


def _coins(counts: LevelCounts, accuracy: FloatArray) -> FloatArray:
    """Give the binomial log-likelihood; accuracy has the shape (…, levels), this has (…)."""
    wrong = counts.trials - counts.correct
    likely: FloatArray = (xlogy(counts.correct, accuracy) + xlog1py(wrong, -accuracy)).sum(axis=-1)
    return likely


def beta_binomial(
    counts: LevelCounts, accuracy: npt.NDArray[np.float64], overdispersion: float
) -> tuple[float, FloatArray, float]:
    """Give the beta-binomial log-likelihood, and its derivatives by accuracy and overdispersion.

    Schütt et al. (2016), appendix A: proportions are beta-distributed around ψ with ν = 1/η² − 1 as
    the sum of their parameters. The binomial coefficients, which are constant, are left out. ψ has
    the shape (levels,); it and η are above 0 and below 1.
    """
    right, trials = counts.correct, counts.trials
    wrong = trials - right
    nu = overdispersion**-2 - 1
    a, b = accuracy * nu, (1 - accuracy) * nu
    likely = (gammaln(right + a) - gammaln(a)) + (gammaln(wrong + b) - gammaln(b))
    likely -= gammaln(trials + nu) - gammaln(nu)
    by_a, by_b = psi(right + a) - psi(a), psi(wrong + b) - psi(b)
    by_nu = accuracy * by_a + (1 - accuracy) * by_b - (psi(trials + nu) - psi(nu))
    return float(likely.sum()), nu * (by_a - by_b), float(-2 * overdispersion**-3 * by_nu.sum())
