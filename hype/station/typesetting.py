"""Break a text into lines that fit a box, as large as possible, in fonts that have its characters.

A text is broken into lines before its first word is shown. fontconfig knows the characters of each
font. PsychoPy draws an empty box for a character that a font does not have. So hype draws the
character in another font (see `hype.station.glyphs`), and `hype check` lists the characters that no
font has.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count, groupby
from operator import attrgetter
from typing import Any, Final

from hype.errors import SessionProblem

BOLD: Final = 200
REGULAR: Final = 80
BY_PATTERN: Final = 0
"""FcMatchPattern in fontconfig: substitutions apply to a pattern, not to a font."""
GENERIC: Final = frozenset(("sans", "sans-serif", "serif", "monospace", "system-ui"))
"""Names of families for which the system chooses a font."""
REMEMBERED: Final = 8192


@dataclass(frozen=True, eq=False, kw_only=True)
class Face:
    """A font that fontconfig has found."""

    names: tuple[str, ...]  # names of its family in several languages
    file: bytes
    index: int  # its place in the file, which may contain several fonts
    characters: Any  # fontconfig's set of its characters
    coloured: bool  # whether its characters are coloured pictures, such as emoji

    def has(self, character: str) -> bool:
        """Whether hype can draw this character in this font; it cannot draw coloured fonts."""
        has = library().FcCharSetHasChar
        return not self.coloured and bool(has(self.characters, ord(character)))


def is_there(family: str) -> bool:
    names = {name.casefold() for name in face_of(family).names}
    return family.casefold() in names | GENERIC


@cache
def face_of(family: str, *, bold: bool = False) -> Face:
    return _match_font(family, bold)


@lru_cache(REMEMBERED)
def face_with(character: str, family: str, language: str, *, bold: bool = False) -> Face | None:
    """Return a font that has a character, preferably of this family; None if no font has it.

    If another font is needed, fontconfig prefers one for the ``language``: Chinese and Japanese
    share many characters in Unicode, but draw them differently.
    """
    wanted = face_of(family, bold=bold)
    face = wanted if wanted.has(character) else _match_font(family, bold, character, language)
    return face if face.has(character) else None


def lacking(text: str, family: str, language: str) -> str:
    """Return the characters of a text that no font has; each is listed once, in order."""
    wanted = dict.fromkeys(text.replace("\n", ""))
    return "".join(c for c in wanted if face_with(c, family, language) is None)


def families_of(text: str, family: str, language: str) -> dict[str, int]:
    faces = (face_with(character, family, language) for character in set(text) - {"\n"})
    return dict(Counter(face.names[0] for face in faces if face).most_common())


def _match_font(family: str, bold: bool, character: str = "", language: str = "") -> Face:
    """Ask for the best font; the character is more important than the family's name."""
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
    # Fonts are cached until the program ends, so the matched pattern is never destroyed.
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
    """Yield the values that a font has for a property; it may have several."""
    string = ctypes.c_char_p()
    for number in count():
        if library().FcPatternGetString(font, name, number, ctypes.byref(string)):
            return
        yield string.value or b""


@cache
def library() -> Any:
    """Load fontconfig, which PsychoPy's window needs too.

    Raises SessionProblem: fontconfig is not installed.
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


FROM_RIGHT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""A letter of a script that runs from right to left."""
ARABIC: Final = re.compile("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff]")
VARIANTS: Final = re.compile("[\ufe00-\ufe0f]")
"""Characters that select the form of the character before them, and have no shape of their own."""
OTHER: Final = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
"""Replaces brackets and quotation marks by mirror images; reordering does not mirror them."""
PAIRED: Final = re.compile(r"[()\[\]{}<>«»‹›]")
MARK: Final = "\N{COMBINING CYRILLIC POKRYTIE}"
"""An invisible, very rare character that is put after each bracket or quotation mark. If reordering
moves it in front, the text there runs from right to left, so the bracket is mirrored."""
TURNED: Final = re.compile(rf"(?P<kept>{PAIRED.pattern}){MARK}|{MARK}(?P<other>{PAIRED.pattern})")
UNSPACED: Final = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60]")
"""A character of a script without spaces between words: a line may break next to it."""
NEVER_FIRST: Final = frozenset(
    "、。，．：；？！」』）】〉》”’ー々・…‥％%)]},.:;?!ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ"
)
NEVER_LAST: Final = frozenset("「『（【〈《“‘([{")
"""Characters that must not begin a line, or must not end one (kinsoku shori, JIS X 4051)."""


