"""The tables of comparisons: strengths, pairs, and who made them."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, Final

from hype.protocols.prompted.report import MOST, MOST_ROOMY, SEPARABLE, scale, shade
from hype.report import tabular, wording
from hype.report.parts import Block
from hype.report.tabular import Table, all_or_neighbours, in_percent, that_say_something

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hype.protocols.comparison.demographics import Demographic
    from hype.protocols.comparison.quality import EvaluatorValidation
    from hype.protocols.comparison.results import PairResult, PairwiseScore
    from hype.report.tabular import Column, Value
    from hype.statistics.strength_table import ConditionStrength

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

    ``some``: those of its pairs that are laid out; None for all.
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


def _rate(heading: str, key: str) -> Column:
    return tabular.percent(heading, key)


def left_out(score: PairwiseScore) -> Table:
    """Lay out what was not scored, by the reason."""
    return Table(
        name="comparison-exclusions",
        title="Not scored",
        columns=(
            tabular.name("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Comparisons", "comparisons"),
        ),
        rows=tuple((one.meaning, one.evaluators, one.comparisons) for one in score.exclusions),
    )


def demographics(score: PairwiseScore) -> Table:
    """Lay out who the evaluators are, beside whom they are to stand for."""
    return Table(
        name="comparison-demographics",
        title="Who the evaluators are",
        columns=(
            tabular.name("Question", "question"),
            tabular.words("Answer", "answer"),
            tabular.whole("Evalu-\nators", "evaluators"),
            tabular.share("Share", "share"),
            tabular.share("Refer-\nence", "reference_share"),
            tabular.number("Standard\nerrors off", "residual"),
        ),
        rows=tuple(row for one in score.demographics for row in _groups(one)),
    )


def _groups(one: Demographic) -> Iterator[tuple[Value, ...]]:
    compared = any(group.reference_share is not None for group in one.groups)
    in_order = one.groups if compared else sorted(one.groups, key=attrgetter("answer"))
    for group in in_order:
        reference = group.reference_share
        yield (one.question, group.answer, group.count, group.share, reference, group.residual)
    if one.withheld:
        yield (one.question, "withheld", one.withheld, None, None, None)


def validation(score: PairwiseScore) -> Table:
    """Lay out the comparisons with an obvious answer, one row for each evaluator."""
    rows = score.validation.evaluators if score.validation else ()
    return Table(
        name="comparison-validation",
        title="Comparisons with an obvious answer",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.whole("Shown", "shown"),
            tabular.whole("Right", "right"),
            tabular.percent("Share", "right_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", "right_*_percent"),
            tabular.words("Passed", "passed"),
            tabular.whole("Answers", "answers"),
            tabular.whole("Hasty", "hasty"),
        ),
        rows=tuple(map(_validated, rows)),
    )


def _validated(row: EvaluatorValidation) -> tuple[Value, ...]:
    passed = None if row.passed is None else "yes" if row.passed else "no"
    return (
        row.evaluator,
        row.shown,
        row.right,
        in_percent(row.share),
        (in_percent(row.ci_low), in_percent(row.ci_high)),
        passed,
        row.comparisons,
        row.hasty,
    )


def sides(score: PairwiseScore) -> Table:
    """Lay out the evaluators who lean to one side, or stay on it, more than chance does."""
    return Table(
        name="comparison-sides",
        title="Evaluators who lean to one side",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.whole("Left", "left"),
            tabular.whole("Right", "right"),
            tabular.whole("Longest\nrun", "longest_run"),
            tabular.probability("p", "p"),
            tabular.probability("p of\nthe run", "p_run"),
            tabular.probability("Holm", "p_holm"),
        ),
        rows=tuple(
            (one.evaluator, one.left, one.right, one.longest_run, one.p, one.p_run, one.p_holm)
            for one in score.sides.flagged
        ),
    )


def camps(score: PairwiseScore) -> Table:
    """Lay out how evaluators differ on each pair of conditions."""
    rows_of_pairs = score.camps.pairs if score.camps else ()
    return Table(
        name="comparison-camps",
        title="How evaluators differ",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("over", "b"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.percent("Win rate", "win_rate_percent"),
            tabular.whole("Nearly\nalways a", "always_a"),
            tabular.whole("Nearly\nalways b", "always_b"),
            tabular.number("SD of\nlog-odds", "sd_log_odds", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "sd_log_odds_*", 2),
            tabular.probability("Holm", "p_holm"),
            tabular.words("Verdict", "verdict"),
        ),
        rows=tuple(
            (
                pair.a,
                pair.b,
                pair.evaluators,
                in_percent(pair.win_rate),
                pair.always_a,
                pair.always_b,
                _finite(pair.sd_log_odds),
                (_finite(pair.sd_low), _finite(pair.sd_high)),
                pair.p_holm,
                pair.verdict,
            )
            for pair in rows_of_pairs
        ),
    )


def _finite(value: float | None) -> float | None:
    return None if value is None or value == float("inf") else value


MOST_PAIRS: Final = 45
"""Pairs that a terminal shows, those of ten conditions; of more, each condition and the next."""


def beneath(score: PairwiseScore) -> tuple[Table, ...]:
    shown = shown_pairs(score)
    return that_say_something((pairs(score, shown), demographics(score)))


def shown_pairs(score: PairwiseScore) -> Sequence[PairResult]:
    """Give all pairs, or, where there are too many to read, those of neighbours in the ranking."""
    return all_or_neighbours(score.pairs, score.conditions, most=MOST_PAIRS)


def comparison_file_tables(score: PairwiseScore) -> tuple[Table, ...]:
    """List all tables, to be written to files."""
    return that_say_something(
        (
            ranking(score),
            strengths(score),
            pairs(score),
            every_test(score),
            camps(score),
            left_out(score),
            validation(score),
            sides(score),
            demographics(score),
        )
    )


@dataclass(frozen=True, kw_only=True)
class RateCell:
    """How often the row was chosen over the column."""

    rate: str
    comparisons: str
    css_class: str
    separable: bool
    said: str


@dataclass(frozen=True, kw_only=True)
class WinMatrix(Block):
    """Win rates by the two conditions.

    Parameters
    ----------
    names
        All conditions in the order of the ranking: of the rows and of the columns.
    rows
        Each condition with one cell for each column: None on the diagonal, and where two never met.
    roomy
        Whether cells have room for the numbers of comparisons.
    alpha
        The level at which pairs are separable.
    ties
        What becomes of ties, in half a sentence.
    """

    template: ClassVar[str] = "win_matrix.html"

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[RateCell | None, ...]], ...]
    roomy: bool
    alpha: float
    ties: str

    @property
    def scale(self) -> tuple[str, ...]:
        """Classes of a legend, from never to always."""
        return scale()


_TIES: Final = {"none": "ties are not counted", "half": "a tie is half a win"}


def win_matrix(score: PairwiseScore) -> WinMatrix | None:
    """Arrange the pairs of a score; None where there are none, or too many conditions."""
    names = tuple(row.condition for row in score.conditions)
    if not score.pairs or len(names) > MOST:
        return None
    cells = {key: cell for pair in score.pairs for key, cell in _cells(pair)}
    return WinMatrix(
        names=names,
        rows=tuple((a, tuple(cells.get((a, b)) for b in names)) for a in names),
        roomy=len(names) <= MOST_ROOMY,
        alpha=score.alpha,
        ties=_TIES.get(score.ties, "a tie is half a win"),
    )


def _cells(pair: PairResult) -> Iterator[tuple[tuple[str, str], RateCell]]:
    if pair.win_rate is None:
        return
    yield (pair.a, pair.b), _cell(pair, pair.a, pair.b, pair.win_rate)
    yield (pair.b, pair.a), _cell(pair, pair.b, pair.a, 1 - pair.win_rate)


def _cell(pair: PairResult, row: str, column: str, rate: float) -> RateCell:
    percent = wording.number(100 * rate, 0)
    verdict = {True: ", separable", False: ", not separable", None: ""}[pair.separable]
    return RateCell(
        rate=percent,
        comparisons=f"{pair.comparisons:,}",
        css_class=shade(rate),
        separable=bool(pair.separable),
        said=f"{row} over {column}: {percent}% of {pair.comparisons:,}{verdict}",
    )
