"""What a TIFF file says of its tiles, as the library that unpacks them will read it."""

import io
import struct

import pytest
from builders import noise
from tiled_tiff import tiff_in_tiles

from hype.stimuli.images import tile_size_px


def saved(**options: object) -> bytes:
    buffer = io.BytesIO()
    noise(1).save(buffer, "TIFF", **options)
    return buffer.getvalue()


@pytest.mark.parametrize("big", [False, True], ids=["classic", "BigTIFF"])
@pytest.mark.parametrize("order", ["<", ">"], ids=["little end first", "big end first"])
@pytest.mark.parametrize("kind", [3, 4], ids=["16 bits", "32 bits"])
def test_tiles(kind: int, order: str, big: bool) -> None:
    data = tiff_in_tiles(160, 320, kind=kind, order=order, big=big)

    assert tile_size_px(data) == (160, 320)


@pytest.mark.parametrize("big", [False, True], ids=["classic", "BigTIFF"])
def test_an_image_without_tiles(big: bool) -> None:
    assert tile_size_px(saved(big_tiff=big)) == (1, 1)


@pytest.mark.parametrize("kind", [1, 2, 7, 8, 9, 11, 13, 16, 17, 18])
def test_types_that_pillow_and_libtiff_read_differently(kind: int) -> None:
    with pytest.raises(ValueError, match="not given as TIFF asks"):
        tile_size_px(tiff_in_tiles(16, 16, kind=kind))


def test_a_width_given_twice() -> None:
    data = bytearray(tiff_in_tiles(16, 16))
    height = data.index(struct.pack("<H", 323))
    data[height : height + 2] = struct.pack("<H", 322)

    with pytest.raises(ValueError, match="not given as TIFF asks"):
        tile_size_px(bytes(data))


@pytest.mark.parametrize("length", [4, 8, 9, 40])
def test_a_file_that_ends_too_early(length: int) -> None:
    with pytest.raises(struct.error):
        tile_size_px(tiff_in_tiles(16, 16)[:length])
