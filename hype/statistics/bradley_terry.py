"""Strengths of conditions from paired comparisons: Bradley and Terry's model.

Bradley & Terry (1952), "Rank analysis of incomplete block designs", Biometrika 39: condition i is
chosen over j with probability 1 / (1 + exp(s_j - s_i)). Only differences of
log-strengths s are determined, so their mean is set to 0.

The likelihood has a finite maximum if and only if the graph "i was chosen over j at least once" is
strongly connected: for every split of the conditions into two parts, each part won at least once
against the other (Ford 1957, "Solution of a ranking problem from binary comparisons").

Newton's method finds the maximum. Its steps are shortened by a bound on the third derivative, so
that they never overshoot: see `damping`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from hype.errors import HypeError, few
from hype.statistics.arrays import BoolArray, FloatArray
from hype.statistics.paired_counts import Counts

SMALLEST_STEP: Final = 1e-9
"""The search ends when no log-strength changes by more than this in a step.

Another step would change them by only about the square of this number.
"""
SMALLEST_GRADIENT: Final = 1e-12
"""At the end, the gradient is at most this share of the diagonal of the information."""
MOST_STEPS: Final = 500
_FAR: Final = "they are too far apart"


class NoFiniteStrengths(HypeError):
    """Some conditions never won against the others, so the best fit has no finite strengths."""


class StrengthsNotFound(HypeError):
    """The maximum of the likelihood was not reached."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Strengths:
    """The strengths that fit best."""

    log_strengths: FloatArray  # shape (K,), mean 0
    # The negative second derivatives at the maximum, shape (K, K), or (K + 1, K + 1) with log ν
    # last. Rows of (K, K) sum to 0, since a shift of all strengths changes nothing.
    information: FloatArray
    # The log-likelihood without binomial coefficients; not a true one if ties count as half wins.
    log_likelihood: float
    steps: int  # steps of Newton's method
    gradient: float  # the largest absolute first derivative at the maximum
    # Logarithm of Davidson's ν; None without ties, or if ties count by another rule
    log_nu: float | None = None


def strong_components(beats: npt.ArrayLike) -> tuple[tuple[int, ...], ...]:
    """Group conditions so that each member of a group has a path of wins to every other member.

    ``beats``, shape (K, K): whether i was chosen over j at least once. Groups are in the order of
    their first members.
    """
    edges = np.asarray(beats, dtype=float)
    if not edges.size:
        return ()
    _, label = connected_components(edges, connection="strong")
    firsts = np.sort(np.unique(label, return_index=True)[1])
    return tuple(tuple(np.flatnonzero(label == label[first]).tolist()) for first in firsts)


def fit_strengths(wins: npt.ArrayLike) -> Strengths:
    """Find the log-strengths under which the wins are most likely.

    ``wins``: shape (K, K), K >= 1: how often i was chosen over j, 0 or more; a tie may count as
    half a win for both. The diagonal is ignored.

    Raises `NoFiniteStrengths` if the graph of wins is not strongly connected, and
    `StrengthsNotFound` if strengths are too far apart for floating-point numbers.
    """
    won = np.array(wins, dtype=float)
    np.fill_diagonal(won, 0)
    if len(strong_components(won > 0)) > 1:
        message = "some conditions never lost to the others, so there are no finite strengths"
        raise NoFiniteStrengths(message)
    log_strengths, steps = climb(len(won), partial(_derivatives, won))
    gradient, information = _derivatives(won, log_strengths)
    logs = np.logaddexp(0, log_strengths[np.newaxis, :] - log_strengths[:, np.newaxis])
    np.fill_diagonal(logs, 0)
    return Strengths(
        log_strengths=log_strengths,
        information=information,
        log_likelihood=float(-(won * logs).sum()),
        steps=steps,
        gradient=float(np.abs(gradient).max()),
    )


