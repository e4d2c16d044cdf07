"""The words of ratings: what was run and computed, for a paper, and the results.

All of them are templates: design.txt, statistics.txt and notes.txt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import RenderableType, group
from rich.text import Text

from hype.judges import tables as judge_tables
from hype.judges.tables import second_sentence
from hype.protocols.prompted.wording import intervals, shared
from hype.protocols.prompted.wording import ranks as open_ranks
from hype.protocols.rating.results import RatingScore
from hype.protocols.rating.sampling import axes_of
from hype.protocols.rating.settings import RatingFile
from hype.protocols.rating.tables import (
    main_axis,
    of_axes,
    of_conditions,
    rating_judges,
    say,
)
from hype.protocols.rating.trial import YES_NO, Axis
from hype.report.methods import notes_of, paragraphs_of
from hype.report.parts import Paragraph
from hype.report.terminal import beneath_scores, closing, opening, texts, titled
from hype.study import phrases

FOLDER: Final = Path(__file__).parent


def statistics_in_words(score: RatingScore) -> tuple[Paragraph, ...]:
    """Write what was computed."""
    judges = rating_judges(score)
    each_judge = judges.judges if judges else ()
    places = [judge.first_image for judge in each_judge]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        judges=judges,
        not_relevant=any(axis.not_relevant for axis in score.axes),
        strong=any(row.strength for axis in score.axes for row in axis.strengths),
        of_two=score.what == "pairs",
        tested=any(pair.verdict for axis in score.axes for pair in axis.pairs),
        rule=next((axis.fit.rule for axis in score.axes if axis.fit and axis.fit.rule), None),
        units_of_agreement={axis.alpha.unit for axis in score.axes if axis.alpha},
        truths=any(axis.truth for axis in score.axes),
        shapes={judge.shape for judge in each_judge},
        second_persons=judges is not None and any(person["r"] for person in judges.people),
        matrices=any(judge.between_axes for judge in each_judge),
        positions=any(place and place["both"] is None for place in places),
        both_orders=any(place and place["both"] is not None for place in places),
    )


def design_in_words(settings: RatingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty if they are not known."""
    axes = axes_of(settings)
    return paragraphs_of(
        FOLDER / "design.txt",
        settings=settings,
        conditions=conditions,
        axes=axes,
        questions=[f"{axis.name} (“{axis.question}”)" for axis in axes],
        kinds_of_answers=list(_kinds_of_answers(axes)),
        optional=[axis.name for axis in axes if axis.optional],
    )


def _kinds_of_answers(axes: Sequence[Axis]) -> Iterator[str]:
    """State for single images how each axis was answered."""
    whether = [axis.name for axis in axes if axis.levels == YES_NO]
    if whether:
        yield f"{phrases.listed(whether)} by yes or no"
    for axis in axes:
        if axis.levels != YES_NO:
            yield f"{axis.name} from {axis.levels[0]} to {axis.levels[-1]}"


def asked_details(settings: RatingFile) -> tuple[tuple[str, str], ...]:
    """Give what stood around the questions, as names and values."""
    asked = settings.rating
    above = "images" if asked.of == "pairs" else "image"
    return (
        ("Prompt", f"shown above the {above}" if asked.prompt == "shown" else "not shown"),
        ("Order of axes", "the same for everybody" if asked.axis_order == "fixed" else "random"),
        ("Design", say("design", settings=settings)),
    )


TITLES: Final = {
    "pairs": "Ratings of pairs: how much better one of two images is, axis by axis",
    "images": "Ratings of single images, axis by axis",
}

lines: Final = partial(notes_of, FOLDER)
"""Writes a block of notes.txt whose sentences stand one by one."""


def ranks(score: RatingScore) -> str:
    """State the open ranks on the main axis, and what is known of pairs of conditions."""
    axis = main_axis(score)
    of_axis = open_ranks(axis.strengths, axis.pairs)
    return say("ranks", score=score, axis=axis, open=of_axis)


ASKED_FOR: Final = ("rating-leaderboard",)
"""Tables that a terminal always shows next to the conditions."""


@group()
def rating_table(
    score: RatingScore, *, background: Sequence[str] = (), whole: bool = True
) -> Iterator[RenderableType]:
    """Lay out a score for a terminal at least 80 columns wide.

    ``score``: as `hype.protocols.rating.score.score_ratings` returns it, with judges or without.
    ``background``: sentences on where it comes from, such as what was registered. ``whole``: with
    every table and note.
    """
    title = TITLES[score.what]
    asked = lines("asked", score=score, axes=[axis.axis for axis in score.axes])
    yield from opening(title, asked, simulated=score.simulated)
    shown = of_conditions(score)
    for place, table in enumerate(shown):
        yield from (beneath_scores if place else titled)(table)
    if len(shown) > 1 or (score.judges and len(score.axes) > 1):
        yield Text("All axes with intervals: hype report, or --json.", style="dim")
    yield from (Text(problem, style="yellow") for problem in lines("problems", score=score))
    yield from texts(ranks(score))
    for table in of_axes(score):
        if whole or table.name in ASKED_FOR:
            yield from titled(table)
        if table.name == "rating-leaderboard":
            yield from map(Text, lines("leaderboard", board=score.leaderboard))
    if judges := rating_judges(score):
        yield from judge_tables.lay_out_in_terminal(judges)
        yield from texts(second_sentence(judges, judge_tables.main_axis(judges)))
    yield Text()
    if whole:
        yield from texts(shared("not_scored", exclusions=score.exclusions))
    more = ("agreement on each axis",)
    yield from closing(background, intervals(score), score.notes, whole=whole, more=more)
