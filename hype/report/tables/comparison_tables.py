"""What comparisons say of conditions: their ranking, their strengths, every pair of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report.tables import tabular
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.analysis.pairwise.scores import ConditionStrength, PairResult, PairwiseScore
    from hype.report.tables.tabular import Column, Value

SEPARABLE: Final = {True: "yes", False: "no"}
CAUTIOUS: Final = "yes *"
"""A verdict that is not to be quoted without what must be said with it."""


def ranking(score: PairwiseScore) -> Table:
    """Lay out the conditions, the strongest first: how often each was chosen, and its strength."""
    confidence = f"{score.confidence:.0%} CI"
    return Table(
        name="comparison-ranking",
        title="Ranking",
        columns=(
            tabular.whole("Rank", "rank"),
            tabular.name("Condition", "condition"),
            _rate("Win\nrate", "win_rate_percent"),
            tabular.interval(confidence, "win_rate_*_percent"),
            tabular.number("Log\nstrength", "strength", 2),
            tabular.interval(confidence, "strength_*", 2),
            tabular.number("Elo", "elo", 0),
            tabular.number("Of\n100", "share_of_100"),
            tabular.whole("Compa-\nrisons", "comparisons"),
        ),
        rows=tuple(map(_ranked, score.conditions)),
        note="Win rate: Wilson's interval; it depends on which others a condition met. Strength: "
        "Bradley–Terry; its mean is 0, Elo's 1000, and of a and b P(a is chosen) = a/(a + b) in "
        "the column that adds up to 100.",
    )


def _ranked(row: ConditionStrength) -> tuple[Value, ...]:
    return (
        row.rank,
        row.condition,
        in_percent(row.win_rate),
        (in_percent(row.ci_low), in_percent(row.ci_high)),
        row.strength,
        (row.strength_low, row.strength_high),
        row.elo,
        row.share100,
        row.comparisons,
    )


def strengths(score: PairwiseScore) -> Table:
    """Lay out every number of a strength, with both kinds of interval and the ranks left open."""
    confidence = f"{score.confidence:.0%} CI"
    return Table(
        name="comparison-strengths",
        title="Strengths",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.whole("Wins", "wins"),
            tabular.whole("Losses", "losses"),
            tabular.whole("Ties", "ties"),
            tabular.interval("Ranks\nleft open", "rank_*", 0),
            tabular.number("Log\nstrength", "strength", 3),
            tabular.interval(f"bootstrap\n{confidence}", "strength_bootstrap_*", 3),
            tabular.interval(f"sandwich\n{confidence}", "strength_sandwich_*", 3),
            tabular.number("Elo", "elo"),
            tabular.interval(confidence, "elo_*"),
            tabular.number("Of 100", "share_of_100", 2),
            tabular.interval(confidence, "share_of_100_*", 2),
            tabular.words("No strength, because", "reason"),
        ),
        rows=tuple(map(_strength, score.conditions)),
    )


def _strength(row: ConditionStrength) -> tuple[Value, ...]:
    return (
        row.condition,
        row.wins,
        row.losses,
        row.ties,
        (row.rank_low, row.rank_high),
        row.strength,
        (row.strength_low, row.strength_high),
        (row.strength_sandwich_low, row.strength_sandwich_high),
        row.elo,
        (row.elo_low, row.elo_high),
        row.share100,
        (row.share100_low, row.share100_high),
        row.reason,
    )


def pairs(score: PairwiseScore, some: Sequence[PairResult] | None = None) -> Table:
    """Lay out pairs of conditions, the higher ranked one first.

    Parameters
    ----------
    score
        What was scored.
    some
        Those of its pairs that are laid out; None for all.
    """
    return Table(
        name="comparison-pairs",
        title="Pairs of conditions",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("over", "b"),
            _rate("Win\nrate", "win_rate_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", "win_rate_*_percent"),
            tabular.whole("Compa-\nrisons", "comparisons"),
            tabular.probability("p", "p"),
            tabular.probability("Holm", "p_holm"),
            tabular.words("Separable", "separable"),
        ),
        rows=tuple(map(_pair, score.pairs if some is None else some)),
        note=tests_note(score),
    )


def _pair(pair: PairResult) -> tuple[Value, ...]:
    clustered = pair.p_clustered_holm is not None
    return (
        pair.a,
        pair.b,
        in_percent(pair.win_rate),
        (in_percent(pair.ci_low), in_percent(pair.ci_high)),
        pair.comparisons,
        pair.p_clustered if clustered else pair.p,
        pair.p_clustered_holm if clustered else pair.p_holm,
        verdict(pair),
    )


def verdict(pair: PairResult) -> str | None:
    """Say whether two conditions are separable, and where that is not all there is to say."""
    if pair.separable is None:
        return None
    return CAUTIOUS if pair.said else SEPARABLE[pair.separable]


def every_test(score: PairwiseScore) -> Table:
    """Lay out all that was tested of every pair, and the difference of the two strengths."""
    return Table(
        name="comparison-tests",
        title="Tests of every pair",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("over", "b"),
            tabular.whole("Wins", "wins_a"),
            tabular.whole("Losses", "wins_b"),
            tabular.whole("Ties", "ties"),
            tabular.probability("p, exact", "p"),
            tabular.probability("Holm", "p_holm"),
            tabular.probability("p, by\nevaluators", "p_by_evaluators"),
            tabular.probability("Holm", "p_by_evaluators_holm"),
            tabular.number("Difference of\nlog-strengths", "difference", 3),
            tabular.interval(f"{score.confidence:.0%} CI", "difference_*", 3),
            tabular.words("Powered", "powered"),
            tabular.words("To be said", "said"),
        ),
        rows=tuple(map(_test, score.pairs)),
    )


def _test(pair: PairResult) -> tuple[Value, ...]:
    return (
        pair.a,
        pair.b,
        pair.wins_a,
        pair.wins_b,
        pair.ties,
        pair.p,
        pair.p_holm,
        pair.p_clustered,
        pair.p_clustered_holm,
        pair.difference,
        (pair.difference_low, pair.difference_high),
        None if pair.powered is None else SEPARABLE[pair.powered],
        pair.said,
    )


def tests_note(score: PairwiseScore) -> str:
    """Say which tests the p of the pairs are of."""
    exact = "exact binomial, each comparison independent of all others"
    flips = "sign-flip test with evaluators as the independent units"
    by_evaluator = [pair.p_clustered_holm is not None for pair in score.pairs]
    if not by_evaluator:
        return ""
    which = flips if all(by_evaluator) else exact
    if any(by_evaluator) and not all(by_evaluator):
        which = f"{flips}; where only one made the comparisons of a pair, {exact}"
    return f"p: {which}. Holm: over all {len(score.pairs):,} pairs."


def in_percent(proportion: float | None) -> float | None:
    """Give a proportion in percent."""
    return None if proportion is None else 100 * proportion


def _rate(heading: str, key: str) -> Column:
    return tabular.percent(heading, key)
