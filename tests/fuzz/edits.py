"""Damage that any file can take: a few changes of its bytes."""

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

ANYWHERE: Final[tuple[bytes, ...]] = (
    b"",
    b"\0",
    b"\n",
    b"\r",
    b"\r\n",
    b"\xff",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",  # half of a surrogate pair
    b"\xc0\x80",
    b"\x1b[31m",
    b"\x7f" * 9,
    b"\xff" * 4,
    b"\0" * 8,
    "\N{RIGHT-TO-LEFT OVERRIDE}\N{LINE SEPARATOR}\N{NEXT LINE}".encode(),
)
"""Bytes that are trouble in one format or another."""

Edit = tuple[int, float, int, bytes]


def damaged(
    whole: st.SearchStrategy[bytes], words: Sequence[bytes] = (), *, most: int = 3
) -> st.SearchStrategy[bytes]:
    """Change some bytes of whole files, or none.

    Parameters
    ----------
    whole
        The files.
    words
        Bytes that mean something in their format, to be put in somewhere.
    most
        Largest number of changes.
    """
    edit = st.tuples(
        st.integers(0, 5),
        st.floats(0, 1, allow_subnormal=False),
        st.integers(0, 255),
        st.sampled_from((*ANYWHERE, *words)),
    )
    return whole | st.builds(apply, whole, st.lists(edit, min_size=1, max_size=most))


def apply(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Change a file, change by change."""
    for kind, place, number, word in edits:
        data = changed(data, kind, int(place * len(data)), number, word)
    return data


def changed(data: bytes, kind: int, start: int, number: int, word: bytes) -> bytes:
    """Change a file at one place."""
    head, tail = data[:start], data[start:]
    if kind == 0:
        return head + bytes([number]) + tail[1:]
    if kind == 1:
        return head + word + tail
    if kind == 2:
        return head + word + tail[len(word) :]
    if kind == 3:
        return head + tail[number:]
    if kind == 4:
        return head + tail[:number] * (1 + number % 4) + tail
    return head if number % 2 else head + tail[:number]
