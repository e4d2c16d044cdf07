"""What an export needs to know about a protocol's answers: columns, images, tables and texts.

The export formats use `ExportKind` and import no protocol. Each protocol declares the columns of
its answers in its own row classes.
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
"""The unit that an ending of a column's name stands for, as in ``rt_ms``."""
NUMERIC: Final = ((Boolean, Kind.FLAG), (Integer, Kind.WHOLE), (Float, Kind.SIGNED))
NUMBERS: Final = frozenset((CellType.WHOLE, CellType.NUMBER, CellType.NUMBERS))


@dataclass(frozen=True, slots=True)
class Fact:
    """A column of a table, and the function that makes its cells from rows of the record."""

    column: Column
    of: Callable[[Row[Any]], object]


def describe_columns(outgoing: Outgoing[Any], *names: str) -> tuple[Column, ...]:
    """Describe the exported columns of answers, or only those with the given names."""
    declared = outgoing.declare_columns()
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
    """Return the unit at the end of a column's name; empty if the column has no unit."""
    ending = column.name.rpartition("_")[2]
    return UNITS.get(ending, "") if column.kind.cell_type in NUMBERS else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImage:
    """An image of a trial: the columns of its path, its checksum and its place in BIDS."""

    path: str
    sha256: str
    place: Column


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWords:
    """Texts about a task: what evaluators did, and what they read before and during the trials.

    A name in braces stands for a value, which the screen showed instead.
    """

    description: str
    instructions: str


ImageKey = tuple[str, str, str]
"""What identifies an image: its path, its condition, its SHA-256."""


class Vote(NamedTuple):
    """One vote: which of two images is better.

    ``verdict`` is above 0 if ``one`` is better, below 0 if ``other`` is, and 0 for a tie. ``about``
    contains further columns of the pair.
    """

    prompt: str
    one: ImageKey
    other: ImageKey
    verdict: int
    about: tuple[object, ...] = ()


@dataclass(slots=True, kw_only=True)
class Ballot:
    """How often each evaluator gave each vote; only scored votes count."""

    by_evaluator: dict[object, Counter[Vote]] = field(default_factory=dict)
    # Further facts for the export, such as the number of answers behind the votes
    facts: dict[str, object] = field(default_factory=dict)

    def cast(self, evaluator: object, vote: Vote) -> None:
        self.by_evaluator.setdefault(evaluator, Counter())[vote] += 1

    def count_votes(self) -> Counter[Vote]:
        """Count how often each vote was given, over all evaluators."""
        together: Counter[Vote] = Counter()
        for votes in self.by_evaluator.values():
            together.update(votes)
        return together


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferredPairs:
    """How answers become votes on two images."""

    # Collects the votes of people or of simulated evaluators
    votes: Callable[[Engine, Any, bool], Ballot]
    # Further columns about a pair; `Vote.about` contains their values
    columns: tuple[Column, ...] = ()
    by_place: bool = True  # Whether `Vote.one` is the image that was first, or on the left.


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """The items that a study asks about, for automated judges."""

    rows: tuple[Cells, ...]
    columns: tuple[Column, ...]
    name: str  # What the rows are called, such as "images".
    asked: Mapping[str, object]  # The questions and the allowed answers.


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportKind:
    """The answers of a protocol, as exports need to know them."""

    outgoing: Outgoing[Any]  # Reads the answers for export.
    columns: tuple[Column, ...]  # The columns of an answer, in order.
    answered: Column  # The column with the number of answers, in the table of sessions.
    images: tuple[ShownImage, ...]  # The images of a trial.
    summary: str  # What was asked, in one or two sentences.
    reference: str  # The paper to cite; the text ends with its address.
    # Takes a study; returns the texts about each task, by the task's name in file names
    tasks: Callable[[Any], Mapping[str, TaskWords]]
    # Yields the columns of the table of evaluators, for people or for simulated evaluators
    people: Callable[[Connection, Any, Tally, bool], Iterable[Fact]]
    labels: Mapping[str, str]  # For each task: its name in file names.
    # Takes a study's settings; returns the questions, for the descriptions of exported files.
    asked: Callable[[Any], Mapping[str, str]] = lambda _settings: {}
    on_images: str = ""  # A sentence about the exported images, if needed.
    per_answer: str = "a row each"  # How many rows an answer has, in words.
    # How answers become votes on two images; None if images are shown one by one.
    pairs: PreferredPairs | None = None
    # The items for automated judges; None if there are none
    items: Callable[[Any], Items] | None = None
    # Yields a study's questions for `hype judge`, in two orders if several images are shown.
    # Questions about one item are consecutive; the first items are spread evenly over conditions.
    questions: Callable[[Any], Iterator[ImageQuestion]] = lambda _study: iter(())

    @property
    def name(self) -> str:
        return self.outgoing.name

    @property
    def link(self) -> str:
        return self.reference.rpartition(" ")[2]

    @property
    def raw(self) -> tuple[Table, ...]:
        """The tables of the record that are exported row by row."""
        answers = self.outgoing.answers.table
        return (studies, evaluators, demographics, sessions, answers, events, removals)


