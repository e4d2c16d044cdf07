"""Images to read: of every format and mode, whole, damaged, or put together of wrong parts."""

import struct
from typing import Final

from edits import damaged
from exif_data import NUMBERS, SIDES
from hypothesis import strategies as st
from jpeg_webp_files import JPEGS, WEBPS
from png_files import PNGS
from whole_images import whole_images

BMPS: Final = st.builds(
    lambda *numbers: b"BM" + struct.pack("<IHHIIiiHHIIiiII", *numbers) + bytes(200),
    *(st.just(254), st.just(0), st.just(0), st.sampled_from((54, 0, 62, 118, 1078, 2**32 - 1))),
    *(st.sampled_from((12, 16, 40, 52, 56, 64, 108, 124, 0)),),
    *(st.sampled_from((1, 4, 12, 8192, 60000, 2**31 - 1, -4, 0)),) * 2,
    *(st.just(1), st.sampled_from((1, 2, 4, 8, 16, 24, 32, 0))),
    *(st.sampled_from((0, 1, 2, 3, 4, 5, 6, 99)), st.sampled_from(NUMBERS)),
    *(st.just(2835), st.just(2835), st.sampled_from(NUMBERS), st.sampled_from(NUMBERS)),
)
PPM_WORDS: Final = (
    *(b"4", b"2", b"255", b"1", b"0", b"254", b"65535", b"65536", b"-1", b"1.0", b"8192", b"60000"),
    *(b"9" * 30, b"9" * 5000, b"nan", b"#x\n3", b"1e9", b"a", b"WIDTH 4", b"ENDHDR"),
)
PPM_BODIES: Final = (
    *(b"", bytes(64), b"1 " * 64, b"0101", b"256 " * 48, b"9" * 99, b"-1 1 #", b"\xff"),
)
PPMS: Final = st.builds(
    lambda magic, words, gap, body: magic + gap + gap.join(words) + gap + body,
    st.sampled_from((b"P1", b"P2", b"P3", b"P4", b"P5", b"P6", b"P7", b"Pf", b"PF", b"PyCMYK")),
    st.lists(st.sampled_from(PPM_WORDS), max_size=4),
    st.sampled_from((b" ", b"\n", b"\r\n", b"\t", b"#c\n", b"")),
    st.sampled_from(PPM_BODIES),
)

GIF_SIDES: Final = st.sampled_from(SIDES[:12])
GIF_BLOCKS: Final = (
    *(b"!\xf9\4\1\0\0\0\0", b"!\xf9\4\xff\xff\xff\xff\0", b"!\xff\x0bNETSCAPE2.0\3\1\0\0\0"),
    *(b"!\xff\x0bXMP DataXMP\0", b"!\xfe\3abc\0", b"!\xf9\0", b"!\xff\0", b"!\1\0", b"!"),
)
GIF_PIXELS: Final = (
    *(b"\2\x4c\1\0", b"\x16\x8c-\x99\x87*\x1c\xdc3\xa0\x02u\xec\x95\xfa\xa8\xde`\x8c\0"),
    *(b"", b"\xff"),
)


def gif(
    sides: tuple[int, int],
    flags: int,
    blocks: list[bytes],
    frame: tuple[int, int, int, int],
    frame_flags: int,
    code: int,
    pixels: bytes,
) -> bytes:
    """Write a GIF of one frame, which need not lie in it."""
    colours = bytes(3 * 2 ** (flags % 8 + 1) if flags & 128 else 0)
    head = b"GIF89a" + struct.pack("<HHBBB", *sides, flags, 0, 0) + colours + b"".join(blocks)
    return head + b"," + struct.pack("<HHHHBB", *frame, frame_flags, code) + pixels + b"\0;"


GIFS: Final = st.builds(
    gif,
    st.tuples(GIF_SIDES, GIF_SIDES),
    st.integers(0, 255),
    st.lists(st.sampled_from(GIF_BLOCKS), max_size=3),
    st.tuples(GIF_SIDES, GIF_SIDES, GIF_SIDES, GIF_SIDES),
    st.sampled_from((0, 64)),
    st.integers(0, 255) | st.sampled_from((2, 8)),
    st.sampled_from(GIF_PIXELS),
)

BUILT: Final = st.one_of(PNGS, JPEGS, WEBPS, BMPS, PPMS, GIFS)
IMAGE_FILES: Final = st.one_of(
    st.deferred(lambda: damaged(st.sampled_from(whole_images()), most=4)),
    BUILT,
    damaged(BUILT, most=2),
)
