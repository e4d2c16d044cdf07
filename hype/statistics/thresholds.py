"""Thresholds: the exposure at which a person answers, for example, 75 % of trials correctly.

A psychometric function is fitted (`psychometric_fit`) to the answers of one person, and the
threshold is read from it. Unlike the mode and the mean of reversals, the threshold does not depend
on the rule of the staircase. But the threshold is precise only near the accuracy at which the
staircase settles, where most trials are. Staircases bias the slope: earlier answers decide which
exposures follow, and fitted functions are too steep (Kaernbach 2001, "Slope bias of psychometric
functions derived from adaptive data", Perception & Psychophysics 63, 1389-1398). Answers of several
people are not pooled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, rel_entr

from hype.errors import InputError
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.psychometric_fit import (
    CHANCE,
    LevelCounts,
    PsychometricFit,
    PsychometricFunction,
    count_levels,
    fit_psychometric,
    weibull,
)

DRAWS: Final = 1000
"""Number of simulated data sets for comparison with the observed one."""
_BINOMIAL: Final = 1e-4
"""Below this overdispersion, answers are practically binomial."""
_TINY: Final = 1e-12


def deviance(correct: npt.ArrayLike, trials: npt.ArrayLike, accuracy: npt.ArrayLike) -> FloatArray:
    """Return the deviance of answers from a psychometric function, 0 or more, shape (…).

    The deviance is twice the log-likelihood ratio of the saturated model (with the observed
    proportions) to the fitted one: 2 Σ (k ln(k / nψ) + (n − k) ln((n − k) / n(1 − ψ))), Wichmann &
    Hill (2001); 0 if both fit equally well. k, n and ψ (0 to 1) have the shape (…, levels).
    """
    right, n = np.asarray(correct, dtype=float), np.asarray(trials, dtype=float)
    psi = np.asarray(accuracy, dtype=float)
    terms = rel_entr(right, n * psi) + rel_entr(n - right, n * (1 - psi))
    total: FloatArray = 2 * terms.sum(axis=-1)
    return total


def goodness_of_fit(
    counts: LevelCounts,
    fit: PsychometricFit,
    rng: np.random.Generator,
    *,
    binomial: bool = False,
    draws: int = DRAWS,
) -> float:
    """Return the posterior predictive p of the deviance.

    Functions are drawn from the posterior, and answers are simulated at the same levels with the
    same numbers of trials. The p is the share of functions whose simulated answers deviate at least
    as much as the observed ones; it is above 0. ``binomial``: simulate answers that scatter like
    coin tosses, without the fitted overdispersion.

    For beta-binomial answers, a p near 0 means that the model does not fit at all. Such a p is
    rare, since overdispersion absorbs what the function does not explain. For binomial answers, a p
    near 0 means that the model misses something: accuracy differs between people, or changes during
    the session, or the function has another shape. With a staircase, the number of trials at a
    level depends on the answers; this test treats these numbers as fixed.
    """
    cells = fit.draws[rng.choice(len(fit.weights), size=draws, p=fit.weights)]
    scale_ms, exponent, lapse, fitted = cells.T[:, :, None]
    overdispersion = np.zeros_like(fitted) if binomial else fitted
    accuracy = weibull(counts.levels_ms, scale_ms, exponent, lapse)
    again = _answers(counts.trials, accuracy, overdispersion, rng)
    observed = deviance(counts.correct, counts.trials, accuracy)
    as_far = deviance(again, counts.trials, accuracy) >= observed
    return float((1 + as_far.sum()) / (1 + draws))


def _answers(
    trials: FloatArray, accuracy: FloatArray, overdispersion: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Draw beta-binomial numbers of correct answers, with the shape of `accuracy`.

    Schütt et al. (2016), section 2.2: the proportion is beta-distributed around ψ, and the sum of
    the distribution's parameters is ν = 1/η² − 1.
    """
    nu = 1 / np.maximum(overdispersion, _BINOMIAL) ** 2 - 1
    a, b = np.maximum(accuracy * nu, _TINY), np.maximum((1 - accuracy) * nu, _TINY)
    proportion = np.where(overdispersion > _BINOMIAL, rng.beta(a, b), accuracy)
    return rng.binomial(trials.astype(np.int64), np.clip(proportion, 0, 1))


