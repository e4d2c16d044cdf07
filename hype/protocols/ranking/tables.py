"""The tables of rankings: strengths, places and pairs of conditions; annotators beside checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.judges import preference_tables
from hype.judges.results import RankingJudgesScore
from hype.protocols.prompted.report import SEPARABLE, share_cell, share_square
from hype.report import tabular
from hype.report.tabular import Table, all_or_neighbours, that_say_something
from hype.statistics.estimate import ends_of, in_percent, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hype.protocols.prompted.report import ShareCell, ShareSquare
    from hype.protocols.ranking.agreement import PairAgreement
    from hype.protocols.ranking.results import ImageEnds, RankedCondition, RankedPair, RankingScore
    from hype.protocols.ranking.screening import ScreenedEvaluator, Screening
    from hype.report.tabular import Interval, Value
    from hype.statistics.estimate import Estimate


def ranking(score: RankingScore) -> Table:
    """Lay out the conditions, the strongest first."""
    return Table(
        name="ranking",
        title="Ranking",
        columns=(
            tabular.whole("Rank", "rank"),
            tabular.name("Condition", "condition"),
            tabular.number("Log\nstrength", "strength", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "strength_*", 2),
            tabular.number("Of\n100", "share_of_100"),
            tabular.number("Mean\nrank", "mean_rank", 2),
            tabular.percent("First\nplaces", "first_percent"),
            tabular.percent("Win\nrate", "win_rate_percent"),
        ),
        rows=tuple(map(_ranked, score.conditions)),
        note="Strength: Plackett–Luce, mean 0; of a set of images each is chosen with a chance "
        "proportional to its number in the column that adds up to 100.",
    )


def _ranked(row: RankedCondition) -> tuple[Value, ...]:
    return (
        row.rank,
        row.condition,
        value_of(row.strength),
        ends_of(row.strength_sandwich),
        *map(value_of, (row.share100, row.mean_rank)),
        *(value_of(in_percent(share)) for share in (row.first_share, row.win_rate)),
    )


def strengths(score: RankingScore) -> Table:
    """Lay out every number of a condition, with all kinds of intervals."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="ranking-strengths",
        title="Strengths in every form",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.whole("Images", "images"),
            tabular.interval("Ranks\nleft open", "rank_*", 0),
            tabular.number("Plackett–\nLuce", "strength", 3),
            tabular.interval(f"sandwich\n{ci}", "strength_sandwich_*", 3),
            tabular.interval(f"bootstrap\n{ci}", "strength_bootstrap_*", 3),
            tabular.number("Bradley–\nTerry", "bt_strength", 3),
            tabular.interval(f"bootstrap\n{ci}", "bt_strength_*", 3),
            tabular.number("Elo", "elo"),
            tabular.interval(ci, "elo_*"),
            tabular.number("Of 100", "share_of_100", 2),
            tabular.interval(ci, "share_of_100_*", 2),
            tabular.words("No strength, because", "reason"),
        ),
        rows=tuple(map(_strength, score.conditions)),
    )


def _strength(row: RankedCondition) -> tuple[Value, ...]:
    return (
        row.condition,
        row.images,
        (row.rank_low, row.rank_high),
        value_of(row.strength),
        ends_of(row.strength_sandwich),
        ends_of(row.strength),
        *_cells(row.bt_strength),
        *_cells(row.elo),
        *_cells(row.share100),
        row.reason,
    )


def places(score: RankingScore) -> Table:
    """Lay out where the images of each condition came: of all of them, the share at each place."""
    ci = f"{score.confidence:.0%} CI"
    most = max((len(row.places) for row in score.conditions), default=0)
    return Table(
        name="ranking-places",
        title="Where images came",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Mean\nrank", "mean_rank", 2),
            tabular.interval(ci, "mean_rank_*", 2),
            tabular.percent("First\nplaces", "first_percent"),
            tabular.interval(ci, "first_*_percent"),
            tabular.percent("Win\nrate", "win_rate_percent"),
            tabular.interval(ci, "win_rate_*_percent"),
            *(tabular.percent(f"at {n}", f"place_{n}_percent") for n in range(1, most + 1)),
        ),
        rows=tuple(_placed(row, most) for row in score.conditions),
    )


def _placed(row: RankedCondition, most: int) -> tuple[Value, ...]:
    beyond = [None] * (most - len(row.places))
    return (
        row.condition,
        *_cells(row.mean_rank),
        *_cells(in_percent(row.first_share)),
        *_cells(in_percent(row.win_rate)),
        *(100 * share for share in row.places),
        *beyond,
    )