def climb(
    parameters: int,
    derivatives: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    *,
    anchor: Callable[[FloatArray], FloatArray] | None = None,
    width: Callable[[FloatArray], float] = np.ptp,
    centred: int | None = None,
    is_flat: bool = True,
) -> tuple[FloatArray, int]:
    """Find the maximum by damped Newton steps from 0; also return the number of steps.

    ``derivatives`` returns the gradient and the information. ``anchor`` makes the information
    invertible; by default `anchor_rows`. ``width``: see `damping`. ``centred``: number of
    parameters, from the first, that are shifted to mean 0; None: all. ``is_flat``: whether the
    gradient must also be nearly 0 at the end, not only the step. Raises StrengthsNotFound: the
    maximum is too far away for floating-point numbers.
    """
    solution = np.zeros(parameters)
    for steps in range(MOST_STEPS):
        gradient, information = derivatives(solution)
        try:
            solved = np.linalg.solve((anchor or anchor_rows)(information), gradient)
        except np.linalg.LinAlgError:
            raise StrengthsNotFound(f"the strengths were not found; {_FAR}") from None
        step = np.asarray(solved, dtype=float)
        far = float(width(step))
        steep = np.abs(gradient) > SMALLEST_GRADIENT * np.diag(information)
        if far <= SMALLEST_STEP and not (is_flat and steep.any()):
            return solution, steps
        solution = solution + damping(far) * step
        solution[:centred] -= solution[:centred].mean()
    raise StrengthsNotFound(f"the strengths were not found in {MOST_STEPS} steps; {_FAR}")


def damping(width: float) -> float:
    """Return the share of Newton's step that is certain to raise the likelihood.

    If the third derivative of each answer's log-probability along the step is at most ``width``
    times the second one, the likelihood has a known lower bound. The bound is largest at the share
    log(1 + width) / width of the step. Bach (2010), "Self-concordant analysis for logistic
    regression", proposition 1. For comparisons, ``width`` is the difference between the largest and
    the smallest change of a log-strength.
    """
    return float(np.log1p(width) / width) if width > 0 else 1.0


def win_probabilities(log_strengths: npt.ArrayLike) -> FloatArray:
    """Return the probability that each condition is chosen over every other one, shape (K, K)."""
    s = np.asarray(log_strengths, dtype=float)
    return np.asarray(expit(s[:, np.newaxis] - s[np.newaxis, :]))


def laplacian(weights: FloatArray) -> FloatArray:
    """Return the second derivatives of Σ f(s_i − s_j) over pairs; ``weights``: each pair's f″."""
    off = weights - np.diag(np.diag(weights))
    matrix: FloatArray = np.diag(off.sum(axis=1)) - off
    return matrix


def invert_centred(matrix: FloatArray) -> FloatArray:
    """Invert a matrix whose rows sum to 0; the inverse only holds for vectors with mean 0."""
    size = len(matrix)
    scale = np.trace(matrix) / size or 1.0
    inverse: FloatArray = np.linalg.inv(anchor_rows(matrix)) - 1 / (scale * size)
    return inverse


def anchor_rows(matrix: FloatArray) -> FloatArray:
    """Make a matrix whose rows sum to 0 invertible; products with mean-0 vectors do not change."""
    scale = np.trace(matrix) / len(matrix) or 1.0
    return np.asarray(matrix + scale / len(matrix), dtype=float)


def _derivatives(won: FloatArray, log_strengths: FloatArray) -> tuple[FloatArray, FloatArray]:
    chances = win_probabilities(log_strengths)
    # Each number of wins, times the probability of a loss. Unlike wins minus expected wins, this
    # loses no digits if most wins were expected.
    unexpected = won * chances.T
    gradient = unexpected.sum(axis=1) - unexpected.sum(axis=0)
    return gradient, laplacian((won + won.T) * chances * chances.T)


Groups = tuple[tuple[str, ...], ...]

_MOST_NAMED: Final = 6


@dataclass(frozen=True, kw_only=True)
class Connectivity:
    """Which conditions have a strength, and how comparisons connect the conditions."""

    fitted: tuple[str, ...]  # conditions that have a strength, in order; empty, or at least two
    reasons: dict[str, str]  # why every other condition has no strength, as a sentence
    pieces: Groups  # groups with no comparisons between them; a good study has one group
    # Groups in which paths of wins connect all conditions in both directions; a good study has one
    groups: Groups
    # unbeaten, winless: compared conditions that never lost, and those that never won
    unbeaten: tuple[str, ...]
    winless: tuple[str, ...]
    problems: tuple[str, ...]  # each problem once, as a sentence


