"""The maximum of psignifit's posterior, without the posterior: a fit in milliseconds.

`psychometric_fit` lays a grid over the posterior, for its intervals, and takes half a second. Where
nothing but the curve is wanted, its maximum is enough. This is the same posterior: the same
beta-binomial likelihood and the same priors (Schütt, Harmeling, Macke & Wichmann 2016, Vision
Research 122, 105-123, section 2.2 and appendix A), climbed with its gradient from several places
by a truncated Newton method (Nash 1984, SIAM Journal on Numerical Analysis 21, 770-788).

Where the answers do not show the rise, as when a staircase never leaves the longest exposure, the
posterior has several peaks of almost one height, and the two fits may stand on different ones,
mostly this one on the higher. They then differ where hardly anything was shown.

Its parameters are those of psignifit: m, the middle of the rise, and w, its width, both on the
scale of ln t; the rate of lapses λ; the overdispersion η.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import gammaln, psi, xlog1py, xlogy

from hype.statistics.psychometric_fit import (
    CHANCE,
    HALFWAY,
    STEEPEST,
    WIDTH,
    FloatArray,
    PsychometricFunction,
    refuse_one_exposure,
    scale_and_exponent,
    weibull,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.statistics.psychometric_fit import LevelCounts

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
    """Fit a psychometric function, and nothing but the function.

    Parameters
    ----------
    counts
        At least two levels.
    bounds_ms
        As for `fit_psychometric`.

    Raises
    ------
    InputError
        The two bounds are one exposure.
    """
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
        """Between which values each parameter may lie."""
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
        """Give minus the log density, and its gradient."""
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
    the sum of their parameters. The binomial coefficients, which are constant, are left out.

    Parameters
    ----------
    counts
        The answers.
    accuracy
        ψ at each level, above 0 and below 1, shape (levels,).
    overdispersion
        η, above 0 and below 1.
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
