"""The report on ratings: a page, and the words for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

from hype.errors import few
from hype.judges import tables as judge_tables
from hype.judges.report import judge_parts
from hype.protocols.facets import Reporting
from hype.protocols.prompted.report import (
    PromptedReport,
    StudyWords,
    evaluators_fact,
    page_context,
)
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.wording import MOST_NAMED, firsts, intervals
from hype.protocols.rating import tables as rating_tables
from hype.protocols.rating.course import COURSE
from hype.protocols.rating.design import DESIGN
from hype.protocols.rating.figures import rating_drawings
from hype.protocols.rating.results import AxisScore, RatingScore
from hype.protocols.rating.sampling import axes_of
from hype.protocols.rating.settings import RatingFile, RatingStudy
from hype.protocols.rating.tables import main_axis, rating_judges, say
from hype.protocols.rating.trial import YES_NO, Axis
from hype.registration import Fixed
from hype.report import wording
from hype.report.figures.drawing import Drawing
from hype.report.methods import paragraphs_of
from hype.report.page import PageFigure
from hype.report.parts import (
    Block,
    Fact,
    Findings,
    Folded,
    Paragraph,
    Part,
    PartMaker,
    Place,
    Places,
    led,
)
from hype.report.tabular import Table, is_missing, that_say_something
from hype.study import phrases


@dataclass(frozen=True, kw_only=True)
class AskedAxis:
    """An axis."""

    name: str
    question: str
    answers: str = ""


@dataclass(frozen=True, kw_only=True)
class AskedAxes(Block):
    """The questions, and what stood around them.

    ``axes``: in the order in which they were asked. ``details``: names and values: the prompt, the
    answers, the design.
    """

    template: ClassVar[str] = "asked_axes.html"

    axes: tuple[AskedAxis, ...]
    details: tuple[tuple[str, str], ...] = ()


KEY: Final = "rating"

MEANINGS: Final = {
    "pairs": "How much better one of two images is, asked axis by axis. A strength says how likely "
    "the images of a condition are called better; where all are alike, all strengths are equal.",
    "images": "Single images, rated axis by axis: by yes and no, or by a number.",
}

_PLACES: Final[Places] = {
    Place.ASKED: ("asked",),
    Place.RESULT: ("main", "conditions", "strengths", "means", "yes"),
    Place.PEOPLE: ("agreement", "judges"),
    Place.DETAILS: (
        *("registered", "correlations", "answers", "truth", "leaderboard"),
        *("judge-agreement", "judge-axes", "judge-truth", "judge-position"),
    ),
}
_TITLES: Final = {
    "asked": "What was asked",
    "registered": "What was fixed beforehand",
    "conditions": "Axis by axis",
    "correlations": "How axes go together",
    "answers": "How people answered",
    "agreement": "Do people agree?",
    "truth": "Against what is right",
    "leaderboard": "Beside the leaderboard",
}

_part: Final = PartMaker(protocol=KEY, titles=_TITLES)


def _asked(score: RatingScore, asked: Block | None) -> Part:
    """Describe what was asked; the questions, if known, name the axes."""
    names = () if asked else [axis.axis for axis in score.axes]
    sentences = rating_tables.lines("asked", score=score, axes=names)
    return _part("asked", sentences=sentences, blocks=(asked,) if asked else ())


def _main(score: RatingScore) -> Part:
    """Show which condition is better on the axis that stands for all."""
    notes = (*rating_tables.lines("problems", score=score), *score.notes)
    sentences = (rating_tables.say_ranks(score), intervals(score))
    findings = Findings(sentences=tuple(filter(None, sentences)), notes=notes)
    title, table = f"Conditions on {main_axis(score).axis}", _main_table(score)
    if score.what == "images":
        return _part("main", title=title, table=table, blocks=(findings,))
    leading, whole = led(table)
    return _part("main", title=title, table=leading, blocks=(whole, findings))


def _main_table(score: RatingScore) -> Table:
    """Lay the axis that stands for all out, with the ranks that it leaves open."""
    axis = main_axis(score)
    table = rating_tables.conditions(score, [axis])
    whole = replace(table, name="rating-main", title=f"Conditions on {axis.axis}")
    return whole.keep(
        [
            place
            for place, column in enumerate(whole.columns)
            if column.key != "axis" and any(not is_missing(row[place]) for row in whole.rows)
        ]
    )


def _conditions(score: RatingScore) -> Part:
    every = Folded(
        summary="Every condition on every axis, with intervals",
        table=rating_tables.conditions(score),
    )
    pairs = Folded(
        summary="Every pair of conditions on every axis", table=rating_tables.pairs(score)
    )
    tables = [pairs] if pairs.table.rows else []
    meaning = SCALES[score.strengths].meaning
    title = f"Strengths {meaning}." if score.what == "pairs" else "Mean numbers, or shares of yes."
    table = rating_tables.by_axis(score)
    return _part("conditions", sentences=(title,), table=table, blocks=(every, *tables))


_OF_CONDITIONS: Final = frozenset({"rating-strengths", "rating-means", "rating-yes"})


def _drawn(score: RatingScore, figures: Iterable[PageFigure]) -> Iterator[Part]:
    """Set the axis that stands for all apart from the others, where conditions are drawn."""
    axis = main_axis(score).axis
    for figure in figures:
        main = tuple(panel for panel in figure.panels if panel.title == axis)
        others = tuple(panel for panel in figure.panels if panel.title != axis)
        if figure.name not in _OF_CONDITIONS or not main:
            yield _part.of_figure(figure)
            continue
        yield _part("main", figure=replace(figure, name=f"{figure.name}-main", panels=main))
        if others:
            rest = replace(figure, panels=others, title=f"{figure.title}, on the other axes")
            yield _part.of_figure(rest)


def _correlations(score: RatingScore) -> Iterator[Part]:
    if score.correlations is None:
        return
    judges = rating_judges(score)
    table = judge_tables.correlations(judges) if judges else None
    every = rating_tables.correlations(score)
    yield _part(
        "correlations",
        sentences=(say("correlation", score=score),),
        blocks=(
            *([Folded(summary=table.title, table=table)] if table and table.rows else []),
            Folded(summary="Every two axes in a table, with intervals", table=every),
        ),
    )


def _leaderboard(score: RatingScore) -> Iterator[Part]:
    if score.leaderboard is not None:
        yield _part(
            "leaderboard",
            sentences=rating_tables.lines("leaderboard", board=score.leaderboard),
            table=rating_tables.leaderboard(score),
        )


def _top(axis: AxisScore) -> str:
    """Name all conditions that may be the first; empty if none can be named."""
    first = firsts(axis.strengths)
    if first:
        return few(first, MOST_NAMED, " or ")
    if axis.strengths or not axis.means:
        return ""
    best = axis.means[0].condition
    apart = {pair.b for pair in axis.pairs if pair.a == best and pair.separable}
    level = [row.condition for row in axis.means if row.condition not in apart]
    return few(level, MOST_NAMED, " or ")


@dataclass(frozen=True, kw_only=True)
class RatingReport(PromptedReport):
    """Ratings that were scored, and what a report makes of them."""

    eyebrow = "Ratings: how good, axis by axis"
    answers = "ratings"
    title, part, places = "Ratings", _part, _PLACES
    styles = ("comparison.css", "rating.css")

    score: RatingScore

    def drawings(self) -> Sequence[Drawing]:
        return rating_drawings(self.score)

    def tables(self) -> Sequence[Table]:
        return that_say_something(rating_tables.every_table(self.score))

    @property
    def meaning(self) -> str:
        return MEANINGS[self.score.what]

    def parts(self, figures: Iterable[PageFigure]) -> Iterable[Part]:
        score, context = self.score, self.context
        judges = rating_judges(score)
        answers = Folded(summary="Every answer in numbers", table=rating_tables.answers(score))
        alphas, truth = rating_tables.axes(score), rating_tables.truth(score)
        return (
            _asked(score, context.asked),
            _main(score),
            *_drawn(score, figures),
            _conditions(score),
            *_correlations(score),
            _part("answers", blocks=(answers,)),
            *([_part("agreement", table=alphas)] if any(axis.alpha for axis in score.axes) else []),
            *([_part("truth", table=truth)] if truth.rows else []),
            *_leaderboard(score),
            *(judge_parts(judges, KEY) if judges else ()),
        )

    def facts(self) -> Iterator[Fact]:
        """State the best condition, the axis closest to the whole, and how far people agree."""
        score, judges = self.score, rating_judges(self.score)
        main = main_axis(score)
        if top := _top(main):
            yield f"On top, {main.axis}", top
        closest = score.correlations.with_overall[:1] if score.correlations else ()
        if closest and (r := closest[0]["r"]) is not None:
            said = f"{closest[0]['axis']}, r = {wording.number(r.value, 2)}"
            yield f"Closest to {score.overall}", said
        if judges is not None:
            yield "Judges", f"{len(judges.judges):,}"
            axis = judge_tables.main_axis(judges)
            for judge in judges.judges:
                own = next((row.r.value for row in judge.axes if row.axis == axis), judge.mean_r)
                if own is not None:
                    yield "Judge closest to people", f"{judge.judge}, r = {wording.number(own, 2)}"
                    break
        yield "Conditions", f"{len(score.conditions):,}"
        yield "Axes", f"{len(score.axes):,}"
        yield from evaluators_fact(score)
        yield "Pairs" if score.what == "pairs" else "Images", f"{score.items:,}"
        yield "Ratings", f"{score.ratings:,}"

    def methods(self, _parts: frozenset[str]) -> Sequence[Paragraph]:
        return statistics_in_words(self.score)


def asked_on_axes(study: RatingStudy) -> AskedAxes:
    asked, axes = study.settings.rating, []
    for axis in axes_of(study.settings):
        answers = "yes or no" if axis.levels == YES_NO else f"{axis.levels[0]} to {axis.levels[-1]}"
        answers += ", or not relevant" if axis.optional else ""
        axes.append(AskedAxis(name=axis.name, question=axis.question, answers=answers))
    above = "images" if asked.of == "pairs" else "image"
    return AskedAxes(
        axes=tuple(axes),
        details=(
            ("Prompt", f"shown above the {above}" if asked.prompt == "shown" else "not shown"),
            (
                "Order of axes",
                "the same for everybody" if asked.axis_order == "fixed" else "random",
            ),
            ("Design", say("design", settings=study.settings)),
        ),
    )


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


WORDS: Final = StudyWords(
    asked=asked_on_axes,
    described=design_in_words,
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="answers were drawn from strengths of the conditions on each axis, as the study sets",
)
REPORTING: Final = Reporting(
    report=lambda answers, scored, _choices, _stimuli: RatingReport(
        score=scored,
        context=page_context(answers, WORDS, scored.conditions, simulated=scored.simulated),
    ),
    design_in_words=WORDS.design,
    statistics_in_words=statistics_in_words,
)
