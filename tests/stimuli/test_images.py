"""Decoding: the decoded image, or one message if it cannot be decoded."""

import io
import os
import struct
import tracemalloc
import warnings
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from builders import noise
from PIL import Image

from hype.errors import InputError
from hype.files import LARGEST_IMAGE_BYTES
from hype.stimuli.images import (
    LARGEST_PX,
    MOST_SCANS,
    decode,
    png_bytes,
)

# Small ICC profiles, written from their specification (ICC.1:2001-04)

D50 = (0.9642, 1.0, 0.8249)
DISPLAY_P3 = ((0.5151, 0.2412, -0.0011), (0.2920, 0.6922, 0.0419), (0.1571, 0.0666, 0.7841))
ADOBE_RGB = ((0.6097, 0.3111, 0.0195), (0.2053, 0.6257, 0.0609), (0.1492, 0.0632, 0.7446))
"""XYZ values of the primary colours, adapted to D50."""


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
    """A printer on which only black ink darkens, linearly in L*: from 100 to 0 with all ink."""
    even = bytes(range(256))
    lightness = bytes(255 if not ink % 2 else 0 for ink in range(16))
    corners = b"".join(bytes((value, 128, 128)) for value in lightness)
    matrix = struct.pack(">9i", *(65536 * (place % 4 == 0) for place in range(9)))
    table = struct.pack(">4s4x4B", b"mft1", 4, 3, 2, 0) + matrix + even * 4 + corners + even * 3
    return profile(b"CMYK", {"A2B0": table}, kind=b"prtr", connection=b"Lab ")


def colours(side_px: int = 12) -> Image.Image:
    rng = np.random.default_rng(5)
    return Image.fromarray(rng.integers(0, 256, (side_px, side_px, 3), dtype=np.uint8))


def png(
    sides: tuple[int, int], rows: bytes, *before: bytes, depth: int = 8, kind: int = 0
) -> bytes:
    """Return a PNG of these rows; the chunks ``before`` them start with their names."""
    header = b"IHDR" + struct.pack(">IIBBBBB", *sides, depth, kind, 0, 0, 0)
    chunks = (header, *before, b"IDAT" + zlib.compress(rows), b"IEND")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in chunks
    )


def png_of_16_bits(channels: int) -> bytes:
    """Return a PNG of 4 x 4 pixels with 16 bits per channel."""
    rows = b"".join(b"\0" + bytes(range(8 * channels)) for _ in range(4))
    return png((4, 4), rows, depth=16, kind={1: 0, 3: 2}[channels])


@pytest.mark.parametrize("form", ["PNG", "BMP", "PPM"])
@pytest.mark.parametrize("image", [noise(1), colours()], ids=["grey", "colour"])
def test_lossless_formats_give_every_pixel(form, image, tmp_path):
    image.save(tmp_path / "x", form)
    decoded = decode(tmp_path / "x")

    assert decoded.mode == image.mode
    assert np.array_equal(np.asarray(decoded), np.asarray(image))


@pytest.mark.parametrize(
    ("mode", "form", "shown"),
    [
        ("1", "PNG", "L"),
        ("L", "PNG", "L"),
        ("LA", "PNG", "RGB"),
        ("P", "PNG", "RGB"),
        ("CMYK", "JPEG", "RGB"),
        ("RGB", "PNG", "RGB"),
    ],
)
def test_modes_become_grey_or_colour(mode, form, shown, tmp_path):
    colours().convert(mode).save(tmp_path / "x", form)

    assert decode(tmp_path / "x").mode == shown


def test_transparency_is_laid_over_mid_grey(tmp_path):
    pixels = np.zeros((4, 4, 4), dtype=np.uint8)
    pixels[..., 0] = 200
    pixels[:2, :, 3] = 255
    Image.fromarray(pixels).save(tmp_path / "x.png")
    shown = np.asarray(decode(tmp_path / "x.png"))

    assert (shown[:2] == (200, 0, 0)).all()
    assert (shown[2:] == 128).all()


