"""Small sound images of every format, mode and way of packing."""

import io
from functools import cache
from itertools import product
from typing import Any, Final

from PIL import Image

FORMS: Final = ("PNG", "JPEG", "WEBP", "BMP", "PPM", "GIF")
MODES: Final = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "I", "F", "I;16")
OPTIONS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "PNG": ({"optimize": True}, {"save_all": True}),
    "JPEG": ({"progressive": True}, {"quality": 5}, {"restart_marker_rows": 1}),
    "WEBP": ({"lossless": True}, {"save_all": True}),
    "GIF": ({"save_all": True}, {"interlace": 0}),
}


def encoded(form: str, mode: str, options: dict[str, Any]) -> bytes:
    """Encode a small picture; nothing where Pillow cannot."""
    picture = Image.linear_gradient("L").resize((12, 9)).convert("RGB")
    buffer = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    others = [Image.new("RGB", (12, 9), "red").convert(mode)] if options.get("save_all") else []
    extra = {"exif": exif} if form in ("PNG", "JPEG", "WEBP") else {}
    try:
        picture.convert(mode).save(buffer, form, append_images=others, **extra, **options)
    except (OSError, ValueError, KeyError, DeprecationWarning):  # or will not any more
        return b""
    return buffer.getvalue()


@cache
def whole_images() -> tuple[bytes, ...]:
    """Give one small image of each format, mode and way of packing it."""
    kinds = [
        (form, mode, options)
        for form, mode in product(FORMS, MODES)
        for options in ({}, *OPTIONS.get(form, ()))
    ]
    return tuple(dict.fromkeys(data for kind in kinds if (data := encoded(*kind))))
