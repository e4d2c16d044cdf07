"""Common parts of reports on comparisons, ratings and rankings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Final

from hype.answers.sources import LoadedAnswers
from hype.errors import InputError
from hype.judges.report import judge_blocks
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedStudy
from hype.registration import Fixed, registration_of
from hype.report.figures.drawing import Drawing
from hype.report.groups import group_sections, groups_in_words
from hype.report.layout import Layout, lay_out_parts
from hype.report.methods import choose_paragraphs, describe_people, methods_of, works_of
from hype.report.page import PageFigure, ReportPage, page_figure, show_excluded, write_page
from hype.report.parts import (
    SIMULATED,
    Background,
    Block,
    Fact,
    Paragraph,
    Pictured,
    Section,
    Tabled,
    heading,
    no_picture,
)
from hype.report.scores import Scores
from hype.report.tabular import Table, keep_filled, slug
from hype.session.facts import ANALYSIS, versions
from hype.session.materials import read_stimuli
from hype.session.outgoing import reading
from hype.session.participation import participation, statements_in_words
from hype.statistics.cells import GroupScores
from hype.stimuli.images import pictures_in
from hype.stimuli.manifest import Stimuli
from hype.study.demographics import DemographicSettings


@dataclass(frozen=True, kw_only=True)
class PageContext:
    """The context of a page's results: source, people, question and registration.

    ``provenance``: study, seed and versions, as the page lists them. ``background``: None without a
    study. ``pictured``: returns an image by name, as a ``data:`` address with width and height in
    px, or None. ``grouped``: scores by group.
    """

    title: str
    provenance: Mapping[str, str]
    background: Background | None = None
    asked: Block | None = None
    registered: Sequence[str] = ()
    pictured: Pictured = no_picture
    grouped: tuple[GroupScores, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PromptedPage:
    """How the page of a protocol shows scores."""

    eyebrow: str  # a small text above the heading
    title: str
    answers: str  # the word for the answers in sentences
    meaning: Callable[[Scores], str]  # the meaning of scores, in a sentence or two
    layout: Layout
    facts: Callable[[Scores], Iterable[Fact]]  # main results, and number of answers
    # The sentences at the start of each part of the page, and the blocks at its end, by slot
    sentences: Callable[[Scores, PageContext], Mapping[str, Sequence[str]]]
    blocks: Callable[[Scores, PageContext], Mapping[str, Iterable[Block]]]
    methods: Callable[[Scores], Sequence[Paragraph]]  # the statistics
    # The tables and figures of the page, if they are not the same as in files
    tables: Callable[[Scores], Sequence[Table]] = attrgetter("tables")
    figures: Callable[[Scores, Iterable[PageFigure]], Iterable[PageFigure]] = lambda _, own: own
    styles: tuple[str, ...] = ("comparison.css",)  # additional style sheets


IN_BLOCKS: Final = {"pairs": "pairs", "images": "extreme-images"}
"""The tables that the page replaces with a matrix or with pictures, by their slot on the page."""


@dataclass(frozen=True, kw_only=True)
class PromptedReport:
    """A report on scores."""

    page: PromptedPage
    scores: Scores
    context: PageContext
    draw: Callable[[], Sequence[Drawing]]  # prepares every figure
    parts: tuple[PromptedReport, ...] = ()  # if there are several criteria, a report on each

    @property
    def simulated(self) -> bool:
        return self.scores.simulated

    def drawings(self) -> Sequence[Drawing]:
        return (*self.draw(), *(drawing for part in self.parts for drawing in part.draw()))

    def tables(self) -> Sequence[Table]:
        return keep_filled(self.scores.tables)

    def section(self) -> Section:
        page, scores, context = self.page, self.scores, self.context
        figures = map(page_figure, self.draw())
        blocks = {name: tuple(own) for name, own in page.blocks(scores, context).items()}
        shown = {slug(scores.protocol, IN_BLOCKS[name]) for name in IN_BLOCKS if blocks.get(name)}
        asked = (context.asked,) if context.asked else ()
        return Section(
            key=scores.protocol,
            title=heading(page.title),
            meaning=page.meaning(scores),
            parts=lay_out_parts(
                scores.protocol,
                page.layout,
                tables=[table for table in page.tables(scores) if table.name not in shown],
                figures=page.figures(scores, figures),
                sentences={"registered": context.registered, **page.sentences(scores, context)},
                blocks=blocks | {"asked": (*asked, *blocks.get("asked", ()))},
            ),
        )

    def write_page(self, path: Path) -> Path:
        """Write the page, completely or not at all; the same results give the same bytes.

        Raises InputError: ``path`` cannot be written.
        """
        page, scores, context = self.page, self.scores, self.context
        excluded = scores.table("exclusions")
        whole = ReportPage(
            title=context.title,
            eyebrow=page.eyebrow,
            simulated=scores.simulated,
            facts=(*page.facts(scores), *(context.background.facts if context.background else ())),
            background=context.background,
            sections=(
                *(part.section() for part in (self, *self.parts)),
                *group_sections(context.grouped),
            ),
            excluded=show_excluded(
                excluded, f"Nothing was excluded: all {page.answers} were scored."
            ),
            methods=methods_of(
                (*page.methods(scores), *groups_in_words(context.grouped)),
                background=context.background,
                programs=context.provenance,
            ),
            provenance=dict(context.provenance),
            styles=page.styles,
        )
        return write_page(whole, path)


def blocks_of_judges(scores: Scores) -> Iterator[Block]:
    """Show the first table on judges, the other tables folded, and the notes on judges."""
    if scores.judges is not None:
        summary, *others = (table for table in scores.tables if table.name.startswith("judges"))
        yield Tabled(table=summary)
        yield from judge_blocks(scores.judges, others)


@dataclass(frozen=True, kw_only=True)
class StudyWords:
    """How a study of one protocol is described.

    ``asked``: returns the questions of a study. ``described``: returns paragraphs about its
    settings and conditions. ``fixed``: what a registration fixes. ``drawn``: a description of how
    simulated answers arise.
    """

    asked: Callable[[Any], Block]
    described: Callable[[Any, Sequence[str]], Sequence[Paragraph]]
    fixed: Fixed
    drawn: str

    def design(self, study: PromptedStudy, conditions: Sequence[str]) -> Sequence[Paragraph]:
        return self.described(study.settings, conditions)


def page_context(
    answers: LoadedAnswers[Any],
    words: StudyWords,
    scores: Scores,
    *,
    more: Sequence[tuple[str, int]] = (),
    questions: Callable[[Any], Mapping[str, DemographicSettings]] = attrgetter("demographics"),
    stimuli: Stimuli | None = None,
) -> PageContext:
    """Collect the context of a page from the answers, and from their study if there is one.

    ``more``: names and numbers of further columns of the participation table. ``questions``:
    returns the questions about evaluators whose answers are summarised. ``stimuli``: the folder of
    images, if it is not the study's.
    """
    study, simulated = answers.study, scores.simulated
    seen = list(dict.fromkeys(scores.names))
    images = [row["image"] for row in scores.rows("extreme-images")]
    return PageContext(
        title=answers.title,
        provenance={**answers.origin(), **versions(ANALYSIS)},
        background=background_of(
            study, words, seen, simulated=simulated, more=more, questions=questions(study)
        )
        if study
        else None,
        asked=words.asked(study) if study else None,
        registered=answers.said,
        pictured=pictures_in(stimuli or answers.stimuli, images) if images else no_picture,
        grouped=answers.grouped,
    )


def evaluators_fact(scores: Scores) -> Iterator[Fact]:
    """Yield the number of evaluators who gave answers, if known."""
    if (number := scores.facts["evaluators"]) is not None:
        yield "Simulated evaluators" if scores.simulated else "Evaluators", f"{number:,}"


FLOW_COLUMNS: Final = ("Evaluators", "Came", "Declined", "Unfinished", "Complete")
HASH_SHOWN: Final = 8
"""The head of the page shows this many characters of a hash; the full hash is further down."""


def background_of(
    study: PromptedStudy,
    words: StudyWords,
    seen: Sequence[str],
    *,
    simulated: bool,
    more: Sequence[tuple[str, int]],
    questions: Mapping[str, DemographicSettings],
) -> Background:
    """Describe a study's design and people; the arguments are those of `page_context`."""
    with reading(study) as engine, engine.connect() as connection:
        people = participation(connection, simulated=simulated)
        about = statements_in_words(connection, questions, simulated=simulated)
    whole, who = people.whole, "simulated" if simulated else "people"
    more = (*((name, number) for name, number in whole.rare.items() if number), *more)
    flow = (who, whole.came, whole.declined, whole.active, whole.complete)
    described = words.design(study, conditions_of(study, seen))
    paragraphs = choose_paragraphs(described, people.modes, simulated=simulated)
    facts = [("Registered", describe_registration(study, words.fixed))]
    if people.period:
        facts.insert(0, ("Simulated" if simulated else "Collected", people.period))
    return Background(
        design=((SIMULATED,) if simulated else ())
        + tuple(paragraph.text for paragraph in paragraphs),
        people=describe_people(people, words.drawn, simulated=simulated),
        about=about,
        flow=((*flow, *(number for _, number in more)),),
        flow_columns=(*FLOW_COLUMNS, *(name for name, _ in more)),
        works=works_of(paragraphs),
        facts=tuple(facts),
    )


def conditions_of(study: PromptedStudy, answered: Sequence[str]) -> Sequence[str]:
    """Return the conditions of a study; if its stimuli cannot be read, those with answers."""
    try:
        return taking_part(study, read_stimuli(study))
    except InputError:
        return sorted(answered)


def describe_registration(study: PromptedStudy, fixed: Fixed) -> str:
    """Return the hash under which a study was registered, and whether the study has changed."""
    registration = registration_of(study)
    if registration is None:
        return "no"
    name = f"{registration.sha256[:HASH_SHOWN]}"
    try:
        changed = registration.differences(study, fixed)
    except InputError:  # the stimuli cannot be read
        return name
    return f"{name}, changed since" if changed else f"{name}, unchanged"


@dataclass(frozen=True, kw_only=True)
class AskedQuestion(Block):
    """The question and its details.

    ``details``: names and values, such as criterion, prompt, ties and design.
    """

    template: ClassVar[str] = "asked.html"

    question: str
    details: tuple[tuple[str, str], ...] = ()
