"""Names in a script that the font of the figures lacks, as in a PDF, which brings its letters."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from matplotlib.font_manager import findfont, get_font
from matplotlib.text import Text

from hype.report.figures.names import fitted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FAMILY: Final = "DejaVu Sans"
_LONGEST: Final = 34


def spell_out(figure: Figure) -> None:
    """Write letters that the font lacks as their code points, so that names stay apart.

    A box for each letter would make all such names of one length the same.
    """
    for text in figure.findobj(Text):
        written = text.get_text()
        if not all(map(_is_known, written)):
            text.set_text(fitted(spelled(written), _LONGEST))


def spelled(text: str) -> str:
    """Give a text with code points, such as U+6A21, for letters that the font lacks."""
    parts = [letter if _is_known(letter) else f" U+{ord(letter):04X} " for letter in text]
    return " ".join("".join(parts).split())


@cache
def _is_known(letter: str) -> bool:
    return letter.isspace() or get_font(findfont(_FAMILY)).get_char_index(ord(letter)) != 0
