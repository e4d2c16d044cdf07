"""The strengths of conditions on three scales, with differences, and how certain.

Log-strengths have the mean 0. On Elo's scale 400 points are odds of 10 to 1, and the mean is
`ELO_MEAN` (Elo 1978, "The Rating of Chessplayers, Past and Present"). Shares are exp(s), made to
sum to 100; their intervals are made on the scale of log-odds. The errors are those of
`hype.statistics.crossed`, never less than of answers that are all independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, logit

from hype.statistics.bradley_terry import StrengthsNotFound, connectivity
from hype.statistics.crossed import Crossed
from hype.statistics.estimate import Estimate, estimated, value_of
from hype.statistics.strengths import (
    ELO_MEAN,
    ELO_PER_UNIT,
    Ties,
    fit,
    has_finite_maximum,
    scores_of_answers,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hype.statistics.arrays import FloatArray, IntArray
    from hype.statistics.bradley_terry import Connectivity
    from hype.statistics.paired_counts import Counts, EvaluatorCounts, WinRate
    from hype.statistics.strengths import Fitted


@dataclass(frozen=True, kw_only=True)
class StrengthOf:
    """The strength of a condition, on three scales."""

    condition: str
    strength: Estimate
    elo: Estimate
    share100: Estimate
    rank: int  # 1 is the strongest


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How much stronger one condition is than another."""

    # a, b: the conditions; `a` is the stronger
    a: str
    b: str
    difference: Estimate  # in log-strength


@dataclass(frozen=True, kw_only=True)
class CrossedStrengths:
    """The strengths of conditions, and how far they are apart."""

    conditions: tuple[StrengthOf, ...]  # the strongest first
    differences: tuple[Difference, ...]  # of every two


def crossed_strengths(
    fitted: Fitted,
    scores: csr_array,
    weights: csr_array,
    people: IntArray,
    items: IntArray | None,
    *,
    confidence: float,
) -> CrossedStrengths:
    """Estimate strengths from answers of two people or more, and how far apart they are.

    ``scores``: the first derivatives of the answers' log-likelihoods, shape (answers, parameters),
    those of the log-strengths first. ``weights``, ``people``, ``items``: as of `Crossed`.
    """
    own, size = fitted.log_strengths, len(fitted.conditions)
    inverse = fitted.inverse[:, :size]
    of_shares = inverse @ _log_odds_of_shares(own)
    crossed = Crossed(
        scores, weights, people, items, inverse=np.hstack([inverse, of_shares]), bounded=True
    )
    order = strongest_first(fitted)
    elos, of_100 = elo(own), shares(own) / 100
    rows = []
    for number in order:
        reach = crossed.error(number).reach(confidence)
        ends = own[number] + np.array([-reach, reach])
        share_ends = expit(
            logit(of_100[number])
            + crossed.error(size + number).reach(confidence) * np.array([-1, 1])
        )
        rows.append(
            StrengthOf(
                condition=fitted.conditions[number],
                strength=_estimate(own[number], ends),
                elo=_estimate(elos[number], elo(ends)),
                share100=_estimate(100 * of_100[number], 100 * share_ends),
                rank=1 + int(np.count_nonzero(own > own[number])),
            )
        )
    differences = tuple(_differences(fitted, crossed, order, confidence))
    return CrossedStrengths(conditions=tuple(rows), differences=differences)


def strongest_first(fitted: Fitted) -> list[int]:
    keys = zip(-fitted.log_strengths, fitted.conditions, strict=True)
    return [place for _, place in sorted((key, place) for place, key in enumerate(keys))]


def elo(log_strengths: FloatArray) -> FloatArray:
    return ELO_MEAN + ELO_PER_UNIT * log_strengths


def shares(log_strengths: FloatArray) -> FloatArray:
    """Bring log-strengths of all conditions, along the last axis, to shares of 100."""
    strengths = np.exp(log_strengths - log_strengths.max(axis=-1, keepdims=True))
    each: FloatArray = 100 * strengths / strengths.sum(axis=-1, keepdims=True)
    return each


