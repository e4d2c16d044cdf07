"""Fonts: which has all characters of a text, as fontconfig knows it, and what has none.

PsychoPy draws an empty box for what the font of a family does not have. Here another font is found
for it (`hype.station.glyphs` draws with that), and it is known before anybody sits down what none
has.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count
from typing import Any, Final

from hype.errors import SessionProblem

BOLD: Final = 200
REGULAR: Final = 80
"""Weights, as fontconfig counts them."""
BY_PATTERN: Final = 0
"""A substitution that is meant for patterns, not for fonts (FcMatchPattern)."""
GENERIC: Final = frozenset(("sans", "sans-serif", "serif", "monospace", "system-ui"))
"""Names of families that stand for whatever the system prefers."""
REMEMBERED: Final = 8192


@dataclass(frozen=True, eq=False, kw_only=True)
class Face:
    """A font that fontconfig has found.

    Attributes
    ----------
    names
        What its family is called, in some languages.
    file, index
        Where it is: one file may hold several.
    characters
        fontconfig's set of what it has.
    coloured
        Whether these are pictures, as emoji are.
    """

    names: tuple[str, ...]
    file: bytes
    index: int
    characters: Any
    coloured: bool

    def has(self, character: str) -> bool:
        """Tell whether it has a character that can be drawn; coloured ones cannot be."""
        has = library().FcCharSetHasChar
        return not self.coloured and bool(has(self.characters, ord(character)))


def is_there(family: str) -> bool:
    names = {name.casefold() for name in face_of(family).names}
    return family.casefold() in names | GENERIC


@cache
def face_of(family: str, *, bold: bool = False) -> Face:
    return _matched(family, bold)


@lru_cache(REMEMBERED)
def face_with(character: str, family: str, language: str, *, bold: bool = False) -> Face | None:
    """Give the font in which a character is drawn: the family's own if it can be; None: none is.

    Of the others that have it fontconfig prefers those for the ``language``: Chinese and Japanese
    write many characters that are one to a computer in different ways.
    """
    wanted = face_of(family, bold=bold)
    face = wanted if wanted.has(character) else _matched(family, bold, character, language)
    return face if face.has(character) else None


def lacking(text: str, family: str, language: str) -> str:
    """Give the characters of a text that no font has, each once, in order."""
    wanted = dict.fromkeys(text.replace("\n", ""))
    return "".join(c for c in wanted if face_with(c, family, language) is None)


def families_of(text: str, family: str, language: str) -> dict[str, int]:
    faces = (face_with(character, family, language) for character in set(text) - {"\n"})
    return dict(Counter(face.names[0] for face in faces if face).most_common())


def _matched(family: str, bold: bool, character: str = "", language: str = "") -> Face:
    """Ask for the font that fits best; having the character counts before the family's name."""
    lib = library()
    pattern = ctypes.c_void_p(lib.FcPatternCreate())
    lib.FcPatternAddString(pattern, b"family", family.encode())
    lib.FcPatternAddInteger(pattern, b"weight", BOLD if bold else REGULAR)
    lib.FcPatternAddBool(pattern, b"color", 0)
    if language:
        lib.FcPatternAddString(pattern, b"lang", language.encode())
    if character:
        wanted = ctypes.c_void_p(lib.FcCharSetCreate())
        lib.FcCharSetAddChar(wanted, ord(character))
        lib.FcPatternAddCharSet(pattern, b"charset", wanted)
        lib.FcCharSetDestroy(wanted)
    lib.FcConfigSubstitute(None, pattern, BY_PATTERN)
    lib.FcDefaultSubstitute(pattern)
    # Fonts are remembered as long as the program runs, and so is what they point to.
    pattern_matched = ctypes.c_void_p(lib.FcFontMatch(None, pattern, ctypes.byref(ctypes.c_int())))
    lib.FcPatternDestroy(pattern)
    if not pattern_matched:
        raise SessionProblem("there is no font here; install one, such as fonts-dejavu-core")
    characters, index, coloured = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
    lib.FcPatternGetCharSet(pattern_matched, b"charset", 0, ctypes.byref(characters))
    lib.FcPatternGetInteger(pattern_matched, b"index", 0, ctypes.byref(index))
    lib.FcPatternGetBool(pattern_matched, b"color", 0, ctypes.byref(coloured))
    return Face(
        names=tuple(
            name.decode("utf-8", "replace") for name in _strings(pattern_matched, b"family")
        ),
        file=next(_strings(pattern_matched, b"file")),
        index=index.value,
        characters=characters,
        coloured=bool(coloured.value),
    )


def _strings(font: ctypes.c_void_p, name: bytes) -> Iterator[bytes]:
    """Yield what a font has by some name, of which it may have several."""
    string = ctypes.c_char_p()
    for number in count():
        if library().FcPatternGetString(font, name, number, ctypes.byref(string)):
            return
        yield string.value or b""


@cache
def library() -> Any:
    """Load fontconfig, which PsychoPy's window needs too.

    Raises SessionProblem: it is not installed.
    """
    try:
        lib = ctypes.CDLL("libfontconfig.so.1")
    except OSError:
        raise SessionProblem("fontconfig is missing; install libfontconfig1") from None
    for name in ("FcPatternCreate", "FcCharSetCreate", "FcFontMatch"):
        getattr(lib, name).restype = ctypes.c_void_p
    lib.FcCharSetAddChar.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    lib.FcCharSetHasChar.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    return lib
