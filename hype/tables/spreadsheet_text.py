"""Text that other programs would misread, written so that they take it for text; and CSV lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

MISSING_WORDS = frozenset({"NA", "<NA>", "N/A", "#N/A", "nan", "NaN", "NAN"})
"""How programs write a value that they do not have."""

NAMES_TAKEN_FOR_NOTHING = frozenset({"None", "null", "NULL", "n/a", "#NA"})
"""What some programs read as such, and what is a name to us: it could be one."""

_WORDS = "|".join(map(re.escape, sorted(MISSING_WORDS | NAMES_TAKEN_FOR_NOTHING)))

_MISREAD = re.compile(rf"'*(?:[=+\-@\t\r]|(?:{_WORDS})\Z)")


def guarded(text: str) -> str:
    return f"'{text}" if _MISREAD.match(text) else text


def unguarded(text: str) -> str:
    """Take off the apostrophe that `guarded` put on."""
    return text[1:] if text.startswith("'") and _MISREAD.match(text) else text


def without_missing_words(texts: Iterable[str], *, names: bool = False) -> list[str]:
    """Give nothing for what programs write where there is nothing, and all other text as it is.

    ``names``: whether a text could be a name, so that `NAMES_TAKEN_FOR_NOTHING` stay.
    """
    words = MISSING_WORDS if names else MISSING_WORDS | NAMES_TAKEN_FOR_NOTHING
    return ["" if text.strip() in words else text for text in texts]


def as_cell(value: object) -> object:
    """Give booleans the names that every program reads, and keep text from being a formula."""
    if isinstance(value, str):
        return guarded(value)
    return str(value).lower() if isinstance(value, bool) else value


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV, with LF line ends; names that could be formulas go out as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(as_cell, row) for row in rows)
    return text.getvalue()
