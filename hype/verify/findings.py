"""What verifying finds: faults and notes, each with a code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hype.files import shorten

NOTES: Final = frozenset(
    (
        *("session-broke-off", "trial-interrupted"),
        *("machine-suspended", "program-stopped", "clock-set", "let-in-again"),
        "left-out",
    )
)
"""Codes of what is good to know; all others are faults. docs/record.md says what each means."""

Problem = tuple[str, str]
"""A code, and what it is here."""


@dataclass(frozen=True, slots=True)
class Irregularity:
    """A problem, and the evaluator that it concerns.

    ``evaluator`` is None if it concerns several or nobody in particular, ``simulated`` if it
    concerns the file and not evaluators.
    """

    code: str
    message: str
    evaluator: str | None = None
    simulated: bool | None = None


def quote(value: object) -> str:
    """Write a cell of the record for a message: a file may hold what a terminal would obey."""
    text = "nothing" if value is None else str(value)
    return text if text.isprintable() and 0 < len(text) <= 100 else shorten(text)
