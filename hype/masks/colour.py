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
    """How an image's colours are mixed of uncorrelated channels without a mean.

    Parameters
    ----------
    mean
        Mean of each colour: one for grey, three for red, green and blue.
    mixing
        Each colour's share (colours, channels) of each channel. In colour the channels have
        variance 1; grey keeps its contrast.
    varying
        Which colours vary at all.
    """

    mean: Array
    mixing: Array
    varying: NDArray[np.bool_]

    @property
    def varying_mean(self) -> Array:
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
        return np.moveaxis((image - self.mean) @ np.linalg.pinv(self.mixing).T, -1, 0)

    def blend(self, channels: NDArray[Any]) -> Array:
        """Give the image (H, W, colours) of channels (C, H, W)."""
        return np.moveaxis(channels.astype(np.float64), 0, -1) @ self.mixing.T + self.mean


def colour_of(image: Array) -> Colour:
    """Find the principal components of an image (H, W, colours) with values from 0 to 1.

    Raises
    ------
    InputError
        The image is of one even colour.
    """
    pixels = image.reshape(-1, image.shape[-1])
    covariance = np.atleast_2d(np.cov(pixels.T))
    variances, axes = np.linalg.eigh(covariance)
    kept = np.flatnonzero(variances >= HALF_LEVEL**2)[::-1]
    if not len(kept):
        raise InputError("the source image", "is of one even colour", "a picture with some texture")
    signs = np.where(axes.sum(axis=0) < 0, -1.0, 1.0)
    mean = pixels.mean(axis=0)
    if len(mean) == 1:
        return Colour(mean, np.ones((1, 1)), np.array([True]))
    mixing = (axes * signs)[:, kept] * np.sqrt(variances[kept])
    return Colour(mean, mixing, np.diag(covariance) >= HALF_LEVEL**2)