def only_image() -> ShownImage:
    return ShownImage(path="image", sha256="image_sha256", place=place_of("stim_file", "the image"))


def image_of(which: str, words: str) -> ShownImage:
    place = place_of(f"{which}_stim_file", words)
    return ShownImage(path=f"{which}_image", sha256=f"{which}_sha256", place=place)


def place_of(name: str, image: str) -> Column:
    meaning = f"path of {image} within stimuli/, written with plain characters"
    return Column(name, Kind.TEXT, meaning)


def label(text: str) -> str:
    """Keep only ASCII letters and digits of a text; return "x" if it has none."""
    return re.sub(r"[^A-Za-z0-9]", "", text) or "x"


def labels(texts: Iterable[str]) -> dict[str, str]:
    """Give each text a different label.

    A text of letters and digits stays the same. If a label is already taken, a number is added.
    """
    return unique(texts, label, lambda name, number: f"{name}x{number}")


def paths(names: Iterable[str]) -> dict[str, str]:
    """Map each path of an image to one that every file system and every standard allows.

    Only letters, digits, ``.``, ``_``, ``-`` and ``/`` stay; other characters become ``-``. The
    first character is a letter or a digit, so that no spreadsheet reads the path as a formula.
    """

    def make_plain(path: str) -> str:
        name = re.sub(r"[^A-Za-z0-9._/-]", "-", path)
        return name if name[0].isalnum() and not name.startswith("stimuli/") else f"image{name}"

    def add_number(path: str, number: int) -> str:
        pure = PurePosixPath(path)
        return pure.with_name(f"{pure.stem}-{number}{pure.suffix}").as_posix()

    return unique(names, make_plain, add_number)


def unique(
    texts: Iterable[str], make_name: Callable[[str], str], add_number: Callable[[str, int], str]
) -> dict[str, str]:
    """Make a different name for each text; add a number if another text already has the name."""
    wanted = list(dict.fromkeys(texts))
    names: dict[str, str] = {}
    taken: set[str] = set()
    for text in sorted(wanted, key=lambda one: make_name(one) != one):
        name, number = make_name(text), 1
        while name.lower() in taken:
            number += 1
            name = add_number(make_name(text), number)
        taken.add(name.lower())
        names[text] = name
    return {text: names[text] for text in wanted}


def utc(unix_s: float | None) -> str:
    """Write a time in UTC, to the millisecond; empty if it is None or not a possible date.

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
"""The columns that identify an answer. All rows of an answer are consecutive."""


class CountedRows:
    """Rows that can be read only once; ``rows`` and ``answers`` count what was read so far."""

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
"""An evaluator, a session, a task, and the rows of consecutive answers with these three.

The task has its name in file names; two tasks whose trials are mixed share one name.
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of answers: by evaluator (all, and scored ones), by session and by task."""

    by_evaluator: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    by_session: Counter[int] = field(default_factory=Counter)
    tasks: Counter[str] = field(default_factory=Counter)

    @property
    def answers(self) -> int:
        return self.by_evaluator.total()

    def count(self, piece: Piece, columns: Sequence[str]) -> None:
        """Count a piece's answers. If one row of an answer is excluded, all its rows are."""
        name: Any = itemgetter(*map(columns.index, ANSWER))
        evaluator, session, task, rows = piece
        answers = [next(own) for _, own in groupby(rows, name)]
        self.by_evaluator[evaluator] += len(answers)
        self.by_session[session] += len(answers)
        self.tasks[task] += len(answers)
        excluded = columns.index("excluded")
        self.scored[evaluator] += sum(not row[excluded] for row in answers)


def pieces(exported: Exported, tally: Tally, labels: Mapping[str, str]) -> Iterator[Piece]:
    """Split answers into pieces, and count the answers.

    ``labels``: for each task, its name in file names.
    """
    cells: Any = itemgetter(*map(exported.columns.index, KEY))

    def key(row: Cells) -> tuple[str, int, str]:
        evaluator, session, task = cells(row)
        return evaluator, session, labels[task]

    for (evaluator, session, task), rows in groupby(exported.rows, key):
        piece = (evaluator, session, task, list(rows))
        tally.count(piece, exported.columns)
        yield piece
