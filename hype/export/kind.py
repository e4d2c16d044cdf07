"""What an export needs to know of a kind of answers: columns, images, tables, and files.

Every format is written for this alone. Columns are declared in `hype.store`, and those that the
study file adds in the module `exclusion` of each protocol; nothing is declared here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import groupby
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

import sqlalchemy
from sqlalchemy import Boolean, Connection, Engine, Float, Integer, Row, Table

from hype.asking.questions import ImageQuestion
from hype.session.outgoing import Cells, Exported, Outgoing
from hype.store.schema import demographics, evaluators, events, removals, sessions, studies
from hype.tables.columns import CellType, Column, Kind

UNITS: Final = {"ms": "ms", "s": "s", "hz": "Hz"}
"""Units by the ending of a column's name."""
NUMERIC: Final = ((Boolean, Kind.FLAG), (Integer, Kind.WHOLE), (Float, Kind.SIGNED))
NUMBERS: Final = frozenset((CellType.WHOLE, CellType.NUMBER, CellType.NUMBERS))


@dataclass(frozen=True, slots=True)
class Fact:
    """A column of a table, and the function that makes its cell from a row of the record."""

    column: Column
    of: Callable[[Row[Any]], object]


def describe_columns(outgoing: Outgoing[Any], *names: str) -> tuple[Column, ...]:
    """Describe the columns of answers as they go out, or only those with the given names."""
    declared = outgoing.declared()
    return tuple(describe_column(name, declared[name]) for name in names or declared)


def describe_column(name: str, source: sqlalchemy.Column[Any]) -> Column:
    kinds = (kind for declared, kind in NUMERIC if isinstance(source.type, declared))
    return Column(
        name=name,
        kind=Kind.NUMBERS if source.info.get("numbers") else next(kinds, Kind.TEXT),
        meaning=str(source.comment),
        levels=source.info.get("levels", {}),
        null=bool(source.nullable or source.info.get("blank")),
    )


def unit_of(column: Column) -> str:
    """Return the unit of a column of numbers, which ends its name; empty if it has none."""
    ending = column.name.rpartition("_")[2]
    return UNITS.get(ending, "") if column.kind.cell_type in NUMBERS else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImage:
    """An image of a trial: the columns of its path and checksum, and of where it lies in BIDS."""

    path: str
    sha256: str
    place: Column


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWords:
    """A task in words: what was done, and what evaluators read before and with each trial.

    Names in braces were filled in on the screen.
    """

    description: str
    instructions: str


ImageKey = tuple[str, str, str]
"""An image as an answer names it: its path, its condition, its SHA-256."""


class Vote(NamedTuple):
    """One answer to which of two images is better.

    ``verdict`` is above 0 where the one is, below 0 where the other is, and 0 for a tie. ``about``
    is what else is said of the pair.
    """

    prompt: str
    one: ImageKey
    other: ImageKey
    verdict: int
    about: tuple[object, ...] = ()


@dataclass(slots=True, kw_only=True)
class Ballot:
    """Votes that are scored, by who voted; those of a person that are alike are counted."""

    by_evaluator: dict[object, Counter[Vote]] = field(default_factory=dict)
    # What else is to be known of them, such as how many answers they are made of
    facts: dict[str, object] = field(default_factory=dict)

    def cast(self, evaluator: object, vote: Vote) -> None:
        self.by_evaluator.setdefault(evaluator, Counter())[vote] += 1

    def alike(self) -> Counter[Vote]:
        """Count how often each vote was given, over all evaluators."""
        together: Counter[Vote] = Counter()
        for votes in self.by_evaluator.values():
            together.update(votes)
        return together


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferredPairs:
    """How answers become votes on two images."""

    # Collects them, of people or of simulated evaluators
    votes: Callable[[Engine, Any, bool], Ballot]
    # Columns about a pair besides its images and votes: `Vote.about`
    columns: tuple[Column, ...] = ()
    by_place: bool = True  # whether the one stood first, or on the left


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """What a study asks about, for automated judges."""

    # rows, columns: the table, and what it holds
    rows: tuple[Cells, ...]
    columns: tuple[Column, ...]
    name: str  # what the rows are
    asked: Mapping[str, object]  # what is to be answered, and how


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportKind:
    """A kind of answers."""

    outgoing: Outgoing[Any]  # how they leave a study, and their name
    columns: tuple[Column, ...]  # those of an answer, in the order in which they go out
    answered: Column  # in the table of sessions, how many answers there were
    images: tuple[ShownImage, ...]  # the images of a trial
    # summary, reference: what they are, and after whom; the reference ends with its address
    summary: str
    reference: str
    # From a study's settings to its tasks in words, by their names in files
    tasks: Callable[[Any], Mapping[str, TaskWords]]
    # Gives the table of evaluators column by column, of people or of simulated evaluators
    people: Callable[[Connection, Any, Tally, bool], Iterable[Fact]]
    labels: Mapping[str, str]  # what each task is called in the names of files
    # From a study's settings to what was asked, for the description of any file
    asked: Callable[[Any], Mapping[str, str]] = lambda _settings: {}
    on_images: str = ""  # what else is to be known of the images that go along; or nothing
    per_answer: str = "a row each"  # how an answer stands in a table
    # How often each of two images was preferred; None if images are seen one by one
    pairs: PreferredPairs | None = None
    # What an automated judge would be asked about; None if there is no such thing
    items: Callable[[Any], Items] | None = None
    # From a study to what it asks of a judge that is a program: each question in every order of
    # the images, those about one item together, the first ones spread evenly over conditions
    questions: Callable[[Any], Iterator[ImageQuestion]] = lambda _study: iter(())

    @property
    def name(self) -> str:
        return self.outgoing.name

    @property
    def link(self) -> str:
        return self.reference.rpartition(" ")[2]

    @property
    def raw(self) -> tuple[Table, ...]:
        """The tables of the record that go along row by row."""
        answers = self.outgoing.answers.table
        return (studies, evaluators, demographics, sessions, answers, events, removals)


