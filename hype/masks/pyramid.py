"""The complex steerable pyramid, in the Fourier domain (Portilla & Simoncelli 2000, section 2.1).

An image is split into a highpass residual, oriented bands of each scale, and a lowpass residual. A
band is complex: its real part is the filtered image, its imaginary part the Hilbert transform of
it, so its spectrum is zero on one half plane. Each scale has half the rows and columns of the one
before.

The filters' radial and angular profiles are sampled and interpolated linearly, as in the authors'
own program and in all that follow it, so that statistics agree with published ones to 1e-8;
perfect profiles would differ from them by 1e-6 to 1e-5. Reconstruction divides by what the filters
leave of each frequency, so it is exact all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from typing import Any, Final

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from hype.masks.model import Shape

Real = NDArray[np.float64]
Complex = NDArray[np.complex128]
RADIAL_SAMPLES: Final = 256
ANGULAR_SAMPLES: Final = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """Filters for images of one shape; frequencies in the order of an FFT, zero first.

    Parameters
    ----------
    shape
        Rows and columns of the image, multiples of 2 to the number of scales.
    highpass
        Response of the highpass residual, of the image's shape.
    bands
        For each scale, from fine to coarse, the moduli (orientations, h, w) of its bands'
        responses.
    phase
        What the bands' moduli are multiplied by: a power of -i.
    lowpass
        Response of the lowpass residual, of the coarsest shape.
    partial
        For each scale, and last for the lowpass residual, what is left of the image's spectrum
        when it is reconstructed from that scale and the coarser ones, the mean taken out.
    """

    shape: Shape
    highpass: Real
    bands: tuple[Real, ...]
    phase: complex
    lowpass: Real
    partial: tuple[Real, ...]

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Rows and columns of each scale, and last of the lowpass residual."""
        return tuple((p.shape[0], p.shape[1]) for p in self.partial)


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """An image in a pyramid: its residuals, and (orientations, h, w) complex bands a scale."""

    highpass: Real
    bands: tuple[Complex, ...]
    lowpass: Real


def lowest(length: int, kept: int) -> NDArray[np.intp]:
    """Give where the ``kept`` lowest of ``length`` frequencies lie; an odd number is symmetric."""
    return np.asarray(np.r_[0 : (kept + 1) // 2, length - kept // 2 : length])


def inner(values: NDArray[Any], shape: Shape) -> NDArray[Any]:
    """Cut the low frequencies out of an array of frequencies, for a grid of ``shape``."""
    (height, width), (h, w) = values.shape[-2:], shape
    rows, columns = lowest(height, h), lowest(width, w)
    return values[..., rows[:, np.newaxis], columns]


def outer(values: NDArray[Any], shape: Shape) -> NDArray[Any]:
    """Lay low frequencies into zeros of ``shape``: the adjoint of `inner`."""
    (h, w), (height, width) = values.shape[-2:], shape
    wide = np.zeros((*values.shape[:-2], *shape), values.dtype)
    rows, columns = lowest(height, h), lowest(width, w)
    wide[..., rows[:, np.newaxis], columns] = values
    return wide


def radial(octaves: Real, scale: int) -> tuple[Real, Real]:
    """Give the highpass and lowpass response an octave wide below pi / 2**scale.

    ``octaves`` are binary logarithms of frequencies, relative to pi. The highpass rises as the
    sine of an angle from 0 to pi/2 over the octave, the lowpass falls as its cosine.
    """
    angle = np.pi * np.arange(-RADIAL_SAMPLES - 1, 2) / (2 * RADIAL_SAMPLES)
    power = np.cos(angle) ** 2
    power[0], power[-1] = power[1], power[-2]
    where = -0.5 + 2 / np.pi * (angle + np.pi / 4) - scale
    high, low = np.sqrt(power), np.sqrt(1 - power)
    return np.interp(octaves, where, high), np.interp(octaves, where, low)


def angular(angles: Real, orientations: int) -> tuple[Real, Real]:
    """Give each orientation's response: on its half plane, doubled, and on both half planes.

    The response is a power of the cosine, scaled so that the squares of all orientations' add up
    to one.
    """
    order = orientations - 1
    scale = 2**order * factorial(order) / np.sqrt(orientations * factorial(2 * order))
    turn = np.pi * np.arange(-2 * ANGULAR_SAMPLES - 1, 2 * ANGULAR_SAMPLES + 2) / ANGULAR_SAMPLES
    both = scale * np.cos(turn) ** order
    ahead = np.abs((turn + np.pi) % (2 * np.pi) - np.pi) < np.pi / 2
    centres = np.pi * np.arange(orientations) / orientations
    one_sided = [np.interp(angles, turn + centre, 2 * both * ahead) for centre in centres]
    two_sided = [np.interp(angles, turn + centre, both) for centre in centres]
    return np.stack(one_sided), np.stack(two_sided)


def mirrored(response: Real) -> Real:
    return np.roll(response[..., ::-1, ::-1], (1, 1), (-2, -1))


@lru_cache(maxsize=8)
def build_pyramid(shape: Shape, scales: int, orientations: int) -> Pyramid:
    """Make the filters for images of ``shape``, whose sides are multiples of 2**scales."""
    y, x = np.meshgrid(*(np.fft.fftfreq(side) * 2 for side in shape), indexing="ij")
    radius = np.hypot(x, y)
    radius[0, 0] = abs(x[0, -1])  # any frequency that the highpasses stop does for the mean
    octaves, angles = np.log2(radius), np.arctan2(y, x)
    highpass, lowpass = radial(octaves, 0)
    bands: list[Real] = []
    oriented: list[Real] = []
    for scale in range(1, scales + 1):
        high, _ = radial(octaves, scale)
        one_sided, two_sided = angular(angles, orientations)
        bands.append(lowpass * high * one_sided)
        power = lowpass**2 * high**2 * np.sum(one_sided * two_sided, axis=0)
        oriented.append((power + mirrored(power)) / 2)
        half = shape[0] // 2**scale, shape[1] // 2**scale
        octaves, angles, lowpass = (inner(a, half) for a in (octaves, angles, lowpass))
        lowpass = lowpass * radial(octaves, scale)[1]
    return Pyramid(
        shape,
        highpass,
        tuple(bands),
        (-1j) ** (orientations - 1),
        lowpass,
        partials(lowpass, oriented),
    )


def partials(lowpass: Real, oriented: list[Real]) -> tuple[Real, ...]:
    """Add up what the bands of each scale and of the coarser ones leave of the spectrum."""
    left = lowpass**2
    left[0, 0] = 0.0
    sums = [left]
    for power in reversed(oriented):
        left = power + outer(left, (power.shape[0], power.shape[1]))
        sums.append(left)
    return tuple(reversed(sums))


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
