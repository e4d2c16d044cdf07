"""The report on ratings: from a score to a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from hype.answers.choices import Choices
from hype.errors import few
from hype.judges import tables as judge_tables
from hype.judges.report import judge_parts
from hype.judges.results import CorrelationsBetweenAxes, JudgeAgreement
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
from hype.protocols.rating import wording as rating_wording
from hype.protocols.rating.axes import read_leaderboard
from hype.protocols.rating.course import COURSE
from hype.protocols.rating.design import DESIGN
from hype.protocols.rating.figures import NAME as HEAT_MAP
from hype.protocols.rating.figures import rating_drawings
from hype.protocols.rating.results import AxisCorrelations, AxisScore, RatingScore
from hype.protocols.rating.sampling import axes_of
from hype.protocols.rating.score import Ratings
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.tables import main_axis, rating_judges, say
from hype.protocols.rating.trial import YES_NO, Axis
from hype.protocols.rating.wording import asked_details, design_in_words, statistics_in_words
from hype.registration import Fixed
from hype.report import wording
from hype.report.figures.drawing import Drawing
from hype.report.page import PageFigure
from hype.report.parts import (
    SHADES,
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
    scale,
    shade_class,
)
from hype.report.tabular import Table, is_missing, that_say_something


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


MOST_ROOMY: Final = 9
"""With more axes than these a cell has room for a number only."""
MOST_MAPS: Final = 8
"""The number of judges whose square stands next to people's; of more, the first."""


@dataclass(frozen=True, kw_only=True)
class HeatCell:
    """How two axes go together.

    ``r``, ``ends``: the correlation and its interval, in words; the latter empty if it is
    unknown.
    """

    r: str
    ends: str
    css_class: str
    sentence: str


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """A square of axes.

    ``rows``: each axis with one cell for each
    column, None on the diagonal. ``roomy``: whether columns have names and cells intervals.
    """

    title: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell | None, ...]], ...]
    roomy: bool


@dataclass(frozen=True, kw_only=True)
class HeatMaps(Block):
    """People's square, and next to it those of judges.

    ``judges``: what judges said, on what people answered as well. ``note``: what is to be read with
    those of judges; may be empty.
    """

    template: ClassVar[str] = "heat_maps.html"

    people: HeatMap
    judges: tuple[HeatMap, ...] = ()
    note: str = ""

    @property
    def scale(self) -> tuple[str, ...]:
        """Classes of a legend, from −1 to 1."""
        return scale()


def heat_maps(correlations: AxisCorrelations, judges: Sequence[JudgeAgreement]) -> HeatMaps:
    """Arrange correlations.

    ``judges``: those that are compared with people; empty without any.
    """
    of_judges = [judge for judge in judges if judge.between_axes]
    more = len(of_judges) - MOST_MAPS
    note = (
        f"The first {MOST_MAPS} of {len(of_judges):,} judges; the table has all."
        if more > 0
        else ""
    )
    return HeatMaps(
        people=of_people(correlations),
        judges=tuple(
            of_judge(judge, judge.between_axes)
            for judge in of_judges[:MOST_MAPS]
            if judge.between_axes
        ),
        note=note,
    )


def of_people(correlations: AxisCorrelations) -> HeatMap:
    """Arrange what people said, with intervals."""
    matrix = correlations.matrix
    return HeatMap(
        title="People",
        names=correlations.axes,
        rows=_rows(
            correlations.axes,
            lambda i, j: (matrix.r[i, j], (matrix.low[i, j], matrix.high[i, j])),
        ),
        roomy=len(correlations.axes) <= MOST_ROOMY,
    )


def of_judge(judge: JudgeAgreement, matrix: CorrelationsBetweenAxes) -> HeatMap:
    """Arrange what a judge said."""
    return HeatMap(
        title=judge.judge,
        names=matrix.axes,
        rows=_rows(matrix.axes, lambda i, j: (matrix.judge[i][j], None)),
        roomy=False,
    )


def _rows(
    names: Sequence[str],
    at: Callable[[int, int], tuple[float, tuple[float, float] | None]],
) -> tuple[tuple[str, tuple[HeatCell | None, ...]], ...]:
    """Arrange the correlations of each two axes, with their intervals."""
    return tuple(
        (a, tuple(_cell(a, b, *at(i, j)) if i != j else None for j, b in enumerate(names)))
        for i, a in enumerate(names)
    )


def _cell(a: str, b: str, r: float, ends: tuple[float, float] | None) -> HeatCell:
    if math.isnan(r):
        sentence = f"{a} and {b}: not known"
        return HeatCell(r=wording.NOT_KNOWN, ends="", css_class="unmet", sentence=sentence)
    has_ends = ends is not None and not any(map(math.isnan, ends))
    written = wording.interval(*ends, 2) if ends is not None and has_ends else ""
    shown = wording.number(r, 2)
    return HeatCell(
        r=shown,
        ends=written,
        css_class=shade_class(round(r * SHADES)),
        sentence=f"{a} and {b}: {shown}" + (f" ({written})" if written else ""),
    )


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
    sentences = rating_wording.lines("asked", score=score, axes=names)
    return _part("asked", sentences=sentences, blocks=(asked,) if asked else ())


