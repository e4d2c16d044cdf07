"""Decode images safely, and make small copies of them for pages.

An image may come from a stranger, and even a small file can keep a decoder busy for hours or fill
the memory. So `hype` reads only formats that Pillow decodes in its own code, and checks a file's
header before it decodes the pixels.
"""

from __future__ import annotations

import base64
import hashlib
import io
import logging
import os
import re
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile

from hype.errors import InputError
from hype.files import LARGEST_IMAGE_BYTES, check_relative, put_on_one_line, read_bytes
from hype.stimuli.manifest import Stimuli, checksums_in, file_in

FORMATS: Final = ("PNG", "JPEG", "WEBP", "BMP", "PPM", "GIF")
SUFFIXES: Final = frozenset(
    (".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp", ".bmp", ".pgm", ".ppm", ".gif")
)

LARGEST_PX: Final = 8192
LARGEST_PIXELS: Final = 50_000_000
"""The maximum number of pixels of an image; decoding needs up to 20 bytes per pixel."""
MOST_SCANS: Final = 100
"""The maximum number of scans of a JPEG; 1 to 10 are usual. Each scan visits all pixels."""
SCAN: Final = re.compile(rb"\xff\xda\x00[\x06\x08\x0a\x0c\x0e][\x00-\x04]")
"""The start of a scan in a JPEG: a marker, which pixels never contain; a length; and the number
of components."""
SIZE_ALLOWED: Final = f"at most {LARGEST_PX} px a side and {LARGEST_PIXELS // 10**6} million pixels"
EXPECTED: Final = (OSError, SyntaxError, ValueError, EOFError, Warning)
"""Pillow's exceptions for a damaged file; other exceptions are bugs in Pillow."""
LONGEST_REASON: Final = 200
STANDARD_TABLE_SUM: Final = 3688
"""Sum of the luminance table for quality 50, from annex K of the JPEG standard."""
EXIF: Final = "EXIF data"
SRGB: Final = ImageCms.createProfile("sRGB")
PROFILED: Final = {"GRAY": "L", "RGB": "RGB", "CMYK": "CMYK"}
"""The pixel mode for each colour space of a profile."""

_one_at_a_time = threading.Lock()

# Without a handler, Python would print Pillow's log messages in addition to our message.
logging.getLogger("PIL").addHandler(logging.NullHandler())


def decode(path: Path) -> Image.Image:
    """Open and decode a whole image, as 8-bit greyscale ("L") or colour ("RGB") in sRGB.

    Transparent parts become mid grey, the image is rotated as its EXIF data say, and only the first
    frame of an animation is used. ``info`` of the result contains only these facts:
    ``format`` (one of `FORMATS`), ``quality`` (of a JPEG, 1 to 100), ``animated``, and ``ignored``,
    a list of parts that could not be read.

    Raises InputError: the file is missing, empty, truncated, not an image of a known format, or too
    large.
    """
    content = content_of(path)
    # All threads share the warnings filter, so they must change it one after the other.
    with _one_at_a_time, warnings.catch_warnings():
        warnings.filterwarnings("error", module=r"PIL\.")  # Pillow only warns of some damage
        try:
            try:
                return decode_content(path, content)
            except UserWarning:
                warnings.filterwarnings("ignore", module=r"PIL\.TiffImagePlugin")  # reads EXIF data
                image = decode_content(path, content)
                image.info["ignored"].append(EXIF)
                return image
        except InputError:
            raise
        except Exception as error:  # a damaged file may raise any error
            raise refusal(path, error) from None


def decode_content(path: Path, content: bytes, *, side_px: int | None = None) -> Image.Image:
    """Decode an image after a check of its header.

    ``side_px``: a JPEG may be decoded at a reduced size, but with no side shorter than this.
    """
    with Image.open(io.BytesIO(content), formats=FORMATS) as file:
        refuse_unreasonable(path, file, content)
        if side_px is not None:
            file.draft(None, (side_px, side_px))
        is_jpeg = isinstance(file, JpegImageFile)  # or MPO (several JPEGs)
        form = "JPEG" if is_jpeg else file.format
        animated = not is_jpeg and getattr(file, "is_animated", False)
        # Pillow may open a damaged colour GIF as grey, but a copy of it has its colours.
        image, ignored = normalise(file.copy() if file.format == "GIF" else file)
        image.info = {
            "format": form,
            "quality": jpeg_quality(file.quantization[0])
            if isinstance(file, JpegImageFile)
            else None,
            "animated": animated,
            "ignored": ignored,
        }
        return image


