"""Compute the moments of an image, and propagate gradients from its moments to its pixels.

The bands of each scale have their own resolution. A band's parent (the band one scale coarser) is
resampled on the finer grid: its spectrum is padded with zeros. The caller chooses the precision:
single for synthesis, double for reported numbers. An `Analyser` uses the same memory for all its
images, so threads must not share it.

The pyramid is complex and steerable; filters work on spectra (Portilla & Simoncelli 2000, section
2.1). An image is split into a highpass residual, oriented bands of each scale, and a lowpass
residual. A band is complex: the real part is the filtered image and the imaginary part its Hilbert
transform, so its spectrum is zero on one half plane. Each scale has half the rows and columns of
the previous scale.

The filters' radial and angular profiles are sampled and interpolated linearly, as in the program of
Portilla & Simoncelli. So statistics agree with published ones to 1e-8. With exact profiles,
statistics would differ from published ones by 1e-6 to 1e-5.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from typing import Any, Final

import numpy as np
import scipy.fft
from numpy.typing import DTypeLike, NDArray

from hype.masks import kernels
from hype.masks.model import Array, Field, ImageMoments, Shape, TextureModel, lags, moment_shapes

RADIAL_SAMPLES: Final = 256
ANGULAR_SAMPLES: Final = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """Filters for images of one shape; frequencies are in the order of an FFT, zero first."""

    shape: Shape  # rows and columns of the image, multiples of 2 ** scales
    highpass: Array  # response of the highpass residual, with the image's shape
    # For each scale, from fine to coarse, the moduli of the bands' responses, (orientations, h, w)
    bands: tuple[Array, ...]
    phase: complex  # a band's response is its modulus times this number, a power of -i
    lowpass: Array  # response of the lowpass residual, with the coarsest shape
    # Each array, times the image's spectrum, gives the image rebuilt from a scale and all coarser
    # scales, without its mean; the last array gives the lowpass residual
    partial: tuple[Array, ...]


def lowest(length: int, kept: int) -> NDArray[np.intp]:
    """Return the indices of the ``kept`` lowest of ``length`` frequencies in an FFT."""
    return np.asarray(np.r_[0 : (kept + 1) // 2, length - kept // 2 : length])


def inner(values: NDArray[Any], shape: Shape) -> NDArray[Any]:
    """Return the low frequencies of a spectrum that also exist on a coarser grid of ``shape``."""
    (height, width), (h, w) = values.shape[-2:], shape
    rows, columns = lowest(height, h), lowest(width, w)
    return values[..., rows[:, np.newaxis], columns]


def outer(values: NDArray[Any], shape: Shape) -> NDArray[Any]:
    """Pad the spectrum of a coarser grid with zeros to ``shape``; the adjoint of `inner`."""
    (h, w), (height, width) = values.shape[-2:], shape
    wide = np.zeros((*values.shape[:-2], *shape), values.dtype)
    rows, columns = lowest(height, h), lowest(width, w)
    wide[..., rows[:, np.newaxis], columns] = values
    return wide


def radial(octaves: Array, scale: int) -> tuple[Array, Array]:
    """Return the highpass and lowpass responses, which cross in the octave below pi / 2**scale.

    ``octaves`` are log2(frequency / pi). Within this octave, an angle grows from 0 to pi/2. The
    highpass response is its sine, and the lowpass response is its cosine.
    """
    angle = np.pi * np.arange(-RADIAL_SAMPLES - 1, 2) / (2 * RADIAL_SAMPLES)
    power = np.cos(angle) ** 2
    power[0], power[-1] = power[1], power[-2]
    where = -0.5 + 2 / np.pi * (angle + np.pi / 4) - scale
    high, low = np.sqrt(power), np.sqrt(1 - power)
    return np.interp(octaves, where, high), np.interp(octaves, where, low)


def angular(angles: Array, orientations: int) -> tuple[Array, Array]:
    """Return two responses of each orientation: on one half plane (doubled), and on both.

    The response is a power of the cosine of the angle to the orientation. It is scaled so that
    the squared responses of all orientations sum to one.
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


def turn_round(response: Array) -> Array:
    return np.roll(response[..., ::-1, ::-1], (1, 1), (-2, -1))


