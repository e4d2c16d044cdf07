"""What an export needs to know of a kind of answers. Every format is written for this alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table

from hype.export.columns import ExportedColumn
from hype.export.pieces import Tally
from hype.sessions.outgoing import Outgoing, Row
from hype.study.studies import AnyStudy

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
    rows: tuple[Row, ...]


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

    @property
    def name(self) -> str:
        """What the answers are called."""
        return self.outgoing.name

    def asked_in(self, study: AnyStudy) -> Told:
        """Say what was asked in a study."""
        return self.asked(study.settings)
