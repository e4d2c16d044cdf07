"""Writing of all scripts: where lines may break, which way they run, how letters join.

PsychoPy draws characters one after the other from left to right. So letters of Arabic are put into
the forms in which they join, and a line is put into the order in which it is seen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

FROM_RIGHT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""A letter that is written from right to left."""
ARABIC: Final = re.compile("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff]")
VARIANTS: Final = re.compile("[\ufe00-\ufe0f]")
"""Say which form of the character before is meant, and have none of their own."""
OTHER: Final = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
"""Marks that look the other way in what runs from the right, which the reordering leaves undone."""
PAIRED: Final = re.compile(r"[()\[\]{}<>«»‹›]")
MARK: Final = "\N{COMBINING CYRILLIC POKRYTIE}"
"""Stands behind each of these while a line is reordered, and so before it where that runs from the
right; of all characters without a width the least likely in a text."""
TURNED: Final = re.compile(rf"(?P<kept>{PAIRED.pattern}){MARK}|{MARK}(?P<other>{PAIRED.pattern})")
UNSPACED: Final = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60]")
"""A character of a script that puts no spaces between words: a line may break beside it."""
NEVER_FIRST: Final = frozenset(
    "、。，．：；？！」』）】〉》”’ー々・…‥％%)]},.:;?!ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ"
)
NEVER_LAST: Final = frozenset("「『（【〈《“‘([{")
"""What no line begins, and what none ends with (kinsoku shori, JIS X 4051)."""


def units_of(word: str) -> Iterator[str]:
    """Take a word apart where a line may break: nowhere, in scripts that have spaces."""
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
    """Tell by its first letter whether a text runs from right to left."""
    kinds = (unicodedata.bidirectional(character) for character in text)
    return next((kind != "L" for kind in kinds if kind in ("L", "R", "AL")), False)


def joined_letters(text: str) -> str:
    """Give the letters of Arabic the forms in which they join; other texts as they are."""
    if not ARABIC.search(text):
        return text
    joined: str = _arabic().reshape(text)
    return joined


def as_seen(line: str, *, from_right: bool) -> str:
    """Put a line into the order in which it is seen from left to right.

    Parameters
    ----------
    from_right
        Which way its paragraph runs.
    """
    line = VARIANTS.sub("", unicodedata.normalize("NFC", line))
    if not (from_right or FROM_RIGHT.search(line)):
        return line
    from bidi import get_display

    marked = PAIRED.sub(rf"\g<0>{MARK}", joined_letters(line))
    seen: str = get_display(marked, base_dir="R" if from_right else "L")
    turned = TURNED.sub(lambda found: found["kept"] or found["other"].translate(OTHER), seen)
    return "".join(character for character in turned if unicodedata.category(character) != "Cf")


def drawn(text: str) -> str:
    """Give the characters that a text is drawn with, line by line."""
    rows = text.split("\n")
    return "\n".join(as_seen(row, from_right=bool(FROM_RIGHT.search(row))) for row in rows)


@cache
def _arabic() -> Any:
    """Make what knows how Arabic letters join; PsychoPy brings it along, and needs it too."""
    from arabic_reshaper import ArabicReshaper

    return ArabicReshaper()
