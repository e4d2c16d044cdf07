"""Which key of this keyboard a name means: the one that has it printed on it.

PsychoPy names keys by where they lie on an American keyboard. On a German one it calls the key Z
"y", and on a French one A "q"; for ä, é or я it has no name at all. So a character is looked for in
the keyboard layout that the X server uses, and all other keys are known by where they lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

CHARACTERS: Final = MappingProxyType(
    {"comma": ",", "period": ".", "slash": "/", "semicolon": ";", "minus": "-"}
)
"""Keys that have a name although they stand for a character."""
CHARSETS: Final = MappingProxyType(
    {
        0x00: "latin-1",
        0x01: "iso8859-2",
        0x02: "iso8859-3",
        0x03: "iso8859-4",
        0x05: "iso8859-6",
        0x06: "koi8-u",
        0x07: "iso8859-7",
        0x0C: "iso8859-8",
        0x0D: "tis-620",
        0x12: "iso8859-14",
        0x13: "iso8859-15",
    }
)
"""X11's older keysyms are a character of one of these; the byte before says of which."""
UNICODE: Final = 0x0100_0000
"""Added to a character in the newer ones."""
FROM_X: Final = 1
"""What psychtoolbox, and so PsychoPy, adds to the X server's numbers of keys."""
LEVELS: Final = (0, 2, 1, 3)
"""A key's characters by how near they are: as it is, in the second layout, and with shift."""


def character_of(keysym: int) -> str:
    """Give the character of a keysym; nothing where it stands for none."""
    if keysym & ~0x00FF_FFFF == UNICODE:
        return chr(keysym - UNICODE)
    charset = CHARSETS.get(keysym >> 8)
    if charset is None or not keysym & 0xFF:
        return ""
    return bytes([keysym & 0xFF]).decode(charset, errors="ignore")


class Keymap:
    """Finds the keys of a keyboard by their names.

    Parameters
    ----------
    places
        PsychoPy's names of keys, by its numbers of them.
    layout
        The X server's keysyms of each key, by its numbers of them; empty where it is not known.
    """

    def __init__(self, places: Mapping[int, str], layout: Mapping[int, Sequence[int]]) -> None:
        self._by_place = {name: number for number, name in places.items()}
        self._by_character: dict[str, int] = {}
        for level in LEVELS:
            for number, keysyms in layout.items():
                if level < len(keysyms) and (character := character_of(keysyms[level]).lower()):
                    self._by_character.setdefault(character, number + FROM_X)

    def number_of(self, key: str) -> int | None:
        """Give PsychoPy's number of a key; None where this keyboard has none of that name."""
        character = key if len(key) == 1 else CHARACTERS.get(key)
        found = self._by_character.get(character) if character else None
        return self._by_place.get(key) if found is None else found


def keymap_here() -> Keymap:
    """Read the layout of the keyboard that is in use."""
    from psychopy.hardware.keyboard import keyNamesLinux
    from Xlib import display

    server: Any = display.Display()
    try:
        first, last = server.display.info.min_keycode, server.display.info.max_keycode
        rows = server.get_keyboard_mapping(first, last - first + 1)
    finally:
        server.close()
    return Keymap(keyNamesLinux, dict(enumerate(map(tuple, rows), start=first)))
