"""The strengths of conditions from comparisons and rankings, by maximum likelihood and by Elo.

A named rule defines how ties count. "davidson" makes ties part of the model. "half" counts a tie as
half a win for both in Bradley and Terry's model; this is not a true likelihood, so standard errors
from the information are too large if there are many ties. "none" leaves ties out.

Elo (1978), "The Rating of Chessplayers, Past and Present": in a stream of comparisons, the chosen
condition gains, and the other loses, k times the result minus its expectation. Each change is a
gradient step on Bradley and Terry's log-likelihood of the comparison. With a larger k, Elo's
numbers follow changes faster and forget results faster. The result depends on the order of
comparisons, which has no meaning here: Elo's numbers fluctuate around the strengths.

In Plackett and Luce's model of rankings, condition i is chosen as the best of a set with
probability exp(s_i), divided by the sum of exp(s_j) over the set. Log-strengths have the mean 0,
and the same scale as Bradley and Terry's: under the model, i is ranked above j with probability 1 /
(1 + exp(s_j - s_i)). The likelihood has a finite maximum if and only if the likelihood of all pairs
in the rankings has one (Hunter 2004, "MM algorithms for generalized Bradley-Terry models", Annals
of Statistics 32, assumption 1), so `hype.statistics.bradley_terry` decides which conditions have a
strength. The log-likelihood is concave. Newton's method finds the maximum, with the damping of
`hype.statistics.bradley_terry`, which is also valid for choices from sets.
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
    NoFiniteStrengths,
    Strengths,
    climb,
    fit_strengths,
    invert_centred,
    laplacian,
    strong_components,
)
from hype.statistics.paired_counts import Counts, EvaluatorCounts

if TYPE_CHECKING:
    import pandas as pd


_WIN_STEP: Final = 2.0
"""If log ν grows by 1, two log-strengths must move apart by this to keep ties equally likely."""


def moments(
    log_strengths: FloatArray, log_nu: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the model's predictions for one comparison of each pair; each has shape (K, K).

    The results are the expected points of the first condition, 1 if chosen and ½ for a tie; the
    probability of a tie; the variance of the points, and their covariance with a tie. log ν may be
    minus infinity.
    """
    half = (log_strengths[:, np.newaxis] - log_strengths[np.newaxis, :]) / 2
    whole = np.logaddexp(np.logaddexp(half, -half), log_nu)
    chosen, tie = np.exp(half - whole), np.exp(log_nu - whole)
    points = chosen + tie / 2
    # `points.T`: the other condition's points, since 1 - points would lose digits near 1.
    return points, tie, points * points.T - tie / 4, tie * (points.T - points) / 2


def log_likelihood(counts: Counts, log_strengths: FloatArray, log_nu: float) -> float:
    """Return the log-probability of the answers, without the multinomial coefficients."""
    half = (log_strengths[:, np.newaxis] - log_strengths[np.newaxis, :]) / 2
    whole = np.logaddexp(np.logaddexp(half, -half), log_nu)
    tied = np.sum(np.triu(counts.ties * (log_nu - whole), 1)) if counts.ties.any() else 0.0
    won = counts.wins * (half - whole)
    return float(won.sum() - np.trace(won) + tied)


def derivatives(
    counts: Counts, log_strengths: FloatArray, log_nu: float
) -> tuple[FloatArray, FloatArray]:
    """Return the gradient of the log-likelihood in (s, log ν), and the information."""
    (points, tie, variance, covariance), n = moments(log_strengths, log_nu), counts.comparisons
    unexpected = counts.wins * points.T + counts.ties * (0.5 - points) / 2
    gradient = unexpected.sum(axis=1) - unexpected.sum(axis=0)
    ties = (counts.ties - n * tie).sum() / 2
    size = len(log_strengths)
    information = np.empty((size + 1, size + 1))
    information[:size, :size] = laplacian(n * variance)
    information[:size, size] = information[size, :size] = (n * covariance).sum(axis=1)
    information[size, size] = (n * tie * (1 - tie)).sum() / 2
    return np.append(gradient, ties), information