def _log_odds_of_shares(log_strengths: FloatArray) -> FloatArray:
    """Give how the log-odds of each share go with each log-strength, shape (K, K)."""
    strengths = np.exp(log_strengths - log_strengths.max())
    others = strengths.sum() - strengths
    slopes: FloatArray = -strengths[:, np.newaxis] / np.where(others > 0, others, 1.0)
    np.fill_diagonal(slopes, 1.0)
    return slopes


def _differences(
    fitted: Fitted, crossed: Crossed, order: list[int], confidence: float
) -> Iterator[Difference]:
    for a, b in combinations(order, 2):
        value = float(fitted.log_strengths[a] - fitted.log_strengths[b])
        reach = crossed.error_of_difference(a, b).reach(confidence)
        yield Difference(
            a=fitted.conditions[a],
            b=fitted.conditions[b],
            difference=Estimate(value=value, low=value - reach, high=value + reach),
        )


def _estimate(value: float, ends: FloatArray) -> Estimate:
    return Estimate(value=float(value), low=float(ends[0]), high=float(ends[1]))


NO_FINITE_TIES = (
    "wins and ties lie so that no finite strengths and no finite ν of Davidson's model fit best; "
    "counted as half a win to either, ties leave strengths"
)


@dataclass(frozen=True, kw_only=True)
class StrengthTable:
    """The strengths of a study."""

    connectivity: Connectivity  # which conditions have a strength, and why the others have none
    fitted: Fitted | None = None  # the fit; None where no condition has a strength
    conditions: tuple[StrengthOf, ...] = ()  # those that have one, the strongest first
    differences: tuple[Difference, ...] = ()  # of every two of them
    problems: tuple[str, ...] = ()  # all that is wrong, each in a sentence


def strength_table(
    counts: Counts,
    answers: EvaluatorCounts,
    *,
    ties: Ties,
    confidence: float = 0.95,
) -> StrengthTable:
    """Estimate strengths with their intervals; ``answers`` are those that were counted.

    `StrengthsNotFound` where strengths lie too far apart for floating-point numbers.
    """
    if ties == "none":
        counts, answers = counts.without_ties(), answers.without_ties()
    joined = connectivity(counts)
    counts, answers = counts.only(joined.fitted), answers.only(joined.fitted)
    if not joined.fitted:
        return StrengthTable(connectivity=joined, problems=joined.problems)
    if ties == "davidson" and counts.ties.any() and not has_finite_maximum(counts):
        return StrengthTable(connectivity=joined, problems=(*joined.problems, NO_FINITE_TIES))
    fitted = fit(counts, ties)
    crossed = crossed_strengths(
        fitted,
        scores_of_answers(answers, fitted),
        csr_array(np.full((len(answers.chosen), 1), 1 / len(answers.chosen))),
        answers.evaluator,
        answers.items,
        confidence=confidence,
    )
    return StrengthTable(
        connectivity=joined,
        fitted=fitted,
        conditions=crossed.conditions,
        differences=crossed.differences,
        problems=joined.problems,
    )


@dataclass(frozen=True, kw_only=True)
class ConditionStrength:
    """One row of the ranking."""

    condition: str  # what made the images
    rank: int | None  # by strength, 1 is the strongest, equals share one; None without a strength
    # comparisons, wins, losses, ties: scored comparisons with this condition on either side, and
    # how they went
    comparisons: int
    wins: int
    losses: int
    ties: int
    # Wins and half the ties over comparisons (without ties where they are not counted), as a
    # proportion; None without any comparison. It depends on which others the condition met.
    win_rate: Estimate | None = estimated("win_rate", "ci_low", "ci_high")
    # Bradley and Terry's log-strength, whose mean over the conditions is 0
    strength: Estimate | None = estimated("strength")
    # The strength on Elo's scale, 400 points for odds of 10 to 1; the mean is 1000
    elo: Estimate | None = estimated("elo")
    # The strengths as numbers that sum to 100: P(a chosen over b) = a / (a + b),
    # of what is no tie where ties are a part of the model: then, with r = ν √(a b) (`Fit`),
    # P(a) = a / (a + b + r) and P(tie) = r / (a + b + r)
    share100: Estimate | None = estimated("share100")
    # rank_low, rank_high: the best and the worst rank that tests by Holm's rule leave open
    rank_low: int | None = None
    rank_high: int | None = None
    reason: str = ""  # why there is no strength, and so neither rank, Elo number nor share


