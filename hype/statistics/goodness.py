"""Does a fitted psychometric function describe the answers: deviance, and how unusual it is.

Wichmann & Hill (2001), "The psychometric function: I", Perception & Psychophysics 63, 1293-1313,
section "Goodness of fit": the deviance, and a Monte-Carlo distribution for it, since its asymptotic
one does not hold for few trials a level. Here new answers are drawn from the posterior instead of
from its maximum, so that what the fit owes to its own data counts too: Gelman, Meng & Stern (1996),
"Posterior predictive assessment of model fitness via realized discrepancies", Statistica Sinica 6,
733-760.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy.special import rel_entr

from hype.statistics.psychometric_fit import FloatArray, weibull

if TYPE_CHECKING:
    from hype.statistics.psychometric_fit import LevelCounts, PsychometricFit

DRAWS: Final = 1000
"""Data sets that the observed one is compared with."""

_BINOMIAL: Final = 1e-4
"""Below this overdispersion answers are binomial, to as many digits as there are trials."""
_TINY: Final = 1e-12


def deviance(correct: npt.ArrayLike, trials: npt.ArrayLike, accuracy: npt.ArrayLike) -> FloatArray:
    """Give the deviance of answers from a psychometric function.

    Twice the log-likelihood ratio of the saturated model, with each level's own proportion, to the
    fitted one: 2 Σ (k ln(k / nψ) + (n − k) ln((n − k) / n(1 − ψ))), Wichmann & Hill (2001); 0 where
    they are the same.

    Parameters
    ----------
    correct, trials
        k and n at each level, shape (…, levels).
    accuracy
        ψ at each level, 0 to 1, shape (…, levels).

    Returns
    -------
    ndarray
        Shape (…), 0 or more.
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
    """Give the posterior predictive p of the deviance.

    Parameters
    ----------
    counts
        The answers that were fitted.
    fit
        What was fitted to them.
    rng
        Source of randomness.
    binomial
        Draw answers that scatter no more than coins do, whatever the fitted overdispersion.
    draws
        Functions drawn from the posterior; for each, answers are drawn at the levels and with the
        numbers of trials that there were.

    Returns
    -------
    float
        Share of the draws, above 0 to 1, whose own answers deviate from the function at least as
        much as the observed ones do.

    Notes
    -----
    Near 0 for beta-binomial answers, the model does not describe the observed ones at all. That is
    rare, since its overdispersion takes up what the function does not explain. Near 0 for binomial
    answers, there is something that the function does not explain: people or times that differ,
    or a wrong shape. Where trials were chosen by a staircase, how many there are at a level depends
    on the answers, which this takes as given.
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
) -> npt.NDArray[np.int64]:
    """Draw beta-binomial numbers of correct answers, of the shape of `accuracy`.

    Schütt et al. (2016), section 2.2: the proportion is beta-distributed around ψ with
    ν = 1/η² − 1 as the sum of its parameters.
    """
    nu = 1 / np.maximum(overdispersion, _BINOMIAL) ** 2 - 1
    a, b = np.maximum(accuracy * nu, _TINY), np.maximum((1 - accuracy) * nu, _TINY)
    proportion = np.where(overdispersion > _BINOMIAL, rng.beta(a, b), accuracy)
    return rng.binomial(trials.astype(np.int64), np.clip(proportion, 0, 1))
