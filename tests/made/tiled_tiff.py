"""A small TIFF image in tiles, written by hand: Pillow writes none."""

from __future__ import annotations

import struct
import zlib
from typing import Final

SIDE_PX: Final = 4
CODES: Final = (1, 2, 3, 4, 7, 8, 9, 11, 13, 16, 17, 18)
FORMS: Final = dict(zip(CODES, "BBHIBhifIQqQ", strict=True))
"""How each of TIFF's types of number is packed."""


def tiff_in_tiles(
    width: int, height: int, *, kind: int = 4, order: str = "<", big: bool = False
) -> bytes:
    """Write a black image of 4 x 4 pixels that lies in one tile.

    ``kind`` is TIFF's code for the type of number that width and height of the tile are.
    A tile larger than an image may be is cut short.
    """
    packed = zlib.compress(bytes(min(width * height, 2**20)))
    entry, head = (20, 16) if big else (12, 8)
    behind = head + (8 if big else 2) + 10 * entry + (8 if big else 4)
    tags = {256: SIDE_PX, 257: SIDE_PX, 258: 8, 259: 8, 262: 1, 277: 1}
    tags |= {322: width, 323: height, 324: behind + 16, 325: len(packed)}
    rows, extra = b"", b""
    for tag, value in tags.items():
        given = kind if tag in (322, 323) else 4
        cell = struct.pack(order + FORMS[given], value)
        if len(cell) > (8 if big else 4):
            place = behind + len(extra)
            extra += cell
            cell = struct.pack(order + "I", place)
        rows += struct.pack(f"{order}HH{'Q' if big else 'I'}", tag, given, 1)
        rows += cell.ljust(8 if big else 4, b"\0")
    mark = b"II" if order == "<" else b"MM"
    if big:
        start = mark + struct.pack(f"{order}HHHQ", 43, 8, 0, head) + struct.pack(f"{order}Q", 10)
    else:
        start = mark + struct.pack(f"{order}HI", 42, head) + struct.pack(f"{order}H", 10)
    return start + rows + bytes(8 if big else 4) + extra.ljust(16, b"\0") + packed