def only_image() -> ShownImage:
    return ShownImage(path="image", sha256="image_sha256", place=place_of("stim_file", "the image"))


def image_of(which: str, words: str) -> ShownImage:
    place = place_of(f"{which}_stim_file", words)
    return ShownImage(path=f"{which}_image", sha256=f"{which}_sha256", place=place)


def place_of(name: str, image: str) -> Column:
    meaning = f"the place under stimuli/ of {image}: its path, written with plain characters"
    return Column(name, Kind.TEXT, meaning)


def label(text: str) -> str:
    """Keep the letters A to Z and a to z and the digits of a text, or give "x" if it has none."""
    return re.sub(r"[^A-Za-z0-9]", "", text) or "x"


def labels(texts: Iterable[str]) -> dict[str, str]:
    """Give each text a label of its own.

    A text that is its own label keeps it. Where two would have the same one, the later is numbered.
    """
    return unique(texts, label, lambda made, number: f"{made}x{number}")


def paths(names: Iterable[str]) -> dict[str, str]:
    """Map each path of an image to one that every file system and every standard allows.

    Each character but letters, digits, ``.``, ``_`` and ``-`` becomes a ``-``, and none is the
    first of a path that a spreadsheet could take for a formula's.
    """

    def plain(path: str) -> str:
        made = re.sub(r"[^A-Za-z0-9._/-]", "-", path)
        return made if made[0].isalnum() and not made.startswith("stimuli/") else f"image{made}"

    def numbered(path: str, number: int) -> str:
        pure = PurePosixPath(path)
        return pure.with_name(f"{pure.stem}-{number}{pure.suffix}").as_posix()

    return unique(names, plain, numbered)


def unique(
    texts: Iterable[str], made: Callable[[str], str], numbered: Callable[[str, int], str]
) -> dict[str, str]:
    """Make a name of each text, and number those that are taken already."""
    wanted = list(dict.fromkeys(texts))
    names: dict[str, str] = {}
    taken: set[str] = set()
    for text in sorted(wanted, key=lambda one: made(one) != one):
        name, number = made(text), 1
        while name.lower() in taken:
            number += 1
            name = numbered(made(text), number)
        taken.add(name.lower())
        names[text] = name
    return {text: names[text] for text in wanted}


def utc(unix_s: float | None) -> str:
    """Write a moment in UTC, to the millisecond; nothing if there is none, or no calendar has it.

    >>> utc(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    try:
        moment = datetime.fromtimestamp(unix_s or 0.0, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return ""
    written = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return "" if unix_s is None else written


ANSWER: Final = ("evaluator", "task", "block", "trial")

"""What names an answer. Its rows, where it has several, come one after the other."""


class CountedRows:
    """Rows, to be read once; ``rows`` and ``answers`` count those that have passed."""

    def __init__(self, exported: Exported) -> None:
        self.columns = exported.columns
        self.rows = 0
        self.answers = 0
        self._coming = exported.rows

    def __iter__(self) -> Iterator[Cells]:
        name: Any = itemgetter(*map(self.columns.index, ANSWER))
        before: object = None
        for row in self._coming:
            self.rows += 1
            self.answers += (own := name(row)) != before
            before = own
            yield row


KEY: Final = ("evaluator", "session", "task")


Piece = tuple[str, int, str, list[Cells]]
"""Answers that an evaluator gave one after the other in one session, in one task, and these.

The task goes by its name in files, and two that are mixed with one another have one name.
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many answers have passed: by evaluator, those that are scored, by session, by task."""

    by_evaluator: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    by_session: Counter[int] = field(default_factory=Counter)
    tasks: Counter[str] = field(default_factory=Counter)

    @property
    def answers(self) -> int:
        return self.by_evaluator.total()

    def count(self, piece: Piece, columns: Sequence[str]) -> None:
        """Count a piece in. An answer of several rows has one reason in all of them."""
        name: Any = itemgetter(*map(columns.index, ANSWER))
        evaluator, session, task, rows = piece
        answers = [next(own) for _, own in groupby(rows, name)]
        self.by_evaluator[evaluator] += len(answers)
        self.by_session[session] += len(answers)
        self.tasks[task] += len(answers)
        excluded = columns.index("excluded")
        self.scored[evaluator] += sum(not row[excluded] for row in answers)


def pieces(exported: Exported, tally: Tally, labels: Mapping[str, str]) -> Iterator[Piece]:
    """Cut answers into pieces, and count them.

    ``labels`` is what tasks are called in the names of files.
    """
    cells: Any = itemgetter(*map(exported.columns.index, KEY))

    def key(row: Cells) -> tuple[str, int, str]:
        evaluator, session, task = cells(row)
        return evaluator, session, labels[task]

    for (evaluator, session, task), rows in groupby(exported.rows, key):
        piece = (evaluator, session, task, list(rows))
        tally.count(piece, exported.columns)
        yield piece
