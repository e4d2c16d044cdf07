"""The tables of rankings, and how a terminal shows their score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import RenderableType, group
from rich.text import Text

from hype.judges import tables as judge_tables
from hype.judges.results import RankingJudgesScore
from hype.judges.tables import best_first, lay_out_in_terminal, name_means
from hype.protocols.prompted import wording as prompted_wording
from hype.protocols.prompted.results import RankedPair, fit_facts
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.tables import (
    by_reason,
    counted_columns,
    end_table,
    further_pair_columns,
    pair_columns,
    rate_columns,
    strength_columns,
    tests_note,
)
from hype.protocols.prompted.wording import intervals, ranks
from hype.protocols.ranking.results import RankedCondition, RankingScore
from hype.report import tabular
from hype.report.methods import notes_of, said
from hype.report.parts import ShareCell, ShareSquare, share_cell, share_square
from hype.report.tabular import Table, Value, tabulated
from hype.report.terminal import closing, grid, opening, texts

say: Final = partial(said, Path(__file__).parent)
"""Writes a block of notes.txt."""


def conditions(score: RankingScore) -> Table:
    ci, scale = f"{score.confidence:.0%} CI", SCALES[score.strengths]
    return tabulated(
        score.conditions,
        name="ranking-conditions",
        title="Ranking",
        columns=(
            tabular.whole("Rank", "rank"),
            tabular.name("Condition", "condition"),
            *scale.columns(ci),
            tabular.number("Mean\nrank", "mean_rank", 2),
            tabular.percent("First\nplaces", "first", of="first_share"),
            tabular.percent("Win\nrate", "win_rate"),
            *tabular.further(
                tabular.percents(ci, "win_rate"),
                tabular.whole("Images", "images"),
                tabular.whole("Comparisons", "comparisons"),
                *counted_columns(),
                *scale.columns(ci, "Bradley–Terry", "bt_"),
            ),
            *strength_columns(),
            *strength_columns("bt_"),
            *tabular.further(tabular.words("No strength, because", "reason")),
        ),
        note=f"Strength: Plackett–Luce, {scale.meaning}.",
    )


def places(score: RankingScore) -> Table:
    ci = f"{score.confidence:.0%} CI"
    most = max((len(row.places) for row in score.conditions), default=0)

    def share_at(row: RankedCondition, place: int) -> float | None:
        return row.places[place - 1] if place <= len(row.places) else None

    return tabulated(
        score.conditions,
        name="ranking-places",
        title="Where images came",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Mean\nrank", "mean_rank", 2),
            tabular.interval(ci, "mean_rank", 2),
            tabular.percent("First\nplaces", "first", of="first_share"),
            tabular.percents(ci, "first", of="first_share"),
            tabular.percent("Win\nrate", "win_rate"),
            tabular.percents(ci, "win_rate"),
            *(
                tabular.percent(f"at {n}", f"place_{n}", of=partial(share_at, place=n))
                for n in range(1, most + 1)
            ),
        ),
    )


def pairs(score: RankingScore, some: Sequence[RankedPair] | None = None) -> Table:
    return tabulated(
        score.pairs if some is None else some,
        name="ranking-pairs",
        title="Pairs of conditions",
        columns=(
            *pair_columns(score),
            *rate_columns(score.confidence),
            tabular.words("Verdict", "verdict"),
            *further_pair_columns(),
        ),
        note=f"{tests_note(score, score.fit.rule)} {intervals(score)}".strip(),
    )


def sizes(score: RankingScore) -> Table:
    return tabulated(
        score.sizes,
        name="ranking-sizes",
        title="Groups that were ranked",
        columns=(
            tabular.name("Images of a group", "images", of=lambda size: str(size["images"])),
            tabular.whole("Groups", "groups"),
            tabular.whole("Rankings", "rankings"),
            tabular.whole("Compa-\nrisons", "comparisons"),
        ),
    )


def agreement(score: RankingScore) -> Table:
    return Table(
        name="ranking-agreement",
        title="How far people agree",
        columns=(
            tabular.name("Who puts the same image first", "who"),
            tabular.percent("Share", "share"),
            tabular.percents(f"{score.confidence:.0%} CI", "share"),
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
        percent = share.scaled(100)
        yield (who, percent.value, percent.ends)


def shared(score: RankingScore) -> Table:
    """Lay out what agreement is of, and Krippendorff's α of ranks."""
    return tabulated(
        [score.agreement] if score.agreement else [],
        name="ranking-shared",
        title="Groups that several people ranked",
        columns=(
            tabular.name("Same", "unit", of="alpha.unit"),
            tabular.whole("Groups", "groups"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Rankings", "rankings"),
            tabular.whole("Comparisons", "comparisons"),
            tabular.number("α of ranks", "alpha", 3, of="alpha.alpha"),
            tabular.interval(f"{score.confidence:.0%} CI", "alpha", 3, of="alpha.alpha"),
            tabular.whole("Images", "images", of="alpha.units"),
            tabular.whole("Ranks", "ranks", of="alpha.n"),
            tabular.number("ρ with differences", "difference_correlation", 2),
        ),
    )


def pair_agreement(score: RankingScore) -> Table:
    scale = SCALES[score.strengths]
    return tabulated(
        score.agreement.pairs if score.agreement else (),
        name="ranking-pair-agreement",
        title="Agreement on each two conditions",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("and", "b"),
            tabular.percent("Agreement", "agreement"),
            tabular.percents(f"{score.confidence:.0%} CI", "agreement"),
            tabular.whole("Pairs of\nimages", "pairs_of_images"),
            tabular.number(
                f"Difference,\n{scale.difference}",
                "difference",
                scale.decimals,
                of=lambda pair: (
                    None if pair["difference"] is None else scale.apart(pair["difference"])
                ),
            ),
        ),
    )