def _main(score: RatingScore) -> Part:
    """Show which condition is better on the axis that stands for all."""
    notes = (*rating_wording.lines("problems", score=score), *score.notes)
    sentences = (rating_wording.ranks(score), intervals(score))
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
    maps = heat_maps(score.correlations, judges.judges if judges else ())
    table = judge_tables.between_axes(judges) if judges else None
    yield _part(
        "correlations",
        sentences=(say("correlation", score=score),),
        blocks=(
            maps,
            *([Folded(summary=table.title, table=table)] if table and table.rows else []),
            Folded(
                summary="Every two axes in a table",
                table=rating_tables.correlations(score),
            ),
        ),
    )


def _folded(score: RatingScore) -> Iterator[Part]:
    """Put the numbers beneath the figures of answers and of agreement."""
    answers = Folded(summary="Every answer in numbers", table=rating_tables.answers(score))
    yield _part("answers", blocks=(answers,))
    if any(axis.alpha for axis in score.axes):
        in_numbers = Folded(summary="In numbers", table=rating_tables.axes(score))
        yield _part("agreement", blocks=(in_numbers,))


def _truth(score: RatingScore) -> Iterator[Part]:
    table = rating_tables.truth(score)
    if table.rows:
        yield _part("truth", table=table)


def _leaderboard(score: RatingScore) -> Iterator[Part]:
    if score.leaderboard is not None:
        yield _part(
            "leaderboard",
            sentences=rating_wording.lines("leaderboard", board=score.leaderboard),
            table=rating_tables.leaderboard(score),
        )


def _results(score: RatingScore) -> Iterator[Fact]:
    axis = main_axis(score)
    if top := _top(axis):
        yield f"On top, {axis.axis}", top
    for row in score.correlations.with_overall[:1] if score.correlations else ():
        if row["r"] is not None:
            r = wording.number(row["r"].value, 2)
            yield f"Closest to {score.overall}", f"{row['axis']}, r = {r}"


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


def _of_judges(score: RatingScore) -> Iterator[Fact]:
    """Name the judge that agrees most."""
    judges = rating_judges(score)
    if judges is None:
        return
    yield "Judges", f"{len(judges.judges):,}"
    axis = judge_tables.main_axis(judges)
    for judge in judges.judges:
        own = next((row.r.value for row in judge.axes if row.axis == axis), judge.mean_r)
        if own is not None:
            yield "Judge closest to people", f"{judge.judge}, r = {wording.number(own, 2)}"
            return


def _counted(score: RatingScore) -> Iterator[Fact]:
    yield "Conditions", f"{len(score.conditions):,}"
    yield "Axes", f"{len(score.axes):,}"
    yield from evaluators_fact(score)
    yield "Pairs" if score.what == "pairs" else "Images", f"{score.items:,}"
    yield "Ratings", f"{score.ratings:,}"


@dataclass(frozen=True, kw_only=True)
class RatingReport(PromptedReport):
    """Ratings that were scored, and what a report makes of them."""

    eyebrow = "Ratings: how good, axis by axis"
    answers = "ratings"
    title, part, places = "Ratings", _part, _PLACES
    styles = ("comparison.css", "rating.css")

    score: RatingScore
    leaderboard: Mapping[str, float]

    def drawings(self) -> Sequence[Drawing]:
        return rating_drawings(self.score, self.leaderboard)

    def page_drawings(self) -> Iterator[Drawing]:
        """Prepare those of the page, which has a square of its own for correlations."""
        return (drawing for drawing in self.drawings() if drawing.name != HEAT_MAP)

    def tables(self) -> Sequence[Table]:
        return that_say_something(rating_tables.every_table(self.score))

    @property
    def meaning(self) -> str:
        return MEANINGS[self.score.what]

    def parts(self, figures: Iterable[PageFigure]) -> Iterable[Part]:
        score, context = self.score, self.context
        judges = rating_judges(score)
        return (
            _asked(score, context.asked),
            _main(score),
            *_drawn(score, figures),
            _conditions(score),
            *_correlations(score),
            *_folded(score),
            *_truth(score),
            *_leaderboard(score),
            *(judge_parts(judges, KEY) if judges else ()),
        )

    def facts(self) -> Iterator[Fact]:
        """State the best condition, the axis closest to the whole, and how far people agree."""
        yield from _results(self.score)
        yield from _of_judges(self.score)
        yield from _counted(self.score)

    def methods(self, _parts: frozenset[str]) -> Sequence[Paragraph]:
        return statistics_in_words(self.score)


def rating_report(ratings: Ratings, score: RatingScore, choices: Choices) -> RatingReport:
    leaderboard = read_leaderboard(choices.leaderboard) if choices.leaderboard else {}
    context = page_context(ratings, WORDS, score.conditions, simulated=score.simulated)
    return RatingReport(score=score, leaderboard=leaderboard, context=context)


def asked_on_axes(study: RatingStudy) -> AskedAxes:
    settings = study.settings
    return AskedAxes(
        axes=tuple(
            AskedAxis(name=axis.name, question=axis.question, answers=answers_of(axis))
            for axis in axes_of(settings)
        ),
        details=tuple(
            detail for detail in asked_details(settings) if detail[0] not in settings.axis_names
        ),
    )


def answers_of(axis: Axis) -> str:
    ends = "yes or no" if axis.levels == YES_NO else f"{axis.levels[0]} to {axis.levels[-1]}"
    return f"{ends}{', or not relevant' if axis.optional else ''}"


WORDS: Final = StudyWords(
    asked=asked_on_axes,
    described=design_in_words,
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="answers were drawn from strengths of the conditions on each axis, as the study sets",
)
REPORTING: Final = Reporting(
    report=lambda answers, scored, choices, _stimuli: rating_report(answers, scored, choices),
    design_in_words=WORDS.design,
    statistics_in_words=statistics_in_words,
)