def units_of(word: str) -> Iterator[str]:
    """Split a word where a line may break; words of scripts with spaces stay whole."""
    start = 0
    for at in range(1, len(word)):
        before, after = word[at - 1], word[at]
        if (
            (UNSPACED.match(before) or UNSPACED.match(after))
            and after not in NEVER_FIRST
            and before not in NEVER_LAST
        ):
            yield word[start:at]
            start = at
    yield word[start:]


def runs_from_right(text: str) -> bool:
    kinds = (unicodedata.bidirectional(character) for character in text)
    return next((kind != "L" for kind in kinds if kind in ("L", "R", "AL")), False)


def join_letters(text: str) -> str:
    """Replace Arabic letters by their joined forms; other texts stay as they are."""
    if not ARABIC.search(text):
        return text
    join_pieces: str = _arabic().reshape(text)
    return join_pieces


def reorder_line(line: str, *, from_right: bool) -> str:
    """Put the characters of a line into their order on the screen, from left to right.

    ``from_right``: whether its paragraph runs from right to left.
    """
    line = VARIANTS.sub("", unicodedata.normalize("NFC", line))
    if not (from_right or FROM_RIGHT.search(line)):
        return line
    from bidi import get_display

    marked = PAIRED.sub(rf"\g<0>{MARK}", join_letters(line))
    seen: str = get_display(marked, base_dir="R" if from_right else "L")
    turned = TURNED.sub(lambda match: match["kept"] or match["other"].translate(OTHER), seen)
    return "".join(character for character in turned if unicodedata.category(character) != "Cf")


def reorder_text(text: str) -> str:
    rows = text.split("\n")
    return "\n".join(reorder_line(row, from_right=bool(FROM_RIGHT.search(row))) for row in rows)


@cache
def _arabic() -> Any:
    """Make the object that joins Arabic letters; its library is installed with PsychoPy."""
    from arabic_reshaper import ArabicReshaper

    return ArabicReshaper()


Ruler = Callable[[str, int], float]
"""Returns the width of a text at a given size; both are in pixels."""
LEADING: Final = 1.25
"""The distance between two lines, as a multiple of the text's size."""
ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"
FULL_WIDTH: Final = re.compile("([、。，．：；？！]) ")
WORD: Final = re.compile(r"[\S\u00a0\u202f]+")
"""Text between spaces; it may contain a no-break space."""
TRIALS: Final = 12
"""Number of widths to try for lines of even length."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A word, or a part of a word before a possible line break; ``word``: its number, from 0."""

    text: str
    word: int


