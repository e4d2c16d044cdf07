"""How large the tiles of a TIFF file are, in which it may be stored.

A tile is unpacked as a whole, also where it is far larger than the image. Pillow cannot be asked:
it passes over sizes written in types of number that it does not know, and libtiff does not.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

TILE_WIDTH: Final = 322
TILE_HEIGHT: Final = 323
NUMBER: Final = {3: "H", 4: "I"}
"""The types of number that TIFF 6.0 allows for both, page 67, and how they are unpacked."""


def tile_size_px(content: bytes) -> tuple[int, int]:
    """Give width and height of the tiles of a TIFF file's first image; 1, 1 where it has none.

    Raises
    ------
    ValueError
        A size is given twice, or is no single number of a type that TIFF allows.
    struct.error
        The file ends too early.
    """
    order = "<" if content.startswith(b"II") else ">"
    sizes: dict[int, int] = {}
    for tag, kind, count, value in entries(content, order):
        if tag in (TILE_WIDTH, TILE_HEIGHT):
            if tag in sizes or kind not in NUMBER or count != 1:
                raise ValueError("the size of its tiles is not given as TIFF asks")
            (sizes[tag],) = struct.unpack_from(order + NUMBER[kind], value)
    return sizes.get(TILE_WIDTH, 1), sizes.get(TILE_HEIGHT, 1)


def entries(content: bytes, order: str) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield tag, type, count and value or its place for each entry of the first directory."""
    big = content[2:4] in (b"+\0", b"\0+")
    address, number = (f"{order}Q", f"{order}Q") if big else (f"{order}I", f"{order}H")
    (start,) = struct.unpack_from(address, content, 8 if big else 4)
    (total,) = struct.unpack_from(number, content, start)
    entry = struct.Struct(f"{order}HHQ8s" if big else f"{order}HHI4s")
    first = start + struct.calcsize(number)
    for place in range(first, first + total * entry.size, entry.size):
        yield entry.unpack_from(content, place)
