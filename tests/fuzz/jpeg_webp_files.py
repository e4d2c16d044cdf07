"""JPEG and WebP files: segments and chunks of the right length, though what they hold is wrong."""

import struct
from collections.abc import Sequence
from functools import cache
from typing import Final

from exif_data import EXIFS, SIDES
from hypothesis import strategies as st
from whole_images import encoded

Part = tuple[bytes, bytes]


def jpeg_with(segments: Sequence[Part], sides: tuple[int, int] | None, scans: int) -> bytes:
    """Put segments into a JPEG, change the size it claims, repeat its picture."""
    data = encoded("JPEG", "RGB", {})
    if sides is not None:
        place = data.index(b"\xff\xc0") + 5
        data = data[:place] + struct.pack(">HH", *sides) + data[place + 4 :]
    extra = b"".join(
        b"\xff" + mark + struct.pack(">H", len(body) + 2) + body for mark, body in segments
    )
    scan = data[data.index(b"\xff\xda") : -2]
    return data[:2] + extra + data[2:-2] + scan * scans + data[-2:]


SEGMENTS: Final = st.one_of(
    st.builds(lambda exif: (b"\xe1", b"Exif\0\0" + exif), EXIFS),
    st.builds(lambda exif: (b"\xe2", b"MPF\0" + exif), EXIFS),
    st.builds(lambda body: (b"\xe2", b"ICC_PROFILE\0\1\1" + body), st.binary(max_size=30)),
    st.builds(lambda body: (b"\xed", b"Photoshop 3.0\x008BIM" + body), st.binary(max_size=40)),
    st.builds(lambda body: (b"\xee", b"Adobe" + body), st.binary(max_size=12)),
    st.builds(lambda body: (b"\xe1", b"http://ns.adobe.com/xap/1.0/\0" + body), st.binary()),
    st.tuples(
        st.sampled_from([bytes([mark]) for mark in range(0xC0, 0xFF)]), st.binary(max_size=40)
    ),
)
JPEGS: Final = st.builds(
    jpeg_with,
    st.lists(SEGMENTS, max_size=3),
    st.none() | st.tuples(st.sampled_from(SIDES[:12]), st.sampled_from(SIDES[:12])),
    st.sampled_from((0, 1, 1, 2, 200)),
)


def webp(parts: Sequence[Part]) -> bytes:
    """Join the chunks of a WebP file."""
    body = b"WEBP" + b"".join(
        name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2) for name, data in parts
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def canvas(flags: int, width: int, height: int) -> Part:
    """Give the chunk of a WebP file that says how large it is."""
    sides = struct.pack("<I", width % 2**24)[:3] + struct.pack("<I", height % 2**24)[:3]
    return (b"VP8X", bytes([flags, 0, 0, 0]) + sides)


@cache
def webp_pictures() -> tuple[Part, ...]:
    """Give the chunks that hold the pictures of the small WebP images."""
    files = (encoded("WEBP", "RGB", options) for options in ({}, {"lossless": True}))
    chunks = [(data[12:16], data[20:]) for data in files if data]
    return tuple(chunk for chunk in chunks if chunk[0] in (b"VP8 ", b"VP8L")) or ((b"VP8 ", b""),)


WEBP_CHUNKS: Final = st.one_of(
    st.builds(canvas, st.integers(0, 255), st.sampled_from(SIDES), st.sampled_from(SIDES)),
    st.builds(lambda exif: (b"EXIF", exif), EXIFS),
    st.builds(lambda exif: (b"EXIF", b"Exif\0\0" + exif), EXIFS),
    st.tuples(
        st.sampled_from((b"ICCP", b"XMP ", b"ALPH", b"ANIM", b"ANMF", b"VP8 ", b"VP8L", b"JUNK")),
        st.binary(max_size=40),
    ),
    st.sampled_from(webp_pictures()),
    st.builds(
        lambda head, picture: (b"ANMF", head + picture[0] + picture[1]),
        st.binary(min_size=16, max_size=16),
        st.sampled_from(webp_pictures()),
    ),
)
WEBPS: Final = st.builds(webp, st.lists(WEBP_CHUNKS, min_size=1, max_size=5))
