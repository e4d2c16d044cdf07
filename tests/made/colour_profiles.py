"""Small ICC profiles, written from their specification (ICC.1:2001-04)."""

import struct
from collections.abc import Mapping, Sequence
from typing import Final

D50: Final = (0.9642, 1.0, 0.8249)
DISPLAY_P3: Final = ((0.5151, 0.2412, -0.0011), (0.2920, 0.6922, 0.0419), (0.1571, 0.0666, 0.7841))
ADOBE_RGB: Final = ((0.6097, 0.3111, 0.0195), (0.2053, 0.6257, 0.0609), (0.1492, 0.0632, 0.7446))
"""The primaries' XYZ, adapted to D50."""


def rgb_profile(primaries: Sequence[Sequence[float]], gamma: float) -> bytes:
    curve = gamma_curve(gamma)
    colours = dict(zip(("rXYZ", "gXYZ", "bXYZ"), map(xyz, primaries), strict=True))
    return profile(b"RGB ", {**colours, "rTRC": curve, "gTRC": curve, "bTRC": curve})


def grey_profile(gamma: float) -> bytes:
    return profile(b"GRAY", {"kTRC": gamma_curve(gamma)})


def profile(
    space: bytes, tags: Mapping[str, bytes], *, kind: bytes = b"mntr", connection: bytes = b"XYZ "
) -> bytes:
    whole = {"wtpt": xyz(D50), "cprt": b"text\0\0\0\0none\0", **tags}
    place = 128 + 4 + 12 * len(whole)
    table, data = struct.pack(">I", len(whole)), b""
    for name, content in whole.items():
        padded = content + bytes(-len(content) % 4)
        table += struct.pack(">4sII", name.encode(), place + len(data), len(content))
        data += padded
    header = struct.pack(
        ">I4sI4s4s4s12x4s4x4x4x4x8xI3i48x",
        *(place + len(data), b"test", 0x02400000, kind, space, connection, b"acsp", 1),
        *(round(value * 65536) for value in D50),
    )
    return header + table + data


def xyz(value: Sequence[float]) -> bytes:
    return struct.pack(">4s4x3i", b"XYZ ", *(round(part * 65536) for part in value))


def gamma_curve(gamma: float) -> bytes:
    return struct.pack(">4s4xIH", b"curv", 1, round(gamma * 256))


def cmyk_profile() -> bytes:
    """A printer whose black ink alone darkens, evenly in L*: 100 without ink, 0 with all of it."""
    even = bytes(range(256))
    lightness = bytes(255 if not ink % 2 else 0 for ink in range(16))
    corners = b"".join(bytes((value, 128, 128)) for value in lightness)
    matrix = struct.pack(">9i", *(65536 * (place % 4 == 0) for place in range(9)))
    table = struct.pack(">4s4x4B", b"mft1", 4, 3, 2, 0) + matrix + even * 4 + corners + even * 3
    return profile(b"CMYK", {"A2B0": table}, kind=b"prtr", connection=b"Lab ")
