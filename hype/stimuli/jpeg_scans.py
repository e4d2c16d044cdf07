"""How often a JPEG goes over its pixels."""

from __future__ import annotations

import re
from typing import Final

_MARKER: Final = re.compile(rb"\xff+([\x01-\xcf\xd8-\xfe])")
"""A marker that can end a scan: behind 0xff in a scan's data stands 0, or a restart's number."""
_END: Final = b"\xd9"
_SCAN: Final = b"\xda"
_BARE: Final = (b"\x01", b"\xd8")
"""Markers without a length and what is that long."""


def scans(content: bytes) -> int:
    """Count the scans of a JPEG's first image.

    What its segments hold (a small picture of it, say) is passed over, and so is what follows its
    end (a second picture, a film).
    """
    number, place = 0, 2
    while (found := _MARKER.search(content, place)) and found[1] != _END:
        number += found[1] == _SCAN
        place = found.end()
        if found[1] not in _BARE:
            place += int.from_bytes(content[place : place + 2], "big")
    return number
