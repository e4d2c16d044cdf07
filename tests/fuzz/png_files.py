"""PNG files: chunks with the right checksum, though what they hold is wrong.

A byte changed in a whole PNG is caught by a checksum, and what lies behind is never reached.
"""

import struct
import zlib
from collections.abc import Sequence
from typing import Final

from exif_data import EXIFS, SIDES
from hypothesis import strategies as st

Part = tuple[bytes, bytes]


def zeros(size: int) -> bytes:
    """Give what zeros are compressed to, a thousand to one: one part again and again."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    part = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = struct.pack(">HH", size % 65521, 1)
    return b"\x78\xda" + part * (size // 2**20) + packer.flush() + checksum


BOMB: Final = zeros(2**27)
"""128 MiB of zeros in 130 kB."""


def png(parts: Sequence[Part]) -> bytes:
    """Join chunks, each with the right length and checksum."""
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )


HEADERS: Final = st.builds(
    lambda *numbers: (b"IHDR", struct.pack(">IIBBBBB", *numbers)),
    *(st.sampled_from(SIDES[:12]), st.sampled_from(SIDES[:12])),
    *(st.sampled_from((1, 2, 4, 8, 16, 3)), st.sampled_from((0, 2, 3, 4, 6, 5))),
    *(st.just(0) | st.integers(0, 255), st.just(0), st.integers(0, 2)),
)
SOUND_HEADER: Final = (b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0))
PIXELS: Final = (b"IDAT", zlib.compress((b"\0" + bytes(12)) * 4))
TEXTS: Final = (
    (b"zTXt", b"a\0\0" + BOMB),
    (b"iTXt", b"a\0\1\0\0\0" + BOMB),
    (b"iCCP", b"a\0\0" + BOMB),
    (b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(b"\nexif\n 9\nzzzz")),
    (b"tEXt", b"Raw profile type exif\0\nexif\n      8\n49492a0008000000"),
    (b"tEXt", b"Raw profile type exif\0"),
    (b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<tiff:Orientation>9999999999999</tiff:Orientation>"),
    (b"iTXt", b'XML:com.adobe.xmp\0\0\0\0\0tiff:Orientation="6"'),
    (b"tEXt", b"a" * 100),
)
NAMES: Final = (
    *(b"PLTE", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"pHYs", b"iCCP", b"zTXt", b"iTXt"),
    *(b"acTL", b"fcTL", b"fdAT", b"IDAT", b"CgBI", b"bKGD", b"ABCD", b"IEND", b"tIME"),
)
CHUNKS: Final = st.one_of(
    st.sampled_from((*TEXTS, PIXELS, SOUND_HEADER)),
    st.builds(lambda exif: (b"eXIf", exif), EXIFS),
    st.tuples(
        st.sampled_from(NAMES),
        st.binary(max_size=40),
    ),
    st.builds(
        lambda *numbers: (b"fcTL", struct.pack(">IIIIIHHBB", *numbers)),
        *(st.just(0), *(st.sampled_from(SIDES),) * 4),
        *(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3), st.integers(0, 3)),
    ),
)
PNGS: Final = st.builds(
    lambda header, before, pixels, after: png(
        [header, *before, *pixels, *after, (b"IEND", b"")],
    ),
    HEADERS | st.just(SOUND_HEADER),
    st.lists(CHUNKS, max_size=3),
    st.sampled_from(((PIXELS,), (), (PIXELS, PIXELS), ((b"IDAT", BOMB),))),
    st.lists(CHUNKS, max_size=2),
)
