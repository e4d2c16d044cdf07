"""Turn pixels into files, with the same steps for every source, including real pictures.

File size, bit depth, brightness range and background level are the same for all pictures, so that
these do not show which pictures are real. No step depends on a picture's source.
"""

import csv
import hashlib
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import ndimage

SIZE_PX = 128
FRAME_PX = 4  # a black frame, so that the surroundings are the same for all pictures
ENLARGEMENT = 4
SPECK_BELOW = 5  # smaller groups of touching pixels (28 x 28) are specks
BLACK_LEVEL = 24  # of 255; darker pixels are background, which is exactly 0 in the data set


@dataclass(frozen=True, kw_only=True)
class ManifestRow:
    """One picture of the set; the fields are the columns of `manifest.csv`, in order."""

    path: str
    kind: str
    condition: str
    width: int
    height: int
    sha256: str
    label: str


def finish(pixels: np.ndarray) -> Image.Image:
    """Turn (28, 28) pixels, roughly in [0, 1], into 128 x 128 grey pixels, 0 to 255."""
    grey = np.round(255 * stretch(np.clip(pixels, 0, 1)))
    clean = without_specks(stretch(np.maximum(grey, BLACK_LEVEL)))
    enlarged = np.pad(enlarge(np.pad(clean, 1)), FRAME_PX)
    return Image.fromarray(np.round(255 * stretch(enlarged)).astype(np.uint8))


def without_specks(pixels: np.ndarray) -> np.ndarray:
    """Make small isolated groups of pixels black: they are too small to be part of a garment."""
    groups, _ = ndimage.label(pixels > 0, structure=np.ones((3, 3)))
    is_speck = np.bincount(groups.ravel()) < SPECK_BELOW
    return np.where(is_speck[groups], 0, pixels)


def enlarge(pixels: np.ndarray) -> np.ndarray:
    """Enlarge four times; values below black, from the cubic interpolation, become black."""
    size = (ENLARGEMENT * pixels.shape[1], ENLARGEMENT * pixels.shape[0])
    image = Image.fromarray(pixels.astype(np.float32))
    return np.maximum(np.asarray(image.resize(size, Image.Resampling.BICUBIC)), 0)


def stretch(pixels: np.ndarray) -> np.ndarray:
    """Shift and scale so that the darkest pixel is 0 and the brightest 1."""
    darkest, brightest = pixels.min(), pixels.max()
    if darkest == brightest:
        msg = f"a picture of one grey ({darkest}) cannot be stretched"
        raise ValueError(msg)
    return (pixels - darkest) / (brightest - darkest)


def write_source(
    root: Path, kind: str, condition: str, samples: np.ndarray, labels: Sequence[str]
) -> list[ManifestRow]:
    """Write all pictures of a source, (n, 28, 28), and return their rows of the manifest."""
    folder = root / kind / condition  # an empty condition adds nothing to the path
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, (pixels, label) in enumerate(zip(samples, labels, strict=True)):
        path = folder / f"{number:04d}.png"
        finish(pixels).save(path, compress_level=0)  # so that every file has the same size
        row = ManifestRow(
            path=path.relative_to(root).as_posix(),
            kind=kind,
            condition=condition,
            width=SIZE_PX,
            height=SIZE_PX,
            sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
            label=label,
        )
        rows.append(row)
    return rows


def write_manifest(path: Path, rows: Sequence[ManifestRow]) -> None:
    """Write one line per picture, sorted by path."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(field.name for field in fields(ManifestRow))
        writer.writerows(astuple(row) for row in sorted(rows, key=lambda row: row.path))


def draw_contact_sheet(
    root: Path, rows: Sequence[ManifestRow], class_names: Sequence[str], per_class: int = 2
) -> Image.Image:
    """Show the first files of every class, one source per line, without any selection."""
    cell, margin, top = 96, 100, 28
    sources = list(dict.fromkeys(row.condition for row in rows))
    width = margin + cell * per_class * len(class_names)
    sheet = Image.new("L", (width, top + cell * len(sources)))
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=17)
    for k, name in enumerate(class_names):
        x = margin + cell * per_class * (k + 0.5)
        pen.text((x, top / 2), name, fill=255, font=font, anchor="mm")
    for j, source in enumerate(sources):
        y = top + cell * j
        pen.text((12, y + cell / 2), source or "real", fill=255, font=font, anchor="lm")
        for k, name in enumerate(class_names):
            members = [row for row in rows if (row.condition, row.label) == (source, name)]
            for i, row in enumerate(members[:per_class]):
                with Image.open(root / row.path) as picture:
                    small = picture.resize((cell, cell), Image.Resampling.LANCZOS)
                sheet.paste(small, (margin + cell * (per_class * k + i), y))
    return sheet
