"""Decoding images safely: one place that opens a picture, one message when it cannot.

An image may come from a stranger, and a small file can make a decoder work for hours or fill the
memory. What a file says of itself is looked at before its pixels are decoded.
"""

from __future__ import annotations

import io
import logging
import re
import struct
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.ImageFile import ImageFile

from hype.confine import on_one_line
from hype.errors import InputError
from hype.files import LARGEST_IMAGE_BYTES, read_bytes

_MARKER: Final = re.compile(rb"\xff+([\x01-\xcf\xd8-\xfe])")
"""A marker that can end a scan: behind 0xff in a scan's data stands 0, or a restart's number."""
_END: Final = b"\xd9"
_SCAN: Final = b"\xda"
_BARE: Final = (b"\x01", b"\xd8")
"""Markers without a length and what is that long."""


def scans(content: bytes) -> int:
    """Count the scans of a JPEG's first image.

    What its segments hold (a small picture of it, say) is passed over, and so is what follows its
    end (a second picture, a film).
    """
    number, place = 0, 2
    while (marker := _MARKER.search(content, place)) and marker[1] != _END:
        number += marker[1] == _SCAN
        place = marker.end()
        if marker[1] not in _BARE:
            place += int.from_bytes(content[place : place + 2], "big")
    return number


TILE_WIDTH: Final = 322
TILE_HEIGHT: Final = 323
NUMBER: Final = {3: "H", 4: "I"}
"""The types of number that TIFF 6.0 allows for both, page 67, and how they are unpacked."""


def tile_size_px(content: bytes) -> tuple[int, int]:
    """Give width and height of the tiles of a TIFF file's first image; 1, 1 where it has none.

    Raises ValueError: a size is given twice, or is no single number of a type that TIFF allows.
    Raises struct.error: the file ends too early.
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


FORMATS: Final = ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "PPM", "GIF")
"""Formats that Pillow decodes in its own code; nothing that starts another program."""
SUFFIXES: Final = frozenset(
    (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp", ".pgm", ".ppm", ".gif")
)

LARGEST_PX: Final = 8192
LARGEST_PIXELS: Final = 50_000_000
"""In all; with transparency, an image takes up to five times four bytes of each to be decoded."""
MOST_SCANS: Final = 100
"""Of a JPEG. Usual are 1 to 10; each is work for all pixels, and takes no more than 10 bytes."""
SIZE_ALLOWED: Final = f"at most {LARGEST_PX} px a side and {LARGEST_PIXELS // 10**6} million in all"
EXPECTED: Final = (OSError, SyntaxError, ValueError, EOFError, Warning)
"""What Pillow raises to say that a file is damaged; the others are its own mistakes."""
LONGEST_REASON: Final = 200

_one_at_a_time = threading.Lock()

# Without a handler Python prints what Pillow logs beside the one message that says it.
logging.getLogger("PIL").addHandler(logging.NullHandler())


def decode(path: Path) -> Image.Image:
    """Open and wholly decode one image, as 8-bit greyscale ("L") or colour ("RGB").

    Transparency is laid over mid grey, an orientation mark is obeyed, and of an animation the
    first frame is taken.

    Raises InputError: the file is missing, empty, truncated, not an image of a known format, or too
    large.
    """
    content = content_of(path)
    # Which warnings are errors holds for all threads, and two of them would mix it up.
    with _one_at_a_time, warnings.catch_warnings():
        warnings.filterwarnings("error", module=r"PIL\.")  # damage that is only remarked upon
        try:
            return decoded(path, content)
        except InputError:
            raise
        except Exception as error:  # what a damaged file leads a decoder to has no common name
            raise refusal(path, error) from None


def decoded(path: Path, content: bytes) -> Image.Image:
    """Decode an image, once what it says of itself is found to be reasonable."""
    with Image.open(io.BytesIO(content), formats=FORMATS) as image:
        refuse_large(path, image)
        refuse_large_tiles(path, image, content)
        refuse_many_scans(path, image, content)
        refuse_deep_colour(path, image)
        # A damaged GIF may say that it is grey, and have colours: its copy has them.
        return normalised(image.copy() if image.format == "GIF" else image)


def refusal(path: Path, error: Exception) -> InputError:
    """Say what is wrong with an image of which Pillow raised this."""
    if isinstance(error, UnidentifiedImageError):
        return InputError(path, "is not an image", f"one of {', '.join(FORMATS)}")
    if isinstance(error, Image.DecompressionBombError | Image.DecompressionBombWarning):
        return InputError(path, "is too large", SIZE_ALLOWED)
    return InputError(path, f"cannot be decoded: {reason(error)}", "a whole, readable image")


def content_of(path: Path) -> bytes:
    try:
        content = read_bytes(path, most_bytes=LARGEST_IMAGE_BYTES)
    except FileNotFoundError:
        raise InputError(path, "there is no such image") from None
    except (OSError, ValueError) as error:
        raise InputError(path, f"cannot be read: {reason(error)}", "a readable image") from None
    if not content:
        raise InputError(path, "is empty (0 bytes)", "an image")
    return content


def reason(error: Exception) -> str:
    """Say in one short line what an error says, whatever characters are in it."""
    if not isinstance(error, EXPECTED):
        name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
        return f"its decoder broke off ({name})"
    return on_one_line(error)[:LONGEST_REASON]


def refuse_large(path: Path, image: ImageFile) -> None:
    if max(image.size) > LARGEST_PX or image.width * image.height > LARGEST_PIXELS:
        raise InputError(path, f"is {image.width} x {image.height} px", SIZE_ALLOWED)


def refuse_large_tiles(path: Path, image: ImageFile, content: bytes) -> None:
    """Refuse a TIFF whose tiles are larger than images may be, however little of one is shown."""
    if image.format == "TIFF":
        width, height = tile_size_px(content)
        if max(width, height) > LARGEST_PX or width * height > LARGEST_PIXELS:
            raise InputError(path, f"has tiles of {width} x {height} px", SIZE_ALLOWED)


def refuse_many_scans(path: Path, image: ImageFile, content: bytes) -> None:
    if image.format in ("JPEG", "MPO") and (number := scans(content)) > MOST_SCANS:
        raise InputError(path, f"is a JPEG of {number} scans", f"at most {MOST_SCANS}")


def refuse_deep_colour(path: Path, image: ImageFile) -> None:
    """Refuse 16 bits per channel, which Pillow would reduce to 8 without a word."""
    deep = any(";16" in str(part) for tile in image.tile for part in tile)
    if deep or image.mode in ("I;16", "I;16B", "I", "F"):
        raise InputError(
            path, "has more than 8 bits per channel", "8 bits, so that nothing is lost unseen"
        )


def normalised(image: Image.Image) -> Image.Image:
    """Bring an image to one of the two modes that are shown."""
    ImageOps.exif_transpose(image, in_place=True)
    if image.has_transparency_data:
        return over_grey(image).convert("RGB")
    return image.convert("L" if image.mode in ("L", "1") else "RGB")


def over_grey(image: Image.Image) -> Image.Image:
    grey = Image.new("RGBA", image.size, (128, 128, 128, 255))
    return Image.alpha_composite(grey, image if image.mode == "RGBA" else image.convert("RGBA"))


def png_bytes(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