PROFILED = {
    "Display P3": ("RGB", rgb_profile(DISPLAY_P3, 2.2), (200, 100, 50), (216, 93, 24)),
    "Adobe RGB": ("RGB", rgb_profile(ADOBE_RGB, 2.2), (200, 100, 50), (227, 100, 42)),
    "Adobe RGB over grey": ("RGBA", rgb_profile(ADOBE_RGB, 2.2), (200, 100, 50, 0), (128,) * 3),
    "linear grey": ("L", grey_profile(1.0), 128, 188),
    "CMYK": ("CMYK", cmyk_profile(), (0, 0, 0, 128), (119, 119, 119)),
}
"""Mode, profile, pixel, and the pixel in sRGB, computed with NumPy from the formulas."""


@pytest.mark.parametrize("name", PROFILED)
def test_colours_are_converted_to_srgb(name, tmp_path):
    mode, profile, pixel, shown = PROFILED[name]
    form = "JPEG" if mode == "CMYK" else "PNG"
    Image.new(mode, (8, 8), pixel).save(tmp_path / "x", form, icc_profile=profile)
    image = decode(tmp_path / "x")

    assert image.getpixel((4, 4)) == pytest.approx(shown, abs=1)
    assert (image.info["format"], image.info["ignored"]) == (form, [])


@pytest.mark.parametrize("quality", [30, 50, 75, 92])
def test_the_quality_of_a_jpeg_is_known(quality, tmp_path):
    colours().save(tmp_path / "x.jpg", quality=quality)

    assert decode(tmp_path / "x.jpg").info["quality"] == pytest.approx(quality, abs=1)


def test_what_is_unreadable_beside_the_pixels_is_ignored_and_named(tmp_path):
    colours().save(tmp_path / "x.png", icc_profile=b"no profile", exif=b"II*\0\xff\xff\xff\xff")
    image = decode(tmp_path / "x.png")

    assert image.tobytes() == colours().tobytes()
    assert sorted(image.info["ignored"]) == ["EXIF data", "colour profile"]


def test_a_written_image_holds_pixels_alone(tmp_path):
    exif = Image.Exif()
    exif[0x010E] = "where it was taken"
    colours().save(tmp_path / "x.png", icc_profile=rgb_profile(ADOBE_RGB, 2.2), exif=exif)

    written = Image.open(io.BytesIO(png_bytes(Image.open(tmp_path / "x.png"))))
    assert (written.info, dict(written.getexif())) == ({}, {})