@dataclass(frozen=True, slots=True)
class TextLine:
    """The pieces of a line, and its width."""

    pieces: tuple[TextPiece, ...]
    width_px: float

    def visible_text(self, words: int | None) -> str:
        """Return the words of this line that are among the text's first ``words`` (None: all)."""
        return join_pieces(p for p in self.pieces if words is None or p.word < words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Typeset:
    """A text broken into lines; ``cut``: whether a part of it did not fit."""

    lines: tuple[TextLine, ...]
    size_px: int
    cut: bool = False

    @property
    def height_px(self) -> float:
        return len(self.lines) * self.size_px * LEADING


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The space for a text. ``sizes_px`` are tried in turn, the largest first."""

    width_px: float
    height_px: float
    sizes_px: tuple[int, ...]
    most_lines: int = 1

    def lines_at(self, size_px: int) -> int:
        return min(self.most_lines, int(self.height_px / (size_px * LEADING)))


def sizes(largest_px: float, smallest_px: float) -> tuple[int, ...]:
    """List sizes from the largest to the smallest, each about 10% smaller than the one before."""
    sizes_px = [max(1, int(largest_px))]
    while (smaller := min(sizes_px[-1] - 1, int(sizes_px[-1] * 0.9))) >= max(1, smallest_px):
        sizes_px.append(smaller)
    return tuple(sizes_px)


def typeset(text: str, room: Room, ruler: Ruler) -> Typeset:
    """Set a text as large as possible, in lines of even length; cut it only as a last resort."""
    words = pieces_of(text)
    for size_px in room.sizes_px:
        lines = fill_lines(words, room.width_px, ruler_at(ruler, size_px))
        if fits(lines, room, size_px):
            return Typeset(lines=even_out(words, lines, ruler_at(ruler, size_px)), size_px=size_px)
    return cut_short(words, room, ruler)


def pieces_of(text: str) -> list[TextPiece]:
    """Split a text into words, and each word where a line may break."""
    words = enumerate(WORD.findall(text))
    return [TextPiece(unit, number) for number, word in words for unit in units_of(word)]


def ruler_at(ruler: Ruler, size_px: int) -> Callable[[str], float]:
    return lambda text: ruler(text, size_px)


def fits(lines: Sequence[TextLine], room: Room, size_px: int) -> bool:
    widest_px = max((line.width_px for line in lines), default=0.0)
    return len(lines) <= room.lines_at(size_px) and widest_px <= room.width_px


def join_pieces(pieces: Iterator[TextPiece] | Sequence[TextPiece]) -> str:
    """Join pieces into a line, with spaces between words except after a full-width mark."""
    words = groupby(pieces, key=attrgetter("word"))
    row = " ".join("".join(piece.text for piece in some) for _, some in words)
    return FULL_WIDTH.sub(r"\1", row)


def fill_lines(
    pieces: Sequence[TextPiece], width_px: float, measure: Callable[[str], float]
) -> tuple[TextLine, ...]:
    """Fill one line after the other. A word that is too long gets its own line."""
    rows: list[list[TextPiece]] = []
    for piece in pieces:
        if rows and measure(join_pieces([*rows[-1], piece])) <= width_px:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return tuple(TextLine(tuple(row), measure(join_pieces(row))) for row in rows)


def even_out(
    pieces: Sequence[TextPiece], lines: tuple[TextLine, ...], measure: Callable[[str], float]
) -> tuple[TextLine, ...]:
    """Break the text again into the same number of lines, but of about equal length."""
    if len(lines) < 2:
        return lines
    narrow_px, wide_px = 0.0, max(line.width_px for line in lines)
    best = lines
    for _ in range(TRIALS):
        middle_px = (narrow_px + wide_px) / 2
        tried = fill_lines(pieces, middle_px, measure)
        if len(tried) == len(lines) and max(line.width_px for line in tried) <= middle_px:
            best, wide_px = tried, middle_px
        else:
            narrow_px = middle_px
    return best


def cut_short(words: Sequence[TextPiece], room: Room, ruler: Ruler) -> Typeset:
    """Set as much of a text as fits in the smallest size, with an ellipsis if it is cut."""
    size_px = room.sizes_px[-1]
    measure = ruler_at(ruler, size_px)
    pieces = [part for word in words for part in break_word(word, room.width_px, measure)]
    lines = fill_lines(pieces, room.width_px, measure)
    most = max(1, room.lines_at(size_px))
    if len(lines) <= most:
        return Typeset(lines=lines, size_px=size_px)
    last = shorten_line(lines[most - 1], room.width_px, measure)
    return Typeset(lines=(*lines[: most - 1], last), size_px=size_px, cut=True)


def break_word(
    word: TextPiece, width_px: float, measure: Callable[[str], float]
) -> Iterator[TextPiece]:
    """Split a word that is longer than a line."""
    rest = word.text
    while measure(rest) > width_px and len(rest) > 1:
        end = next((n for n in range(len(rest) - 1, 1, -1) if measure(rest[:n]) <= width_px), 1)
        yield TextPiece(rest[:end], word.word)
        rest = rest[end:]
    yield TextPiece(rest, word.word)


def shorten_line(line: TextLine, width_px: float, measure: Callable[[str], float]) -> TextLine:
    """End a line with an ellipsis, which replaces as few characters as possible."""
    *before, last = line.pieces
    for end in range(len(last.text), 0, -1):
        row = (*before, TextPiece(last.text[:end] + ELLIPSIS, last.word))
        if measure(join_pieces(row)) <= width_px or (end == 1 and not before):
            return TextLine(row, measure(join_pieces(row)))
    return shorten_line(TextLine(tuple(before), 0.0), width_px, measure)
