"""The matrix that residuals are weighed by is what gradients say it is."""

import numpy as np
import pytest
import scipy.fft
import scipy.ndimage

from hype.masks.families import Layout, Moments, layouts
from hype.masks.fields import Analyser
from hype.masks.model import TextureModel
from hype.masks.whitening import Jacobian, Whitening, statistics_gram
from hype.masks.families import pull_back, Statistics

MODEL = TextureModel(scales=2, orientations=3, window=5)
ALL = 1000.0
"""A radius within which all frequencies of these images lie."""
UNCOMPARED = ("low_cubes", "low_fourths")


def image(channels: int, side: int) -> np.ndarray:
    """Smooth skewed noise without energy at the highest frequencies, which G leaves out."""
    noise = np.random.default_rng(channels).standard_normal((channels, side, side))
    values = np.exp(scipy.ndimage.gaussian_filter(noise, (0, 0.8, 1.2), mode="wrap"))
    spectrum = scipy.fft.fft2(values - values.mean(axis=(1, 2), keepdims=True))
    spectrum[:, side // 2] = spectrum[:, :, side // 2] = 0
    return scipy.fft.ifft2(spectrum).real / values.std()


def views(channels: int) -> np.ndarray:
    if channels == 1:
        return np.ones((1, 1))
    mixing = np.random.default_rng(0).standard_normal((3, channels))
    return np.vstack([mixing, np.eye(channels)])


class Case:
    """An analysed image, and the derivatives of its moments: one by one, and as a matrix."""

    def __init__(self, channels: int, side: int = 48, model: TextureModel = MODEL) -> None:
        self.analyser = Analyser((side, side), model, views(channels), np.float64)
        seen = len(views(channels))
        self.layout: Layout
        self.layout, self.statistics = layouts(model, channels, 3 if channels > 1 else 1, seen)
        self.image = image(channels, side)

    def gram(self, radius: float | None = None) -> np.ndarray:
        self.analyser.moments(self.image)
        return Jacobian(self.analyser, self.image, self.layout, radius).gram()

    def explicit(self) -> np.ndarray:
        rows = []
        for unit in np.eye(self.layout.size):
            self.analyser.moments(self.image)
            rows.append(self.analyser.gradient(Moments(*self.layout.unpack(unit))).ravel())
        return np.array(rows)
