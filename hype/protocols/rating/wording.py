"""The words of ratings: what was run and computed, for a paper, and what came of it.

The former are templates, in design.txt and statistics.txt; the latter are the same in the terminal
and on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from hype.judges import tables as judge_tables
from hype.judges.results import RatingJudgesScore
from hype.judges.tables import second_sentence
from hype.protocols.prompted.wording import (
    allowed_for,
    counted,
    listed,
    open_ranks,
    verdict_sentence,
    within_margin,
)
from hype.protocols.rating.results import LeaderboardAxis, RatingScore, WithOverall
from hype.protocols.rating.sampling import axes_of
from hype.protocols.rating.settings import RatingFile
from hype.protocols.rating.tables import (
    main_axis,
    of_axes,
    of_conditions,
    rating_judges,
)
from hype.protocols.rating.trial import YES_NO, Axis
from hype.report import wording
from hype.report.parts import Paragraph
from hype.report.terminal import beneath_scores, closing, opening, titled
from hype.statistics.estimate import ends_of, value_of
from hype.study import phrases

FOLDER: Final = Path(__file__).parent


def statistics_in_words(score: RatingScore) -> tuple[Paragraph, ...]:
    """Write what was computed."""
    from hype.report.methods import paragraphs_of

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
        second_persons=judges is not None and any(person.r for person in judges.people),
        matrices=any(judge.between_axes for judge in each_judge),
        positions=any(place and place.both is None for place in places),
        both_orders=any(place and place.both is not None for place in places),
    )


def design_in_words(settings: RatingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty where they are not known."""
    from hype.report.methods import paragraphs_of

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
    """Say for single images how each axis was answered."""
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
        ("Design", design_in_short(settings)),
    )


def design_in_short(settings: RatingFile) -> str:
    """Name the design."""
    asked = settings.rating
    what = "all pairs" if asked.of == "pairs" else "single images"
    images = phrases.counted(asked.images, "image")
    ratings = phrases.counted(asked.ratings, "rating")
    return f"{what}, {images} of each condition and prompt, {ratings} each"


TITLES: Final = {
    "pairs": "Ratings of pairs: how much better one of two images is, axis by axis",
    "images": "Ratings of single images, axis by axis",
}

_TIES: Final = {
    "davidson": "a part of the model of strengths (Davidson 1970)",
    "half": "half a win to either in strengths",
    "none": "not counted in strengths",
}


def asked_sentences(score: RatingScore) -> Iterator[str]:
    names = [axis.axis for axis in score.axes]
    axes = "1 axis" if len(names) == 1 else f"{len(names):,} axes"
    yield f"Asked: {axes} ({listed(names)}). {answers_sentence(score)}"
    yield counted_sentence(score)


def counted_sentence(score: RatingScore) -> str:
    who = "simulated evaluator" if score.simulated else "evaluator"
    by = "" if score.evaluators is None else f" by {counted(score.evaluators, who)}"
    on = "" if score.prompts is None else f" on {counted(score.prompts, 'prompt')}"
    what = "pair" if score.what == "pairs" else "image"
    conditions = counted(len(score.conditions), "condition")
    return (
        f"{counted(score.ratings, 'rating')}{by}, of {counted(score.items, what)} of {conditions}"
        f"{on}."
    )


def answers_sentence(score: RatingScore) -> str:
    if score.what == "pairs":
        levels = score.scale.levels
        return (
            f"Answers go from 1, the first image is much better, to {levels}, the second is; "
            f"{(levels + 1) // 2}, that both are alike, is {_TIES[score.ties]}."
        )
    kinds = {axis.kind for axis in score.axes}
    ends = f"numbers from {score.scale.lowest} to {score.scale.highest}"
    words = {"yes-no": "yes or no", "numbers": ends}
    return f"Answers are {', or '.join(words[kind] for kind in words if kind in kinds)}."


def rank_sentences(score: RatingScore) -> Iterator[str]:
    """Say of the main axis which ranks are left open, and what is known of pairs of conditions."""
    axis = main_axis(score)
    sentences = [*open_ranks(axis.strengths, tested=any(pair.verdict for pair in axis.pairs))]
    within = within_margin(score.margin)
    if score.margin is not None and score.what == "images":
        within = f" within {score.margin:.1%} of the scale"
    sentences.append(verdict_sentence(axis.pairs, alpha=score.alpha, within=within))
    text = " ".join(filter(None, sentences))
    if text:
        yield f"On {axis.axis}: {text[:1].lower()}{text[1:]}"


