"""TIFF files, and the EXIF data of other images: directories that are nearly right."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from edits import damaged
from hypothesis import strategies as st

SIDES: Final = (
    *(0, 1, 2, 12, 255, 4096, 8192, 8193, 16383, 32768, 60000, 65535),
    *(2**31 - 1, 2**32 - 1),
)
NUMBERS: Final = (
    *(0, 1, 2, 3, 4, 6, 7, 8, 9, 16, 24, 32, 64, 255, 256, 8192, 65535),
    *(2**31, 2**32 - 1),
)


def tiff(entries: Sequence[tuple[int, int, int, bytes]], *, following: int = 0) -> bytes:
    """Write a TIFF file of one directory; an entry is a tag, a type, a count and four bytes."""
    rows = b"".join(struct.pack("<HHI", *entry[:3]) + entry[3].ljust(4, b"\0") for entry in entries)
    count = struct.pack("<H", len(entries))
    return (
        b"II*\0" + struct.pack("<I", 8) + count + rows + struct.pack("<I", following) + bytes(512)
    )


ENTRIES: Final = st.tuples(
    st.sampled_from((0x0112, 0x8769, 0x8825, 0xA005, 0x927C, 0x014A, 0x02BC, 33723, 34377, 700)),
    st.integers(0, 18),
    st.sampled_from(NUMBERS),
    st.binary(max_size=4) | st.sampled_from((b"\x08\0\0\0", b"\x06\0\0\0", b"\xff\xff\xff\xff")),
)
EXIFS: Final = damaged(st.builds(tiff, st.lists(ENTRIES, max_size=4)), most=2) | st.sampled_from(
    (b"", b"II", b"MM\0*", b"Exif\0\0", b"II*\0\xff\xff\xff\xff", tiff([], following=8))
)

TAGS: Final = (
    *(254, 256, 257, 258, 259, 262, 266, 273, 274, 277, 278, 279, 282, 284, 292, 297, 301, 305),
    *(317, 320, 322, 323, 324, 325, 330, 338, 339, 347, 530, 531, 532, 700, 33723, 34665, 34675),
)
TIFF_ENTRIES: Final = st.tuples(
    st.sampled_from(TAGS),
    st.sampled_from((1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 16, 0, 99)),
    st.sampled_from(NUMBERS),
    st.sampled_from(NUMBERS).map(lambda number: struct.pack("<I", number)),
)
TIFF_SOUND: Final = {
    **dict(zip(range(256, 260), (4, 4, 8, 1), strict=True)),
    **dict(zip((262, 273, 277, 278, 279), (1, 300, 1, 4, 16), strict=True)),
}
"""Tags and values of an uncompressed grey image of 4 x 4 pixels."""


def tiff_file(
    sound: dict[int, int], entries: Sequence[tuple[int, int, int, bytes]], following: int
) -> bytes:
    """Write a TIFF image with some of its tags replaced."""
    every = {tag: (tag, 4, 1, struct.pack("<I", value)) for tag, value in sound.items()}
    every |= {entry[0]: entry for entry in entries}
    return tiff([every[tag] for tag in sorted(every)], following=following)


TIFFS: Final = st.builds(
    tiff_file,
    st.builds(
        lambda changes: TIFF_SOUND | changes,
        st.dictionaries(
            st.sampled_from((*sorted(TIFF_SOUND), 274, 284, 317, 322, 323, 324, 325, 338, 339)),
            st.sampled_from((*NUMBERS, 5, 32773, 34712, 34925, 50000, 50001)),
            max_size=4,
        ),
    ),
    st.lists(TIFF_ENTRIES, max_size=2),
    st.sampled_from((0, 8, 2**32 - 1)),
)
