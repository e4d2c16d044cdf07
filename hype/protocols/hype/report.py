"""The report on HYPE's protocols: from scores and judgements to a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.judges.report import judge_blocks
from hype.judges.tables import remarks
from hype.protocols.facets import Reporting
from hype.protocols.hype import tables as score_tables
from hype.protocols.hype.answers import JudgementAnswers, ProtocolAnswers, answers_behind
from hype.protocols.hype.figures import drawings, timing_drawings
from hype.protocols.hype.figures_of_staircases import EVALUATORS_FIGURE
from hype.protocols.hype.pools import conditions_known
from hype.protocols.hype.results import Row, Rows, Score, without_repeats
from hype.protocols.hype.settings import Study, StudyFile
from hype.protocols.hype.table import Exclusion, Treatment, treatment_in
from hype.protocols.hype.tables import (
    answer_times,
    fakes_of,
    file_tables,
    page_tables,
    pair_matrix,
)
from hype.protocols.hype.wording import (
    design_in_words,
    further_sentences,
    methods_in_words,
    pairs_sentence,
    protocol_meaning,
    protocol_name,
    statistics_in_words,
)
from hype.report import tabular, terminal
from hype.report.figures.drawing import Drawing
from hype.report.groups import group_sections, groups_in_words
from hype.report.methods import methods_of, true_of, works_of
from hype.report.page import Excluded, PageFigure, ReportPage, page_figure, write_page
from hype.report.parts import (
    SIMULATED,
    Background,
    Block,
    Findings,
    Folded,
    Paragraph,
    Part,
    Pictured,
    Place,
    Places,
    Section,
    gathered,
    heading,
    led,
    no_picture,
)
from hype.report.tabular import Table
from hype.session.facts import ANALYSIS, versions
from hype.session.materials import mask_methods
from hype.session.outgoing import reading
from hype.session.participation import (
    RARELY,
    Arrivals,
    Participation,
    participation,
    people_sentences,
    period,
    statements_in_words,
)
from hype.statistics.cells import GroupScores
from hype.statistics.estimate import FEWEST_SHOWN
from hype.stimuli.images import pictures_in
from hype.stimuli.manifest import Stimuli
from hype.study.assignment import design

ALPHA: Final = 0.05
"""Below this p images count as different."""
FAKES: Final = "fake/"
"""The folder of all fakes, which is not worth saying."""


def gallery(
    score: Score,
    pictured: Pictured = no_picture,
    differences: Mapping[str, Row] | None = None,
) -> Rows:
    """Give the most and the least convincing fakes of each condition, with their pictures.

    In the order of the score's conditions, without those whose images have no names.
    ``differences`` says of each condition whether its fakes differ, in the judgements that were
    scored; ``by_chance`` and ``note`` say what follows.
    """
    rows = []
    for name in score.names:
        most, least = (
            [_picture(row, pictured) for row in fakes_of(score, name, end)]
            for end in ("most", "least")
        )
        found = (differences or {}).get(name)
        by_chance = bool(found and found["p"] is not None and found["p"] >= ALPHA)
        if most:
            rows.append(
                {
                    "condition": name,
                    "most": most,
                    "least": least,
                    "by_chance": by_chance,
                    "note": _note_on(found) if found else None,
                }
            )
    return tuple(rows)


def _picture(row: Row, pictured: Pictured) -> Row:
    """Give an image, how often it was taken for real, and a small copy (a data URI) if there is."""
    uri, width_px, height_px = pictured(row["image"]) or (None, 0, 0)
    name = row["image"].removeprefix(FAKES)
    passed = f"{row['shown'] - row['called_fake']:,} of {row['shown']:,}"
    return {
        "image": row["image"],
        "name": name,
        "taken_for_real": passed,
        "alt": f"{name}, taken for real by {passed}",
        "uri": uri,
        "width_px": width_px,
        "height_px": height_px,
    }


def _note_on(differences: Row) -> str | None:
    """Note that a condition's fakes may differ by chance; None if they are shown to differ."""
    p = differences["p"]
    if p is None:
        why = "judged once each" if differences["most"] == 1 else "all judged alike"
        return f"The fakes were {why}: whether they differ cannot be told."
    if p < ALPHA:
        return None
    few, many = f"{differences['fewest']:,}", f"{differences['most']:,}"
    each = f"between {few} and {many} times" if few != many else f"{many} times"
    return (
        f"Among the {differences['images']:,} fakes, each judged {each}, no more difference shows "
        f"than chance makes (p = {p:.3f}): other judgements may put other images here."
    )


