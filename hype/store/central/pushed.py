"""What a push brought. It is known without loading what connects to a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hype.store.answers import ANSWER_TABLES

Progress = Callable[[int, int], None]
"""Called with the number of answers pushed so far, and of all that are to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What a push added to the store.

    Attributes
    ----------
    rows
        By the name of a table, how many rows were new.
    pending
        How many evaluators there was something to push of.
    contradicted
        By the code of an evaluator, how many answers were not taken, since the store has another
        answer to the same trial.
    """

    rows: Mapping[str, int]
    pending: int
    contradicted: Mapping[str, int]

    @property
    def trials(self) -> int:
        """How many answers to trials were new, of whatever kind."""
        return sum(self.rows.get(table.name, 0) for table in ANSWER_TABLES)


def tell_nobody(_done: int, _of: int) -> None:
    """Tell nobody how far a push is."""
