"""Examine a mask set: a mask must have the statistics of its source, but must not look like it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import scipy.fft
from PIL import Image

from hype.errors import InputError
from hype.files import inside
from hype.masks.make import LARGEST_ERROR, Pixels, drop_equal_channels, fit_to
from hype.masks.maskset import MODEL_COLUMNS, MaskSet, check_mask, parse_row, read_rows
from hype.masks.model import Array, TextureModel
from hype.stimuli.images import decode
from hype.stimuli.manifest import StimulusSet
from hype.workers import Call, WorkerPool

LARGEST_CORRELATION: Final = 0.5
"""A mask that correlates more than this with its source shows the image that it should hide."""
LARGEST_SHIFTED_CORRELATION: Final = 0.9
"""If a mask correlates more than this with its source after a shift, it is a shifted copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A mask compared with its source."""

    path: str
    source: str
    # Relative error of the statistics, in total and by family; empty if the manifest names no
    # texture model
    errors: Mapping[str, float]
    correlation: float  # Pearson's r of the luminances of mask and source, over all pixels
    shifted_correlation: float  # the largest r over all circular shifts of the mask
    luminance: float  # mean luminance, as a share of white
    contrast: float  # standard deviation of the luminance, as a share of white

    @property
    def problems(self) -> tuple[str, ...]:
        problems = []
        if abs(self.correlation) > LARGEST_CORRELATION:
            problems.append(f"shows its source {self.source}: correlation {self.correlation:.2f}")
        elif self.shifted_correlation > LARGEST_SHIFTED_CORRELATION:
            problems.append(
                f"shows its source {self.source}, shifted: correlation "
                f"{self.shifted_correlation:.2f}; use fewer scales"
            )
        if self.errors.get("total", 0.0) > LARGEST_ERROR:
            problems.append(f"differs by {self.errors['total']:.1%} from its source's statistics")
        return tuple(problems)


def examine(masks: MaskSet, stimuli: StimulusSet, worker_pool: WorkerPool) -> Iterator[Examined]:
    """Examine the masks of a set; yield the results in any order.

    Raises InputError: a mask or its source is missing, cannot be decoded, or differs from the
    manifest.
    """
    paths = {s.path for s in stimuli.stimuli}

    def calls_of_masks() -> Iterator[Call[Examined]]:
        for where, row in read_rows(masks.folder):
            path, size_px = parse_row(where, row)
            if row["source"] not in paths:
                problem = f"source {row['source']!r} is not in {stimuli.folder}"
                raise InputError(where, problem, "the stimulus set from which the masks were made")
            model = model_of(where, row, size_px)
            mask = decode(inside(masks.folder, path))
            check_mask(masks, path, mask.size)
            source = fit_to(decode(inside(stimuli.folder, row["source"])), size_px)
            yield examine_mask, (path, row["source"], np.asarray(mask), source, model)

    yield from worker_pool.run(calls_of_masks())


def model_of(where: str, row: Mapping[str, str], size_px: int) -> TextureModel | None:
    cells = {name: row.get(name, "") for name in MODEL_COLUMNS}
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
    off: Mapping[str, float] = {}
    if model:
        from hype.masks.synthesis import Comparison  # loads Numba

        own, picture = drop_equal_channels(mask), drop_equal_channels(pixels)
        if own.ndim == picture.ndim:
            off = Comparison(picture / 255, model).errors(own / 255)
        else:  # if only one of them is grey, compare luminances
            off = Comparison(luminance(picture), model).errors(luminance(own))
    return Examined(
        path=path,
        source=source,
        errors=off,
        correlation=float(correlations(shown, hidden)[0, 0]),
        shifted_correlation=float(correlations(shown, hidden).max()),
        luminance=float(shown.mean()),
        contrast=float(shown.std()),
    )


def luminance(pixels: Pixels) -> Array:
    """Return the luminance of 8-bit pixels as shares of white, with Pillow's colour weights."""
    return np.asarray(Image.fromarray(pixels).convert("L"), dtype=np.float64) / 255


def correlations(mask: Array, source: Array) -> Array:
    """Return Pearson's r for each circular shift of the mask; 0 if an image has only one colour."""
    spectra = [scipy.fft.rfft2(image - image.mean()) for image in (mask, source)]
    scale = mask.size * mask.std() * source.std()
    products = scipy.fft.irfft2(np.conj(spectra[0]) * spectra[1], s=mask.shape)
    return np.asarray(products / scale if scale else np.zeros_like(products))


def light_of(path: Path) -> tuple[float, float]:
    """Return the luminance and the contrast of an image, as in `Examined`."""
    values = luminance(np.asarray(decode(path)))
    return float(values.mean()), float(values.std())
