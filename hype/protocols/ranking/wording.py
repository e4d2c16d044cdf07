"""The words of rankings: what was run and computed, for a paper, and the results.

All of them are templates: design.txt, statistics.txt and notes.txt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import RenderableType, group
from rich.text import Text

from hype.judges.tables import best_first, lay_out_in_terminal, name_means
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.wording import intervals, ranks, shared
from hype.protocols.ranking import tables as ranking_tables
from hype.protocols.ranking.results import RankingScore
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.ranking.tables import models_of, say
from hype.report.methods import notes_of, paragraphs_of
from hype.report.parts import Paragraph
from hype.report.terminal import closing, grid, opening, texts
from hype.study import phrases

FOLDER: Final = Path(__file__).parent


def statistics_in_words(score: RankingScore, *, drawn: Collection[str]) -> tuple[Paragraph, ...]:
    """Write what was computed; ``drawn`` has the keys of the parts that the report has."""
    models = models_of(score)
    strengths = [row.strength is not None for row in score.conditions]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        models=models,
        drawn=drawn,
        strong=any(strengths),
        of_two=False,
        all_strong=all(strengths),
        bradley_terry=any(row.bt_strength is not None for row in score.conditions),
        tested=any(pair.p is not None for pair in score.pairs),
        rule=score.fit.rule,
    )


def design_in_words(settings: RankingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty if they are not known."""
    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def asked_details(settings: RankingFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked, rule = settings.ranking, settings.screening
    size = "one image of each condition"
    if asked.group is not None:
        size = f"{phrases.counted(asked.group, 'image')}, each of another condition"
    checked = f"{phrases.percent(rule.check_share)} ranked again" if rule.checkers else "none"
    return (
        ("Group", size),
        ("Prompt", "shown above the images" if asked.prompt == "shown" else "not shown"),
        ("Ties", f"an act of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", f"{phrases.counted(asked.rankings, 'ranking')} of each group"),
        ("Test", phrases.counted(rule.test, "group") if rule.test else "none"),
        ("Cross-checks", checked),
    )


TITLE: Final = "Rankings: the images of a group in order, the best one first"
lines: Final = partial(notes_of, FOLDER)
"""Writes a block of notes.txt whose sentences stand one by one."""


def asked(score: RankingScore) -> tuple[str, ...]:
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


def pairs(score: RankingScore) -> str:
    """State for how many pairs the order is known, and which pairs are open."""
    scale = SCALES[score.strengths]
    apart: dict[str | None, list[str]] = {"equivalent": [], "not known": []}
    for pair in score.pairs:
        by = scale.written(scale.estimate_apart(pair.difference))
        apart.setdefault(pair.verdict, []).append(f"{pair.a} over {pair.b} by {by}")
    return say("pairs", score=score, apart=apart, difference=scale.difference)


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
    yield from opening(TITLE, asked(score), simulated=score.simulated)
    table = ranking_tables.conditions(score)
    yield grid(table, CONDITIONS)
    yield Text(table.note, style="dim")
    yield from (Text(problem, style="yellow") for problem in score.fit.problems)
    yield from texts(ranks(score.conditions, score.pairs), pairs(score))
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
        yield from texts(shared("not_scored", exclusions=score.exclusions))
    more = ["agreement"] if agreement else []
    yield from closing(background, intervals(score), score.notes, whole=whole, more=more)