AT: Final = 0.75
CONFIDENCE: Final = 0.95
FEWEST_TRIALS: Final = 50
"""With fewer trials, the prior matters more than the answers; a hundred are recommended."""
FALLS: Final = 0.001
"""Below this one-sided p, accuracy counts as falling with exposure; then nothing is fitted."""

Side = Literal["below", "above"]

Bounds = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """The exposure at which a given share of answers is correct, or why there is none."""

    at: float  # the share of correct answers, 0.5 to 1, including lapses and lucky guesses
    threshold_ms: float | None = None  # the exposure; None if there is none (see ``reason``)
    # ci_low, ci_high: credible interval, in ms. A limit is None if it is outside the bounds of the
    # study's exposures (or if accuracy may never reach ``at``): the interval is open on that side.
    # A fit without a threshold also has an interval, for example all exposures above ``ci_low``.
    ci_low: float | None = None
    ci_high: float | None = None
    confidence: float  # probability that the interval contains the threshold
    # The next seven fields are None without a fit. Scale α of the Weibull function: the exposure
    # at which accuracy has risen by 63 % of its range
    scale_ms: float | None = None
    # Exponent β of the Weibull function: how steeply accuracy rises; too steep on average if a
    # staircase chose the exposures
    slope: float | None = None
    lapse: float | None = None  # λ: how far accuracy stays below 1 at long exposures
    overdispersion: float | None = None  # η: how much more answers scatter than coin tosses, 0 to 1
    deviance: float | None = None  # deviance of the answers from the fitted function
    # p of that deviance under the fitted beta-binomial model (`goodness_of_fit`), and without
    # overdispersion: near 0 if one psychometric function does not explain the answers
    goodness_p: float | None = None
    binomial_p: float | None = None
    # trials: the number of answers; levels: the number of exposures (those within 3 % count as one)
    trials: int
    levels: int
    reason: str | None = None  # why there is no threshold; None if there is one
    # Whether the threshold is below or above all shown exposures, if that is the reason
    beyond: Side | None = None


def fit_threshold(
    exposures_ms: npt.ArrayLike,
    correct: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    at: float = AT,
    confidence: float = CONFIDENCE,
    bounds_ms: Bounds | None = None,
) -> Threshold:
    """Fit a psychometric function to one set of answers, and return its threshold.

    ``exposures_ms``, ``correct``: each trial's exposure, and whether its answer is correct. ``at``:
    the share of correct answers, above 0.5 and below 1. ``rng``: used only for `goodness_p` and
    `binomial_p`. ``bounds_ms``: the shortest and the longest exposure of the study, for the prior
    of the threshold; by default those in ``exposures_ms``. With the exposures of one staircase, the
    default makes the prior too narrow.

    Raises InputError if a setting is out of range, the two arrays differ in length or are empty, or
    an exposure is not above 0.
    """
    shown_ms, right = np.asarray(exposures_ms, dtype=float), np.asarray(correct, dtype=bool)
    if shown_ms.shape != right.shape or not shown_ms.size or not (shown_ms > 0).all():
        allowed = "give one exposure above 0 for each answer, and at least one answer"
        raise InputError("exposures_ms", f"{shown_ms.size} for {right.size} answers", allowed)
    counts = count_levels(shown_ms, right)
    bounds_ms = bounds_ms or (counts.shortest_ms, counts.longest_ms)
    check_settings(at, confidence, bounds_ms)
    return threshold_of(counts, bounds_ms, at=at, confidence=confidence, rng=rng)


def check_settings(at: float, confidence: float, bounds_ms: Bounds) -> None:
    """Refuse settings that are out of range (see `fit_threshold`)."""
    if not CHANCE < at < 1:
        raise InputError("at", str(at), f"it must be a share above {CHANCE} and below 1")
    if not 0 < confidence < 1:
        raise InputError("confidence", str(confidence), "it must be a share above 0 and below 1")
    shortest_ms, longest_ms = bounds_ms
    if not 0 < shortest_ms <= longest_ms < math.inf:
        allowed = "give two exposures above 0, the shorter one first"
        raise InputError("bounds_ms", f"{shortest_ms:g} to {longest_ms:g}", allowed)