_PLACES: Final[Places] = {
    Place.RESULT: ("conditions", "separability"),
    Place.PAPER: ("as-in-the-paper", "tukey"),
    Place.PEOPLE: ("agreement", "qualification", "judges"),
    Place.IMAGES: ("images",),
    Place.DETAILS: (
        *("errors", "answers", "staircases", "quest-plus", "psychometric", "thresholds"),
        *("precision", "response-times"),
    ),
}
MOST_OPEN: Final = 60
"""Rows of a table that is not folded."""
NO_STAIRCASES: Final = (
    "The course of the staircases cannot be drawn: the judgements do not say which trial of its "
    "block each one was."
)


@dataclass(frozen=True, kw_only=True)
class PairsBlock(Block):
    """Every pair of conditions, as a square and as a table."""

    template: ClassVar[str] = "matrix.html"

    matrix: Mapping[str, Any]  # as `pair_matrix` arranges it
    table: Table
    unit: str
    alpha: float


@dataclass(frozen=True, kw_only=True)
class Gallery(Block):
    """The images at either end."""

    template: ClassVar[str] = "gallery.html"

    ends: Rows  # as `gallery` gives them


def protocol_section(
    score: Score, figures: Iterable[PageFigure], ends: Rows, *tables: Table
) -> Section:
    """Put together what there is to say of a protocol; ``tables`` are those no score has."""
    meaning = protocol_meaning(score)
    drawn = tuple(figures)
    parts = (
        _scores(score),
        *(_figure_part(score, figure) for figure in drawn),
        *(_table_part(table) for table in page_tables(score)),
        *(_table_part(table) for table in tables if table.says_something),
        *_not_drawn(score, drawn),
        *_separability(score),
        *_images(score, ends),
        *_judges(score),
    )
    return Section(
        key=score.protocol,
        title=heading(protocol_name(score)),
        meaning=f"{meaning[0].upper()}{meaning[1:]}.",
        parts=gathered(parts, score.protocol, _PLACES),
    )


def findings(score: Score) -> tuple[str, ...]:
    return (*filter(None, [pairs_sentence(score)]), *further_sentences(score))


def _scores(score: Score) -> Part:
    table, whole = led(score_tables.conditions(score))
    words = Findings(sentences=findings(score), notes=score.notes)
    return Part(key=table.name, title=heading(table.title), table=table, blocks=(whole, words))


def _table_part(table: Table) -> Part:
    title = heading(table.title)
    if len(table.rows) <= MOST_OPEN:
        return Part(key=table.name, title=title, table=table)
    folded = Folded(summary=f"In {len(table.rows):,} rows", table=table)
    return Part(key=table.name, title=title, blocks=(folded,))


def _figure_part(score: Score, figure: PageFigure) -> Part:
    """Make a part of a figure; the figure of the scores stands next to their table."""
    scores = figure.name == tabular.slug(score.protocol, "intervals")
    key = tabular.slug(score.protocol, "conditions") if scores else figure.name
    return Part(key=key, title=heading(figure.title), figure=figure)


def _not_drawn(score: Score, figures: Sequence[PageFigure]) -> Iterator[Part]:
    key = tabular.slug(score.protocol, "staircases")
    if score.protocol == "time" and key not in {figure.name for figure in figures}:
        yield Part(key=key, title=heading("Staircases"), sentences=(NO_STAIRCASES,))


