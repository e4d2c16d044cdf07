"""Masks of images: a folder of masks for a stimulus set, or an array for one picture."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image

from hype.errors import InputError
from hype.library.result import library_function, whole
from hype.masks.make import MaskJob, fit_to, masks_of, method_named
from hype.masks.make import make_masks as make
from hype.masks.maskset import MANIFEST, Method
from hype.masks.model import TextureModel
from hype.stimuli.images import decode
from hype.stimuli.manifest import read_manifest
from hype.workers import worker_pool


def job_for(number: int, side: int, seed: int, method: str, scales: int | None) -> MaskJob:
    suited = TextureModel.usual_for((side, side))
    return MaskJob(
        number=whole("number", number, 1),
        size_px=side,
        seed=whole("seed", seed, 0),
        method=method_named(method),
        model=suited if scales is None else TextureModel(scales=whole("scales", scales, 1)),
    )


@library_function
def make_mask(
    image: NDArray[np.uint8] | str | PathLike[str],
    *,
    seed: int = 0,
    size_px: int | None = None,
    method: Method = "portilla-simoncelli",
    scales: int | None = None,
) -> NDArray[np.uint8]:
    """Make a mask from a picture: a texture with its statistics, or noise with its spectrum.

    Parameters
    ----------
    image : array, shape (height, width) or (height, width, 3), of uint8; or the path of an image
        The picture to mask.
    seed
        Seed of the random noise or phases.
    size_px
        Side of the mask; by default the longer side of the image. The image is fitted to this size.
    method
        "portilla-simoncelli" is compiled at its first use on a machine. After that, it needs half a
        second for 256 px in grey, and two seconds in colour. "phase-scramble" needs milliseconds.
    scales
        Number of octaves in the texture model; by default as many as the size allows, up to 4.

    Returns
    -------
    array, shape (size_px, size_px) or (size_px, size_px, 3), of uint8

    Raises
    ------
    InputError
        The input is not an image, the image has no texture, or the model does not fit the size.

    References
    ----------
    Portilla & Simoncelli (2000), "A parametric texture model based on joint statistics of complex
    wavelet coefficients", IJCV 40; as masks: Greene & Oliva (2009).

    Examples
    --------
    >>> import numpy
    >>> import hype
    >>> image = numpy.random.default_rng(0).integers(256, size=(64, 64), dtype=numpy.uint8)
    >>> hype.make_mask(image, method="phase-scramble").shape
    (64, 64)
    """
    if isinstance(image, np.ndarray):
        if image.dtype != np.uint8 or image.ndim not in (2, 3) or not image.size:
            problem = f"has the type {image.dtype} and the shape {image.shape}"
            raise InputError(
                "image", problem, "uint8, with the shape (height, width) or (height, width, 3)"
            )
        if image.ndim == 3 and image.shape[2] != 3:
            raise InputError("image", f"has the shape {image.shape}", "one channel or three")
        picture = Image.fromarray(image)
    else:
        picture = decode(Path(image))
    side = max(picture.size) if size_px is None else whole("size_px", size_px, 1)
    job = job_for(1, side, seed, method, scales)
    job.check("size_px")
    (mask,) = masks_of(fit_to(picture, side), job, [0])
    return np.asarray(Image.open(io.BytesIO(mask.png)))


@library_function
def make_masks(
    stimuli: str | PathLike[str],
    folder: str | PathLike[str],
    number: int,
    *,
    seed: int = 0,
    size_px: int | None = None,
    method: Method = "portilla-simoncelli",
    scales: int | None = None,
    workers: int = 1,  # noqa: ARG001 - `library_function` takes it
) -> pd.DataFrame:
    """Make the masks for a stimulus set, or continue an interrupted run, like ``hype masks make``.

    Parameters
    ----------
    stimuli
        A folder of images with its ``manifest.csv`` (``hype stimuli scan``).
    folder
        The folder for the masks and their manifest.
    number
        Number of masks, 1 or more.
    seed, size_px, method, scales
        As in `make_mask`; by default the size is the longest side of the images.
    workers
        Number of processes; more than 1 needs the guard ``if __name__ == "__main__":``.

    Returns
    -------
    DataFrame
        The manifest, one row per mask: path (in the folder), source, method, seed, size_px, error
        (of all statistics, relative to the source), and the error of each family of statistics.

    Raises
    ------
    InputError
        The stimuli are wrong, an image has no texture, or the folder cannot be written to.
    """
    images = read_manifest(Path(stimuli))
    side = images.largest_px if size_px is None else whole("size_px", size_px, 1)
    job = job_for(number, side, seed, method, scales)
    with worker_pool() as pool:
        for _ in make(images, Path(folder), job, pool):
            pass
    return pd.read_csv(Path(folder) / MANIFEST)
