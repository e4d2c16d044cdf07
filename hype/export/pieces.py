"""Answers on their way into files: piece by piece, and counted as they pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from hype.session.outgoing import Cells, Exported

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