def jpeg_quality(table: Sequence[int]) -> int:
    """Return the JPEG quality (1 to 100) whose quantisation table is closest to ``table``."""
    scale = 100 * sum(table) / STANDARD_TABLE_SUM
    return round(min(100, max(1, (200 - scale) / 2 if scale <= 100 else 5000 / scale)))


def refusal(path: Path, error: Exception) -> InputError:
    """Describe what is wrong with an image, from Pillow's exception."""
    if isinstance(error, UnidentifiedImageError):
        return InputError(path, "is not an image", f"one of {', '.join(FORMATS)}")
    if isinstance(error, Image.DecompressionBombError | Image.DecompressionBombWarning):
        return InputError(path, "is too large", SIZE_ALLOWED)
    return InputError(path, f"cannot be decoded: {reason(error)}", "a complete image file")


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
    """Describe an error in one short line, without characters that cannot be printed."""
    if not isinstance(error, EXPECTED):
        name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
        return f"its decoder failed ({name})"
    return put_on_one_line(error)[:LONGEST_REASON]


def refuse_unreasonable(path: Path, image: ImageFile, content: bytes) -> None:
    """Refuse images that are too large or too slow to decode, or have 16 bits (Pillow reads 8)."""
    if max(image.size) > LARGEST_PX or image.width * image.height > LARGEST_PIXELS:
        raise InputError(path, f"is {image.width} x {image.height} px", SIZE_ALLOWED)
    if image.format in ("JPEG", "MPO") and (number := len(SCAN.findall(content))) > MOST_SCANS:
        raise InputError(path, f"is a JPEG with {number} scans", f"at most {MOST_SCANS}")
    deep = any(";16" in str(part) for tile in image.tile for part in tile)
    if deep or image.mode in ("I;16", "I;16B", "I", "F"):
        raise InputError(
            path, "has more than 8 bits per channel", "8 bits; convert the image yourself"
        )


def normalise(image: Image.Image) -> tuple[Image.Image, list[str]]:
    """Convert an image to mode L or RGB in sRGB, and list the parts that were ignored."""
    ignored = []
    is_grey = image.mode in ("1", "L")
    image.load()
    try:
        ImageOps.exif_transpose(image, in_place=True)
    except Exception:  # a damaged entry may raise any error
        ignored.append(EXIF)
    if profile := image.info.get("icc_profile"):
        try:
            image = convert_to_srgb(image, profile)
        except (ImageCms.PyCMSError, OSError, ValueError):
            ignored.append("colour profile")
    if image.has_transparency_data:
        grey = Image.new("RGBA", image.size, (128, 128, 128, 255))
        return Image.alpha_composite(
            grey, image if image.mode == "RGBA" else image.convert("RGBA")
        ).convert("RGB"), ignored
    return image.convert("L" if is_grey else "RGB"), ignored


def convert_to_srgb(image: Image.Image, profile: bytes) -> Image.Image:
    """Convert pixels from the colours of a profile to sRGB, relative to the profile's white.

    Raises PyCMSError, OSError, ValueError: the profile is damaged, or belongs to another mode.
    """
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    space = source.profile.xcolor_space.strip()
    if (space == "CMYK") != (image.mode == "CMYK") or space not in PROFILED:
        raise ValueError(f"a profile of {space} colours")
    alpha = image.convert("RGBA").getchannel("A") if image.has_transparency_data else None
    transform = ImageCms.buildTransform(
        source, SRGB, PROFILED[space], "RGB", ImageCms.Intent.RELATIVE_COLORIMETRIC
    )
    converted = transform.apply(image.convert(PROFILED[space]))
    if alpha:
        converted.putalpha(alpha)
    return converted


def png_bytes(image: Image.Image) -> bytes:
    """Encode the pixels as a PNG without metadata."""
    buffer = io.BytesIO()
    bare = image.copy()
    bare.info = {}
    bare.save(buffer, "PNG")
    return buffer.getvalue()


def pictures_in(
    stimuli: Stimuli | None, images: Iterable[str]
) -> Callable[[str], tuple[str, int, int] | None]:
    """Make small copies of images; all of them together are small enough for one page.

    ``stimuli``: where the images are; None if unknown. An image whose checksum differs
    from that in the manifest gets no copy.
    ``images``: the paths of the images, as in judgements. If the page shows an image several
        times, its path is repeated.

    Returns a function that gives, for a path, the data URI, the width and the height in px, or None
    if there is no copy. It never raises.
    """
    names = tuple(images)
    copies: Mapping[str, Thumbnail] = {}
    if stimuli and names:
        copies = thumbnails(stimuli, names, checksums=checksums_in(stimuli))
    entries = {name: (copy.uri, copy.width_px, copy.height_px) for name, copy in copies.items()}
    return entries.get