def _separability(score: Score) -> Iterator[Part]:
    matrix = pair_matrix(score)
    if matrix:
        key = tabular.slug(score.protocol, "separability")
        pairs = PairsBlock(
            matrix=matrix, table=score_tables.pairs(score), unit=score.unit, alpha=score.alpha
        )
        yield Part(key=key, title=heading("Pairs of conditions"), blocks=(pairs,))


def _images(score: Score, ends: Rows) -> Iterator[Part]:
    """Show the images at either end; without any picture a table of names says it shorter."""
    key = tabular.slug(score.protocol, "images")
    title = heading("Images taken for real most, and least")
    seldom = tuple(_seldom(score))
    named = score_tables.convincing(score)
    if any(picture["uri"] for end in ends for picture in (*end["most"], *end["least"])):
        yield Part(key=key, title=title, sentences=seldom, blocks=(Gallery(ends=ends),))
    elif named.says_something:
        yield Part(key=key, title=title, sentences=(*_by_chance(ends), *seldom), table=named)
    elif seldom:
        yield Part(key=key, title=title, sentences=seldom)


def _seldom(score: Score) -> Iterator[str]:
    """Say of how many fakes too little is known to name one."""
    fakes, seldom = (
        sum(row[key] or 0 for row in score.conditions)
        for key in ("fakes_shown", "fakes_shown_seldom")
    )
    if seldom:
        yield (
            f"{seldom:,} of {fakes:,} fakes were shown fewer than {FEWEST_SHOWN} times, which says "
            "too little of a single image: they are not named."
        )


def _judges(score: Score) -> Iterator[Part]:
    if score.judges is not None:
        summary, *tables = score_tables.of_judges(score)
        blocks = judge_blocks(score.judges, tables)
        yield Part(
            key=summary.name,
            title=heading(summary.title),
            sentences=remarks(score.judges),
            table=summary,
            blocks=blocks,
        )


def _by_chance(ends: Rows) -> tuple[str, ...]:
    names = [end["condition"] for end in ends if end["by_chance"]]
    if not names:
        return ()
    which = "any condition" if len(names) == len(ends) > 1 else ", ".join(names)
    return (
        f"No more difference shows between the fakes of {which} than chance makes: other "
        "judgements may put other images here.",
    )


def write_report(
    scores: Sequence[Score],
    out: Path,
    *,
    answers: JudgementAnswers,
    title: str,
    provenance: Mapping[str, str],
    background: Background | None = None,
    pictured: Pictured = no_picture,
    grouped: Sequence[GroupScores] = (),
    since: Mapping[str, str] | None = None,
) -> Path:
    """Write the report on a study; the same input gives the same bytes.

    The HTML file appears whole or not at all; InputError if it cannot be written. ``provenance``
    is shown in its order; ``background`` is None for tables from elsewhere; ``pictured`` gives an
    image, by its name, as a ``data:`` address with its width and height in px, None if it has
    none. ``grouped``: the scores by group. ``since``: by protocol,
    what response times count from.
    """
    settles_at = background.settles_at if background else None
    sections = tuple(
        _section(
            score,
            answers.of_protocols[score.protocol],
            pictured,
            settles_at,
            (since or {}).get(score.protocol, ""),
        )
        for score in without_repeats(scores)
    )
    timing = answers.timing
    page = ReportPage(
        title=title,
        simulated=any(score.simulated for score in scores),
        facts=background.facts if background else answers.facts,
        background=background,
        sections=(*sections, *group_sections(grouped)),
        timing=timing if timing.trials else None,
        timing_figures=tuple(map(page_figure, timing_drawings(answers.pictures, answers.verdicts))),
        excluded=_excluded(answers.exclusions),
        methods=methods_of(
            (*_statistics(scores, sections), *groups_in_words(grouped)),
            background=background,
            programs=provenance,
        ),
        provenance=dict(provenance),
    )
    return write_page(page, out)


def _section(
    score: Score,
    answers: ProtocolAnswers,
    pictured: Pictured,
    settles_at: float | None,
    since: str,
) -> Section:
    every = drawings(score, answers, settles_at=settles_at, since=since)
    if len(score.names) > MOST_OF_EVALUATORS:  # a page of many conditions stays small
        every = tuple(one for one in every if not one.name.startswith(EVALUATORS_FIGURE))
    figures = map(page_figure, every)
    ends = gallery(score, pictured, answers.differences)
    return protocol_section(score, figures, ends, answer_times(score, answers.response_times))


