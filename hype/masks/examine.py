"""Looking at a mask set: how near each mask is to its source, and that it does not show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, pstdev
from typing import Final

import numpy as np
import scipy.fft
from numpy.typing import NDArray
from PIL import Image

from hype.errors import InputError
from hype.files import inside, read_table
from hype.masks.make import LARGEST_ERROR, Pixels, fitted, without_grey_copies
from hype.masks.maskset import COLUMNS, MANIFEST, MaskSet, check_mask, parse_row
from hype.masks.model import TextureModel
from hype.masks.synthesis import errors
from hype.stimuli.images import decode
from hype.stimuli.manifest import StimulusSet
from hype.workers import Call, WorkerPool

Luminance = NDArray[np.float64]
LARGEST_CORRELATION: Final = 0.5
"""A mask that correlates more than this with its source shows the picture it is to hide."""
LARGEST_SHIFTED_CORRELATION: Final = 0.9
"""A mask that correlates more than this with its source once it is shifted is that picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What was found of one mask."""

    path: str
    source: str
    # Length of the differences of statistics, relative to the source's, in total and by family;
    # empty if the manifest names no texture model
    errors: Mapping[str, float]
    correlation: float  # Pearson's, of the luminances of mask and source, pixel by pixel
    shifted_correlation: float  # the largest, over all circular shifts of the mask
    # luminance, contrast: mean and standard deviation of the luminance, as shares of white
    luminance: float
    contrast: float

    @property
    def problems(self) -> tuple[str, ...]:
        problems_of_mask = []
        if abs(self.correlation) > LARGEST_CORRELATION:
            problems_of_mask.append(
                f"shows its source {self.source}: correlation {self.correlation:.2f}"
            )
        elif self.shifted_correlation > LARGEST_SHIFTED_CORRELATION:
            shifted = f"correlation {self.shifted_correlation:.2f}"
            problems_of_mask.append(
                f"shows its source {self.source}, shifted: {shifted}; take fewer scales"
            )
        if self.errors.get("total", 0.0) > LARGEST_ERROR:
            problems_of_mask.append(f"misses its source's statistics by {self.errors['total']:.1%}")
        return tuple(problems_of_mask)


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskSpread:
    """Mean and standard deviation of a quantity over images."""

    mean: float
    sd: float

    @classmethod
    def of(cls, values: Sequence[float]) -> MaskSpread:
        return cls(mean=fmean(values), sd=pstdev(values))


def examine(masks: MaskSet, stimuli: StimulusSet, worker_pool: WorkerPool) -> Iterator[Examined]:
    """Examine the masks of a set, in no certain order.

    InputError where a mask or its source is missing, cannot be decoded, or is not what the manifest
    says.
    """
    paths = {s.path for s in stimuli.stimuli}
    yield from worker_pool.run(calls(masks, stimuli, paths))


def calls(masks: MaskSet, stimuli: StimulusSet, paths: set[str]) -> Iterator[Call[Examined]]:
    manifest = inside(masks.folder, MANIFEST)
    for where, row in read_table(manifest, COLUMNS, made_by="hype masks make"):
        path, size_px = parse_row(where, row)
        if row["source"] not in paths:
            problem = f"source {row['source']!r} is not in {stimuli.folder}"
            raise InputError(where, problem, "the stimulus set that the masks were made of")
        model = model_of(where, row, size_px)
        mask = decode(inside(masks.folder, path))
        check_mask(masks, path, mask.size)
        source = fitted(inside(stimuli.folder, row["source"]), size_px)
        yield examine_mask, (path, row["source"], np.asarray(mask), source, model)


def model_of(where: str, row: Mapping[str, str], size_px: int) -> TextureModel | None:
    cells = {name: row.get(name, "") for name in ("scales", "orientations", "window")}
    if not any(cells.values()):
        return None
    if not all(cell.isascii() and cell.isdecimal() for cell in cells.values()):
        raise InputError(where, f"texture model {cells}", "whole numbers")
    try:
        model = TextureModel(**{name: int(cell) for name, cell in cells.items()})
        model.check((size_px, size_px))
    except InputError as error:
        raise InputError(where, error.problem, error.allowed) from None
    return model


def examine_mask(
    path: str, source: str, mask: Pixels, pixels: Pixels, model: TextureModel | None
) -> Examined:
    shown, hidden = luminance(mask), luminance(pixels)
    return Examined(
        path=path,
        source=source,
        errors=errors_of(mask, pixels, model) if model else {},
        correlation=float(correlations(shown, hidden)[0, 0]),
        shifted_correlation=float(correlations(shown, hidden).max()),
        luminance=float(shown.mean()),
        contrast=float(shown.std()),
    )


def errors_of(mask: Pixels, source: Pixels, model: TextureModel) -> dict[str, float]:
    """Return the differences of the statistics; a grey mask is compared with a grey source."""
    other, picture = without_grey_copies(mask), without_grey_copies(source)
    if other.ndim != picture.ndim:
        return errors(luminance(other), luminance(picture), model)
    return errors(other / 255, picture / 255, model)


def luminance(pixels: Pixels) -> Luminance:
    """Return the luminance of 8-bit pixels as shares of white, as Pillow weighs the colours."""
    return np.asarray(Image.fromarray(pixels).convert("L"), dtype=np.float64) / 255


def correlations(mask: Luminance, source: Luminance) -> Luminance:
    """Give Pearson's correlation of two images for each circular shift of the one; 0 if flat."""
    spectra = [scipy.fft.rfft2(image - image.mean()) for image in (mask, source)]
    scale = mask.size * mask.std() * source.std()
    products = scipy.fft.irfft2(np.conj(spectra[0]) * spectra[1], s=mask.shape)
    return np.asarray(products / scale if scale else np.zeros_like(products))


def light_of(path: Path) -> tuple[float, float]:
    values = luminance(np.asarray(decode(path)))
    return float(values.mean()), float(values.std())