def connectivity(counts: Counts) -> Connectivity:
    """Find the conditions with a strength, and explain why the others have none.

    Only conditions of the largest group have a strength. If groups are equally large, the one with
    the most comparisons is taken.
    """
    names, points = counts.conditions, counts.points
    compared, won, lost = (
        (each != 0).any(axis=1) for each in (counts.comparisons, points, points.T)
    )
    groups = strong_components(points > 0)
    joined = [group for group in groups if len(group) > 1]
    largest: tuple[int, ...] = max(
        joined, key=lambda own: (len(own), points[np.ix_(own, own)].sum()), default=()
    )
    behind, ahead, near = (
        _mark_reachable(own, largest) for own in (points, points.T, points + points.T)
    )
    reasons: dict[str, str] = {}
    for group in groups:
        if group != largest:
            place = group[0]
            if len(group) == 1 and not (compared[place] and won[place] and lost[place]):
                reason = _extreme(counts, place, won=bool(won[place]))
            else:
                reason = _apart(counts, group, largest, (behind[place], ahead[place], near[place]))
            reasons.update(dict.fromkeys((names[own] for own in group), reason))
    return Connectivity(
        fitted=tuple(names[place] for place in largest),
        reasons=reasons,
        pieces=_name(names, strong_components(points + points.T > 0)),
        groups=_name(names, groups),
        unbeaten=tuple(names[place] for place in np.flatnonzero(compared & ~lost).tolist()),
        winless=tuple(names[place] for place in np.flatnonzero(compared & ~won).tolist()),
        problems=tuple(dict.fromkeys(reasons.values())),
    )


def _mark_reachable(points: FloatArray, group: Sequence[int]) -> BoolArray:
    """Mark a group, and the conditions that it beat, directly or through others."""
    reached = np.zeros(len(points), dtype=bool)
    reached[list(group)] = True
    while True:
        further = reached | (points[reached] > 0).any(axis=0)
        if (further == reached).all():
            return reached
        reached = further


def _extreme(counts: Counts, place: int, *, won: bool) -> str:
    """Explain why a condition that never lost or never won has no strength."""
    name, met = counts.conditions[place], np.flatnonzero(counts.comparisons[place])
    if not len(met):
        return f"{name} was never compared with another condition"
    others = [counts.conditions[other] for other in met]
    number = int(counts.comparisons[place].sum())
    verb, never = ("won", "lost") if won else ("lost", "won")
    return (
        f"{name} never {never}: it {verb} {'all of its' if number > 1 else 'its only'} "
        f"{number} comparison{'s' if number > 1 else ''}, with "
        f"{few(others, _MOST_NAMED)}; no finite strength fits this"
    )


def _apart(
    counts: Counts, group: Sequence[int], largest: Sequence[int], how: tuple[bool, bool, bool]
) -> str:
    """Explain why a group cannot be placed on the scale of the largest group."""
    own, others = (
        few([counts.conditions[at] for at in each], _MOST_NAMED) for each in (group, largest)
    )
    none = f"{own} {'has' if len(group) == 1 else 'have'} no strength"
    is_behind, is_ahead, is_near = how
    if not largest:
        return f"{none}: it was only compared with conditions without strength"
    if not is_near:
        return f"{none}: no comparison connects {{{own}}} and {{{others}}}"
    if is_behind:
        return f"{none}: none of {{{others}}} ever lost to one of {{{own}}}"
    if is_ahead:
        return f"{none}: none of {{{own}}} ever lost to one of {{{others}}}"
    return f"{none}: no path of wins connects {{{own}}} and {{{others}}} in either direction"


def _name(names: Sequence[str], groups: Iterable[Sequence[int]]) -> Groups:
    return tuple(tuple(names[place] for place in group) for group in groups)