def test_an_orientation_mark_is_obeyed(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # rotate 90 degrees clockwise
    wide = Image.new("L", (20, 10))
    wide.paste(255, (0, 0, 10, 10))
    wide.save(tmp_path / "x.png", exif=exif)
    shown = decode(tmp_path / "x.png")

    assert shown.size == (10, 20)
    assert shown.getpixel((5, 2)) == 255
    assert shown.getpixel((5, 17)) == 0


def test_of_an_animation_the_first_frame_is_shown(tmp_path):
    frames = [Image.new("RGB", (8, 8), c) for c in ("red", "green", "blue")]
    frames[0].save(tmp_path / "x.gif", save_all=True, append_images=frames[1:])

    assert decode(tmp_path / "x.gif").getpixel((4, 4)) == (255, 0, 0)


REFUSED = {
    "empty": (b"", r"is empty \(0 bytes\); an image"),
    "text": (b"hello, world" * 20, r"is not an image; one of PNG, JPEG"),
    "header only": (b"\x89PNG\r\n\x1a\n", "is not an image"),
    "16 bits, grey": (png_of_16_bits(1), r"has more than 8 bits per channel"),
    "16 bits, colour": (png_of_16_bits(3), r"8 bits per channel"),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "is not an image"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what, tmp_path):
    content, message = REFUSED[what]
    (tmp_path / "x.png").write_bytes(content)

    with pytest.raises(InputError, match=message) as caught:
        decode(tmp_path / "x.png")
    assert caught.value.where == str(tmp_path / "x.png")


def test_missing(tmp_path):
    with pytest.raises(InputError, match=r"x\.png: there is no such image"):
        decode(tmp_path / "x.png")


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "BMP", "PPM", "GIF"])
def test_truncated(form, tmp_path):
    colours(64).save(tmp_path / "x", form)
    whole = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(whole[: len(whole) * 2 // 3])

    with pytest.raises(InputError, match=r"cannot be decoded|is not an image"):
        decode(tmp_path / "x")


@pytest.mark.parametrize("sides", [(60_000, 60_000), (8000, 8000), (LARGEST_PX + 1, 2), (2, 8193)])
def test_too_large_an_image_is_refused_before_it_is_decoded(sides, tmp_path):
    """The data after the header are too short for an image."""
    (tmp_path / "x.png").write_bytes(png(sides, b"\0"))

    with pytest.raises(InputError, match=f"; at most {LARGEST_PX} px a side and 50 million pixels"):
        decode(tmp_path / "x.png")


@pytest.mark.parametrize("chunk", [b"zTXta\0\0", b"iTXta\0\1\0\0\0", b"iCCPa\0\0"])
def test_a_bomb_in_a_text_is_not_unpacked(chunk, tmp_path):
    """The file contains 20 texts that would unpack to 16 MiB each."""
    bomb = chunk + zlib.compress(bytes(2**24))
    (tmp_path / "x.png").write_bytes(png((4, 4), bytes(20), *[bomb] * 20))

    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"x\.png: (cannot be decoded|is not an image)"):
            decode(tmp_path / "x.png")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2**25


def scans(number: int) -> bytes:
    """Return a JPEG with this number of scans over its pixels."""
    data = ENCODED["JPEG"]
    start = data.index(b"\xff\xda")
    return data[:start] + data[start:-2] * number + b"\xff\xd9"


def test_a_jpeg_of_many_scans_is_refused(tmp_path):
    """A file of 56 kB can contain 5,000 scans of 49 million pixels, which would take 20 s."""
    (tmp_path / "x.jpg").write_bytes(scans(MOST_SCANS + 1))

    with pytest.raises(InputError, match=rf"is a JPEG with 101 scans; at most {MOST_SCANS}"):
        decode(tmp_path / "x.jpg")


def test_a_phone_may_append_a_film(tmp_path):
    """In 16 MiB of random bytes the marker of a scan occurs about 256 times."""
    film = np.random.default_rng(1).bytes(2**24)
    assert film.count(b"\xff\xda") > MOST_SCANS
    (tmp_path / "x.jpg").write_bytes(ENCODED["JPEG"] + film)

    assert decode(tmp_path / "x.jpg").size == (12, 12)


def test_a_file_too_large_for_any_image_is_not_read(tmp_path):
    (tmp_path / "x.png").write_bytes(b"\x89PNG")
    os.truncate(tmp_path / "x.png", LARGEST_IMAGE_BYTES + 1)

    with pytest.raises(InputError, match=r"x\.png: has 268,435,457 bytes; at most 268,435,456"):
        decode(tmp_path / "x.png")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.png")

    with pytest.raises(InputError, match=r"x\.png: is not a file"):
        decode(tmp_path / "x.png")


def test_threads_that_decode_leave_warnings_alone(tmp_path):
    """Pillow's warnings are errors while it decodes, but not in other threads."""
    colours().save(tmp_path / "x.png")
    before = list(warnings.filters)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(decode, [tmp_path / "x.png"] * 200))

    assert list(warnings.filters) == before


def encoded(form: str) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    buffer = io.BytesIO()
    colours().save(buffer, form, **({"exif": exif} if form in ("PNG", "JPEG", "WEBP") else {}))
    return buffer.getvalue()


ENCODED = {form: encoded(form) for form in ("PNG", "JPEG", "WEBP", "BMP", "PPM", "GIF")}