def has_finite_maximum(counts: Counts) -> bool:
    """Return whether the best fit has finite log-strengths and a finite log ν.

    There is no finite maximum if some move (x, y) of (s, log ν) makes no answer less likely (equal
    x with y = 0 do not count). Then x_i - x_j >= 2 max(y, 0) for every win of i over j, and 2y >=
    |x_i - x_j| for every tie. With ties, y >= 0. With y = 0 these are Ford's conditions, for wins
    and ties. With y = 1 they have a solution unless some cycle has more wins than ties.
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


def fit_davidson(counts: Counts) -> Strengths:
    """Fit the log-strengths and ν by maximum likelihood.

    Newton's method starts from equal log-strengths, and is damped as in
    `hype.statistics.bradley_terry.fit_strengths`. Raises `NoFiniteStrengths` without ties or
    without a finite maximum (`has_finite_maximum`), and `StrengthsNotFound` if strengths are too
    far apart for floating-point numbers.
    """
    if not has_finite_maximum(counts):
        raise NoFiniteStrengths("no finite strengths with a finite ν maximise the likelihood")
    size = len(counts.conditions)

    def width(step: FloatArray) -> float:
        of_wins = float(np.ptp(step[:size]))
        return max(of_wins, of_wins / 2 + abs(float(step[size])))

    solution, steps = climb(
        size + 1,
        lambda at: derivatives(counts, at[:size], at[size]),
        anchor=anchor_with_ties,
        width=width,
        centred=size,
    )
    log_strengths, log_nu = solution[:size], float(solution[size])
    gradient, information = derivatives(counts, log_strengths, log_nu)
    return Strengths(
        log_strengths=log_strengths,
        log_nu=log_nu,
        information=information,
        log_likelihood=log_likelihood(counts, log_strengths, log_nu),
        steps=steps,
        gradient=float(np.abs(gradient).max()),
    )


def anchor_with_ties(information: FloatArray) -> FloatArray:
    """Make the information on (s, log ν) invertible, for s with mean 0."""
    size = len(information) - 1
    matrix = information.copy()
    matrix[:size, :size] += np.trace(information) / size**2
    return matrix


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted(Strengths):
    """The log-strengths of the conditions that have a strength."""

    conditions: tuple[str, ...]  # the K conditions
    ties: Ties

    @property
    def nu(self) -> float | None:
        """Davidson's ν; 0 without ties, None if ties count by another rule."""
        if self.ties != "davidson":
            return None
        return 0.0 if self.log_nu is None else math.exp(self.log_nu)

    @cached_property
    def inverse(self) -> FloatArray:
        """The inverse of the information, for log-strengths with mean 0."""
        size = len(self.conditions)
        if self.log_nu is None:
            return invert_centred(self.information)
        inverse: FloatArray = np.asarray(
            np.linalg.inv(anchor_with_ties(self.information)), dtype=float
        )
        inverse[:size, :size] -= inverse[:size, :size].mean()
        return inverse


def fit(counts: Counts, ties: Ties) -> Fitted:
    """Fit the strengths of all conditions in ``counts``.

    Raises the errors of `fit_strengths`, or with Davidson's rule those of `fit_davidson`.
    """
    if ties == "davidson" and counts.ties.any():
        model = fit_davidson(counts)
    else:
        model = fit_strengths(counts.wins if ties == "none" else counts.points)
    return Fitted(conditions=counts.conditions, ties=ties, **vars(model))


Ties = Literal["davidson", "half", "none"]
"""How ties count: as part of the model (Davidson), as half a win each, or not at all."""


def scores_of_answers(answers: EvaluatorCounts, fitted: Fitted) -> csr_array:
    """Return the gradients of the entries' log-likelihoods, shape (entries, parameters)."""
    chosen, other, tied = answers.chosen, answers.other, answers.tied
    davidson = fitted.log_nu is not None
    log_nu = -np.inf if fitted.log_nu is None else fitted.log_nu
    points, tie, *_ = moments(fitted.log_strengths, log_nu)
    half = (points[other, chosen] - points[chosen, other]) / 2
    unexpected = np.where(tied, half, points[other, chosen])
    values, columns = [unexpected, -unexpected], [chosen, other]
    if davidson:
        values.append(tied - tie[chosen, other])
        columns.append(np.full(len(chosen), len(fitted.conditions)))
    rows = np.tile(np.arange(len(chosen)), len(values))
    shape = len(chosen), len(fitted.conditions) + davidson
    return csr_array((np.concatenate(values), (rows, np.concatenate(columns))), shape=shape)


