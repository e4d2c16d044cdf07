"""The strengths of conditions in a table of comparisons: maximum likelihood, ties by a named rule.

"davidson" makes ties a part of the model (`hype.statistics.strengths`). "half" counts half a win
to either, and is Bradley and Terry's model; the same as a likelihood only in name, so that its
standard errors by the information alone are too wide where there are many ties. "none" leaves ties
out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, floyd_warshall

from hype.statistics.arrays import FloatArray
from hype.statistics.bradley_terry import (
    MOST_STEPS,
    SMALLEST_GRADIENT,
    SMALLEST_STEP,
    NoFiniteStrengths,
    Strengths,
    StrengthsNotFound,
    centred_inverse,
    damping,
    fit_strengths,
    laplacian,
    newton_step,
    strong_components,
)

if TYPE_CHECKING:
    from hype.statistics.paired_counts import Counts, EvaluatorCounts

_WIN_STEP: Final = 2.0
"""How far apart two log-strengths move, per unit of log ν, at which their ties stay as likely."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparisonMoments:
    """What is to be expected of a single comparison of each two conditions; shape (K, K) each."""

    points: FloatArray  # of the first: 1 for being chosen, half for a tie
    tie: FloatArray  # the probability of a tie
    variance: FloatArray  # of the points
    covariance: FloatArray  # of the points with a tie


def moments(log_strengths: FloatArray, log_nu: float) -> ComparisonMoments:
    """Give what the model expects of each two conditions; log ν may be minus infinity."""
    half = (log_strengths[:, np.newaxis] - log_strengths[np.newaxis, :]) / 2
    whole = np.logaddexp(np.logaddexp(half, -half), log_nu)
    chosen, tie = np.exp(half - whole), np.exp(log_nu - whole)
    points = chosen + tie / 2
    # The other's points are added up and not taken from 1, which would lose digits near 1.
    return ComparisonMoments(
        points=points,
        tie=tie,
        variance=points * points.T - tie / 4,
        covariance=tie * (points.T - points) / 2,
    )


def log_likelihood(counts: Counts, log_strengths: FloatArray, log_nu: float) -> float:
    """Give the logarithm of the answers' probability, without the multinomial coefficients."""
    half = (log_strengths[:, np.newaxis] - log_strengths[np.newaxis, :]) / 2
    whole = np.logaddexp(np.logaddexp(half, -half), log_nu)
    tied = np.sum(np.triu(counts.ties * (log_nu - whole), 1)) if counts.ties.any() else 0.0
    won = counts.wins * (half - whole)
    return float(won.sum() - np.trace(won) + tied)


def derivatives(
    counts: Counts, log_strengths: FloatArray, log_nu: float
) -> tuple[FloatArray, FloatArray]:
    """Give the gradient of the log-likelihood in (s, log ν), and the information on them."""
    found, n = moments(log_strengths, log_nu), counts.comparisons
    unexpected = counts.wins * found.points.T + counts.ties * (0.5 - found.points) / 2
    gradient = unexpected.sum(axis=1) - unexpected.sum(axis=0)
    ties = (counts.ties - n * found.tie).sum() / 2
    size = len(log_strengths)
    information = np.empty((size + 1, size + 1))
    information[:size, :size] = laplacian(n * found.variance)
    information[:size, size] = information[size, :size] = (n * found.covariance).sum(axis=1)
    information[size, size] = (n * found.tie * (1 - found.tie)).sum() / 2
    return np.append(gradient, ties), information


def has_finite_maximum(counts: Counts) -> bool:
    """Tell whether finite log-strengths and a finite log ν fit best.

    Some (x, y) must not exist, but for equal x and y = 0, under which moving by them makes no
    answer that was given less likely: x_i - x_j >= 2 max(y, 0) for every win of i over j, and
    2y >= |x_i - x_j| for every tie. Ties leave y >= 0. With y = 0 these are Ford's conditions for
    wins and ties alike; with y = 1 they can be met unless some cycle has more wins than ties.
    """
    if not counts.ties.any() or len(strong_components(counts.points > 0)) > 1:
        return False
    longest = np.full(counts.wins.shape, np.inf)
    longest[counts.ties > 0] = _WIN_STEP
    longest[counts.wins > 0] = -_WIN_STEP
    np.fill_diagonal(longest, 0)
    try:
        floyd_warshall(longest, directed=True)
    except NegativeCycleError:
        return True
    return False


