"""Pictures for the report: small copies of images, readable by any browser and inside the page."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from PIL import Image

from hype.errors import InputError
from hype.files import check_relative
from hype.stimuli.images import content_of, decoded
from hype.stimuli.manifest import MANIFEST, Stimuli, file_in, read_stimulus_set

Pictured = Callable[[str], tuple[str, int, int] | None]


def pictures_in(stimuli: Stimuli | None, images: Iterable[str]) -> Pictured:
    """Make small copies of images, all of them together small enough for a page.

    ``stimuli``: where images are; None where that is not known. Where there is a manifest, an
        image that is not the one in it has no picture.
    ``images``: names of the images, as they stand in the judgements: paths from the folder. One
        that is shown several times stands here as often.

    What is returned gives the data URI, the width and the height in px for a name; None where there
    is no picture. It never raises.
    """
    names = tuple(images)
    copies: Mapping[str, Thumbnail] = {}
    if stimuli and names:
        copies = thumbnails(stimuli, names, checksums=checksums_in(stimuli))
    entries = {name: (copy.uri, copy.width_px, copy.height_px) for name, copy in copies.items()}
    return entries.get


def checksums_in(stimuli: Stimuli) -> dict[str, str] | None:
    """Give the checksums of a stimulus set by path; None where it has no manifest.

    None are given where the manifest cannot be read: then nobody can say what was judged.
    """
    try:
        if not file_in(stimuli, MANIFEST).exists():
            return None
        return {stimulus.path: stimulus.sha256 for stimulus in read_stimulus_set(stimuli).stimuli}
    except (InputError, OSError):
        return {}


SIDE_PX: Final = 96
LOSSLESS_PX: Final = 48
"""Images that are no larger are looked at pixel by pixel, and a JPEG would show."""
MOST_CHARACTERS: Final = 2_500_000
"""Of all data URIs of a page together."""
THREADS: Final = 2
"""That decode; each may need the memory of the largest image."""


@dataclass(frozen=True, kw_only=True)
class Thumbnail:
    """A small copy of an image."""

    mime: str  # its type: image/png or image/jpeg
    width_px: int
    height_px: int
    content: bytes  # the file. It holds the pixels and nothing else: no profile, no place, no name.

    @property
    def uri(self) -> str:
        """The copy itself as an address (a data URI)."""
        return f"data:{self.mime};base64,{base64.b64encode(self.content).decode('ascii')}"


LEVELS: Final = ((1.0, 82), (1.0, 65), (0.8, 60), (0.65, 55), (0.5, 45))
"""Shares of the longest side and qualities of a JPEG (1 to 95): tried one after the other, until
all pictures together are small enough. At the first one small images stay PNG."""


def thumbnails(
    stimuli: Stimuli,
    paths: Sequence[str],
    *,
    checksums: Mapping[str, str] | None = None,
    side_px: int = SIDE_PX,
    most_characters: int = MOST_CHARACTERS,
) -> dict[str, Thumbnail]:
    """Make small copies of many images, so that all of them fit into a page.

    ``stimuli``: where the images lie.
    ``side_px``: the longest side of a copy. An image that is no larger keeps its pixels.
    ``paths``: which images, as in their set; they may come from a stranger. One that will be on the
        page several times stands here as often.
    ``checksums``: checksums of the images by path; those it does not name have no thumbnail. None
        takes whatever lies there.
    ``most_characters``: how many all data URIs may have. Where they would have more, all copies are
        made smaller, and at last those that come late in `paths` are left out.

    Returns path to copy, without those of which there is none: there is no such image inside the
    folder, it cannot be decoded within the limits of `hype.stimuli.images`, or has another
    checksum. The same image gives the same bytes.
    """
    uses = Counter(path for path in paths if checksums is None or path in checksums)
    sums = checksums or {}
    # Which warnings are ignored holds for all threads, so that it is said once, before they start.
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
    """Write an image as PNG or JPEG, whichever is smaller.

    ``image``: of mode L or RGB, with no more than its pixels.
    """
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
    """Decode an image of a stranger, and shrink it; None where that cannot be done."""
    try:
        check_relative(stimuli, path)
        place = file_in(stimuli, path)
        content = content_of(place)
        if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
            return None
        return _shrink(decoded(place, content, side_px=2 * side_px), side_px)
    except Exception:  # what a damaged file leads a decoder to has no common name
        return None


def _shrink(image: Image.Image, side_px: int) -> Image.Image:
    scale = side_px / max(image.size)
    if scale < 1:
        width_px, height_px = (max(1, round(side * scale)) for side in image.size)
        image = image.resize((width_px, height_px), Image.Resampling.LANCZOS, reducing_gap=3.0)
    bare = Image.new(image.mode, image.size)  # without what else the file said
    bare.paste(image)
    return bare
