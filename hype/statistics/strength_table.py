"""The strengths of conditions on three scales, with differences and intervals.

Log-strengths have the mean 0. On Elo's scale 400 points correspond to odds of 10 to 1, and the mean
is `ELO_MEAN` (Elo 1978, "The Rating of Chessplayers, Past and Present"). Shares are exp(s), scaled
to sum to 100; their intervals are computed on the scale of log-odds. The errors come from
`hype.statistics.crossed`, and are never smaller than if answers were independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special
from scipy.sparse import csr_array
from scipy.special import expit, logit

from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.bradley_terry import Connectivity, StrengthsNotFound, connectivity
from hype.statistics.crossed import Crossed
from hype.statistics.estimate import Estimate, value_of
from hype.statistics.paired_counts import Counts, EvaluatorCounts
from hype.statistics.pairs import Rule, Verdict, rule_of, step_down, verdict_of
from hype.statistics.proportions import holm
from hype.statistics.strengths import (
    ELO_MEAN,
    ELO_PER_UNIT,
    Fitted,
    Ties,
    fit,
    has_finite_maximum,
    scores_of_answers,
    shares_of_answers,
)


@dataclass(frozen=True, kw_only=True)
class StrengthOf:
    """The strength of a condition, on three scales."""

    condition: str
    strength: Estimate
    elo: Estimate
    share100: Estimate
    rank: int  # 1 is the strongest


@dataclass(frozen=True)
class Certainty:
    """The required certainty of intervals and verdicts."""

    confidence: float = 0.95
    alpha: float = 0.05
    # Win rates within this distance of one half count as equal; None if the study has no margin
    margin: float | None = None
    tested: bool = True  # whether pairs are compared; false with one evaluator


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The difference in strength between two conditions."""

    # a, b: the conditions; `a` is the stronger
    a: str
    b: str
    difference: Estimate  # difference in log-strength
    # p: two-sided p of the test for a difference; p_adjusted: this p, corrected for all pairs
    # (`step_down`). None without a test
    p: float | None
    p_adjusted: float | None
    # p of the test of equivalence, corrected by Holm's rule; None without a margin
    p_equivalent: float | None
    verdict: Verdict | None
    # standard, freedom: standard error of the difference, and its degrees of freedom
    standard: float
    freedom: float

    def smallest_win_rate(self, alpha: float, power: float) -> float:
        """Return the smallest true win rate above one half that is detected with this power."""
        both = special.stdtrit(self.freedom, [1 - alpha / 2, power]).sum()
        return float(expit(both * self.standard))


@dataclass(frozen=True, kw_only=True)
class StrengthTable:
    """The strengths of a study, and their differences."""

    connectivity: Connectivity  # which conditions have a strength, and why the others have none
    fitted: Fitted | None = None  # the fit; None if no condition has a strength
    conditions: tuple[StrengthOf, ...] = ()  # conditions with a strength, the strongest first
    differences: tuple[Difference, ...] = ()  # the differences of all pairs of these conditions
    rule: Rule | None = None  # the rule that corrects p for all pairs; None without a test
    problems: tuple[str, ...] = ()  # all problems, as sentences

    def reason(self, condition: str) -> str:
        """Explain why a condition has no strength."""
        problem = self.problems[-1] if self.problems else ""
        return self.connectivity.reasons.get(condition, problem)


def empty_table(joined: Connectivity, *problems: str) -> StrengthTable:
    return StrengthTable(connectivity=joined, problems=(*joined.problems, *problems))


def estimate_strengths(
    joined: Connectivity,
    fitted: Fitted,
    scores: csr_array,
    weights: csr_array,
    people: IntArray,
    items: IntArray | None,
    certainty: Certainty,
) -> StrengthTable:
    """Estimate strengths and their differences from answers of at least two people.

    ``scores``: the first derivatives of the answers' log-likelihoods, shape (answers, parameters),
    with the log-strengths first. ``weights``, ``people``, ``items``: as in `Crossed`.
    """
    own, size = fitted.log_strengths, len(fitted.conditions)
    inverse = fitted.inverse[:, :size]
    crossed = Crossed(scores, weights, people, items, inverse=inverse, bounded=True)
    each = np.arange(size)
    # The derivative of each share's log-odds with respect to each log-strength
    strengths = np.exp(own - own.max())
    others = strengths.sum() - strengths
    slopes: FloatArray = -strengths[:, np.newaxis] / np.where(others > 0, others, 1.0)
    np.fill_diagonal(slopes, 1.0)
    reach, reach_of_share = (
        crossed.errors(contrasts, each, each).reach(certainty.confidence)
        for contrasts in (np.eye(size), slopes)
    )
    order = np.lexsort((np.array(fitted.conditions), -fitted.log_strengths)).tolist()
    elos, of_100 = elo(own), shares(own) / 100
    rows = []
    for number in order:
        ends = own[number] + reach[number] * np.array([-1, 1])
        share_ends = expit(logit(of_100[number]) + reach_of_share[number] * np.array([-1, 1]))
        rows.append(
            StrengthOf(
                condition=fitted.conditions[number],
                strength=_estimate(own[number], ends),
                elo=_estimate(elos[number], elo(ends)),
                share100=_estimate(100 * of_100[number], 100 * share_ends),
                rank=1 + int(np.count_nonzero(own > own[number])),
            )
        )
    numbers = [None if codes is None else len(np.unique(codes)) for codes in (people, items)]
    rule = rule_of(numbers[0] or 0, numbers[1], size) if certainty.tested else "holm"
    margin = certainty.margin and margin_of_strengths(certainty.margin, fitted.nu or 0.0)
    return StrengthTable(
        connectivity=joined,
        fitted=fitted,
        conditions=tuple(rows),
        differences=tuple(
            _compare(fitted, np.argsort(order), crossed, rule, margin, certainty=certainty)
        ),
        rule=rule if certainty.tested else None,
        problems=joined.problems,
    )


