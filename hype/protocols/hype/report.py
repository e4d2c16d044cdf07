"""The report on HYPE's protocols: a page of scores and judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final

import pandas as pd

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.judges.report import judge_blocks
from hype.judges.tables import remarks
from hype.protocols.facets import Reporting
from hype.protocols.hype.figures import drawings, timing_drawings
from hype.protocols.hype.figures_of_staircases import EVALUATORS_FIGURE
from hype.protocols.hype.layout import LAYOUT, drop_repeats
from hype.protocols.hype.pools import conditions_known
from hype.protocols.hype.settings import Study, StudyFile
from hype.protocols.hype.table import (
    Treatment,
    are_counted,
    are_measured,
    count_left_out,
    drop_spoiled,
    treatment_in,
)
from hype.protocols.hype.wording import (
    DIFFERENCE_UNITS,
    METHOD_NAMES,
    design_in_words,
    meaning_of,
    methods_in_words,
    score_sentences,
    statistics_in_words,
)
from hype.report import tabular, terminal, wording
from hype.report.figures.drawing import Drawing
from hype.report.groups import group_sections, groups_in_words
from hype.report.layout import lay_out_parts
from hype.report.methods import choose_paragraphs, describe_people, methods_of, works_of
from hype.report.page import PageFigure, ReportPage, page_figure, show_excluded, write_page
from hype.report.parts import (
    SIMULATED,
    Background,
    Block,
    Fact,
    Findings,
    Part,
    Pictured,
    Section,
    heading,
    no_picture,
)
from hype.report.scores import Scores
from hype.report.tabular import Row, Rows, Table, keep_filled
from hype.session.facts import ANALYSIS, versions
from hype.session.materials import mask_methods
from hype.session.outgoing import reading
from hype.session.participation import (
    RARELY,
    Arrivals,
    participation,
    statements_in_words,
)
from hype.session.timing import TIMING_COLUMNS, TimingTable, table_of_rows
from hype.statistics.estimate import FEWEST_SHOWN
from hype.stimuli.images import pictures_in
from hype.study.assignment import design
from hype.tables.reasons import LeftOut

FAKES: Final = "fake/"
"""The folder of all fakes; the names of images are shown without it."""


def gallery(score: Scores, pictured: Pictured = no_picture) -> Rows:
    """Return the most and the least convincing fakes of each condition, with thumbnails.

    Conditions keep their order; conditions without names of images are left out.
    """
    ends: dict[str, dict[str, list[Row]]] = {}
    for row in score.rows("fakes-at-either-end"):
        own = ends.setdefault(row["condition"], {"most": [], "least": []})
        uri, width_px, height_px = pictured(row["image"]) or (None, 0, 0)
        name = row["image"].removeprefix(FAKES)
        passed = f"{row['shown'] - row['called_fake']:,} of {row['shown']:,}"
        picture = {
            "image": row["image"],
            "name": name,
            "taken_for_real": passed,
            "alt": f"{name}, taken for real by {passed}",
            "uri": uri,
            "width_px": width_px,
            "height_px": height_px,
        }
        own[row["end"]].append(picture)
    return tuple({"condition": name, **own} for name, own in ends.items() if own["most"])


NO_STAIRCASES: Final = (
    "The course of the staircases cannot be drawn, since the judgements have no trial numbers."
)


@dataclass(frozen=True, kw_only=True)
class PairsBlock(Block):
    """All pairs of conditions, as a matrix and as a table."""

    template: ClassVar[str] = "matrix.html"

    matrix: Mapping[str, Any]  # from `pair_matrix`
    table: Table
    unit: str
    alpha: float


@dataclass(frozen=True, kw_only=True)
class Gallery(Block):
    """The most and the least convincing images."""

    template: ClassVar[str] = "gallery.html"

    ends: Rows  # from `gallery`


MOST_IN_NUMBERS: Final = 10
"""With more conditions than this, a cell of the matrix has room only for a sign."""
NOT_TESTED: Final = "not tested"
_VERDICTS: Final = ("separable", "equivalent", "not known", None)
_SIGNS: Final = {"separable": "●", "equivalent": "=", "not known": "○", None: "·"}
_MEANINGS: Final = {
    "separable": "separable: shown to differ",
    "equivalent": "equivalent: shown to differ by less than the margin, {margin:g} {unit}",
    "not known": "not known: the conditions may or may not differ",
    None: NOT_TESTED,
}
_CLASSES: Final = {
    "separable": "separable",
    "equivalent": "equivalent",
    "not known": "alike",
    None: "untested",
}


def pair_matrix(score: Scores) -> dict[str, Any] | None:
    """Arrange the pairs in a matrix, with the best condition first in rows and columns.

    A cell compares its row with its column, in words, as a sign, and as a class of the style sheet;
    it is None on the diagonal. ``signs``: the signs that occur, each with its class and verdict.
    ``in_numbers``: whether cells have room for numbers.
    """
    pairs, names, unit = score.rows("pairs"), score.names, score.facts["unit"]
    margin = {"margin": score.facts["margin"], "unit": DIFFERENCE_UNITS[score.protocol]}
    if not pairs:
        return None
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for pair in pairs:
        p, verdict = wording.probability(pair.p), pair.verdict or NOT_TESTED
        for row, column, sign in ((pair.a, pair.b, 1), (pair.b, pair.a, -1)):
            difference = wording.number(sign * pair.difference)
            cells[row, column] = {
                "difference": difference,
                "p": p,
                "verdict": verdict,
                "sign": _SIGNS[pair.verdict],
                "css_class": _CLASSES[pair.verdict],
                "said": f"{row} minus {column}: {difference} {unit}, {p}, {verdict}",
            }
    verdicts = {pair.verdict for pair in pairs}
    return {
        "names": names,
        "rows": [(a, [cells.get((a, b)) for b in names]) for a in names],
        "in_numbers": len(names) <= MOST_IN_NUMBERS,
        "signs": [
            (_SIGNS[v], _CLASSES[v], _MEANINGS[v].format(**margin))
            for v in _VERDICTS
            if v in verdicts
        ],
    }


def lay_out_section(score: Scores, figures: Sequence[PageFigure], ends: Rows) -> tuple[Part, ...]:
    """Arrange the results of a protocol, with its gallery."""
    words = Findings(sentences=score_sentences(score), notes=score.notes)
    sentences: dict[str, Sequence[str]] = {}
    rows = score.rows("conditions")
    fakes, seldom = (
        sum(row[key] or 0 for row in rows) for key in ("fakes_shown", "fakes_shown_seldom")
    )
    if seldom:
        said = (
            f"{seldom:,} of {fakes:,} fakes were shown fewer than {FEWEST_SHOWN} times, "
            "which is too few"
        )
        sentences["images"] = (f"{said} to name single images.",)
    blocks: dict[str, Sequence[Block]] = {"conditions": (words,)}
    left_out = set()
    course = tabular.slug(score.protocol, "staircases")
    if score.protocol == "time" and course not in {figure.name for figure in figures}:
        own = "quest-plus" if score.rows("quest-plus") else "staircases"
        sentences[own] = (NO_STAIRCASES,)
    table = score.table("pairs")
    if table and (matrix := pair_matrix(score)):
        facts = score.facts
        plain = replace(table, note="")  # `words` already contains the note
        pairs = PairsBlock(matrix=matrix, table=plain, unit=facts["unit"], alpha=facts["alpha"])
        blocks["separability"] = (pairs,)
    # Without pictures, the table of names is shown: it is shorter than a gallery.
    if any(picture["uri"] for end in ends for picture in (*end["most"], *end["least"])):
        blocks["images"] = (Gallery(ends=ends),)
        left_out.add(tabular.slug(score.protocol, "fakes-at-either-end"))
    if score.judges is not None:
        errors = score.table("judges-errors")
        sentences["judges"] = remarks(score.judges)
        blocks["judges"] = judge_blocks(score.judges, [errors] if errors else [])
    return lay_out_parts(
        score.protocol,
        LAYOUT,
        tables=[table for table in score.tables if table.name not in left_out],
        figures=figures,
        sentences=sentences,
        blocks=blocks,
    )


MOST_OF_EVALUATORS: Final = 6
"""With more conditions, the page omits the figures of each evaluator; ``--figures`` writes all."""


def exclusion_table(exclusions: Sequence[LeftOut]) -> Table:
    return tabular.tabulate(
        exclusions,
        name="exclusions",
        title="Exclusions",
        columns=(
            tabular.name("Reason", "meaning"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Judgements", "judgements", of="answers"),
        ),
    )


FLOW_COLUMNS: Final = ("Condition", "Method", "Came", "Declined", "Unfinished", "Complete")

DRAWN: Final = "answers were drawn from psychometric functions"
"""How simulated answers arise."""


def background_of(study: Study, *, simulated: bool) -> Background:
    with reading(study) as engine, engine.connect() as connection:
        participants = participation(connection, simulated=simulated)
        about = statements_in_words(connection, study.demographics, simulated=simulated)
    met = (came.cell.condition for came in participants.flow)
    conditions, _ = conditions_known(study, met)
    described = design_in_words(study.settings, conditions, masks_made=mask_methods(study))
    paragraphs = choose_paragraphs(described, participants.modes, simulated=simulated)
    collected = "Simulated" if simulated else "Collected"
    return Background(
        design=((SIMULATED,) if simulated else ())
        + tuple(paragraph.text for paragraph in paragraphs),
        people=describe_people(participants, DRAWN, simulated=simulated),
        about=about,
        flow=flow_rows(study.settings, conditions, participants.flow),
        flow_columns=(*FLOW_COLUMNS, *(n for n, some in participants.whole.rare.items() if some)),
        works=works_of(paragraphs),
        facts=((collected, participants.period),) if participants.period else (),
        settles_at=study.settings.rule.settles_at,
    )


def flow_rows(
    settings: StudyFile, conditions: Sequence[str], flow: Sequence[Arrivals]
) -> tuple[tuple[str | int, ...], ...]:
    """Return a row for each cell of the design, then rows for cells of earlier designs."""
    planned = design(settings.conditions_evaluated(conditions), settings.methods_of_one_evaluator())
    by_cell = {came.cell: came for came in flow}
    cells = dict.fromkeys((*planned, *by_cell))
    several = f"{settings.study.conditions_each} of {len(conditions)}" if settings.within else ""
    rows = [by_cell.get(cell, Arrivals(cell=cell)) for cell in cells]
    met = [name for name in RARELY if any(came.rare[name] for came in flow)]
    return tuple(
        (
            *(came.cell.condition or several, methods_in_words(came.cell.methods)),
            *(came.came, came.declined, came.active, came.complete),
            *(came.rare[name] for name in met),
        )
        for came in rows
    )


@dataclass(frozen=True, kw_only=True)
class JudgementReport:
    """A report on scored judgements."""

    judgements: LoadedAnswers[Study]
    scores: tuple[Scores, ...]
    background: Background | None  # None for other tables
    spoiled: Treatment
    pictured: Pictured
    since: Mapping[str, str]  # by protocol, the event that starts the response time

    @property
    def simulated(self) -> bool:
        return any(score.simulated for score in self.scores)

    @cached_property
    def counted(self) -> pd.DataFrame:
        return self.judgements.frame[are_counted(self.judgements.frame)]

    def own(self, score: Scores) -> pd.DataFrame:
        return self.counted[self.counted["task"].eq(score.protocol)]

    @cached_property
    def measured(self) -> pd.DataFrame:
        return self.counted[are_measured(self.counted)]

    @cached_property
    def figures(self) -> Mapping[str, tuple[Drawing, ...]]:
        return {
            score.protocol: drawings(
                score,
                own := self.own(score),
                drop_spoiled(own) if self.spoiled == "leave-out" else own,
                settles_at=self.background.settles_at if self.background else None,
                since=self.since.get(score.protocol, ""),
            )
            for score in self.scores
        }

    def drawings(self) -> Sequence[Drawing]:
        return (*chain.from_iterable(self.figures.values()), *timing_drawings(self.measured))

    @cached_property
    def timing(self) -> TimingTable:
        columns = [name for name in TIMING_COLUMNS if name in self.measured]
        return table_of_rows(self.measured[columns].to_dict("records"))

    def tables(self) -> Sequence[Table]:
        of_scores = (
            replace(table, title=f"{METHOD_NAMES[score.protocol]}: {table.title}")
            for score in self.scores
            for table in score.tables
        )
        return keep_filled((*of_scores, terminal.durations(self.timing)))

    def section(self, score: Scores) -> Section:
        shown = self.figures[score.protocol]
        if len(score.names) > MOST_OF_EVALUATORS:  # keeps the page small
            shown = tuple(one for one in shown if not one.name.startswith(EVALUATORS_FIGURE))
        figures, ends = tuple(map(page_figure, shown)), gallery(score, self.pictured)
        meaning = meaning_of(score)
        return Section(
            key=score.protocol,
            title=heading(METHOD_NAMES[score.protocol]),
            meaning=f"{meaning[0].upper()}{meaning[1:]}.",
            parts=lay_out_section(score, figures, ends),
        )

    def facts(self) -> tuple[Fact, ...]:
        """Return the numbers of evaluators and judgements for the head of a page."""
        scores = self.scores
        scored = self.counted[self.counted["task"].isin([score.protocol for score in scores])]
        conditions = {name for score in scores for name in score.names}
        kept = drop_spoiled(scored) if self.spoiled == "leave-out" else scored
        copies = kept["copied"].eq(True).sum() if "copied" in kept else 0
        return (
            ("Protocols", methods_in_words([score.protocol for score in scores])),
            ("Conditions", f"{len(conditions):,}"),
            (
                "Simulated evaluators" if self.simulated else "Evaluators",
                f"{scored['evaluator'].nunique():,}",
            ),
            ("Judgements", f"{len(kept) - copies:,}"),
        )

    def write_page(self, path: Path) -> Path:
        """Write the page as a whole or not at all; the same input gives the same bytes.

        Raises InputError: ``path`` cannot be written.
        """
        judgements, scores, background = self.judgements, self.scores, self.background
        sections = tuple(map(self.section, drop_repeats(scores)))
        curves = any(
            part.figure and part.key == "time-psychometric" for s in sections for part in s.parts
        )
        facts = scores[0].facts
        provenance = {
            **judgements.origin(),
            "bootstrap": f"{facts['draws']:,} draws, seed {facts['seed']}",
            **versions(ANALYSIS),
        }
        excluded = exclusion_table(count_left_out(judgements.frame, self.spoiled))
        page = ReportPage(
            title=judgements.title,
            simulated=self.simulated,
            facts=(*self.facts(), *(background.facts if background else ())),
            background=background,
            sections=(*sections, *group_sections(judgements.grouped)),
            timing=self.timing if self.timing.trials else None,
            timing_figures=tuple(map(page_figure, timing_drawings(self.measured))),
            excluded=show_excluded(excluded, NOTHING_EXCLUDED),
            methods=methods_of(
                (*statistics_in_words(scores, curves=curves), *groups_in_words(judgements.grouped)),
                background=background,
                programs=provenance,
            ),
            provenance=provenance,
        )
        return write_page(page, path)


NOTHING_EXCLUDED: Final = "Nothing was excluded: all judgements of the scored blocks were scored."


def judgement_report(
    judgements: LoadedAnswers[Study],
    scores: tuple[Scores, ...],
    choices: Choices,
    stimuli: Path | None,
) -> JudgementReport:
    """Report judgements; ``stimuli``: the folder of images, if there is no study."""
    study = judgements.study
    since = {"time": "the question", "infinity": "the image"}  # start of response times
    if study is None:
        known = choices.shape in ("jspsych", "psychopy")
        since = {"time": "the image", "infinity": "the image"} if known else {}
    named = [row["image"] for score in scores for row in score.rows("fakes-at-either-end")]
    return JudgementReport(
        judgements=judgements,
        scores=scores,
        background=background_of(study, simulated=choices.simulated) if study else None,
        spoiled=choices.spoiled or treatment_in(judgements.frame),
        pictured=pictures_in(stimuli or judgements.stimuli, named),
        since=since,
    )


REPORTING: Final = Reporting(
    report=judgement_report,
    design_in_words=lambda study, conditions: design_in_words(
        study.settings, conditions, masks_made=mask_methods(study)
    ),
    statistics_in_words=lambda scored: statistics_in_words(scored, curves=False),
)
