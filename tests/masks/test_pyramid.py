"""The steerable pyramid gives back what it was given, and its filters share out the spectrum."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.fft
from hypothesis import given, settings
from hypothesis import strategies as st

from hype.masks.fields import (
    ANGULAR_SAMPLES,
    Pyramid,
    Real,
    angular,
    build_pyramid,
    inner,
    mirrored,
    outer,
)

SAMPLED = 1e-4
"""How far profiles that are interpolated between samples are from perfect ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """An image in a pyramid: its residuals, and (orientations, h, w) complex bands a scale."""

    highpass: Real
    bands: tuple[np.ndarray, ...]
    lowpass: Real


def analyse(image: Real, pyramid: Pyramid) -> Coefficients:
    """Split an image of the pyramid's shape into its coefficients."""
    spectrum = scipy.fft.fft2(image)
    bands = [
        scipy.fft.ifft2(pyramid.phase * response * inner(spectrum, shape))
        for response, shape in zip(pyramid.bands, pyramid.shapes, strict=False)
    ]
    highpass = scipy.fft.ifft2(pyramid.highpass * spectrum).real
    lowpass = scipy.fft.ifft2(pyramid.lowpass * inner(spectrum, pyramid.shapes[-1])).real
    return Coefficients(highpass, tuple(bands), lowpass)


def reconstruct(coefficients: Coefficients, pyramid: Pyramid) -> Real:
    """Give back the image of the coefficients, exactly: the inverse of `analyse`."""
    spectrum = pyramid.highpass * scipy.fft.fft2(coefficients.highpass)
    kept = pyramid.highpass**2
    low = pyramid.lowpass * scipy.fft.fft2(coefficients.lowpass)
    spectrum += outer(low, pyramid.shape)
    kept += outer(pyramid.lowpass**2, pyramid.shape)
    for band, response in zip(coefficients.bands, pyramid.bands, strict=True):
        part = np.conj(pyramid.phase) * np.sum(response * scipy.fft.fft2(band), axis=0)
        power = np.sum(response**2, axis=0)
        spectrum += outer((part + np.conj(mirrored(part))) / 2, pyramid.shape)
        kept += outer((power + mirrored(power)) / 2, pyramid.shape)
    return scipy.fft.ifft2(spectrum / kept).real