def left_out(score: RankingScore) -> Table:
    return by_reason(score.exclusions, "rankings")


def screening(score: RankingScore) -> Table:
    screening, ci = score.screening, f"{score.confidence:.0%} CI"
    return tabulated(
        screening["evaluators"] if screening else (),
        name="ranking-screening",
        title="Screening: recall@2 against checkers",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.percent("Test", "test", 0, of="test.recall"),
            tabular.percents(ci, "test", 0, of="test.recall"),
            tabular.whole("of\ngroups", "test_groups", of="test.groups"),
            tabular.percent("Work", "check", 0, of="check.recall"),
            tabular.percents(ci, "check", 0, of="check.recall"),
            tabular.whole("checked", "checked"),
            tabular.whole("of", "rankings"),
            tabular.yes_or_no("Enough", "enough"),
            tabular.yes_or_no("Scored", "scored", of=lambda who: not who["failed"]),
            *tabular.further(
                tabular.percent("Test, by chance", "test_chance", of="test.chance"),
                tabular.percent("Work, by chance", "check_chance", of="check.chance"),
            ),
        ),
        note=say("screening_table", screening=screening) if screening else "",
    )


def images(score: RankingScore) -> Table:
    return end_table(
        score.image_ends,
        (
            tabular.whole("Rankings", "rankings"),
            tabular.number("First", "first"),
            tabular.number("Last", "last"),
            tabular.number("Mean\nrank", "mean_rank", 2),
        ),
        name="ranking-extreme-images",
        title="Images most often first and last",
        called=("first", "last"),
        note="Times that an image was put first, and last; ties share a place.",
    )


def models_of(score: RankingScore) -> RankingJudgesScore | None:
    """Return the preference models compared with rankings; None if there are none."""
    judges = score.judges
    return judges if isinstance(judges, RankingJudgesScore) else None


def every_table(score: RankingScore) -> tuple[Table, ...]:
    models = models_of(score)
    of_models: tuple[Table, ...] = ()
    if models is not None:
        of_models = (
            judge_tables.summary(models),
            judge_tables.pairs(models),
            *judge_tables.benchmarks(models),
        )
    return (
        conditions(score),
        places(score),
        pairs(score),
        sizes(score),
        agreement(score),
        shared(score),
        pair_agreement(score),
        screening(score),
        left_out(score),
        *of_models,
        images(score),
    )


def facts(score: RankingScore) -> dict[str, object]:
    """List what JSON holds besides tables, for rankings only."""
    screening = score.screening
    return {
        "groups": score.groups,
        "rankings": score.rankings,
        "comparisons": score.comparisons,
        "tied": score.tied,
        "fit": fit_facts(score.fit) | {"bt_problems": " ".join(score.bt_problems)},
        "checkers": screening and screening["checkers"],
        "check_share": screening and screening["check_share"],
        "min_recall": screening and screening["min_recall"],
    }


def agreement_square(score: RankingScore) -> ShareSquare | None:
    """Arrange agreement; None if nothing is known, or there are too many conditions."""
    cells: dict[tuple[str, str], ShareCell] = {}
    for pair in score.agreement.pairs if score.agreement else ():
        one, other, share = pair["a"], pair["b"], pair["agreement"].value
        for a, b in ((one, other), (other, one)):
            cells[a, b] = share_cell(share, pair["pairs_of_images"], f"{a} and {b}")
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


TITLE: Final = "Rankings: the images of a group in order, the best one first"
lines: Final = partial(notes_of, Path(__file__).parent)
"""Writes a block of notes.txt whose sentences stand one by one."""


def say_asked(score: RankingScore) -> tuple[str, ...]:
    """State what was ranked by whom, the number of comparisons, and how ties count."""
    return lines(
        "asked",
        score=score,
        sizes=[f"{size['groups']:,} of {size['images']}" for size in score.sizes],
        products=[
            f"{size['rankings']:,} × {size['comparisons'] // size['rankings']}"
            for size in score.sizes
        ],
    )


CONDITIONS: Final = (30, 10)
"""How many rows of a long table are shown, from the top and from its end."""


@group()
def ranking_table(
    score: RankingScore, *, background: Sequence[str] = (), whole: bool = True
) -> Iterator[RenderableType]:
    """Lay out a score for a terminal at least 80 columns wide.

    ``score``: as `hype.protocols.ranking.score.score_of` returns it. ``background``:
    sentences on where it comes from, such as what was registered. ``whole``: with every table and
    note.
    """
    yield from opening(TITLE, say_asked(score), simulated=score.simulated)
    table = conditions(score)
    yield grid(table, CONDITIONS)
    yield Text(table.note, style="dim")
    yield from (Text(problem, style="yellow") for problem in score.fit.problems)
    yield from texts(ranks(score.conditions, score.pairs), say("pairs", score=score))
    agreement, screening = score.agreement, score.screening
    if whole and agreement is not None:
        yield Text()
        yield Text("Agreement", style="bold")
        yield from texts(*(say(each, agreement=agreement) for each in ("shared", "prefer")))
        yield from map(Text, lines("alphas", agreement=agreement))
    if whole and screening is not None:
        yield from texts(*(say(each, screening=screening) for each in ("recall", "screening")))
    if models := models_of(score):
        yield from lay_out_in_terminal(models)
        if benchmarks := best_first(models):
            yield Text(name_means(benchmarks[0]))
            yield Text(say("benchmarks", more=len(benchmarks) - 1), style="dim")
    yield Text()
    if whole:
        yield from texts(prompted_wording.shared("not_scored", exclusions=score.exclusions))
    more = ["agreement"] if agreement else []
    yield from closing(background, intervals(score), score.notes, whole=whole, more=more)
