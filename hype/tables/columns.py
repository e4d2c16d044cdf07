"""How a column of a table of answers is declared: name, meaning, what its cells may hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What the cells of a column may hold; the value is how a message says it."""

    LABEL = "a printable name"
    KIND = "real or fake"
    TASK = "practice, qualification, time, infinity or catch"
    FLAG = "true or false"
    VERDICT = "ok, late, dropped, seen or nothing"
    WHOLE = "a whole number, 0 or more"
    COUNT = "a whole number, 1 or more"
    POSITIVE = "a number above 0"
    NUMBER = "a number, 0 or more"
    NUMBERS = "numbers, 0 or more, separated by spaces"

    @property
    def is_number(self) -> bool:
        """Whether each cell is one number, so that a column of them becomes one of floats."""
        return self in {Kind.WHOLE, Kind.COUNT, Kind.POSITIVE, Kind.NUMBER}

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it lists, where a cell may hold nothing else."""
        return tuple(re.split(", | or ", self.value))

    @property
    def is_text(self) -> bool:
        return not self.is_number and self is not Kind.FLAG


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table of answers."""

    name: str
    kind: Kind
    meaning: str
    required: bool = False
    gaps: bool = False
    """Whether a single cell may be empty. An optional column that is empty from top to bottom
    always counts as absent."""