def fit_davidson(counts: Counts, *, start: FloatArray | None = None) -> Strengths:
    """Find the log-strengths and the ν under which the answers are the most likely.

    Newton's method, damped as in `hype.statistics.bradley_terry.fit_strengths`, from log-strengths
    ``start`` or from equal ones. `NoFiniteStrengths` where there are no ties, or
    `has_finite_maximum` says no; `StrengthsNotFound` where they lie too far apart for
    floating-point numbers.
    """
    if not has_finite_maximum(counts):
        raise NoFiniteStrengths("no finite strengths and no finite ν fit best")
    size = len(counts.conditions)
    solution = np.append(np.zeros(size) if start is None else start, 0.0)
    for steps in range(MOST_STEPS):
        gradient, information = derivatives(counts, solution[:size], solution[size])
        step = newton_step(anchored_with_ties(information), gradient)
        width = max(np.ptp(step[:size]), np.ptp(step[:size]) / 2 + abs(step[size]))
        if width <= SMALLEST_STEP and _flat(gradient, information):
            return _found(counts, solution, steps)
        solution += damping(float(width)) * step
        solution[:size] -= solution[:size].mean()
    message = f"the strengths were not found in {MOST_STEPS} steps; they lie too far apart"
    raise StrengthsNotFound(message)


def anchored_with_ties(information: FloatArray) -> FloatArray:
    """Make the information on (s, log ν) invertible, for s of mean 0."""
    size = len(information) - 1
    matrix = information.copy()
    matrix[:size, :size] += np.trace(information) / size**2
    return matrix


def _flat(gradient: FloatArray, information: FloatArray) -> bool:
    return bool((np.abs(gradient) <= SMALLEST_GRADIENT * np.diag(information)).all())


def _found(counts: Counts, found: FloatArray, steps: int) -> Strengths:
    log_strengths, log_nu = found[:-1], float(found[-1])
    gradient, information = derivatives(counts, log_strengths, log_nu)
    return Strengths(
        log_strengths=log_strengths,
        log_nu=log_nu,
        information=information,
        log_likelihood=log_likelihood(counts, log_strengths, log_nu),
        steps=steps,
        gradient=float(np.abs(gradient).max()),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted(Strengths):
    """Log-strengths of conditions that have any."""

    conditions: tuple[str, ...]  # K of them
    ties: Ties

    @property
    def nu(self) -> float | None:
        """Davidson's ν, 0 without ties; None by another rule."""
        if self.ties != "davidson":
            return None
        return 0.0 if self.log_nu is None else math.exp(self.log_nu)

    @cached_property
    def inverse(self) -> FloatArray:
        """The inverse of the information, for log-strengths of mean 0."""
        size = len(self.conditions)
        if self.log_nu is None:
            return centred_inverse(self.information)
        inverse: FloatArray = np.asarray(
            np.linalg.inv(anchored_with_ties(self.information)), dtype=float
        )
        inverse[:size, :size] -= inverse[:size, :size].mean()
        return inverse

    @property
    def covariance(self) -> FloatArray:
        """Of the log-strengths, as if comparisons were independent and the model true, (K, K)."""
        size = len(self.conditions)
        return self.inverse[:size, :size]


def fit(counts: Counts, ties: Ties, *, start: FloatArray | None = None) -> Fitted:
    """Fit the strengths of all conditions in ``counts``, from ``start`` or from equal ones.

    Raises as `fit_strengths` does, and by Davidson's rule as `fit_davidson`.
    """
    if ties == "davidson" and counts.ties.any():
        model = fit_davidson(counts, start=start)
    else:
        model = fit_strengths(counts.wins if ties == "none" else counts.points, start=start)
    return Fitted(conditions=counts.conditions, ties=ties, **vars(model))


Ties = Literal["davidson", "half", "none"]
"""What becomes of ties: a part of the model (Davidson), half a win each, or not counted."""


def scores_of_answers(answers: EvaluatorCounts, fitted: Fitted) -> csr_array:
    """Give the first derivatives of the log-likelihoods of entries, shape (entries, parameters)."""
    chosen, other, tied = answers.chosen, answers.other, answers.tied
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