def image(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def ahead(pyramid: Pyramid, scale: int, orientations: int) -> np.ndarray:
    """Cosine of the angle between each frequency and each band's own (orientations, h, w)."""
    h, w = pyramid.shapes[scale]
    height, width = pyramid.shape
    y, x = np.meshgrid(np.fft.fftfreq(h) * h / height, np.fft.fftfreq(w) * w / width, indexing="ij")
    radius = np.hypot(x, y)
    radius[0, 0] = 1
    angles = np.pi * np.arange(orientations)[:, None, None] / orientations
    return (x * np.cos(angles) + y * np.sin(angles)) / radius


@given(
    scales=st.integers(1, 4),
    orientations=st.integers(2, 6),
    times=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    seed=st.integers(0, 2**32),
)
def test_an_image_is_given_back(
    scales: int, orientations: int, times: tuple[int, int], seed: int
) -> None:
    """Sides of the lowpass residual are even here."""
    shape = times[0] * 2 ** (scales + 1), times[1] * 2 ** (scales + 1)
    pyramid = build_pyramid(shape, scales, orientations)
    x = image(shape, seed)
    assert np.allclose(reconstruct(analyse(x, pyramid), pyramid), x, rtol=0, atol=1e-10)


@pytest.mark.parametrize(("scales", "orientations"), [(1, 2), (3, 4), (2, 5)])
def test_each_scale_has_half_the_rows_and_columns(scales: int, orientations: int) -> None:
    pyramid = build_pyramid((64, 96), scales, orientations)
    parts = analyse(image((64, 96)), pyramid)

    halved = [(64 // 2**s, 96 // 2**s) for s in range(scales + 1)]
    assert list(pyramid.shapes) == halved
    assert [band.shape for band in parts.bands] == [(orientations, *s) for s in halved[:-1]]
    assert parts.highpass.shape == (64, 96)
    assert parts.lowpass.shape == halved[-1]


@pytest.mark.parametrize("orientations", [2, 3, 4, 6])
@pytest.mark.parametrize("shape", [(64, 64), (32, 96)])
def test_an_imaginary_part_is_the_hilbert_transform_of_the_real_one(
    orientations: int, shape: tuple[int, int]
) -> None:
    """But for frequencies less than a sample of the angular profile from a half plane's edge."""
    pyramid = build_pyramid(shape, 2, orientations)
    for scale, band in enumerate(analyse(image(shape), pyramid).bands):
        cosine = ahead(pyramid, scale, orientations)
        off_edge = np.abs(cosine) > np.sin(2 * np.pi / ANGULAR_SAMPLES)
        real, imaginary = np.fft.fft2(band.real), np.fft.fft2(band.imag)
        largest = np.abs(real).max()
        difference = imaginary + 1j * np.sign(cosine) * real
        assert np.abs(np.fft.fft2(band)[off_edge & (cosine < 0)]).max() < 1e-10 * largest
        assert np.abs(difference[off_edge]).max() < 1e-10 * largest
        assert largest > 1


@settings(deadline=None)
@given(
    small=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    more=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    seed=st.integers(0, 2**32),
)
def test_inner_and_outer_are_adjoint(
    small: tuple[int, int], more: tuple[int, int], seed: int
) -> None:
    low = 2 * small[0], 2 * small[1]
    high = low[0] + 2 * more[0], low[1] + 2 * more[1]
    rng = np.random.default_rng(seed)
    few, many = rng.standard_normal((3, *low)), rng.standard_normal((3, *high))

    assert np.vdot(inner(many, low), few) == pytest.approx(np.vdot(many, outer(few, high)))
    assert np.array_equal(inner(outer(few, high), low), few)


def test_low_frequencies_are_the_ones_that_samples_keep() -> None:
    y, x = np.mgrid[:64, :48]
    wave = np.cos(2 * np.pi * (3 * x / 48 - 5 * y / 64) + 1)
    cut = np.fft.ifft2(inner(np.fft.fft2(wave), (16, 12))) * (16 * 12) / (64 * 48)
    assert np.allclose(cut, wave[::4, ::4], rtol=0, atol=1e-12)


@pytest.mark.parametrize("orientations", [2, 3, 4, 5, 8])
def test_the_orientations_squared_responses_add_up_to_one(orientations: int) -> None:
    angles = np.linspace(-np.pi, np.pi, 777)
    one_sided, two_sided = angular(angles, orientations)
    opposite, _ = angular((angles + 2 * np.pi) % (2 * np.pi) - np.pi, orientations)

    assert np.allclose(np.sum(two_sided**2, axis=0), 1, rtol=0, atol=SAMPLED)
    assert np.allclose(one_sided + opposite, 2 * np.abs(two_sided), rtol=0, atol=1e-2)


@pytest.mark.parametrize("orientations", [2, 3, 4])
def test_partial_reconstructions_are_what_finer_scales_leave(orientations: int) -> None:
    """All scales: what the highpass leaves. None of them: what the lowpass lets through twice."""
    pyramid = build_pyramid((96, 64), 3, orientations)
    first, *_, last = pyramid.partial
    lowpass, highpass = pyramid.lowpass**2, pyramid.highpass**2
    assert max(p[0, 0] for p in pyramid.partial) < 1e-30
    lowpass[0, 0] = highpass[0, 0] = 0

    assert np.array_equal(last, lowpass)
    off_mean = np.arange(96 * 64).reshape(96, 64) > 0
    assert np.allclose((first + highpass)[off_mean], 1, rtol=0, atol=SAMPLED)
    for finer, coarser, bands in zip(
        pyramid.partial[:-1], pyramid.partial[1:], pyramid.bands, strict=True
    ):
        power = np.sum(bands**2, axis=0)
        both = (power + mirrored(power)) / 4  # a band holds its half plane at twice the strength
        left = finer - both
        assert np.allclose(left, outer(coarser, left.shape), rtol=0, atol=SAMPLED)


@pytest.mark.parametrize("scale", [0, 1, 2, 3])
def test_partial_reconstructions_are_made_of_their_coefficients(scale: int) -> None:
    """Of the bands from a scale on and the lowpass residual; the others are put to zero."""
    shape, scales = (64, 96), 3
    pyramid = build_pyramid(shape, scales, 4)
    x = image(shape)
    x -= x.mean()
    parts = analyse(x, pyramid)
    spectrum = outer(pyramid.lowpass * np.fft.fft2(parts.lowpass), shape)
    for bands, filters in list(zip(parts.bands, pyramid.bands, strict=True))[scale:]:
        both = np.conj(pyramid.phase) * filters / 2 * np.fft.fft2(bands.real)
        part = np.sum(both, axis=0)
        spectrum += outer(part + np.conj(mirrored(part)), shape)
    found = np.fft.ifft2(spectrum).real
    wanted = np.fft.ifft2(outer(pyramid.partial[scale], shape) * np.fft.fft2(x)).real
    assert np.linalg.norm(found - wanted) < SAMPLED * np.linalg.norm(wanted)