@lru_cache(maxsize=8)
def build_pyramid(shape: Shape, scales: int, orientations: int) -> Pyramid:
    """Make the filters for images of ``shape``, whose sides are multiples of 2**scales."""
    y, x = np.meshgrid(*(np.fft.fftfreq(side) * 2 for side in shape), indexing="ij")
    radius = np.hypot(x, y)
    radius[0, 0] = abs(x[0, -1])  # avoids log2(0); highpass filters remove this frequency
    octaves, angles = np.log2(radius), np.arctan2(y, x)
    highpass, lowpass = radial(octaves, 0)
    bands: list[Array] = []
    oriented: list[Array] = []
    for scale in range(1, scales + 1):
        high, _ = radial(octaves, scale)
        one_sided, two_sided = angular(angles, orientations)
        bands.append(lowpass * high * one_sided)
        power = lowpass**2 * high**2 * np.sum(one_sided * two_sided, axis=0)
        oriented.append((power + turn_round(power)) / 2)
        half = shape[0] // 2**scale, shape[1] // 2**scale
        octaves, angles, lowpass = (inner(a, half) for a in (octaves, angles, lowpass))
        lowpass = lowpass * radial(octaves, scale)[1]
    left = lowpass**2
    left[0, 0] = 0.0
    partial = [left]
    for power in reversed(oriented):
        left = power + outer(left, (power.shape[0], power.shape[1]))
        partial.append(left)
    phase = (-1j) ** (orientations - 1)
    return Pyramid(shape, highpass, tuple(bands), phase, lowpass, tuple(reversed(partial)))


@dataclass(frozen=True, slots=True, eq=False)
class PyramidLevel:
    """The filters of one scale, and the fields of the image that was analysed last.

    B bands (channels x orientations) of n = h x w pixels; C channels.
    """

    shape: Shape
    masks: Field  # (orientations, h, w)
    bands: Field  # (B, h, w) complex
    fields: Field  # (2 B, n) magnitudes minus their mean, then real parts
    wrapped: Field  # (B, h + 2 reach, w + 2 reach + TAPS) magnitudes
    gradient: Field  # (2 B, n), in memory that the levels share
    parents: Field  # (B, h, w) complex: the coarser scale's bands on this grid
    narrow: Field  # (B, h, w/2) complex: a step towards ``parents``, in the memory of ``gradient``
    doubled: Field  # (3 B, n) what `kernels.double_phase` computes from ``parents``


@dataclass(frozen=True, slots=True, eq=False)
class Lowpass:
    """The image that was analysed last, rebuilt from one scale and all coarser scales."""

    shape: Shape
    rows: NDArray[np.intp]  # the rows of the image's spectrum that the lowpass image keeps
    response: Field  # (h, w/2 + 1)
    wrapped: Field  # (C, h + 2 reach, w + 2 reach + TAPS)


