"""Answers cut into files: which go into one, and what files can be called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import groupby
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any, Final

from hype.session.outgoing import Cells, Exported


def label(text: str) -> str:
    """Keep the letters A to Z and a to z and the digits of a text, or give "x" if it has none."""
    return re.sub(r"[^A-Za-z0-9]", "", text) or "x"


def labels(texts: Iterable[str]) -> dict[str, str]:
    """Give each text a label of its own.

    A text that is its own label keeps it. Where two would have the same one, the later is numbered.
    """
    return unique(texts, label, lambda made, number: f"{made}x{number}")


def paths(names: Iterable[str]) -> dict[str, str]:
    """Give each path of an image one that every file system and every standard takes.

    Each character but letters, digits, ``.``, ``_`` and ``-`` becomes a ``-``, and none is the
    first of a path that a spreadsheet could take for a formula's.
    """
    return unique(names, plain_path, numbered_path)


def plain_path(path: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._/-]", "-", path)
    return plain if plain[0].isalnum() and not plain.startswith("stimuli/") else f"image{plain}"


def numbered_path(path: str, number: int) -> str:
    pure = PurePosixPath(path)
    return pure.with_name(f"{pure.stem}-{number}{pure.suffix}").as_posix()


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


def day(unix_s: float) -> str:
    return utc(unix_s)[:10]


ANSWER: Final = ("evaluator", "task", "block", "trial")

"""What names an answer. Its rows, where it has several, come one after the other."""


class Passing:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Answers that an evaluator gave one after the other in one session, in one task.

    The task goes by its name in files, and two that are mixed with one another have one name.
    """

    evaluator: str
    session: int
    task: str
    rows: Sequence[Cells]


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
        answers = [next(rows) for _, rows in groupby(piece.rows, name)]
        self.by_evaluator[piece.evaluator] += len(answers)
        self.by_session[piece.session] += len(answers)
        self.tasks[piece.task] += len(answers)
        excluded = columns.index("excluded")
        self.scored[piece.evaluator] += sum(not row[excluded] for row in answers)


def pieces(exported: Exported, tally: Tally, labels: Mapping[str, str]) -> Iterator[Piece]:
    """Cut answers into pieces, and count them.

    ``labels`` is what tasks are called in the names of files.
    """
    cells: Any = itemgetter(*map(exported.columns.index, KEY))

    def key(row: Cells) -> tuple[str, int, str]:
        evaluator, session, task = cells(row)
        return evaluator, session, labels[task]

    for (evaluator, session, task), rows in groupby(exported.rows, key):
        piece = Piece(evaluator=evaluator, session=session, task=task, rows=list(rows))
        tally.count(piece, exported.columns)
        yield piece
