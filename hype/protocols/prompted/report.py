"""What reports on comparisons, ratings and rankings share: their page, the study, squares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Final

from hype.answers.sources import LoadedAnswers
from hype.errors import InputError
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedStudy
from hype.protocols.prompted.tables import by_reason, choose_pairs
from hype.registration import Fixed, registration_of
from hype.report.figures.drawing import Drawing
from hype.report.groups import group_sections, groups_in_words
from hype.report.methods import methods_of, true_of, works_of
from hype.report.page import PageFigure, ReportPage, excluded_by_reason, page_figure, write_page
from hype.report.parts import (
    SIMULATED,
    Background,
    Block,
    Fact,
    Folded,
    Paragraph,
    Part,
    PartMaker,
    Pictured,
    Places,
    Section,
    ShareSquare,
    gathered,
    heading,
    no_picture,
    no_square,
)
from hype.report.tabular import Table
from hype.session.facts import ANALYSIS, versions
from hype.session.materials import read_stimuli
from hype.session.outgoing import reading
from hype.session.participation import (
    participation,
    people_sentences,
    period,
    statements_in_words,
)
from hype.statistics.cells import GroupScores
from hype.stimuli.images import pictures_in
from hype.stimuli.manifest import Stimuli
from hype.study.demographics import DemographicSettings


@dataclass(frozen=True, kw_only=True)
class PageContext:
    """What a page says besides results: their source, the people, what was asked and fixed.

    ``provenance``: what the figures come from (study, seed, versions, software), in the order in
    which it is shown. ``background``: None for tables from elsewhere. ``pictured``: gives an image,
    by its name, as a ``data:`` address with its width and height in px; None if it has none.
    ``grouped``: scores by group.
    """

    title: str
    provenance: Mapping[str, str]
    background: Background | None = None
    asked: Block | None = None
    registered: Sequence[str] = ()
    pictured: Pictured = no_picture
    grouped: tuple[GroupScores, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PromptedReport(ABC):
    """Answers that were scored, and what a report makes of them.

    ``eyebrow`` stands small above the heading; ``answers`` is what they are called, in a sentence
    and in a ``title``. ``part`` makes parts of the page, which stand where ``places`` says.
    ``styles``: templates of style rules that the page needs besides those of every page.
    """

    eyebrow: ClassVar[str]
    answers: ClassVar[str]
    styles: ClassVar[tuple[str, ...]] = ("comparison.css",)
    title: ClassVar[str]
    part: ClassVar[PartMaker]
    places: ClassVar[Places]

    score: Any
    context: PageContext

    @property
    def simulated(self) -> bool:
        return bool(self.score.simulated)

    def drawings(self) -> Sequence[Drawing]:
        """Prepare every figure."""
        return ()

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """Lay out every table."""

    @property
    @abstractmethod
    def meaning(self) -> str:
        """What the answers say, in a sentence or two."""

    @abstractmethod
    def parts(self, figures: Iterable[PageFigure]) -> Iterable[Part]:
        """Yield the parts of the page; their places order them."""

    def section(self, figures: Iterable[PageFigure]) -> Section:
        parts = [*self.parts(figures)]
        if registered := self.context.registered:
            parts.append(self.part("registered", sentences=registered))
        key = self.part.protocol
        return Section(
            key=key,
            title=heading(self.title),
            meaning=self.meaning,
            parts=gathered(parts, key, self.places),
        )

    @abstractmethod
    def facts(self) -> Iterable[Fact]:
        """Yield the main results, and the number of answers."""

    def left_out(self) -> Table:
        """Lay out what was not scored."""
        return by_reason(self.score.exclusions, self.answers)

    @abstractmethod
    def methods(self, parts: frozenset[str]) -> Sequence[Paragraph]:
        """Write the paragraphs on the statistics, for a page with these parts."""

    def write_page(self, path: Path) -> Path:
        """Write the page, which appears whole or not at all. The same input gives the same bytes.

        Raises InputError: ``path`` cannot be written.
        """
        context = self.context
        section = self.section(map(page_figure, self.drawings()))
        page = ReportPage(
            title=context.title,
            eyebrow=self.eyebrow,
            simulated=self.simulated,
            facts=(*self.facts(), *(context.background.facts if context.background else ())),
            background=context.background,
            sections=(section, *group_sections(context.grouped)),
            excluded=excluded_by_reason(
                self.left_out(), f"Nothing was excluded: all {self.answers} were scored."
            ),
            methods=methods_of(
                (
                    *self.methods(frozenset(part.key for part in section.parts)),
                    *groups_in_words(context.grouped),
                ),
                background=context.background,
                programs=context.provenance,
            ),
            provenance=dict(context.provenance),
            styles=self.styles,
        )
        return write_page(page, path)


def pair_parts(
    part: PartMaker,
    score: Any,
    square: ShareSquare | None,
    table: Callable[[Sequence[Any]], Table],
    sentences: Iterable[str],
    further: Iterable[Block] = (),
) -> Iterator[Part]:
    """Show win rates as a square, and pairs behind it in a table; nothing without pairs."""
    if not score.pairs:
        return
    some = choose_pairs(score)
    every = len(some) == len(score.pairs)
    summary = "Every pair in a table" if every else "Each condition and the next one, in a table"
    yield part(
        "pairs",
        sentences=(*sentences, *([] if square else [no_square(len(score.conditions))])),
        blocks=(
            *([square] if square else []),
            Folded(summary=summary, table=table(some)),
            *further,
        ),
    )


@dataclass(frozen=True, kw_only=True)
class StudyWords:
    """How a study of a protocol is put into words.

    ``asked``: gives what was asked, of a study. ``described``: gives paragraphs on a study, of its
    settings and the names of its conditions. ``fixed``: what a registration fixes. ``drawn``: what
    simulated answers were drawn from.
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
    seen: Sequence[str],
    *,
    simulated: bool,
    more: Sequence[tuple[str, int]] = (),
    questions: Callable[[Any], Mapping[str, DemographicSettings]] = attrgetter("demographics"),
    stimuli: Stimuli | None = None,
    images: Iterable[str] | None = None,
) -> PageContext:
    """Collect where answers are from and what was asked.

    ``seen``: the conditions of the answers, for a study whose stimuli cannot be read. ``more``:
    further columns of the participation table, each with its number.
    ``questions``: gives the questions about evaluators that are summed up. ``images`` of
    ``stimuli``, which are a study's where nothing is said, are pictured.
    """
    study = answers.study
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
        pictured=no_picture if images is None else pictures_in(stimuli or answers.stimuli, images),
        grouped=answers.grouped,
    )


