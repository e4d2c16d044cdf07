"""The report on ratings: a page, and sentences for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from hype.answers.choices import Choices
from hype.judges import tables as judge_tables
from hype.judges.report import rating_blocks, rating_sentences
from hype.protocols.facets import Reporting
from hype.protocols.prompted.report import (
    PageContext,
    PromptedPage,
    PromptedReport,
    StudyWords,
    evaluators_fact,
    page_context,
)
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.wording import firsts, intervals, read_facts
from hype.protocols.rating.course import COURSE
from hype.protocols.rating.design import DESIGN
from hype.protocols.rating.export import ends
from hype.protocols.rating.figures import rating_drawings
from hype.protocols.rating.layout import (
    LAYOUT,
    axis_table,
    keep_main_axis,
    main_axis,
    say,
    sentences_of,
)
from hype.protocols.rating.sampling import axes_of
from hype.protocols.rating.score import Ratings
from hype.protocols.rating.settings import RatingFile, RatingStudy
from hype.protocols.rating.trial import YES_NO
from hype.registration import Fixed
from hype.report import wording
from hype.report.methods import paragraphs_of
from hype.report.page import PageFigure
from hype.report.parts import Block, Fact, Findings, Folded, Paragraph, fold_table
from hype.report.scores import Scores
from hype.report.tabular import Row, Table
from hype.study import phrases


@dataclass(frozen=True, kw_only=True)
class AskedAxes(Block):
    """The questions that people were asked, and how they were asked.

    ``axes``: names, questions and answers, in the order on the screen. ``details``: facts (name and
    value) on the prompt, the order of the axes and the design.
    """

    template: ClassVar[str] = "asked_axes.html"

    axes: Sequence[tuple[str, str, str]]
    details: tuple[tuple[str, str], ...] = ()


MEANINGS: Final = {
    "pairs": "People said how much better one of two images is, on each axis. The stronger a "
    "condition is, the more often its image is rated the better one.",
    "images": "People rated single images on each axis, with yes or no or with a number.",
}


def main_table(scores: Scores) -> Table:
    """Lay out the conditions on the main axis, without a column for the axis."""
    table, axis = keep_main_axis(scores), main_axis(scores)["axis"]
    whole = replace(table, name="rating-main", title=f"Conditions on {axis}")
    return whole.keep(at for at, column in enumerate(whole.columns) if column.key != "axis")


def page_tables(scores: Scores) -> tuple[Table, ...]:
    main = main_table(scores)
    return (fold_table(main)[0] if scores.facts["what"] == "pairs" else main, *scores.tables)


def page_figures(scores: Scores, figures: Iterable[PageFigure]) -> Iterator[PageFigure]:
    """Split each figure of conditions in two: the main axis, and the other axes."""
    axis = main_axis(scores)["axis"]
    for figure in figures:
        main = tuple(panel for panel in figure.panels if panel[0] == axis)
        others = tuple(panel for panel in figure.panels if panel[0] != axis)
        if figure.name not in OF_CONDITIONS or not main:
            yield figure
            continue
        yield replace(figure, name="rating-main", panels=main)
        if others:
            yield replace(figure, panels=others, title=f"{figure.title}, on the other axes")


OF_CONDITIONS: Final = frozenset({"rating-strengths", "rating-means", "rating-yes"})


def top_of(axis: Row) -> str:
    """Name all conditions that may be the best; empty if unknown."""
    conditions = axis["conditions"]
    if axis["kind"] == "levels":
        tops = firsts(conditions)
    else:
        best = {row["condition"] for row in conditions[:1]}
        apart = {pair["b"] for pair in axis["pairs"] if pair["a"] in best and pair["separable"]}
        tops = [row["condition"] for row in conditions if row["condition"] not in apart]
    return phrases.any_of(tops) if tops else ""


def facts(scores: Scores) -> Iterator[Fact]:
    """State the best condition, the axis closest to the overall one, the best judge, and counts."""
    found, main, judges = scores.facts, main_axis(scores), scores.judges
    if top := top_of(main):
        yield f"On top, {main['axis']}", top
    for closest in scores.rows("with-overall")[:1]:
        if (r := closest["r"]) is not None:
            r_in_words = f"{closest['axis']}, r = {wording.number(r.value, 2)}"
            yield f"Closest to {found['overall']}", r_in_words
    if judges is not None:
        yield "Judges", f"{len(judges.judges):,}"
        axis = judge_tables.main_axis(judges)
        for judge in judges.judges:
            own = next((row.r.value for row in judge.axes if row.axis == axis), judge.mean_r)
            if own is not None:
                yield "Judge closest to people", f"{judge.judge}, r = {wording.number(own, 2)}"
                break
    yield "Conditions", f"{len(axis_table(scores).rows):,}"
    yield "Axes", f"{len(scores.rows('axes')):,}"
    yield from evaluators_fact(scores)
    yield "Pairs" if found["what"] == "pairs" else "Images", f"{found['items']:,}"
    yield "Ratings", f"{found['ratings']:,}"


def sentences(scores: Scores, context: PageContext) -> dict[str, Sequence[str]]:
    of, pairs = sentences_of(scores), scores.facts["what"] == "pairs"
    scale = SCALES[scores.facts["strengths"]]
    said = [f"Strengths are given {scale.meaning}."] if pairs else []
    return {
        # the questions already name the axes
        "asked": of["asked_beside" if context.asked else "asked"],
        axis_table(scores).name.removeprefix("rating-"): said,
        "correlations": of["correlations"],
        "leaderboard": of["leaderboard"],
        **(rating_sentences(scores.judges) if scores.judges else {}),
    }


def blocks(scores: Scores, _context: PageContext) -> dict[str, Iterable[Block]]:
    of = sentences_of(scores)
    findings = Findings(
        sentences=tuple(filter(None, (*of["ranks"], intervals(scores)))),
        notes=(*of["problems"], *scores.notes),
    )
    whole = [fold_table(main_table(scores))[1]] if scores.facts["what"] == "pairs" else []
    every = {
        "conditions": "Every condition on every axis, with intervals",
        "pairs": "Every pair of conditions on every axis",
    }
    folded = [
        Folded(summary=summary, table=table)
        for name, summary in every.items()
        if (table := scores.table(name)) and table.rows
    ]
    between = [table for table in scores.tables if table.name == "judges-correlations"]
    return {
        "main": (*whole, findings),
        axis_table(scores).name.removeprefix("rating-"): folded,
        "correlations": [Folded(summary=one.title, table=one) for one in between if one.rows],
        **(rating_blocks(scores.judges) if scores.judges else {}),
    }


def rating_report(
    ratings: Ratings, scores: Scores, _choices: Choices, _stimuli: Path | None
) -> PromptedReport:
    return report_scores(scores, page_context(ratings, WORDS, scores))


def report_scores(scores: Scores, context: PageContext) -> PromptedReport:
    draw = partial(rating_drawings, scores)
    return PromptedReport(page=PAGE, scores=scores, context=context, draw=draw)


def question_of_axes(study: RatingStudy) -> AskedAxes:
    asked = study.settings.rating
    above = "images" if asked.of == "pairs" else "image"
    return AskedAxes(
        axes=[
            (axis.name, axis.question, f"{ends(axis)}{', or not relevant' * axis.optional}")
            for axis in axes_of(study.settings)
        ],
        details=(
            ("Prompt", f"shown above the {above}" if asked.prompt == "shown" else "not shown"),
            (
                "Order of axes",
                "the same for everyone" if asked.axis_order == "fixed" else "random",
            ),
            ("Design", say("design", settings=study.settings)),
        ),
    )


FOLDER: Final = Path(__file__).parent


def statistics_in_words(scores: Scores) -> tuple[Paragraph, ...]:
    judges, score = scores.judges, read_facts(scores)
    each_judge, axes = judges.judges if judges else (), score["axes"]
    places = [judge.first_image for judge in each_judge]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        score=score,
        judges=judges,
        not_relevant=any(axis["not_relevant"] for axis in axes),
        strong=any(row.get("strength") for row in score["conditions"]),
        of_two=score["what"] == "pairs",
        tested=any(pair["verdict"] for pair in score["pairs"]),
        rule=next((axis["fit"]["rule"] for axis in axes if axis["fit"]), None),
        units_of_agreement={axis["alpha"].unit for axis in axes if axis["alpha"]},
        truths=bool(score["truth"]),
        shapes={judge.shape for judge in each_judge},
        second_persons=judges is not None and any(person["r"] for person in judges.people),
        matrices=any(judge.between_axes for judge in each_judge),
        positions=any(place and place["both"] is None for place in places),
        both_orders=any(place and place["both"] is not None for place in places),
    )


def design_in_words(settings: RatingFile, conditions: Sequence[str]) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty if they are not known."""
    axes = axes_of(settings)
    whether = [axis.name for axis in axes if axis.levels == YES_NO]
    kinds = [f"{phrases.join_names(whether)} with yes or no"] if whether else []
    kinds += [f"{axis.name} from {ends(axis)}" for axis in axes if axis.levels != YES_NO]
    return paragraphs_of(
        FOLDER / "design.txt",
        settings=settings,
        conditions=conditions,
        axes=axes,
        questions=[f"{axis.name} (“{axis.question}”)" for axis in axes],
        kinds_of_answers=kinds,
        optional=[axis.name for axis in axes if axis.optional],
    )


WORDS: Final = StudyWords(
    asked=question_of_axes,
    described=design_in_words,
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="answers were drawn from the strengths that the study sets for each axis",
)
PAGE: Final = PromptedPage(
    eyebrow="Ratings: how good, axis by axis",
    title="Ratings",
    answers="ratings",
    meaning=lambda scores: MEANINGS[scores.facts["what"]],
    layout=LAYOUT,
    facts=facts,
    sentences=sentences,
    blocks=blocks,
    methods=statistics_in_words,
    tables=page_tables,
    figures=page_figures,
    styles=("comparison.css", "rating.css"),
)
REPORTING: Final = Reporting(
    report=rating_report, design_in_words=WORDS.design, statistics_in_words=statistics_in_words
)