@dataclass(frozen=True, kw_only=True)
class Fit:
    """How the strengths were found."""

    ties: Ties  # "davidson", "half" or "none"
    # iterations, log_likelihood: of the maximum-likelihood fit; None without one
    iterations: int | None
    log_likelihood: float | None
    # Davidson's ν, 0 where there are no ties; None by another rule, or without a fit
    tie_parameter: float | None
    # The conditions in groups that no comparison joins; a study as it should be has one
    pieces: tuple[tuple[str, ...], ...]
    # The conditions in groups within which each was chosen over each other one by some path; a
    # study as it should be has one
    groups: tuple[tuple[str, ...], ...]
    # unbeaten, winless: conditions that never lost, and that never won
    unbeaten: tuple[str, ...] = ()
    winless: tuple[str, ...] = ()
    # Why some or all conditions have no strength, each in a sentence
    problems: tuple[str, ...] = ()


def ranked(rates: Iterable[WinRate], table: StrengthTable) -> tuple[ConditionStrength, ...]:
    """Give the rows of the ranking: by strength, then those without one by win rate and name."""
    strong = {estimate.condition: estimate for estimate in table.conditions}
    place = {name: number for number, name in enumerate(strong)}
    rows = [_row(rate, strong.get(rate.condition), table) for rate in rates]
    return tuple(
        sorted(
            rows,
            key=lambda row: (
                place.get(row.condition, len(place)),
                row.win_rate is None,
                -(value_of(row.win_rate) or 0.0),
                row.condition,
            ),
        )
    )


def standing_of(own: StrengthOf | None) -> dict[str, Any]:
    """Give strength and rank as the fields of a condition's row: None where it has none."""
    names = ("strength", "elo", "share100", "rank")
    return {name: getattr(own, name, None) for name in names}


def _row(rate: WinRate, own: StrengthOf | None, table: StrengthTable) -> ConditionStrength:
    problem = table.problems[-1] if table.problems else ""
    return ConditionStrength(
        condition=rate.condition,
        comparisons=rate.comparisons,
        wins=rate.wins,
        losses=rate.losses,
        ties=rate.ties,
        win_rate=rate.rate,
        **standing_of(own),
        reason="" if own else table.connectivity.reasons.get(rate.condition, problem),
    )


def with_strengths(
    counts: Counts,
    answers: EvaluatorCounts,
    *,
    ties: Ties,
    confidence: float,
) -> StrengthTable:
    """Estimate strengths as `strength_table` does; where that fails, say so among the problems."""
    try:
        return strength_table(counts, answers, ties=ties, confidence=confidence)
    except StrengthsNotFound as problem:
        joined = connectivity(counts.without_ties() if ties == "none" else counts)
        return StrengthTable(connectivity=joined, problems=(*joined.problems, str(problem)))


def fit_of(table: StrengthTable, *, ties: Ties) -> Fit:
    fitted = table.fitted
    return Fit(
        ties=ties,
        iterations=fitted.steps if fitted else None,
        log_likelihood=fitted.log_likelihood if fitted else None,
        tie_parameter=fitted.nu if fitted else None,
        pieces=table.connectivity.pieces,
        groups=table.connectivity.groups,
        unbeaten=table.connectivity.unbeaten,
        winless=table.connectivity.winless,
        problems=table.problems,
    )
