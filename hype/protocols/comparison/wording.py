"""The words of comparisons: what was run and computed, for a paper, and the results.

All of them are templates: design.txt, statistics.txt and notes.txt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import RenderableType, group
from rich.text import Text

from hype.judges.tables import lay_out_in_terminal
from hype.protocols.comparison.results import PairwiseScore
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.comparison.tables import beneath, conditions, say
from hype.protocols.prompted.wording import intervals, ranks, shared
from hype.report.methods import notes_of, paragraphs_of
from hype.report.parts import Paragraph
from hype.report.terminal import beneath_scores, closing, grid, opening, texts

FOLDER: Final = Path(__file__).parent
SHOWN: Final = {
    "hidden": "not shown",
    "shown": "shown above the images",
    "words": "appeared above the images word by word",
}
"""How the prompt was shown, in a few words."""


def statistics_in_words(score: PairwiseScore, *, drawn: Collection[str]) -> tuple[Paragraph, ...]:
    """Write what was computed; ``drawn`` has the keys of the parts that the report has."""
    strengths = [row.strength is not None for row in score.conditions]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        judges=score.judges,
        both_orders=any(j.first_image for j in score.judges.judges) if score.judges else False,
        drawn=drawn,
        of_two=True,
        tied=any(row.ties for row in score.conditions),
        tested=any(pair.p is not None for pair in score.pairs),
        rule=score.fit.rule,
        strong=any(strengths),
        all_strong=all(strengths),
        demographics_tested=any(question["p"] is not None for question in score.demographics),
    )


def design_in_words(settings: ComparisonFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty if they are not known."""
    return paragraphs_of(FOLDER / "design.txt", settings=settings, conditions=conditions)


def asked_details(settings: ComparisonFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the question, as names and values."""
    asked = settings.comparison
    limit = "none" if asked.limit_ms is None else f"{asked.limit_ms:g} ms"
    return (
        ("Criterion", asked.criterion),
        ("Prompt", SHOWN[asked.shown_prompt]),
        ("Ties", f"an answer of their own: “{settings.texts.tie}”" if asked.ties else "none"),
        ("Design", say("design", settings=settings)),
        ("Time limit", limit),
    )


TITLE: Final = "Comparisons: how often the images of a condition were chosen; equals have 50%"

lines: Final = partial(notes_of, FOLDER)
"""Writes one whose sentences stand one by one."""


@group()
def comparison_table(
    score: PairwiseScore, *, background: Sequence[str] = (), whole: bool = True
) -> Iterator[RenderableType]:
    """Lay out a score for a terminal at least 80 columns wide.

    ``score``: as `hype.protocols.comparison.score.score_comparisons` returns it. ``background``:
    sentences on where it comes from, such as what was registered. ``whole``: with every table and
    note.
    """
    yield from opening(TITLE, lines("asked", score=score), simulated=score.simulated)
    table = conditions(score)
    yield grid(table)
    yield Text(table.note, style="dim")
    yield from (Text(problem, style="yellow") for problem in score.fit.problems)
    yield from texts(ranks(score.conditions, score.pairs))
    if score.sequential is not None:
        yield Text(f"Arena: {score.sequential.said}")
    if whole:
        for table in beneath(score):
            yield from beneath_scores(table)
    yield from texts(*(say(block, score=score) for block in ("pairs", "arena_errors")))
    yield from map(Text, lines("cautions", score=score, where="--json"))
    if score.pairs:
        yield from texts(say("plan", score=score))
    if score.judges is not None:
        yield from lay_out_in_terminal(score.judges)
    yield Text()
    if whole:
        yield Text("Answers and evaluators", style="bold")
        yield from texts(say("agreement", score=score), score.sides["said"])
        yield from map(Text, lines("validated", score=score))
        yield from texts(
            say("hasty", score=score), shared("not_scored", exclusions=score.exclusions)
        )
        yield from texts(*(question["said"] for question in score.demographics))
    known = ((score.pairs, "all pairs of conditions"), (score.agreement, "agreement"))
    more = [*(words for what, words in known if what), "sides"]
    yield from closing(background, intervals(score), score.notes, whole=whole, more=more)
