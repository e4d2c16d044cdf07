"""What a terminal would obey instead of showing it, and how it is written instead.

Names come from files of strangers: from study files, records, tables and the names of files.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

OBEYED: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f"
"""Control characters, but for the tabulator and the line feed, which lay text out."""
REORDERING: Final = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Characters that end a line, or turn the direction of what stands around them."""
IN_TEXTS: Final = re.compile(f"[{OBEYED}\u2028\u2029]")
"""What no text may hold. Those that turn a direction are needed where it is written both ways."""
IN_NAMES: Final = re.compile(f"[\t\n{OBEYED}{REORDERING}]")
"""What no name may hold."""
IN_ARGUMENTS: Final = re.compile(f"[{OBEYED}{REORDERING}]")
"""What no word of a command line may hold."""
ON_TERMINALS: Final = re.compile(f"[{OBEYED}{REORDERING}\ud800-\udfff]")
"""What does not get to a terminal. Surrogates stand for bytes that are no text."""


def printable(text: str) -> str:
    """Write what a terminal would obey as Python's `repr` does."""
    return ON_TERMINALS.sub(lambda found: ascii(found[0])[1:-1], text)


def printable_json(value: object, **layout: Any) -> str:
    """Write a value as JSON of which a terminal shows all; read again, it is the same value."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, **layout)
    return ON_TERMINALS.sub(lambda found: json.dumps(found[0])[1:-1], text)
