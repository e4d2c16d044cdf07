"""The steerable pyramid reconstructs an image, and its filters together cover the spectrum."""

from dataclasses import dataclass

import numpy as np
import scipy.fft
from hypothesis import given
from hypothesis import strategies as st

from hype.masks.fields import Pyramid, build_pyramid, inner, outer, turn_round
from hype.masks.model import Array


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """An image in a pyramid: its residuals, and complex bands (orientations, h, w) per scale."""

    highpass: Array
    bands: tuple[np.ndarray, ...]
    lowpass: Array


def analyse(image: Array, pyramid: Pyramid) -> Coefficients:
    """Return the coefficients of an image, which must have the pyramid's shape."""
    spectrum = scipy.fft.fft2(image)
    bands = [
        scipy.fft.ifft2(pyramid.phase * response * inner(spectrum, response.shape[1:]))
        for response in pyramid.bands
    ]
    highpass = scipy.fft.ifft2(pyramid.highpass * spectrum).real
    lowpass = scipy.fft.ifft2(pyramid.lowpass * inner(spectrum, pyramid.lowpass.shape)).real
    return Coefficients(highpass, tuple(bands), lowpass)


def reconstruct(coefficients: Coefficients, pyramid: Pyramid) -> Array:
    """Return the image with these coefficients, exactly: the inverse of `analyse`."""
    spectrum = pyramid.highpass * scipy.fft.fft2(coefficients.highpass)
    kept = pyramid.highpass**2
    low = pyramid.lowpass * scipy.fft.fft2(coefficients.lowpass)
    spectrum += outer(low, pyramid.shape)
    kept += outer(pyramid.lowpass**2, pyramid.shape)
    for band, response in zip(coefficients.bands, pyramid.bands, strict=True):
        part = np.conj(pyramid.phase) * np.sum(response * scipy.fft.fft2(band), axis=0)
        power = np.sum(response**2, axis=0)
        spectrum += outer((part + np.conj(turn_round(part))) / 2, pyramid.shape)
        kept += outer((power + turn_round(power)) / 2, pyramid.shape)
    return scipy.fft.ifft2(spectrum / kept).real


def image(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


@given(
    scales=st.integers(1, 4),
    orientations=st.integers(2, 6),
    times=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    seed=st.integers(0, 2**32),
)
def test_an_image_is_given_back(
    scales: int, orientations: int, times: tuple[int, int], seed: int
) -> None:
    """The lowpass residual has even sides here."""
    shape = times[0] * 2 ** (scales + 1), times[1] * 2 ** (scales + 1)
    pyramid = build_pyramid(shape, scales, orientations)
    x = image(shape, seed)
    assert np.allclose(reconstruct(analyse(x, pyramid), pyramid), x, rtol=0, atol=1e-10)