class Analyser:
    """Computes moments of images of one shape, and propagates gradients from moments to pixels.

    ``shape``: rows and columns, multiples of the model's step. ``views``: each view of the pixels,
    as weights (V, C) of the channels. ``precision``: ``np.float32`` or ``np.float64``.
    """

    def __init__(
        self, shape: Shape, model: TextureModel, views: Array, precision: DTypeLike = np.float32
    ) -> None:
        self.shape = shape
        self.model = model
        self.real: Any = np.dtype(precision).type
        self.complex: Any = np.complex64 if self.real is np.float32 else np.complex128
        self.channels: int = views.shape[1]
        self.views = views.astype(self.real)
        self.lags = lags(model.window)
        self.shifts = np.transpose(self.lags)
        self.reach = model.window // 2
        pyramid = build_pyramid(shape, model.scales, model.orientations)
        self.phase: Any = self.complex(pyramid.phase)
        self.highpass = self.cast(half(pyramid.highpass**2))
        # how many columns of the full spectrum each column of the half spectrum represents
        self.counts = np.full(shape[1] // 2 + 1, 2.0)
        self.counts[[0, -1]] = 1.0
        self.scratch = np.empty(2 * self.bands * shape[0] * shape[1], self.real)
        self.levels = [self.make_level(pyramid, s) for s in range(model.scales)]
        self.lowpasses = []
        for partial in pyramid.partial:
            (h, w), rim = partial.shape, 2 * self.reach
            wrapped = np.empty((self.channels, h + rim, w + rim + kernels.TAPS), self.real)
            rows, response = lowest(shape[0], h), self.cast(half(partial))
            self.lowpasses.append(Lowpass((h, w), rows, response, wrapped))
        self.spectrum: Field = np.empty(0)
        self.low_images: list[Field] = []
        self.seen: Field = np.empty(0)

    @property
    def bands(self) -> int:
        return self.channels * self.model.orientations

    def cast(self, values: Field) -> Field:
        return np.ascontiguousarray(values, dtype=self.real)

    def make_level(self, pyramid: Pyramid, scale: int) -> PyramidLevel:
        """Allocate the memory of one scale; the coarsest has no parents."""
        b, (h, w), reach = self.bands, pyramid.partial[scale].shape, self.reach
        parents = b if scale < self.model.scales - 1 else 0
        return PyramidLevel(
            shape=(h, w),
            masks=self.cast(pyramid.bands[scale]),
            bands=np.empty((b, h, w), self.complex),
            fields=np.empty((2 * b, h * w), self.real),
            wrapped=np.empty((b, h + 2 * reach, w + 2 * reach + kernels.TAPS), self.real),
            gradient=self.scratch[: 2 * b * h * w].reshape(2 * b, h * w),
            parents=np.empty((parents, h, w), self.complex),
            narrow=self.scratch.view(self.complex)[: parents * h * w // 2].reshape(-1, h, w // 2),
            doubled=np.empty((3 * parents, h * w), self.real),
        )

    def moments(self, image: Field) -> ImageMoments:
        """Measure the moments of an image (C, H, W), and keep its fields for `gradient`.

        The image has the working precision; pixels are differences from the source's mean.
        """
        self.spectrum = scipy.fft.rfft2(image)
        for level in self.levels:
            by_channel = level.bands.reshape(self.channels, -1, *level.shape)
            for spectrum, bands in zip(self.spectrum, by_channel, strict=True):
                kernels.split(spectrum, level.masks, self.phase, bands)
        shapes = moment_shapes(self.model, self.channels, len(self.views))
        m = ImageMoments(**{name: np.zeros(shape) for name, shape in shapes.items()})
        # Marginal statistics of the highpass residual and of the pixels
        power = self.spectrum.real**2 + self.spectrum.imag**2
        highpass = np.einsum("chw,hw,w->c", power, self.highpass, self.counts, optimize=True)
        m.highpass[:] = np.asarray(highpass, dtype=np.float64) / image[0].size ** 2
        self.seen = seen = self.view(image)
        square = seen * seen
        m.pixels[0] = seen.mean(axis=1, dtype=np.float64)
        m.pixels[1] = np.einsum("vn,vn->v", seen, seen) / seen.shape[1]
        m.pixels[2] = np.einsum("vn,vn->v", square, seen) / seen.shape[1]
        m.pixels[3] = np.einsum("vn,vn->v", square, square) / seen.shape[1]
        for scale, level in enumerate(self.levels):
            if len(level.doubled):
                self.measure_parents(level, self.levels[scale + 1])
            self.measure_bands(level, m, scale)
        self.low_images = [self.measure_lowpass(low, m, i) for i, low in enumerate(self.lowpasses)]
        if self.channels > 1:  # correlation of colours; not in the paper
            flat = image.reshape(self.channels, -1)
            m.colours[0] = np.triu(flat @ flat.T) / flat.shape[1]
        return m

    def measure_parents(self, level: PyramidLevel, coarser: PyramidLevel) -> None:
        """Resample the coarser bands on the finer grid, and double their phases."""
        h, w = coarser.shape
        level.narrow[:, h // 2 : -h // 2] = 0
        level.narrow[:, : h // 2] = coarser.bands[:, : h // 2]
        level.narrow[:, -h // 2 :] = coarser.bands[:, h // 2 :]
        narrow = scipy.fft.ifft(level.narrow, axis=1, overwrite_x=True)
        level.parents[..., w // 2 : -w // 2] = 0
        level.parents[..., : w // 2] = narrow[..., : w // 2]
        level.parents[..., -w // 2 :] = narrow[..., w // 2 :]
        settle(scipy.fft.ifft(level.parents, axis=2, overwrite_x=True), level.parents)
        kernels.double_phase(level.parents.reshape(self.bands, -1), level.doubled)

    def measure_bands(self, level: PyramidLevel, m: ImageMoments, scale: int) -> None:
        """Transform a level's bands to the spatial domain, and measure their products.

        The products give the correlation of magnitudes and, with the parents, the cross-scale phase
        statistics.
        """
        b, (h, w) = self.bands, level.shape
        settle(scipy.fft.ifft2(level.bands, overwrite_x=True), level.bands)
        kernels.polar(level.bands.reshape(b, -1), level.fields)
        magnitudes, reals = level.fields[:b], level.fields[b:]
        kernels.wrap(magnitudes.reshape(b, h, w), self.reach, level.wrapped)
        kernels.autocorrelate(level.wrapped, self.reach, m.lags[scale])
        m.pairs[scale] = magnitudes @ magnitudes.T / (h * w)
        m.reals[scale] = reals @ reals.T / (h * w)
        if len(level.doubled):
            power = np.einsum("fn,fn->f", level.doubled, level.doubled) / (h * w)
            m.parent_power[scale], m.doubled_power[scale] = power[:b], power[b:]
            m.parents[scale] = magnitudes @ level.doubled[:b].T / (h * w)
            m.doubled[scale] = reals @ level.doubled[b:].T / (h * w)

    def measure_lowpass(self, part: Lowpass, m: ImageMoments, i: int) -> Field:
        """Reconstruct one lowpass image; measure its autocorrelation and marginal statistics."""
        low = self.spectrum[:, part.rows, : part.shape[1] // 2 + 1]
        image = scipy.fft.irfft2(part.response * low, s=part.shape)
        kernels.wrap(image, self.reach, part.wrapped)
        kernels.autocorrelate(part.wrapped, self.reach, m.low_lags[i])
        flat = image.reshape(self.channels, -1)
        square = flat * flat
        m.low_cubes[i] = np.einsum("cn,cn->c", square, flat) / flat.shape[1]
        m.low_fourths[i] = np.einsum("cn,cn->c", square, square) / flat.shape[1]
        if self.channels > 1:
            m.colours[i + 1] = np.triu(flat @ flat.T) / flat.shape[1]
        return image

    def view(self, image: Field) -> Field:
        """Return the views (V, n) of an image's pixels."""
        flat = image.reshape(self.channels, -1)
        return flat if self.views.size == 1 else self.views @ flat

    def unview(self, seen: Field) -> Field:
        """Return the gradient (C, H, W) of an image from the gradient (V, n) of its views."""
        flat = seen if self.views.size == 1 else self.views.T @ seen
        return flat.reshape(self.channels, *self.shape)

    def gradient(self, g: ImageMoments) -> Field:
        """Return the gradient (C, H, W) of the image, from the gradient of its moments.

        Call this only once for an analysed image, since it overwrites the image's fields.
        """
        half_gradient = np.zeros_like(self.spectrum)
        carried: Field | None = None
        for scale, level in enumerate(self.levels):
            self.weigh_bands(level, g, scale)
            if len(level.doubled):
                self.weigh_parents(level, g, scale)
            carried = self.descend(level, carried, half_gradient)
        for i, low in enumerate(self.lowpasses):
            self.weigh_lowpass(low, g, i, half_gradient)
        pixels = self.shape[0] * self.shape[1]
        weights = (2 * g.highpass / pixels**2).astype(self.real)
        half_gradient += weights[:, None, None] * (self.highpass * self.spectrum)
        image = scipy.fft.irfft2(half_gradient, s=self.shape, norm="forward", overwrite_x=True)
        return np.asarray(image + self.weigh_pixels(g))

    def weigh_bands(self, level: PyramidLevel, g: ImageMoments, scale: int) -> None:
        """Compute the gradient with respect to a level's magnitudes and real parts."""
        b, (h, w) = self.bands, level.shape
        magnitudes, reals = level.fields[:b], level.fields[b:]
        level.gradient[...] = 0
        to_magnitudes, to_reals = level.gradient[:b], level.gradient[b:]
        taps = self.taps(g.lags[scale] / (h * w))
        kernels.correlate(level.wrapped, taps, to_magnitudes.reshape(b, h, w))
        to_magnitudes += self.mirror_triangle(g.pairs[scale] / (h * w)) @ magnitudes
        to_reals += self.mirror_triangle(g.reals[scale] / (h * w)) @ reals
        if len(level.doubled):
            to_magnitudes += self.cast(g.parents[scale] / (h * w)) @ level.doubled[:b]
            to_reals += self.cast(g.doubled[scale] / (h * w)) @ level.doubled[b:]

    def weigh_parents(self, level: PyramidLevel, g: ImageMoments, scale: int) -> None:
        """Replace a level's parents by the gradient with respect to them."""
        b, n = self.bands, level.shape[0] * level.shape[1]
        own = np.concatenate([g.parent_power[scale], g.doubled_power[scale]]) * 2 / n
        level.doubled[...] *= self.cast(own)[:, None]  # the parents' values are no longer needed
        to_magnitudes, to_doubled = level.doubled[:b], level.doubled[b:]
        to_magnitudes += self.cast(g.parents[scale].T / n) @ level.fields[:b]
        to_doubled += self.cast(g.doubled[scale].T / n) @ level.fields[b:]
        kernels.double_phase_adjoint(level.parents.reshape(b, -1), level.doubled)

    def descend(
        self, level: PyramidLevel, carried: Field | None, half_gradient: Field
    ) -> Field | None:
        """Add a level's gradient to the gradient of the spectrum; return the parents' gradient."""
        b, (h, w) = self.bands, level.shape
        kernels.polar_adjoint(level.bands.reshape(b, -1), level.gradient)
        spectra = scipy.fft.fft2(level.bands, norm="forward", overwrite_x=True)
        if carried is not None:
            spectra += carried
        by_channel = spectra.reshape(self.channels, -1, h, w)
        for bands, gradient in zip(by_channel, half_gradient, strict=True):
            kernels.join(bands, level.masks, self.phase, gradient)
        if not len(level.doubled):
            return None
        wide = scipy.fft.fft(level.parents, axis=2, norm="forward", overwrite_x=True)
        level.narrow[..., : w // 4] = wide[..., : w // 4]
        level.narrow[..., w // 4 :] = wide[..., -w // 4 :]
        narrow = scipy.fft.fft(level.narrow, axis=1, norm="forward", overwrite_x=True)
        return np.concatenate([narrow[:, : h // 4], narrow[:, h - h // 4 :]], axis=1)

    def weigh_lowpass(self, part: Lowpass, g: ImageMoments, i: int, half_gradient: Field) -> None:
        """Add a lowpass image's gradient to the gradient of the spectrum."""
        image, (h, w) = self.low_images[i], part.shape
        cubes = (3 * g.low_cubes[i] / (h * w)).astype(self.real)[:, None, None]
        fourths = (4 * g.low_fourths[i] / (h * w)).astype(self.real)[:, None, None]
        result = image * image * (cubes + fourths * image)
        kernels.correlate(part.wrapped, self.taps(g.low_lags[i] / (h * w)), result)
        if self.channels > 1:
            weights = self.mirror_triangle(g.colours[i + 1] / (h * w))
            result += (weights @ image.reshape(self.channels, -1)).reshape(image.shape)
        spectrum = scipy.fft.rfft2(result, norm="forward")
        spectrum *= part.response
        half_gradient[:, part.rows, : w // 2 + 1] += spectrum

    def weigh_pixels(self, g: ImageMoments) -> Field:
        """Return the gradient (C, H, W) that comes from the pixels' own moments."""
        w = (g.pixels / self.seen.shape[1]).astype(self.real)[:, :, None]
        seen = self.seen
        result = self.unview(w[0] + seen * (2 * w[1] + seen * (3 * w[2] + seen * (4 * w[3]))))
        if self.channels > 1:
            flat = (np.linalg.pinv(self.views) @ seen).astype(self.real)
            weights = self.mirror_triangle(g.colours[0] / seen.shape[1])
            result = result + (weights @ flat).reshape(result.shape)
        return result

    def mirror_triangle(self, upper: Array) -> Field:
        """Add the transpose, since a product has a gradient for each of its two fields."""
        return self.cast(upper + upper.T)

    def taps(self, weights: Array) -> Field:
        """Arrange weights (B, L) of lags as stencils, which contain each lag in both directions."""
        width = 2 * self.reach + 1
        padded = -(-width // kernels.TAPS) * kernels.TAPS
        taps = np.zeros((len(weights), width, padded))
        rows, columns = self.shifts
        taps[:, self.reach + rows, self.reach + columns] += weights
        taps[:, self.reach - rows, self.reach - columns] += weights
        return taps.astype(self.real)


def half(response: Field) -> Field:
    return response[:, : response.shape[1] // 2 + 1]


def settle(transformed: Field, place: Field) -> None:
    """Copy a transform to ``place``, unless SciPy has already written it there."""
    if not np.shares_memory(transformed, place):
        place[...] = transformed
