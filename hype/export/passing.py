"""Rows on their way into a table, counted as they pass."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Any, Final

from hype.sessions.outgoing import Exported, Row

ANSWER: Final = ("evaluator", "task", "block", "trial")
"""What names an answer. Its rows, where it has several, come one after the other."""


class Passing:
    """Rows, to be read once; ``rows`` and ``answers`` count those that have passed."""

    def __init__(self, exported: Exported) -> None:
        self.columns = exported.columns
        self.rows = 0
        self.answers = 0
        self._coming = exported.rows

    def __iter__(self) -> Iterator[Row]:
        name: Any = itemgetter(*map(self.columns.index, ANSWER))
        before: object = None
        for row in self._coming:
            self.rows += 1
            self.answers += (own := name(row)) != before
            before = own
            yield row