def shares_of_answers(answers: EvaluatorCounts, fitted: Fitted) -> csr_array:
    """Return each entry's share of the information on each strength, shape (entries, K)."""
    log_nu = -np.inf if fitted.log_nu is None else fitted.log_nu
    _, _, variance, _ = moments(fitted.log_strengths, log_nu)
    own = np.tile(variance[answers.chosen, answers.other], 2)
    columns = np.concatenate([answers.chosen, answers.other])
    share = own / np.bincount(columns, own, len(fitted.conditions))[columns]
    rows = np.tile(np.arange(len(answers.chosen)), 2)
    return csr_array((share, (rows, columns)), shape=(len(rows) // 2, len(fitted.conditions)))


StrengthsShown = Literal["elo", "log", "share"]
"""The scale of shown strengths: Elo's, log-strengths, or shares of 100."""

ELO_K: Final = 4.0
ELO_MEAN: Final = 1000.0
ELO_PER_UNIT: Final = 400 / math.log(10)
"""Points on Elo's scale for one unit of log-strength."""
_FIRST_SCORES: Final = {"left": 1.0, "right": 0.0, "tie": 0.5}


def elo_stream(
    votes: pd.DataFrame, *, k: float = ELO_K, start: float = ELO_MEAN
) -> dict[str, float]:
    """Compute Elo's numbers after all comparisons, from ``start``, in descending order.

    ``votes``: a checked table (see `paired_counts.count`); its rows that have an answer are used,
    in order. ``k``: the largest change by one comparison.
    """
    names = votes["left"].cat.categories
    scores = votes["answer"].astype(str).map(_FIRST_SCORES).to_numpy(dtype=float)
    left = votes["left"].cat.codes.tolist()
    right = votes["right"].cat.set_categories(names).cat.codes.tolist()
    ratings = [start] * len(names)
    for one, other, score in zip(left, right, scores.tolist(), strict=True):
        if not math.isnan(score):
            ahead = (ratings[one] - ratings[other]) / ELO_PER_UNIT
            moved = k * (score - 1 / (1 + math.exp(-ahead)))
            ratings[one] += moved
            ratings[other] -= moved
    return dict(sorted(zip(map(str, names), ratings, strict=True), key=lambda each: -each[1]))


@dataclass(frozen=True, kw_only=True, eq=False)
class ChoiceSets:
    """The data for the likelihood of Plackett and Luce's model; a unit is a ranking."""

    conditions: tuple[str, ...]  # the K conditions
    members: FloatArray  # number of images of each condition in each of the S sets, shape (S, K)
    chosen: FloatArray  # how often each unit chose each condition, shape (units, K)
    times: csr_array  # how often each unit chose from each set, shape (units, S)


def fit_plackett_luce(choices: ChoiceSets) -> Fitted:
    """Find the log-strengths under which the rankings are most likely.

    All conditions must have a strength (see `hype.statistics.bradley_terry`). Raises
    `StrengthsNotFound` if strengths are too far apart for floating-point numbers, or not finite.
    """
    chosen = choices.chosen.sum(axis=0)
    times = np.asarray(choices.times.sum(axis=0), dtype=float)
    used = times > 0
    times, members = times[used], choices.members[used]

    def derivatives(strengths: FloatArray) -> tuple[FloatArray, FloatArray]:
        shares, _ = _shares(strengths, members)
        return chosen - times @ shares, _information(times, shares)

    log_strengths, steps = climb(len(chosen), derivatives, is_flat=False)
    shares, sums = _shares(log_strengths, members)
    return Fitted(
        conditions=choices.conditions,
        ties="half",
        log_strengths=log_strengths,
        information=_information(times, shares),
        log_likelihood=float(chosen @ log_strengths - times @ np.log(sums)),
        steps=steps,
        gradient=0.0,
    )


def scores_of_rankings(choices: ChoiceSets, fitted: Fitted) -> FloatArray:
    """Return the first derivatives of each ranking's log-likelihood, shape (units, K)."""
    shares, _ = _shares(fitted.log_strengths, choices.members)
    scores: FloatArray = choices.chosen - choices.times @ shares
    return scores


def shares_of_rankings(choices: ChoiceSets, fitted: Fitted) -> FloatArray:
    """Return each ranking's share of the information on each strength, shape (units, K)."""
    shares, _ = _shares(fitted.log_strengths, choices.members)
    information = choices.times @ (shares * (1 - shares))
    return np.asarray(information / information.sum(axis=0))


def _shares(log_strengths: FloatArray, members: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the probability of choosing each condition from each set, and the sums of exp(s)."""
    weighed = members * np.exp(log_strengths)
    sums = weighed.sum(axis=1)
    return weighed / sums[:, np.newaxis], sums


def _information(times: FloatArray, shares: FloatArray) -> FloatArray:
    return np.asarray(np.diag(times @ shares) - (shares.T * times) @ shares, dtype=float)