MOST_OF_EVALUATORS: Final = 6
"""Conditions up to which the page has a figure of each one's evaluators; ``--figures`` has all."""
NOTHING_EXCLUDED: Final = "Nothing was excluded: all judgements of the scored blocks were scored."


def excluded_by_reason(exclusions: Sequence[Exclusion]) -> Table:
    totals: dict[str, dict[str, Any]] = {}
    for one in exclusions:
        reason = one.reason
        row = totals.setdefault(reason, {"reason": reason, "evaluators": 0, "judgements": 0})
        row["evaluators"] += one.evaluators
        row["judgements"] += one.judgements
    return tabular.tabulated(
        totals.values(),
        name="exclusions",
        title="Exclusions",
        columns=(
            tabular.name("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Judgements", "judgements"),
        ),
    )


def excluded_by_condition(exclusions: Sequence[Exclusion]) -> Table:
    return tabular.tabulated(
        exclusions,
        name="exclusions-by-condition",
        title="Exclusions by condition",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.words("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Judgements", "judgements"),
        ),
    )


def _excluded(exclusions: Sequence[Exclusion]) -> Excluded:
    if not exclusions:
        return Excluded(sentences=(NOTHING_EXCLUDED,))
    return Excluded(
        table=excluded_by_reason(exclusions),
        details=excluded_by_condition(exclusions),
        summary="By condition",
    )


def _statistics(scores: Sequence[Score], sections: Sequence[Section]) -> tuple[Paragraph, ...]:
    drawn = {part.key for section in sections for part in section.parts if part.figure}
    return statistics_in_words(scores, curves="time-psychometric" in drawn)


FLOW_COLUMNS: Final = (
    *("Condition", "Method", "Came", "Declined", "Not qualified", "Unfinished", "Complete"),
)


DRAWN: Final = "answers were drawn from psychometric functions"
"""What simulated answers were drawn from."""


def background_of(study: Study, *, simulated: bool) -> Background:
    with reading(study) as engine, engine.connect() as connection:
        participants = participation(connection, simulated=simulated)
        about = statements_in_words(connection, study.demographics, simulated=simulated)
    met = (came.cell.condition for came in participants.flow)
    conditions = conditions_known(study, met).names
    described = design_in_words(study.settings, conditions, masks_made=mask_methods(study))
    paragraphs = true_of(described, participants.modes, simulated=simulated)
    return Background(
        design=((SIMULATED,) if simulated else ())
        + tuple(paragraph.text for paragraph in paragraphs),
        people=people_sentences(participants, DRAWN, simulated=simulated),
        about=about,
        flow=flow_rows(study.settings, conditions, participants.flow),
        flow_columns=(*FLOW_COLUMNS, *(n for n, some in participants.whole.rare.items() if some)),
        works=works_of(paragraphs),
        facts=tuple(facts_of(study.settings, conditions, participants, simulated=simulated)),
        settles_at=study.settings.rule.settles_at,
    )


def flow_rows(
    settings: StudyFile, conditions: Sequence[str], flow: Sequence[Arrivals]
) -> tuple[tuple[str | int, ...], ...]:
    """Give the rows of the design in its order, then those of places that it has no more."""
    planned = design(settings.evaluated(conditions), settings.methods_of_one_evaluator())
    by_cell = {came.cell: came for came in flow}
    cells = dict.fromkeys((*planned, *by_cell))
    several = f"{settings.study.conditions_each} of {len(conditions)}" if settings.within else ""
    rows = [by_cell.get(cell, Arrivals(cell=cell)) for cell in cells]
    met = [name for name in RARELY if any(came.rare[name] for came in flow)]
    return tuple((*row_of(came, several), *(came.rare[name] for name in met)) for came in rows)


