"""How one mask is made of one picture: the methods, and what each leaves in the manifest.

Everything here is a pure function of its arguments, so that it may run in this process, in another
one, or on another machine, and gives the same bytes wherever the same processor and versions do it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import threadpoolctl
from numpy.typing import NDArray
from PIL import Image

from hype.masks.families import Statistics
from hype.masks.model import TextureModel
from hype.stimuli.images import png_bytes

Channels = NDArray[np.float64]


def phase_scramble(image: Channels, rng: np.random.Generator) -> Channels:
    """Give noise with the amplitude spectrum, mean and standard deviation of ``image``.

    The phases of white noise are added to the picture's own, the same in each channel, which
    keeps the relations between the colours (Prins 2007; Dakin et al. 2002).

    Parameters
    ----------
    image
        Pixels in 0 to 1, shape (height, width, channels).

    Returns
    -------
    Pixels in 0 to 1, same shape. What falls outside after scrambling is clipped.
    """
    noise = np.fft.rfft2(rng.standard_normal(image.shape[:2]))
    phase = noise / np.abs(noise)
    phase[0, 0] = 1.0  # the mean keeps its sign
    spectrum = np.fft.rfft2(image, axes=(0, 1))
    scrambled = np.fft.irfft2(spectrum * phase[..., np.newaxis], s=image.shape[:2], axes=(0, 1))
    return np.clip(scrambled, 0.0, 1.0)


def spectrum_error(mask: Channels, source: Channels) -> float:
    """Distance of two amplitude spectra, the mean left out, relative to the second's norm."""
    kept, wanted = (np.abs(np.fft.rfft2(pixels, axes=(0, 1))) for pixels in (mask, source))
    kept[0, 0] = wanted[0, 0] = 0.0
    norm = float(np.linalg.norm(wanted))
    return float(np.linalg.norm(kept - wanted)) / norm if norm else 0.0


Method = Literal["portilla-simoncelli", "phase-scramble"]
METHODS: Final[tuple[Method, ...]] = ("portilla-simoncelli", "phase-scramble")
FAMILIES: Final = tuple(f"error_{family}" for family in Statistics._fields)

Pixels = NDArray[np.uint8]
DEFAULT_MODEL: Final = TextureModel()
ONE_AT_A_TIME: Final = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskJob:
    """What to make: ``number`` masks of ``size_px`` by ``size_px`` pixels.

    Parameters
    ----------
    number, size_px
        How many, and their side.
    seed
        Of everything random.
    method
        One of `METHODS`.
    model
        The statistics that texture synthesis keeps; phase scrambling has none.
    """

    number: int
    size_px: int
    seed: int
    method: Method = METHODS[0]
    model: TextureModel = DEFAULT_MODEL

    @property
    def settings(self) -> dict[str, str]:
        """The manifest's cells that say how a mask was made."""
        model = self.model if self.method == "portilla-simoncelli" else None
        return {
            "method": self.method,
            "seed": str(self.seed),
            "size_px": str(self.size_px),
            "scales": str(model.scales) if model else "",
            "orientations": str(model.orientations) if model else "",
            "window": str(model.window) if model else "",
        }


@dataclass(frozen=True, slots=True)
class Mask:
    """A finished mask.

    Parameters
    ----------
    number
        Its place in the job, from 0.
    png
        The file's bytes.
    results
        The manifest's cells that say how it came out: ``error``, the length of all statistics'
        differences relative to the source's, one for each family, and ``evaluations``.
    """

    number: int
    png: bytes
    results: dict[str, str]


def masks_of(pixels: Pixels, job: MaskJob, numbers: Sequence[int]) -> list[Mask]:
    """Make some masks of one picture.

    Parameters
    ----------
    pixels
        (H, W) or (H, W, 3), of the masks' size. A colour picture without colour counts as grey.
    job
        Method and settings.
    numbers
        The masks' places in the job. A mask's random numbers follow from the job's seed and its
        own number, not from its neighbours.
    """
    # One thread a worker: more are slower at this size, and round differently.
    with ONE_AT_A_TIME, threadpoolctl.threadpool_limits(1):
        make = textures if job.method == "portilla-simoncelli" else scrambles
        return list(make(without_grey_copies(pixels), job, numbers))


def without_grey_copies(pixels: Pixels) -> Pixels:
    if pixels.ndim == 3 and np.all(pixels == pixels[..., :1]):
        return pixels[..., 0]
    return pixels


def generator(job: MaskJob, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(job.seed, spawn_key=(number,)))


def textures(pixels: Pixels, job: MaskJob, numbers: Sequence[int]) -> Iterator[Mask]:
    """Synthesise textures with the statistics of a picture."""
    from hype.masks.synthesis import Comparison, Source, synthesise  # loads compiled code

    source = Source(pixels / 255, job.model)
    made = [synthesise(source, generator(job, number)) for number in numbers]
    del source  # its memory goes to the comparison
    comparison = Comparison(pixels / 255, job.model)
    for number, texture in zip(numbers, made, strict=True):
        levels = quantised(texture.pixels)
        errors = comparison.errors(levels / 255)
        cells = {f"error_{family}": f"{error:.6f}" for family, error in errors.items()}
        total = {"error": cells.pop("error_total"), "evaluations": str(texture.evaluations)}
        yield Mask(number, png_of(levels), total | cells)


def scrambles(pixels: Pixels, job: MaskJob, numbers: Sequence[int]) -> Iterator[Mask]:
    """Give a picture random phases; the error is that of its amplitude spectrum."""
    picture = np.atleast_3d(pixels / 255)
    for number in numbers:
        levels = quantised(phase_scramble(picture, generator(job, number)))
        error = spectrum_error(np.atleast_3d(levels / 255), picture)
        yield Mask(number, png_of(levels), {"error": f"{error:.6f}"})


def quantised(pixels: NDArray[Any]) -> Pixels:
    """Round values from 0 to 1 to 8 bits, and drop the axis of a single colour."""
    levels: Pixels = np.round(pixels * 255).astype(np.uint8)
    return levels[..., 0] if levels.shape[-1] == 1 else levels


def png_of(levels: Pixels) -> bytes:
    """Encode 8-bit pixels as PNG."""
    return png_bytes(Image.fromarray(levels))
