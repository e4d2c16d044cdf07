"""What an export needs to know of a kind of answers. Every format is written for this alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Table

from hype.export.columns import ExportedColumn
from hype.export.pieces import Tally
from hype.export.votes_by_pair import Ballot
from hype.protocols.studies import AnyStudy
from hype.session.outgoing import Cells, Outgoing

Told = Mapping[str, str]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferredPairs:
    """How answers become votes on two images.

    Attributes
    ----------
    votes
        Collects them, of people or of simulated evaluators.
    columns
        What is said of a pair beside its images and votes: `Vote.about`.
    """

    votes: Callable[[Engine, Any, bool], Ballot]
    columns: tuple[ExportedColumn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """What a study asks about, for judges who are no people.

    Attributes
    ----------
    rows, columns
        The table, and what it holds.
    name
        What the rows are.
    asked
        What is to be answered, and how.
    """

    rows: tuple[Cells, ...]
    columns: tuple[ExportedColumn, ...]
    name: str
    asked: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportKind:
    """A kind of answers.

    Attributes
    ----------
    outgoing
        How they leave a study, and what they are called.
    columns
        Those of an answer, in the order in which they go out.
    answered
        In the table of sessions, how many answers there were.
    images
        The images of a trial.
    raw
        The tables of the record that go along row by row.
    summary, reference, link
        What they are, after whom, and where to read it.
    asked
        From a study's settings to what was asked, for the description of any file.
    tasks
        From a study's settings to its tasks in words, by their names in files.
    people
        Makes the table of evaluators of people, or of simulated evaluators.
    on_images
        What else is to be known of the images that go along; or nothing.
    per_answer
        How an answer stands in a table.
    pairs
        How often which of two images was preferred; None where images are seen one by one.
    items
        What a judge who is no person would be asked about; None where there is no such thing.
    """

    outgoing: Outgoing[Any]
    columns: tuple[ExportedColumn, ...]
    answered: ExportedColumn
    images: tuple[ShownImage, ...]
    raw: tuple[Table, ...]
    summary: str
    reference: str
    link: str
    asked: Callable[[Any], Told]
    tasks: Callable[[Any], Mapping[str, TaskWords]]
    people: Callable[[Connection, Any, Tally, bool], PeopleTable]
    on_images: str = ""
    per_answer: str = "a row each"
    pairs: PreferredPairs | None = None
    items: Callable[[Any], Items] | None = None

    @property
    def name(self) -> str:
        return self.outgoing.name

    def asked_in(self, study: AnyStudy) -> Told:
        return self.asked(study.settings)
