"""What reports on comparisons, ratings and rankings share: the study, the question, a square."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from hype.errors import InputError
from hype.protocols.prompted.pools import taking_part
from hype.protocols.studies import PromptedStudy
from hype.registration import registration_of
from hype.report import wording
from hype.report.parts import SIMULATED, Background, Block
from hype.session.participation import Participation, participation, people_sentences, period
from hype.session.records import has_folder, reading, require_folder
from hype.stimuli.manifest import read_manifest
from hype.study.phrases import AnyTopic, Paragraph, Topic, works_of

if TYPE_CHECKING:
    from collections.abc import Mapping

FLOW_COLUMNS: Final = ("Evaluators", "Came", "Declined", "Unfinished", "Complete")
HASH_SHOWN: Final = 8
"""Letters of a hash at the head of the page, which has all of them further down."""


def background_of_prompted(
    study: PromptedStudy,
    describe: Callable[[Sequence[str]], Sequence[Paragraph]],
    *,
    seen: Sequence[str],
    simulated: bool,
    more: Sequence[tuple[str, int]] = (),
) -> Background:
    """Say what was run and on whom, from a study and its record.

    ``describe``: gives paragraphs on the study, from the names of its conditions. ``seen``: the
    conditions of the answers, for a study whose stimuli cannot be read. ``more``: further columns
    of the table on what became of those who came, each with its number.
    """
    with reading(study) as engine, engine.connect() as connection:
        people = participation(connection, simulated=simulated)
    described = describe(conditions_of(study, seen))
    paragraphs = true_paragraphs(described, people, simulated=simulated)
    return Background(
        design=((SIMULATED,) if simulated else ()) + tuple(one.text for one in paragraphs),
        people=people_sentences(people, simulated=simulated),
        flow=((*flow_row(people, simulated=simulated), *(number for _, number in more)),),
        flow_columns=(*FLOW_COLUMNS, *(name for name, _ in more)),
        works=works_of(paragraphs),
        facts=tuple(facts(study, people, simulated=simulated)),
    )


def flow_row(found: Participation, *, simulated: bool) -> tuple[str | int, ...]:
    whole = found.whole
    who = "simulated" if simulated else "people"
    return (who, whole.came, whole.declined, whole.active, whole.complete)


def true_paragraphs(
    paragraphs: Sequence[Paragraph], found: Participation, *, simulated: bool
) -> tuple[Paragraph, ...]:
    """Leave out what cannot be so of simulated evaluators."""
    untrue: set[AnyTopic] = {Topic.PAY} if simulated else set()
    if simulated and set(found.modes) <= {"simulated"}:
        untrue.add(Topic.DISPLAY)
    return tuple(one for one in paragraphs if one.topic not in untrue)


def conditions_of(study: PromptedStudy, answered: Sequence[str]) -> Sequence[str]:
    """Give what a study asks about; where its stimuli cannot be read, what was answered."""
    try:
        require_folder(study, "the list of conditions")
        return taking_part(study, read_manifest(study.stimuli_folder))
    except InputError:
        return sorted(answered)


def facts(
    study: PromptedStudy, found: Participation, *, simulated: bool
) -> Iterator[tuple[str, str]]:
    """Yield when it was, and what was fixed before."""
    if found.first and found.last:
        yield "Simulated" if simulated else "Collected", period(found.first, found.last)
    yield "Registered", registered_in_short(study)


def registered_in_short(study: PromptedStudy) -> str:
    """Say under which hash a study was registered, and whether it is still the same."""
    if not has_folder(study):
        return "not known here"
    registration = registration_of(study)
    if registration is None:
        return "no"
    name = f"{registration.sha256[:HASH_SHOWN]}"
    try:
        changed = registration.differences(study, images=False)
    except InputError:  # the stimuli are not at hand
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


SHADES: Final = 5
"""Steps of colour on either side of one half."""


def shade(share: float) -> str:
    """Give the class of a share, from 0 to 1."""
    return shade_class(round((share - 0.5) * 2 * SHADES))


def shade_class(at: int) -> str:
    """Give the class of a step, from minus `SHADES` to `SHADES`."""
    if not at:
        return "even"
    return f"{'over' if at > 0 else 'under'}-{abs(at)}"


def scale() -> tuple[str, ...]:
    return tuple(shade_class(at) for at in range(-SHADES, SHADES + 1))


MOST: Final = 40
"""Conditions; of more a square is neither read nor small."""
MOST_ROOMY: Final = 12
"""With more conditions than these a cell has room for a number only."""
MOST_SQUARE: Final = MOST * (MOST - 1) // 2
"""Pairs of so many conditions."""


@dataclass(frozen=True, kw_only=True)
class ShareCell:
    """A share of two conditions.

    ``share``, ``number``: in words, and of how many.
    """

    share: str
    number: str
    css_class: str
    bold: bool
    said: str


@dataclass(frozen=True, kw_only=True)
class ShareSquare(Block):
    """Shares by the two conditions.

    ``explained``: what a cell says, in a sentence or two. ``ends``: what the two ends of the
    colours are. ``names``: all conditions in the order of the ranking: of the rows and of the
    columns. ``rows``: each condition with one cell for each column: None on the diagonal, and where
    two never met.
    """

    template: ClassVar[str] = "share_square.html"

    key: str
    label: str
    explained: str
    ends: tuple[str, str]
    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ShareCell | None, ...]], ...]

    @property
    def roomy(self) -> bool:
        return len(self.names) <= MOST_ROOMY

    @property
    def scale(self) -> tuple[str, ...]:
        return scale()


def share_square(
    names: Sequence[str],
    cells: Mapping[tuple[str, str], ShareCell],
    *,
    key: str,
    label: str,
    explained: str,
    ends: tuple[str, str],
) -> ShareSquare | None:
    """Arrange cells by row and column; None where there are none, or too many conditions."""
    if not cells or len(names) > MOST:
        return None
    return ShareSquare(
        key=key,
        label=label,
        explained=explained,
        ends=ends,
        names=tuple(names),
        rows=tuple((a, tuple(cells.get((a, b)) for b in names)) for a in names),
    )


def no_square(conditions: int) -> str:
    """Say why there is none, where conditions are too many."""
    return (
        f"A square of {conditions:,} conditions would not be read; hype report --tables writes "
        "every pair."
    )


def share_cell(share: float, number: int, said: str, *, bold: bool = False) -> ShareCell:
    """Make a cell; `said` is a sentence in which ``{}`` stands for the share."""
    written = wording.number(100 * share, 0)
    return ShareCell(
        share=written,
        number=f"{number:,}",
        css_class=shade(share),
        bold=bold,
        said=f"{said}: {written}% of {number:,}" + (", separable" if bold else ""),
    )


SEPARABLE: Final = {True: "yes", False: "no"}
