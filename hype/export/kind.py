"""What an export needs to know of a kind of answers: their columns, images, votes and tables.

Every format is written for this alone. Columns are declared in `hype.store`, and those that the
study file adds in the module `exclusion` of each protocol; nothing is declared here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from sqlalchemy import Boolean, Column, Connection, Engine, Float, Integer, Table

from hype.export.pieces import Tally
from hype.session.outgoing import Cells, Outgoing
from hype.store.schema import demographics, evaluators, events, removals, sessions, studies
from hype.study.studies import AnyStudy
from hype.tables.columns import CellType

UNITS: Final = ("ms", "s")
"""A column that has one ends in it."""
NUMERIC: Final = ((Boolean, CellType.FLAG), (Integer, CellType.WHOLE), (Float, CellType.NUMBER))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedColumn:
    """One column."""

    # name, meaning, kind: what it is called, what it says, and what its cells are
    name: str
    meaning: str
    kind: CellType
    unit: str = ""  # of its numbers; empty where they have none
    # Each value that it can have, and what that means; empty where the values are open
    levels: Mapping[str, str] = field(default_factory=dict)
    gaps: bool = False  # whether a cell may be empty


def documented_columns(outgoing: Outgoing[Any]) -> tuple[ExportedColumn, ...]:
    return tuple(documented(name, source) for name, source in outgoing.declared().items())


def never_empty(column: ExportedColumn) -> ExportedColumn:
    """Describe a column that could be empty in a record, and is not where this one is."""
    return replace(column, gaps=False)


def documented(name: str, source: Column[Any]) -> ExportedColumn:
    ending = name.rpartition("_")[2]
    return ExportedColumn(
        name=name,
        meaning=str(source.comment),
        kind=kind_of(source),
        unit=ending if ending in UNITS else "",
        levels=source.info.get("levels", {}),
        gaps=bool(source.nullable or source.info.get("blank")),
    )


def kind_of(source: Column[Any]) -> CellType:
    if source.info.get("numbers"):
        return CellType.NUMBERS
    kinds = (kind for declared, kind in NUMERIC if isinstance(source.type, declared))
    return next(kinds, CellType.TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImage:
    """An image of a trial: the columns of its path and checksum, and of where it lies in BIDS."""

    path: str
    sha256: str
    place: ExportedColumn


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWords:
    """A task in words: what was done, and what evaluators read before and with each trial.

    Names in braces were filled in on the screen.
    """

    description: str
    instructions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleTable:
    """Who came, those who answered nothing too, in the order of their arrival."""

    columns: tuple[ExportedColumn, ...]
    rows: tuple[Cells, ...]


Seen = tuple[str, str, str]
"""An image as an answer names it: its path, its condition, its SHA-256."""


class Vote(NamedTuple):
    """One answer to which of two images is better.

    ``verdict`` is above 0 where the one is, below 0 where the other is, and 0 for a tie. ``about``
    is what else is said of the pair.
    """

    prompt: str
    one: Seen
    other: Seen
    verdict: int
    about: tuple[object, ...] = ()


@dataclass(slots=True, kw_only=True)
class Ballot:
    """Votes that are scored, by who voted; those of a person that are alike are counted."""

    by_evaluator: dict[object, Counter[Vote]] = field(default_factory=dict)
    # What else is to be known of them, such as how many answers they are made of
    told: dict[str, object] = field(default_factory=dict)

    def cast(self, evaluator: object, vote: Vote) -> None:
        self.by_evaluator.setdefault(evaluator, Counter())[vote] += 1

    def alike(self) -> Counter[Vote]:
        """Count how often each vote was given, by whomever."""
        together: Counter[Vote] = Counter()
        for votes in self.by_evaluator.values():
            together.update(votes)
        return together


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferredPairs:
    """How answers become votes on two images."""

    # Collects them, of people or of simulated evaluators
    votes: Callable[[Engine, Any, bool], Ballot]
    # What is said of a pair beside its images and votes: `Vote.about`
    columns: tuple[ExportedColumn, ...] = ()
    by_place: bool = True  # whether the one stood first, or on the left


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """What a study asks about, for judges who are no people."""

    # rows, columns: the table, and what it holds
    rows: tuple[Cells, ...]
    columns: tuple[ExportedColumn, ...]
    name: str  # what the rows are
    asked: Mapping[str, object]  # what is to be answered, and how


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportKind:
    """A kind of answers."""

    outgoing: Outgoing[Any]  # how they leave a study, and what they are called
    columns: tuple[ExportedColumn, ...]  # those of an answer, in the order in which they go out
    answered: ExportedColumn  # in the table of sessions, how many answers there were
    images: tuple[ShownImage, ...]  # the images of a trial
    raw: tuple[Table, ...]  # the tables of the record that go along row by row
    # summary, reference, link: what they are, after whom, and where to read it
    summary: str
    reference: str
    link: str
    # From a study's settings to what was asked, for the description of any file
    asked: Callable[[Any], Mapping[str, str]]
    # From a study's settings to its tasks in words, by their names in files
    tasks: Callable[[Any], Mapping[str, TaskWords]]
    # Makes the table of evaluators of people, or of simulated evaluators
    people: Callable[[Connection, Any, Tally, bool], PeopleTable]
    labels: Mapping[str, str]  # what each task is called in the names of files
    on_images: str = ""  # what else is to be known of the images that go along; or nothing
    per_answer: str = "a row each"  # how an answer stands in a table
    # How often which of two images was preferred; None where images are seen one by one
    pairs: PreferredPairs | None = None
    # What a judge who is no person would be asked about; None where there is no such thing
    items: Callable[[Any], Items] | None = None

    @property
    def name(self) -> str:
        return self.outgoing.name

    def asked_in(self, study: AnyStudy) -> Mapping[str, str]:
        return self.asked(study.settings)


def only_image() -> ShownImage:
    return ShownImage(path="image", sha256="image_sha256", place=place_of("stim_file", "the image"))


def image_of(which: str, words: str) -> ShownImage:
    place = place_of(f"{which}_stim_file", words)
    return ShownImage(path=f"{which}_image", sha256=f"{which}_sha256", place=place)


def place_of(name: str, image: str) -> ExportedColumn:
    return ExportedColumn(
        name=name,
        meaning=f"the place under stimuli/ of {image}: its path, written with plain characters",
        kind=CellType.TEXT,
    )


def raw_with(answers: Table) -> tuple[Table, ...]:
    return (studies, evaluators, demographics, sessions, answers, events, removals)