SIDE_PX: Final = 96
LOSSLESS_PX: Final = 48
"""Smaller images stay PNG, since the blocks of JPEG would be visible in them."""
MOST_CHARACTERS: Final = 2_500_000
"""The maximum number of characters in all data URIs of a page together."""
THREADS: Final = 2
"""Only a few threads decode at the same time, since each may need memory for a large image."""


@dataclass(frozen=True, kw_only=True)
class Thumbnail:
    """A small copy of an image."""

    mime: str  # image/png or image/jpeg
    width_px: int
    height_px: int
    content: bytes  # the file, without metadata such as names and places

    @property
    def uri(self) -> str:
        return f"data:{self.mime};base64,{base64.b64encode(self.content).decode('ascii')}"


LEVELS: Final = ((1.0, 82), (1.0, 65), (0.8, 60), (0.65, 55), (0.5, 45))
"""Each level is a share of the longest side and a JPEG quality (1 to 95). Levels are tried in
turn until all copies together are small enough. At the first level, small images stay PNG."""


def thumbnails(
    stimuli: Stimuli,
    paths: Sequence[str],
    *,
    checksums: Mapping[str, str] | None = None,
    side_px: int = SIDE_PX,
    most_characters: int = MOST_CHARACTERS,
) -> dict[str, Thumbnail]:
    """Make small copies of many images; all of them together are small enough for one page.

    ``stimuli``: where the images are.
    ``side_px``: the longest side of a copy. A smaller image keeps its size.
    ``paths``: the paths of the images in their set; they may come from a stranger. If the page
        shows an image several times, its path is repeated.
    ``checksums``: checksums of the images by path; an image that is not listed has no copy. If
    ``checksums`` is None, no checksums are compared.
    ``most_characters``: the maximum length of all data URIs together. If the copies need more,
        all are made smaller. If this is not enough, the last of ``paths`` have no copies.

    Returns the copies by path. A path has no copy if there is no such image in the folder, if it
    cannot be decoded within the limits of this module, or if its checksum differs. The same image
    always gives the same bytes.
    """
    uses = Counter(path for path in paths if checksums is None or path in checksums)
    sums = checksums or {}
    # All threads share the warnings filter, so it is set once, before the threads start.
    with warnings.catch_warnings(), ThreadPoolExecutor(min(THREADS, os.cpu_count() or 1)) as pool:
        warnings.simplefilter("ignore")
        images = pool.map(lambda path: _read(stimuli, path, side_px, sums.get(path)), uses)
        images_read = {
            path: image for path, image in zip(uses, images, strict=True) if image is not None
        }
    copies: dict[str, Thumbnail] = {}
    for level in LEVELS:
        copies = {path: _encode(image, level, side_px) for path, image in images_read.items()}
        if sum(len(copies[path].uri) * uses[path] for path in copies) <= most_characters:
            return copies
    sizes = accumulate(len(copy.uri) * uses[path] for path, copy in copies.items())
    return {
        path: copies[path]
        for path, size in zip(copies, sizes, strict=True)
        if size <= most_characters
    }


def _encode(image: Image.Image, level: tuple[float, int], side_px: int) -> Thumbnail:
    """Write an image of mode L or RGB as PNG or JPEG, whichever gives the smaller file."""
    share, quality = level
    small = _shrink(image, round(share * side_px))
    mime, content = "image/png", _write(small, "PNG")
    if level != LEVELS[0] or max(small.size) > LOSSLESS_PX:
        jpeg = _write(small, "JPEG", quality=quality)
        if len(jpeg) < len(content):
            mime, content = "image/jpeg", jpeg
    return Thumbnail(mime=mime, width_px=small.width, height_px=small.height, content=content)


def _write(image: Image.Image, form: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, optimize=True, **options)
    return buffer.getvalue()


def _read(stimuli: Stimuli, path: str, side_px: int, sha256: str | None) -> Image.Image | None:
    """Decode and shrink an untrusted image; None if that fails."""
    try:
        check_relative(stimuli, path)
        place = file_in(stimuli, path)
        content = content_of(place)
        if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
            return None
        return _shrink(decode_content(place, content, side_px=2 * side_px), side_px)
    except Exception:  # a damaged file may raise any error
        return None


def _shrink(image: Image.Image, side_px: int) -> Image.Image:
    scale = side_px / max(image.size)
    if scale < 1:
        width_px, height_px = (max(1, round(side * scale)) for side in image.size)
        image = image.resize((width_px, height_px), Image.Resampling.LANCZOS, reducing_gap=3.0)
    bare = Image.new(image.mode, image.size)  # without metadata
    bare.paste(image)
    return bare