def problem_sentences(score: RatingScore) -> Iterator[str]:
    for axis in score.axes:
        for problem in axis.fit.problems if axis.fit else ():
            yield wording.sentence(f"On {axis.axis}: {problem}")


def correlation_sentence(score: RatingScore) -> str:
    """Say which axes go with the overall one; empty where there is none."""
    rows = score.correlations.with_overall if score.correlations else ()
    rated = [row for row in rows if row.r is not None]
    if not rated:
        return ""
    closest, furthest = rated[0], rated[-1]
    sentence = f"Closest to {score.overall}: {closest.axis} (r = {_r(closest)})"
    more = "" if closest is furthest else f"; furthest from it: {furthest.axis} ({_r(furthest)})"
    return f"{sentence}{more}."


def _r(row: WithOverall) -> str:
    low, high = ends_of(row.r)
    ends = "" if low is None else f", {wording.interval(low, high, 2)}"
    return f"{wording.number(value_of(row.r), 2)}{ends}"


def leaderboard_sentences(score: RatingScore) -> Iterator[str]:
    board = score.leaderboard
    if board is None:
        return
    first = board.axes[0]
    yield first.problem or _leaderboard(first)
    if board.missing:
        yield f"Not on the leaderboard: {listed(board.missing)}."
    if board.unrated:
        yield f"On the leaderboard and not rated: {listed(board.unrated)}."


def _leaderboard(row: LeaderboardAxis) -> str:
    what = "strengths" if row.what == "strength" else "means"
    return (
        f"On {row.axis}, Pearson's correlation of the {what} of {row.n:,} conditions with "
        f"the leaderboard is {wording.with_interval(row.pearson)}. "
        "Conditions are its units, so that few of them leave it wide open."
    )


def interval_sentence(score: RatingScore) -> str:
    return f"{score.confidence:.0%} CI and p: {allowed_for(score.random)}."


ASKED_FOR: Final = ("rating-leaderboard",)
"""Tables beside the conditions that a terminal shows in any case."""


def rating_table(
    score: RatingScore, *, background: Sequence[str] = (), whole: bool = True
) -> Group:
    """Lay out a score for a terminal at least 80 columns wide.

    ``score``: as `hype.protocols.rating.scoring.score_ratings` returns it, with judges or without.
    ``background``: sentences on where it comes from, such as what was registered. ``whole``: with
    every table and note.
    """
    return Group(*_parts(score, background, whole))


def _parts(score: RatingScore, background: Sequence[str], whole: bool) -> Iterator[RenderableType]:
    title = TITLES[score.what]
    yield from opening(title, asked_sentences(score), simulated=score.simulated)
    yield from _conditions(score)
    beside = [table for table in of_axes(score) if whole or table.name in ASKED_FOR]
    for table in beside:
        yield from titled(table)
        if table.name == "rating-leaderboard":
            yield from map(Text, leaderboard_sentences(score))
    judges = rating_judges(score)
    if judges is not None:
        yield from _judges(judges)
    yield Text()
    if whole and score.exclusions:
        reasons = "; ".join(f"{row.ratings:,} {row.meaning}" for row in score.exclusions)
        yield Text(f"Not scored: {reasons}.")
    more = ("agreement on each axis",)
    yield from closing(background, interval_sentence(score), score.notes, whole=whole, more=more)


def _conditions(score: RatingScore) -> Iterator[RenderableType]:
    shown = of_conditions(score)
    for place, table in enumerate(shown):
        yield from (beneath_scores if place else titled)(table)
    if len(shown) > 1 or (score.judges and len(score.axes) > 1):
        yield Text("All axes with intervals: hype report, or --json.", style="dim")
    yield from (Text(problem, style="yellow") for problem in problem_sentences(score))
    yield from map(Text, rank_sentences(score))


def _judges(score: RatingJudgesScore) -> Iterator[RenderableType]:
    yield from judge_tables.lay_out_in_terminal(score)
    second = second_sentence(score, judge_tables.main_axis(score))
    yield from map(Text, filter(None, [second]))