def pairs(score: RankingScore, some: Sequence[RankedPair] | None = None) -> Table:
    """Lay out pairs of conditions, the higher ranked one first; all, or some of them."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="ranking-pairs",
        title="Pairs of conditions",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("over", "b"),
            tabular.percent("Win\nrate", "win_rate_percent"),
            tabular.interval(ci, "win_rate_*_percent"),
            tabular.whole("Compa-\nrisons", "comparisons"),
            tabular.whole("Ties", "ties"),
            tabular.number("Difference of\nlog-strengths", "difference", 2),
            tabular.interval(ci, "difference_*", 2),
            tabular.probability("p", "p"),
            tabular.probability("Holm", "p_holm"),
            tabular.words("Separable", "separable"),
        ),
        rows=tuple(map(_pair, score.pairs if some is None else some)),
        note=_tests_note(score),
    )


def _pair(pair: RankedPair) -> tuple[Value, ...]:
    return (
        pair.a,
        pair.b,
        *_cells(in_percent(pair.win_rate)),
        pair.comparisons,
        pair.ties,
        *_cells(pair.difference),
        pair.p,
        pair.p_holm,
        None if pair.separable is None else SEPARABLE[pair.separable],
    )


def _tests_note(score: RankingScore) -> str:
    if score.bootstrap is None or all(pair.p is None for pair in score.pairs):
        return ""
    return (
        f"p: sign-flip test with {score.bootstrap.unit} as the independent units. Holm: over all "
        f"{len(score.pairs):,} pairs."
    )


def sizes(score: RankingScore) -> Table:
    """Lay out how many groups of each size were ranked, and the comparisons that makes."""
    return Table(
        name="ranking-groups",
        title="Groups that were ranked",
        columns=(
            tabular.name("Images of a group", "images"),
            tabular.whole("Groups", "groups"),
            tabular.whole("Rankings", "rankings"),
            tabular.whole("Compa-\nrisons", "comparisons"),
        ),
        rows=tuple((str(o.images), o.groups, o.rankings, o.comparisons) for o in score.sizes),
    )


def agreement(score: RankingScore) -> Table:
    """Lay out how far people agree, one with one and one with all."""
    return Table(
        name="ranking-agreement",
        title="How far people agree",
        columns=(
            tabular.name("Who puts the same image first", "who"),
            tabular.percent("Share", "share_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", "share_*_percent"),
        ),
        rows=tuple(_agreements(score)),
    )


def _agreements(score: RankingScore) -> Iterator[tuple[Value, ...]]:
    agreement = score.agreement
    if agreement is None:
        return
    for who, share in (
        ("one person and another", agreement.single_single),
        ("one person and the mean rank of all others", agreement.single_averaged),
        ("the same, one's own rank in the mean (flatters)", agreement.single_averaged_with_own),
    ):
        yield (who, *_cells(in_percent(share)))


def pair_agreement(score: RankingScore) -> Table:
    """Lay out how often two people put the same image first, for each two conditions."""
    pairs = score.agreement.pairs if score.agreement else ()
    return Table(
        name="ranking-pair-agreement",
        title="Agreement on each two conditions",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("and", "b"),
            tabular.percent("Agreement", "agreement_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", "agreement_*_percent"),
            tabular.whole("Pairs of\nimages", "pairs_of_images"),
            tabular.number("Difference of\nlog-strengths", "difference", 2),
        ),
        rows=tuple(map(_agreed, pairs)),
    )


def _agreed(pair: PairAgreement) -> tuple[Value, ...]:
    return (pair.a, pair.b, *_cells(in_percent(pair.agreement)), pair.comparisons, pair.difference)


def left_out(score: RankingScore) -> Table:
    """Lay out what was not scored, by the reason."""
    return Table(
        name="ranking-exclusions",
        title="Not scored",
        columns=(
            tabular.name("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Rankings", "rankings"),
        ),
        rows=tuple(
            (exclusion.meaning, exclusion.evaluators, exclusion.rankings)
            for exclusion in score.exclusions
        ),
    )


def _cells(estimate: Estimate | None) -> tuple[float | None, Interval]:
    return value_of(estimate), ends_of(estimate)


def screening(score: RankingScore) -> Table:
    """Lay out recall@2 in the test and in the work, the lowest first, and how much was checked."""
    screening = score.screening
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="ranking-screening",
        title="Screening: recall@2 against checkers",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.percent("Test", "test_percent", 0),
            tabular.interval(ci, "test_*_percent", 0),
            tabular.whole("of\ngroups", "test_groups"),
            tabular.percent("Work", "check_percent", 0),
            tabular.interval(ci, "check_*_percent", 0),
            tabular.whole("checked", "checked"),
            tabular.whole("of", "rankings"),
            tabular.words("Enough", "enough"),
            tabular.words("Scored", "scored"),
        ),
        rows=tuple(_screened(evaluator) for evaluator in screening.lowest_first)
        if screening
        else (),
        note=_note(screening) if screening else "",
    )


def _screened(evaluator: ScreenedEvaluator) -> tuple[Value, ...]:
    return (
        evaluator.evaluator,
        *_cells(in_percent(evaluator.test.recall if evaluator.test else None)),
        evaluator.test.groups if evaluator.test else None,
        *_cells(in_percent(evaluator.check.recall if evaluator.check else None)),
        evaluator.checked,
        evaluator.rankings,
        None if evaluator.enough is None else "yes" if evaluator.enough else "no",
        "no" if evaluator.failed else "yes",
    )


def _note(screening: Screening) -> str:
    chance = screening.chance
    by = "" if chance is None else f" By chance it would be {chance:.0%}."
    return (
        "Recall@2: how often the first choice is among a checker's first two, in the test and in "
        f"the work that was checked.{by} Enough: {screening.check_share:.0%} of the work or more."
    )


def images(score: RankingScore) -> Table:
    """Lay the images out by name."""
    return Table(
        name="ranking-images",
        title="Images most often first and last",
        columns=(
            tabular.name("Prompt", "prompt"),
            tabular.words("End", "end"),
            tabular.words("Image", "image"),
            tabular.words("Condition", "condition"),
            tabular.whole("Rankings", "rankings"),
            tabular.number("First", "first"),
            tabular.number("Last", "last"),
            tabular.number("Mean\nrank", "mean_rank", 2),
        ),
        rows=tuple(_at_ends(score.images)),
        note="Times that an image was put first, and last; ties share a place.",
    )


def _at_ends(ends: Sequence[ImageEnds]) -> Iterator[tuple[Value, ...]]:
    for end_images in ends:
        for end, images in (("first", end_images.first), ("last", end_images.last)):
            for image in images:
                counts = (image.rankings, image.first, image.last, image.mean_rank)
                yield (end_images.prompt, end, image.image, image.condition, *counts)


MOST_PAIRS: Final = 780
"""Pairs that the page lists, those of forty conditions; of more, each condition and the next."""


def models_of(score: RankingScore) -> RankingJudgesScore | None:
    """Give the preference models that were held against rankings; None where there are none."""
    judges = score.judges
    return judges if isinstance(judges, RankingJudgesScore) else None


def shown_pairs(score: RankingScore) -> Sequence[RankedPair]:
    """Give all pairs, or, where there are too many to read, those of neighbours in the ranking."""
    return all_or_neighbours(score.pairs, score.conditions, most=MOST_PAIRS)


def ranking_file_tables(score: RankingScore) -> tuple[Table, ...]:
    """List all tables, to be written to files."""
    return that_say_something(
        (
            ranking(score),
            strengths(score),
            places(score),
            pairs(score),
            sizes(score),
            agreement(score),
            pair_agreement(score),
            screening(score),
            left_out(score),
            *_of_models(models_of(score)),
            images(score),
        )
    )


def _of_models(models: RankingJudgesScore | None) -> tuple[Table, ...]:
    if models is None:
        return ()
    return (
        preference_tables.summary(models),
        preference_tables.every_figure(models),
        preference_tables.sentences(models),
        preference_tables.pairs(models),
        *preference_tables.benchmarks(models),
    )


_TIES = {"none": "ties are not counted", "half": "a tie is half a win"}

Cells = dict[tuple[str, str], "ShareCell"]


def win_square(score: RankingScore) -> ShareSquare | None:
    """Arrange win rates; None where there are no pairs, or too many conditions."""
    cells: Cells = {}
    for pair in score.pairs:
        if pair.win_rate is None:
            continue
        won = pair.win_rate.value
        for a, b, rate in ((pair.a, pair.b, won), (pair.b, pair.a, 1 - won)):
            bold = bool(pair.separable)
            cells[a, b] = share_cell(rate, pair.comparisons, f"{a} above {b}", bold=bold)
    ties = _TIES.get(score.ties, "a tie is half a win")
    return share_square(
        names_of(score),
        cells,
        key="ranking-pairs",
        label="Win rates of each two conditions",
        explained="How often the image of the row was put above that of the column, in %, and of "
        f"how many comparisons; {ties}. Bold: separable at α = {score.alpha:g}.",
        ends=("row never above", "row always above"),
    )


def agreement_square(score: RankingScore) -> ShareSquare | None:
    """Arrange agreement; None where nothing is known, or there are too many conditions."""
    cells: Cells = {}
    for pair in score.agreement.pairs if score.agreement else ():
        for a, b in ((pair.a, pair.b), (pair.b, pair.a)):
            cells[a, b] = share_cell(pair.agreement.value, pair.comparisons, f"{a} and {b}")
    return share_square(
        names_of(score),
        cells,
        key="ranking-agreement",
        label="Agreement on each two conditions",
        explained="How often two people put the same of two images first, in %, and over how many "
        "pairs of images; 50 is what two coins do.",
        ends=("never the same", "always the same"),
    )


def names_of(score: RankingScore) -> tuple[str, ...]:
    return tuple(row.condition for row in score.conditions)
