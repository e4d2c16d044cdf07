"""Colour as principal components, as in the colour version of Portilla and Simoncelli's program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hype.errors import InputError

Array = NDArray[np.float64]
HALF_LEVEL: Final = 0.5 / 255
"""A channel whose standard deviation is below half a grey level of 8 bits says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Colour:
    """How an image's colours are mixed of channels of no mean.

    Parameters
    ----------
    mean
        Mean of each colour: one for grey, three for red, green and blue.
    mixing
        Each colour's share (colours, channels) of each channel: for grey 1, so that the channel
        keeps its contrast; else the principal axes, the channels having variance 1.
    """

    mean: Array
    mixing: Array

    @property
    def varying(self) -> NDArray[np.bool_]:
        """Which colours vary at all."""
        return np.linalg.norm(self.mixing, axis=1) >= HALF_LEVEL

    @property
    def varying_mean(self) -> Array:
        """Mean of each colour that varies."""
        return self.mean[self.varying]

    @property
    def colours(self) -> Array:
        """Weights (R, channels) of the channels in the colours that vary."""
        return self.mixing[self.varying]

    @property
    def views(self) -> Array:
        """Weights (V, channels) of what marginals are taken of: colours, and in colour channels."""
        if len(self.mean) == 1:
            return self.colours
        return np.vstack([self.colours, np.eye(self.mixing.shape[1])])

    def separate(self, image: Array) -> Array:
        """Give the channels (C, H, W) of an image (H, W, colours)."""
        centred = image - self.mean
        return np.moveaxis(centred @ np.linalg.pinv(self.mixing).T, -1, 0)

    def blend(self, channels: NDArray[Any]) -> Array:
        """Give the image (H, W, colours) of channels (C, H, W)."""
        return np.moveaxis(channels.astype(np.float64), 0, -1) @ self.mixing.T + self.mean


def colour_of(image: Array) -> Colour:
    """Find the channels of an image (H, W, colours) with values from 0 to 1.

    Raises
    ------
    InputError
        The image is of one even colour.
    """
    pixels = image.reshape(-1, image.shape[-1])
    mean = pixels.mean(axis=0)
    variances, axes = np.linalg.eigh(np.atleast_2d(np.cov(pixels.T)))
    spread = np.sqrt(np.maximum(variances, 0))[::-1]
    kept = spread >= HALF_LEVEL
    if not kept.any():
        raise InputError("the source image", "is of one even colour", "a picture with some texture")
    if image.shape[-1] == 1:
        return Colour(mean, np.ones((1, 1)))
    signs = np.where(axes.sum(axis=0) < 0, -1.0, 1.0)
    return Colour(mean, ((axes * signs)[:, ::-1] * spread)[:, kept])
