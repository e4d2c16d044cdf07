"""What a table holds, as a message repeats it: however long it is, the message can be read."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 60


def shortened(text: str, longest: int = LONGEST) -> str:
    """Give a text, or its beginning and a sign that it goes on."""
    return text if len(text) <= longest else f"{text[:longest]}…"
