"""Standard errors of strengths that do not take the model, or independent answers, for granted.

Huber (1967) and White (1982), "Maximum likelihood estimation of misspecified models": the inverse
of the information on either side of what the answers' first derivatives really vary by. Where it
is known who answered, the derivatives are first added up by evaluator, since answers of one person
are alike: Liang & Zeger (1986), "Longitudinal data analysis using generalized linear models",
Biometrika 73, with the factor G / (G - 1) for G evaluators.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import stdtrit

from hype.statistics.strengths import moments

if TYPE_CHECKING:
    from hype.statistics.paired_counts import Counts, EvaluatorCounts
    from hype.statistics.strengths import Fitted

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sandwich:
    """How strengths vary.

    Parameters
    ----------
    covariance
        Of the log-strengths, whose mean is 0, shape (K, K).
    evaluators
        How many independent people there were; None where every comparison was taken to be
        independent of all others.
    """

    covariance: FloatArray
    evaluators: int | None

    @property
    def standard_errors(self) -> FloatArray:
        """Of the log-strengths, shape (K,)."""
        # A variance of nothing may be less than nothing by rounding.
        errors: FloatArray = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return errors

    @property
    def of_differences(self) -> FloatArray:
        """Standard errors of the differences between log-strengths, shape (K, K)."""
        variances = np.diag(self.covariance)
        both = np.add.outer(variances, variances) - 2 * self.covariance
        errors: FloatArray = np.sqrt(np.maximum(both, 0))
        return errors

    def reach(self, confidence: float) -> float:
        """Give the standard errors to either side that an interval takes.

        From Student's distribution with G - 1 degrees of freedom for G evaluators, since a few
        people tell little of how people vary; from the normal one without evaluators.
        """
        freedom = math.inf if self.evaluators is None else self.evaluators - 1
        return float(stdtrit(freedom, (1 + confidence) / 2))


def sandwich_of_comparisons(counts: Counts, fitted: Fitted) -> Sandwich:
    """Take every comparison to be independent of all others."""
    wins, ties = np.nonzero(counts.wins), np.nonzero(np.triu(counts.ties))
    scores = _scores(
        fitted,
        np.concatenate([wins[0], ties[0]]),
        np.concatenate([wins[1], ties[1]]),
        np.repeat([False, True], [len(wins[0]), len(ties[0])]),
    )
    times = np.concatenate([counts.wins[wins], counts.ties[ties]])
    meat = (scores.T @ (scores * times[:, np.newaxis])).toarray()
    return Sandwich(covariance=_between(fitted, meat), evaluators=None)


def sandwich_of_evaluators(by_evaluator: EvaluatorCounts, fitted: Fitted) -> Sandwich | None:
    """Take evaluators to be independent of each other; None for fewer than two."""
    people = by_evaluator.evaluators
    if people < 2:
        return None
    scores = _scores(fitted, by_evaluator.chosen, by_evaluator.other, by_evaluator.tied)
    entries = np.arange(len(by_evaluator.times))
    places = by_evaluator.evaluator, entries
    answers = csr_array((by_evaluator.times, places), shape=(people, len(entries)))
    sums = answers @ scores
    meat = (sums.T @ sums).toarray() * people / (people - 1)
    return Sandwich(covariance=_between(fitted, meat), evaluators=people)


def _scores(
    fitted: Fitted, chosen: IntArray, other: IntArray, tied: npt.NDArray[np.bool_]
) -> csr_array:
    """Give the first derivatives of answers' log-likelihoods, shape (answers, parameters)."""
    davidson = fitted.log_nu is not None
    expected = moments(fitted.log_strengths, -np.inf if fitted.log_nu is None else fitted.log_nu)
    half = (expected.points[other, chosen] - expected.points[chosen, other]) / 2
    unexpected = np.where(tied, half, expected.points[other, chosen])
    values, columns = [unexpected, -unexpected], [chosen, other]
    if davidson:
        values.append(tied - expected.tie[chosen, other])
        columns.append(np.full(len(chosen), len(fitted.conditions)))
    rows = np.tile(np.arange(len(chosen)), len(values))
    shape = len(chosen), len(fitted.conditions) + davidson
    return csr_array((np.concatenate(values), (rows, np.concatenate(columns))), shape=shape)


def _between(fitted: Fitted, meat: FloatArray) -> FloatArray:
    size = len(fitted.conditions)
    return (fitted.inverse @ meat @ fitted.inverse)[:size, :size]
