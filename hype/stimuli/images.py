"""Decoding images safely: one place that opens a picture, one message when it cannot."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Final

from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.ImageFile import ImageFile

from hype.errors import InputError

FORMATS: Final = ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "PPM", "GIF")
"""Formats that Pillow decodes in its own code; nothing that starts another program."""
SUFFIXES: Final = frozenset(
    (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp", ".pgm", ".ppm", ".gif")
)
LARGEST_PX: Final = 8192


def decode(path: Path) -> Image.Image:
    """Open and wholly decode one image, as 8-bit greyscale ("L") or colour ("RGB").

    Transparency is laid over mid grey, an orientation mark is obeyed, and of an animation the
    first frame is taken.

    Raises
    ------
    InputError
        The file is missing, empty, truncated, not an image of a known format, or too large.
    """
    try:
        if path.stat().st_size == 0:
            raise InputError(path, "is empty (0 bytes)", "an image")
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # damage that Pillow would only remark upon
            with Image.open(path, formats=FORMATS) as image:
                refuse_deep_colour(path, image)
                return normalised(path, image)
    except FileNotFoundError:
        raise InputError(path, "there is no such image") from None
    except UnidentifiedImageError:
        raise InputError(path, "is not an image", f"one of {', '.join(FORMATS)}") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise InputError(path, "is too large", f"at most {LARGEST_PX} px a side") from None
    except (OSError, SyntaxError, ValueError, EOFError, Warning) as error:
        raise InputError(path, f"cannot be decoded: {error}", "a whole, readable image") from None


def refuse_deep_colour(path: Path, image: ImageFile) -> None:
    """Refuse 16 bits per channel, which Pillow would reduce to 8 without a word."""
    deep = any(";16" in str(part) for tile in image.tile for part in tile)
    if deep or image.mode in ("I;16", "I;16B", "I", "F"):
        raise InputError(
            path, "has more than 8 bits per channel", "8 bits, so that nothing is lost unseen"
        )


def normalised(path: Path, image: Image.Image) -> Image.Image:
    """Bring a decoded image to one of the two modes that are shown."""
    if max(image.size) > LARGEST_PX:
        raise InputError(path, f"is {image.width} x {image.height} px", f"at most {LARGEST_PX}")
    upright = ImageOps.exif_transpose(image)
    if upright.has_transparency_data:
        grey = Image.new("RGBA", upright.size, (128, 128, 128, 255))
        return Image.alpha_composite(grey, upright.convert("RGBA")).convert("RGB")
    return upright.convert("L" if upright.mode in ("L", "1") else "RGB")


def png_bytes(image: Image.Image) -> bytes:
    """Encode an image as PNG."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
