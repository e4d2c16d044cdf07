"""EXIF data of images, which is a TIFF file: directories that are nearly right."""

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