def margin_of_strengths(margin: float, nu: float) -> float:
    """Return the difference in log-strength at which the win rate is one half plus ``margin``.

    With a tie as half a win and x = exp(difference / 2), the win rate is (x + ν/2) / (x + 1/x + ν).
    """
    ties = margin * nu
    return float(2 * np.log((ties + np.sqrt(ties**2 + 1 - 4 * margin**2)) / (1 - 2 * margin)))


def elo(log_strengths: FloatArray) -> FloatArray:
    return ELO_MEAN + ELO_PER_UNIT * log_strengths


def shares(log_strengths: FloatArray) -> FloatArray:
    """Turn the log-strengths along the last axis into shares that sum to 100."""
    strengths = np.exp(log_strengths - log_strengths.max(axis=-1, keepdims=True))
    each: FloatArray = 100 * strengths / strengths.sum(axis=-1, keepdims=True)
    return each


def _compare(
    fitted: Fitted,
    place: IntArray,
    crossed: Crossed,
    rule: Rule,
    margin: float | None,
    *,
    certainty: Certainty,
) -> Iterator[Difference]:
    """Compare all pairs of strengths, the stronger one first; ``place``: each condition's rank."""
    first, second = np.triu_indices(len(place), 1)
    difference = fitted.log_strengths[first] - fitted.log_strengths[second]
    errors = crossed.errors_of_differences(first, second)
    each_p = errors.p(difference)
    adjusted = holm(each_p)
    if rule == "max-t" and not np.isnan(each_p).any():
        adjusted = np.clip(step_down(each_p, crossed.covariance()), each_p, adjusted)
    equivalent = None if margin is None else holm(errors.p_within(difference, margin))
    turned = place[first] > place[second]
    reach, standard = errors.reach(certainty.confidence).tolist(), errors.standard
    stronger, weaker = np.where(turned, second, first), np.where(turned, first, second)
    for at, (a, b) in enumerate(zip(stronger.tolist(), weaker.tolist(), strict=True)):
        value, p = abs(float(difference[at])), float(adjusted[at])
        tested = certainty.tested and not np.isnan(p)
        p_equivalent = None if equivalent is None else float(equivalent[at])
        yield Difference(
            a=fitted.conditions[a],
            b=fitted.conditions[b],
            difference=_estimate(value, value + np.array([-reach[at], reach[at]])),
            p=float(each_p[at]) if tested else None,
            p_adjusted=p if tested else None,
            p_equivalent=p_equivalent if tested else None,
            verdict=verdict_of(
                p < certainty.alpha if tested else None,
                is_equivalent=p_equivalent is not None and p_equivalent < certainty.alpha,
            ),
            standard=float(standard[at]),
            freedom=float(errors.freedom[at]),
        )


def _estimate(value: float, ends: FloatArray) -> Estimate:
    """Return an estimate; it has no interval if the limits are equal (then answers do not vary)."""
    low, high = map(float, ends)
    if low == high:
        return Estimate(value=float(value))
    return Estimate(value=float(value), low=low, high=high)


NO_FINITE_TIES = (
    "Davidson's model has no finite strengths for these wins and ties; they are finite if a tie "
    "counts as half a win for each condition"
)


def strength_table(
    counts: Counts, answers: EvaluatorCounts, *, ties: Ties, certainty: Certainty = Certainty()
) -> StrengthTable:
    """Estimate strengths with their intervals; ``answers``: the counted answers, one by one.

    If no condition has a strength, ``problems`` explains why.
    """
    if ties == "none":
        counts, answers = counts.drop_ties(), answers.drop_ties()
    joined = connectivity(counts)
    counts, answers = counts.only(joined.fitted), answers.only(joined.fitted)
    if not joined.fitted:
        return empty_table(joined)
    if ties == "davidson" and counts.ties.any() and not has_finite_maximum(counts):
        return empty_table(joined, NO_FINITE_TIES)
    try:
        fitted = fit(counts, ties)
    except StrengthsNotFound as problem:
        return empty_table(joined, str(problem))
    return estimate_strengths(
        joined,
        fitted,
        scores_of_answers(answers, fitted),
        shares_of_answers(answers, fitted),
        answers.evaluator,
        answers.items,
        certainty,
    )


def order_by_strength(
    rates: Iterable[dict[str, Any]], table: StrengthTable
) -> list[dict[str, Any]]:
    """Return the ranking's rows by strength; those without strength follow by win rate and name.

    A row has the fields of `win_rates` and of a `StrengthOf`. Without a strength, its numbers are
    None, and ``reason`` explains why. ``unbeaten``: whether the condition never lost. ``rank_low``,
    ``rank_high``: the best and the worst possible rank by the tests of all pairs (filled in later).
    """
    place = {own.condition: number for number, own in enumerate(table.conditions)}
    strong = {own.condition: vars(own) for own in table.conditions}
    unknown = dict.fromkeys(("rank", "strength", "elo", "share100", "rank_low", "rank_high"))
    rows: list[dict[str, Any]] = []
    for rate in rates:
        name = rate["condition"]
        reason = {"reason": "" if name in strong else table.reason(name)}
        unbeaten = {"unbeaten": name in table.connectivity.unbeaten}
        rows.append(unknown | rate | strong.get(name, {}) | reason | unbeaten)

    def best_first(row: dict[str, Any]) -> tuple[int, bool, float, str]:
        rate, name = row["win_rate"], row["condition"]
        return place.get(name, len(place)), rate is None, -(value_of(rate) or 0.0), name

    return sorted(rows, key=best_first)
