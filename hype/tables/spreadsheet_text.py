"""Text that other programs would misread, written so that they take it for text.

A cell that begins with ``=``, ``+``, ``-`` or ``@`` is a formula to spreadsheets, and a table may
be opened in one by someone who trusts it. An apostrophe before it makes it text. The same
apostrophe keeps a name such as ``NA`` from being read as a missing value. Text that has such an
apostrophe of its own gets a second one, so that every text comes back as it was.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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

    Parameters
    ----------
    texts
        Without guards.
    names
        Whether a text could be a name, so that `NAMES_TAKEN_FOR_NOTHING` stay.
    """
    words = MISSING_WORDS if names else MISSING_WORDS | NAMES_TAKEN_FOR_NOTHING
    return ["" if text.strip() in words else text for text in texts]
