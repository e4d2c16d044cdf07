"""How much evaluators differ in what they choose: the beta-binomial model of one pair.

Each evaluator has a probability of choosing `a` of his own, and these follow a beta distribution
with mean μ and intraclass correlation ρ: 0 where all are the same, 1 where everybody always makes
one choice (Skellam 1948; Williams 1975, "The analysis of binary responses from toxicological
experiments involving reproduction and teratogenicity", Biometrics 31).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special

FloatArray = npt.NDArray[np.float64]

_LOGITS: Final = 8.0
_GRID: Final = 401
"""Correlations looked at, from 0.0003 to 0.9997 evenly by their logits, and 0."""


@dataclass(frozen=True, kw_only=True)
class Heterogeneity:
    """How much evaluators differ.

    Parameters
    ----------
    correlation, low, high
        The most likely intraclass correlation, and its profile-likelihood interval.
    sd_log_odds, sd_low, sd_high
        The same as the standard deviation between evaluators of the log-odds of choosing `a`;
        infinite at a correlation of 1.
    """

    correlation: float
    low: float
    high: float
    sd_log_odds: float
    sd_low: float
    sd_high: float


def heterogeneity(
    chosen: npt.ArrayLike, choices: npt.ArrayLike, *, confidence: float = 0.95
) -> Heterogeneity:
    """Fit the model.

    Parameters
    ----------
    chosen, choices
        How often each evaluator chose `a`, and how many choices he made; shape (evaluators,).
        Somebody chose `a`, and somebody did not.
    confidence
        Coverage of the interval, as a proportion.

    Notes
    -----
    For each ρ of a grid, μ is the mean with the weights that suit it, n / (1 + (n - 1)ρ) (Kleinman
    1973, "Proportions with extraneous variance: single and independent samples", JASA 68), and ρ
    is the one of the largest likelihood. The grid is fine enough for two digits of ρ.
    """
    x, n = np.asarray(chosen, dtype=float), np.asarray(choices, dtype=float)
    patterns, times = np.unique(np.column_stack([x, n]), axis=0, return_counts=True)
    rho = np.r_[0.0, special.expit(np.linspace(-_LOGITS, _LOGITS, _GRID))]
    mean = _means(patterns, times, rho)
    likelihood = _log_likelihoods(patterns, times, rho, mean)
    best = int(likelihood.argmax())
    drop = float(special.chdtri(1, 1 - confidence)) / 2
    inside = np.flatnonzero(likelihood >= likelihood[best] - drop)
    # A grid's last point stands for complete camps.
    low, high = int(inside[0]), int(inside[-1])
    sd = [_sd_log_odds(float(mean[i]), float(rho[i])) for i in (best, low, high)]
    ends = [1.0 if i == _GRID else float(rho[i]) for i in (best, low, high)]
    return Heterogeneity(
        correlation=ends[0],
        low=ends[1],
        high=ends[2],
        sd_log_odds=sd[0] if ends[0] < 1 else np.inf,
        sd_low=sd[1] if ends[1] < 1 else np.inf,
        sd_high=sd[2] if ends[2] < 1 else np.inf,
    )


def _means(patterns: FloatArray, times: npt.NDArray[np.intp], rho: FloatArray) -> FloatArray:
    x, n = patterns.T
    weight = times / (1 + (n - 1) * rho[:, None])
    return np.asarray((weight @ x) / (weight @ n))


def _log_likelihoods(
    patterns: FloatArray, times: npt.NDArray[np.intp], rho: FloatArray, mean: FloatArray
) -> FloatArray:
    x, n = patterns.T
    precision = (1 - rho[1:]) / rho[1:]
    a, b = (mean[1:] * precision)[:, None], ((1 - mean[1:]) * precision)[:, None]
    apart = (special.betaln(x + a, n - x + b) - special.betaln(a, b)) @ times
    same = (x * np.log(mean[0]) + (n - x) * np.log1p(-mean[0])) @ times
    return np.asarray(np.r_[same, apart])


def _sd_log_odds(mean: float, rho: float) -> float:
    """The logarithm of a beta variate's odds has the variance ψ′(a) + ψ′(b)."""
    if rho == 0:
        return 0.0
    precision = (1 - rho) / rho
    spread = special.polygamma(1, [mean * precision, (1 - mean) * precision])
    return float(np.sqrt(spread.sum()))