def threshold_of(
    counts: LevelCounts,
    bounds_ms: Bounds,
    *,
    at: float,
    confidence: float,
    rng: np.random.Generator,
    only_answer: str | None = None,
) -> Threshold:
    """Do the same as `fit_threshold`, for counted answers and checked settings."""
    trials, levels = int(counts.trials.sum()), len(counts.levels_ms)
    if against := obstacle(counts, only_answer):
        reason, beyond = against
        return Threshold(
            at=at, confidence=confidence, trials=trials, levels=levels, reason=reason, beyond=beyond
        )
    fit = fit_psychometric(counts, bounds_ms)
    threshold_ms = fit.exposure_ms_at(at)
    missed = miss(threshold_ms, counts, fit, at)
    low_ms, high_ms = fit.interval_ms(at, confidence)
    return Threshold(
        at=at,
        threshold_ms=None if missed else threshold_ms,
        ci_low=low_ms if bounds_ms[0] <= low_ms <= bounds_ms[1] else None,
        ci_high=high_ms if bounds_ms[0] <= high_ms <= bounds_ms[1] else None,
        confidence=confidence,
        scale_ms=fit.scale_ms,
        slope=fit.exponent,
        lapse=fit.lapse,
        overdispersion=fit.overdispersion,
        deviance=float(deviance(counts.correct, counts.trials, fit.accuracy(counts.levels_ms))),
        goodness_p=goodness_of_fit(counts, fit, rng),
        binomial_p=goodness_of_fit(counts, fit, rng, binomial=True),
        trials=trials,
        levels=levels,
        reason=missed and missed[0],
        beyond=missed and missed[1],
    )


def obstacle(counts: LevelCounts, only_answer: str | None = None) -> tuple[str, Side | None] | None:
    """Return why a fit is impossible, and on which side of the exposures the threshold must be.

    None if it is possible. ``only_answer``: the answer to every trial, if all answers are the same.
    """
    if only_answer:
        return f"every answer is {only_answer!r}", None
    trials, correct = int(counts.trials.sum()), int(counts.correct.sum())
    if trials < FEWEST_TRIALS:
        return f"there are only {trials} answers, but {FEWEST_TRIALS} are needed", None
    if len(counts.levels_ms) == 1:
        return f"only one exposure was shown, {counts.shortest_ms:g} ms", None
    if correct in (0, trials):
        return ("every answer is correct", "below") if correct else ("every answer is wrong", None)
    fall = falling_accuracy(counts)
    return (f"{fall}: are answers or exposures swapped?", None) if fall else None


def falling_accuracy(counts: LevelCounts) -> str:
    """Describe how accuracy falls as exposure grows; empty if it does not, or only by chance.

    This is Armitage's (1955) test for a trend in proportions, along the logarithm of the exposure.
    The sentence gives the accuracy below and above the mean log exposure.
    """
    trials, correct, log_ms = counts.trials, counts.correct, np.log(counts.levels_ms)
    share = correct.sum() / trials.sum()
    along = log_ms - np.average(log_ms, weights=trials)
    spread = share * (1 - share) * (trials * along**2).sum()
    if not spread or ndtr(((correct - trials * share) * along).sum() / np.sqrt(spread)) >= FALLS:
        return ""
    sides = []
    for own in (along <= 0, along > 0):
        ends = dict.fromkeys(f"{ms:g}" for ms in counts.levels_ms[own][[0, -1]])
        sides.append(f"{correct[own].sum() / trials[own].sum():.0%} at {' to '.join(ends)} ms")
    return f"accuracy falls as exposure grows ({', '.join(sides)})"


def miss(
    threshold_ms: float, counts: LevelCounts, fit: PsychometricFunction, at: float
) -> tuple[str, Side] | None:
    """Return why the fitted function gives no threshold; None if it gives one."""
    if math.isinf(threshold_ms):
        top = f"accuracy levels off at {100 * (1 - fit.lapse):.1f}%"
        return f"{top} and does not reach {100 * at:g}%", "above"
    if threshold_ms > counts.longest_ms:
        return f"above {counts.longest_ms:g} ms, the longest exposure shown", "above"
    if threshold_ms < counts.shortest_ms:
        return f"below {counts.shortest_ms:g} ms, the shortest exposure shown", "below"
    return None
