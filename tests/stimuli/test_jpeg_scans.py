"""Scans of JPEG files as cameras, phones and strangers write them."""

import io

import numpy as np
import pytest
from builders import noise
from PIL import Image

from hype.stimuli.images import scans


def jpeg(image: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", **options)
    return buffer.getvalue()


GREY = noise(1, 128)
COLOUR = Image.merge("RGB", [noise(n, 128) for n in range(3)])


@pytest.mark.parametrize(
    ("data", "number"),
    [
        (jpeg(GREY), 1),
        (jpeg(COLOUR, quality=100), 1),
        (jpeg(COLOUR, restart_marker_rows=1), 1),
        (jpeg(GREY, progressive=True), 6),
        (jpeg(COLOUR, progressive=True), 10),
    ],
)
def test_scans(data: bytes, number: int) -> None:
    assert scans(data) == number


def test_a_small_picture_inside_does_not_count() -> None:
    small = jpeg(COLOUR.resize((32, 32)), progressive=True)

    assert scans(jpeg(GREY, exif=b"Exif\0\0" + small, comment=b"\xff\xda" * 99)) == 1


def test_what_follows_the_picture_does_not_count() -> None:
    """Phones append a film: 16 MiB of any bytes hold a scan's marker some 256 times."""
    film = np.random.default_rng(1).bytes(2**24)

    assert film.count(b"\xff\xda") > 100
    assert scans(jpeg(GREY) + film) == 1


def test_scans_that_were_added_count() -> None:
    data = jpeg(COLOUR, progressive=True)
    last = data[data.rindex(b"\xff\xda") : -2]

    assert scans(data[:-2] + last * 500 + data[-2:]) == 510


@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"\xff\xd8\xff", b"\xff\xd8\xff\xe0", b"\xff\xd8" * 9]
)
def test_what_is_no_jpeg_has_none(data: bytes) -> None:
    assert scans(data) == 0