def evaluators_fact(score: Any) -> Iterator[Fact]:
    """State how many evaluators gave answers, if known."""
    if score.evaluators is not None:
        yield "Simulated evaluators" if score.simulated else "Evaluators", f"{score.evaluators:,}"


FLOW_COLUMNS: Final = ("Evaluators", "Came", "Declined", "Unfinished", "Complete")
HASH_SHOWN: Final = 8
"""Letters of a hash at the head of the page, which has all of them further down."""


def background_of(
    study: PromptedStudy,
    words: StudyWords,
    seen: Sequence[str],
    *,
    simulated: bool,
    more: Sequence[tuple[str, int]],
    questions: Mapping[str, DemographicSettings],
) -> Background:
    """Describe what was run and on whom, from a study and its record; as in `page_context`."""
    with reading(study) as engine, engine.connect() as connection:
        people = participation(connection, simulated=simulated)
        about = statements_in_words(connection, questions, simulated=simulated)
    whole, who = people.whole, "simulated" if simulated else "people"
    more = (*((name, number) for name, number in whole.rare.items() if number), *more)
    flow = (who, whole.came, whole.declined, whole.active, whole.complete)
    described = words.design(study, conditions_of(study, seen))
    paragraphs = true_of(described, people.modes, simulated=simulated)
    facts = [("Registered", registered_in_short(study, words.fixed))]
    if people.first and people.last:
        collected = "Simulated" if simulated else "Collected"
        facts.insert(0, (collected, period(people.first, people.last)))
    return Background(
        design=((SIMULATED,) if simulated else ())
        + tuple(paragraph.text for paragraph in paragraphs),
        people=people_sentences(people, words.drawn, simulated=simulated),
        about=about,
        flow=((*flow, *(number for _, number in more)),),
        flow_columns=(*FLOW_COLUMNS, *(name for name, _ in more)),
        works=works_of(paragraphs),
        facts=tuple(facts),
    )


def conditions_of(study: PromptedStudy, answered: Sequence[str]) -> Sequence[str]:
    """Give what a study asks about; where its stimuli cannot be read, what was answered."""
    try:
        return taking_part(study, read_stimuli(study))
    except InputError:
        return sorted(answered)


def registered_in_short(study: PromptedStudy, fixed: Fixed) -> str:
    """State the hash under which a study was registered, and whether it is unchanged."""
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
    """The question, and what stood around it.

    ``details``: names and values: the criterion, the prompt, ties, the design.
    """

    template: ClassVar[str] = "asked.html"

    question: str
    details: tuple[tuple[str, str], ...] = ()