def row_of(came: Arrivals, several: str) -> tuple[str | int, ...]:
    numbers = (came.came, came.declined, came.unqualified, came.active, came.complete)
    names = came.cell.condition or several, methods_in_words(came.cell.methods)
    return (*names, *numbers)


def facts_of(
    settings: StudyFile, conditions: Sequence[str], participants: Participation, *, simulated: bool
) -> Iterator[tuple[str, str]]:
    yield "Protocols", methods_in_words(settings.study.methods)
    yield "Conditions", f"{len(conditions):,}"
    yield "Simulated evaluators" if simulated else "Evaluators", f"{participants.whole.complete:,}"
    yield "Judgements", f"{participants.judgements:,}"
    if participants.first and participants.last:
        yield (
            "Simulated" if simulated else "Collected",
            period(participants.first, participants.last),
        )


@dataclass(frozen=True, kw_only=True)
class JudgementReport:
    """Judgements that were scored, and what a report makes of them."""

    judgements: LoadedAnswers[Study]
    scores: tuple[Score, ...]
    background: Background | None
    spoiled: Treatment
    stimuli: Stimuli | None  # where images are, if that is known
    since: Mapping[str, str]  # by protocol, what response times count from, if that is known

    @property
    def simulated(self) -> bool:
        return any(score.simulated for score in self.scores)

    def write_page(self, path: Path) -> Path:
        judgements, scores = self.judgements, self.scores
        bootstrap = f"{scores[0].draws:,} draws, seed {scores[0].seed}"
        return write_report(
            scores,
            path,
            answers=self._answers,
            title=judgements.title,
            provenance={**judgements.origin(), "bootstrap": bootstrap, **versions(ANALYSIS)},
            background=self.background,
            pictured=pictures_in(
                self.stimuli, [row["image"] for score in scores for row in score.fakes]
            ),
            grouped=judgements.grouped,
            since=self.since,
        )

    @cached_property
    def _answers(self) -> JudgementAnswers:
        return answers_behind(self.scores, self.judgements.frame, self.spoiled)

    def drawings(self) -> Sequence[Drawing]:
        settles_at = self.background.settles_at if self.background else None
        answers = self._answers
        of_scores = (
            drawings(
                score,
                answers.of_protocols[score.protocol],
                settles_at=settles_at,
                since=self.since.get(score.protocol, ""),
            )
            for score in self.scores
        )
        timing = timing_drawings(answers.pictures, answers.verdicts)
        return (*chain.from_iterable(of_scores), *timing)

    def tables(self) -> Sequence[Table]:
        of_protocols = self._answers.of_protocols
        besides = [
            *(answer_times(s, of_protocols[s.protocol].response_times) for s in self.scores),
            terminal.durations(self._answers.timing),
        ]
        return (
            *(table for score in self.scores for table in file_tables(score)),
            *(table for table in besides if table.says_something),
        )


def judgement_report(
    judgements: LoadedAnswers[Study],
    scores: tuple[Score, ...],
    choices: Choices,
    stimuli: Path | None,
) -> JudgementReport:
    """Report judgements; ``stimuli`` is where images lie if not where a study says."""
    study = judgements.study
    return JudgementReport(
        judgements=judgements,
        scores=scores,
        background=background_of(study, simulated=choices.simulated) if study else None,
        spoiled=choices.spoiled or treatment_in(judgements.frame),
        stimuli=stimuli or judgements.stimuli,
        since=times_since(study, choices),
    )


def times_since(study: Study | None, choices: Choices) -> Mapping[str, str]:
    """Return, by protocol, when response times start; empty if a table does not tell."""
    if study is not None:
        return {"time": "the question", "infinity": "the image"}
    told = choices.shape in ("jspsych", "psychopy")
    return {"time": "the image", "infinity": "the image"} if told else {}


REPORTING: Final = Reporting(
    report=judgement_report,
    design_in_words=lambda study, conditions: design_in_words(
        study.settings, conditions, masks_made=mask_methods(study)
    ),
    statistics_in_words=lambda scored: statistics_in_words(scored, curves=False),
)
