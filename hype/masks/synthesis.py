"""Textures with the statistics of a picture (Portilla & Simoncelli 2000, section 3).

The paper corrects one family of statistics after another, and each correction changes the others.
Here, all families are corrected at once: limited-memory BFGS minimises the squared distance to the
source's statistics, whitened by the source's Gauss-Newton matrix (`hype.masks.jacobian`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import scipy.fft
import threadpoolctl
from numpy.typing import DTypeLike, NDArray

from hype.errors import InputError
from hype.masks.fields import Analyser, lowest
from hype.masks.jacobian import Jacobian, gram_of_blocks, invert_damped
from hype.masks.lbfgs import Step, minimise
from hype.masks.model import (
    Array,
    Block,
    Field,
    ImageMoments,
    Shape,
    Statistics,
    TextureModel,
    blocks_of,
    layouts,
    outer_product,
    pull_back,
    statistics_of,
)

HALF_LEVEL: Final = 0.5 / 255
"""A channel is left out if its standard deviation is below half an 8-bit grey level."""


@dataclass(frozen=True, slots=True, eq=False)
class Colour:
    """An image's colours as mixtures of uncorrelated channels with mean 0."""

    mean: Array  # mean of each colour: one for grey, three for red, green and blue
    # Weight of each channel in each colour, shape (colours, channels). Channels of a colour image
    # have variance 1; a grey channel keeps its contrast.
    mixing: Array
    varying: NDArray[np.bool_]  # which colours vary

    @property
    def colours(self) -> Array:
        """Weight of each channel in each colour that varies, shape (R, channels)."""
        return self.mixing[self.varying]

    @property
    def views(self) -> Array:
        """Weights (V, channels) of the views: colours and, for colour pictures, channels."""
        if len(self.mean) == 1:
            return self.colours
        return np.vstack([self.colours, np.eye(self.mixing.shape[1])])

    def separate(self, image: Array) -> Array:
        """Return the channels (C, H, W) of an image (H, W, colours)."""
        return np.moveaxis((image - self.mean) @ np.linalg.pinv(self.mixing).T, -1, 0)

    def blend(self, channels: NDArray[Any]) -> Array:
        """Return the image (H, W, colours) of channels (C, H, W)."""
        return np.moveaxis(channels.astype(np.float64), 0, -1) @ self.mixing.T + self.mean


def colour_of(image: Array) -> Colour:
    """Find the principal components of an image (H, W, colours) with values from 0 to 1.

    Raises InputError: the image has a single colour.
    """
    pixels = image.reshape(-1, image.shape[-1])
    covariance = np.atleast_2d(np.cov(pixels.T))
    variances, axes = np.linalg.eigh(covariance)
    kept = np.flatnonzero(variances >= HALF_LEVEL**2)[::-1]
    if not len(kept):
        raise InputError("the source image", "has a single colour", "a picture with some texture")
    signs = np.where(axes.sum(axis=0) < 0, -1.0, 1.0)
    mean = pixels.mean(axis=0)
    if len(mean) == 1:
        return Colour(mean, np.ones((1, 1)), np.array([True]))
    mixing = (axes * signs)[:, kept] * np.sqrt(variances[kept])
    return Colour(mean, mixing, np.diag(covariance) >= HALF_LEVEL**2)


DAMPING: Final = 0.3
"""This share of G's diagonal is added to G. With less, early steps are worse, late ones better."""
PENALTY: Final = 3.0
"""Weight of a pixel's squared distance from the source's range; the weight of statistics is 1."""
SLOW: Final = (
    "parent_real_correlation",
    "magnitude_std",
    "lowpass_std",
    "lowpass_skewness",
    "lowpass_kurtosis",
    "highpass_variance",
)
"""Families that reach their tolerance last, or that keep the total error large for a long time."""
URGENCY: Final = 1.5
"""The residuals of the `SLOW` families are multiplied by this."""
FULL_EVALUATIONS: Final = 50
FULL_PX: Final = 256
"""At full resolution, 256 x 256 px get 50 evaluations; n times fewer pixels get n times as many."""
COARSE_EVALUATIONS: Final = 60
"""At lower resolutions the search goes to the next resolution after this many evaluations."""
MATCHINGS: Final = 2
"""Number of times that noise is matched to the picture's spectrum and then to its histogram."""
ROUNDING: Final = 1e-8
"""A family whose norm is below this share of the norm of all statistics is rounding error."""


@dataclass(frozen=True, slots=True, eq=False)
class Texture:
    """A synthesised image."""

    pixels: Array  # (H, W, colours), values in 0 to 1
    evaluations: int  # how often the statistics were computed at full resolution
    converged: bool  # whether the errors are within the tolerances


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """The largest errors of an accepted texture."""

    # length of all residuals, relative to the length of the source's statistics
    total: float = 0.0026
    family: float = 0.018  # length of a family's residuals, relative to its statistics
    evaluations: int = 200  # maximum at full resolution; `FULL_EVALUATIONS` may be lower

    def hold(self, errors: dict[str, float]) -> bool:
        """Return whether the errors from `Measure.errors` are small enough."""
        return errors["total"] <= self.total and max(errors.values()) <= self.family


class Measure:
    """Measures the statistics, as a vector, of images with the same shape and source colours.

    Pixels are differences from the source's mean colour.
    """

    def __init__(
        self, shape: Shape, model: TextureModel, colour: Colour, precision: DTypeLike
    ) -> None:
        self.analyser = Analyser(shape, model, colour.views, precision)
        self.colour = colour
        channels = colour.mixing.shape[1]
        self.moments, self.statistics = layouts(
            model, channels, len(colour.colours), len(colour.views)
        )
        self.blocks = blocks_of(self.statistics, channels, model.orientations)
        self.pixels = shape[0] * shape[1]

    def vector(self, m: ImageMoments) -> Array:
        return self.statistics.pack(statistics_of(m, self.colour.colours, self.pixels))

    def gradient(self, weights: Array, m: ImageMoments) -> Field:
        """Turn the gradient of the last image's statistics into that of the image, (C, H, W)."""
        g = Statistics(*self.statistics.unpack(weights))
        return self.analyser.gradient(pull_back(g, m, self.colour.colours, self.pixels))

    def errors(self, differences: Array, wanted: Array) -> dict[str, float]:
        """Return the length of the differences, relative to the length of the wanted statistics.

        "total" is for all statistics; there is also a number for each family that is not empty.
        The source's mean colour, which is not in the pixels, is added to the wanted statistics.
        """
        reference = wanted.copy()
        start = self.statistics.slices["pixels"].start
        means = self.colour.mean[self.colour.varying]
        reference[start : start + len(means)] += means
        parts = {"total": slice(None)} | self.statistics.slices
        least = ROUNDING * float(np.linalg.norm(reference))
        errors = {}
        for name, part in parts.items():
            if len(wanted[part]):
                length = max(float(np.linalg.norm(reference[part])), least)
                errors[name] = float(np.linalg.norm(differences[part])) / (length or 1.0)
        return errors


class Resolution:
    """A picture at one resolution: gives start images to the search, and measures distances.

    ``coarser``: the same picture at half this resolution, if there is one.
    """

    def __init__(
        self,
        spectra: Field,
        shape: Shape,
        model: TextureModel,
        colour: Colour,
        damping: float,
        coarser: Resolution | None,
    ) -> None:
        self.shape = shape
        self.spectra = spectra
        self.amplitudes = visible_amplitudes(spectra, shape, model)
        channels = scipy.fft.irfft2(spectra, s=shape)
        self.levels = np.sort(channels.reshape(len(channels), -1), axis=1)
        self.measure = Measure(shape, model, colour, np.float32)
        moments = self.measure.analyser.moments(channels)
        self.target = self.measure.vector(moments)
        seen = self.measure.analyser.seen
        self.lowest, self.highest = seen.min(axis=1)[:, None], seen.max(axis=1)[:, None]
        penalties = PENALTY / np.sum(colour.views**2, axis=1, keepdims=True)
        self.penalties = penalties.astype(np.float32)
        self.weights = self.weigh(moments, damping)
        if coarser:
            # Scale 0 of the coarser picture is scale 1 here. A pixel there represents four pixels
            # here, and a band's standard deviation there is a quarter of that here.
            factors = np.full(len(self.target), 2.0)
            factors[self.measure.statistics.slices["magnitude_std"]] /= 4
            for (scale, one, other), own in coarser.weights.items():
                if scale >= 0:
                    block = scale + 1, one, other
                    numbers = self.measure.blocks[block]
                    self.weights[block] = own * outer_product(factors[numbers], factors[numbers])

    def weigh(self, m: ImageMoments, damping: float) -> dict[Block, Array]:
        """Return the weights of the residuals of the finest scale and of statistics without bands.

        ``m``: the picture's moments; the picture must be the image that was analysed last.
        """
        layout = self.measure.statistics
        blocks = {block: n for block, n in self.measure.blocks.items() if block[0] <= 0}
        jacobian = Jacobian(self.measure.analyser, self.measure.moments)
        grams = gram_of_blocks(jacobian, m, self.measure.colour.colours, blocks, layout)
        most = np.sqrt(max(float(np.diag(gram).max()) for gram in grams))
        urgency = np.ones(layout.size)
        for family in SLOW:
            urgency[layout.slices[family]] = URGENCY
        return {
            block: invert_damped(gram, damping, most) * outer_product(urgency[n], urgency[n])
            for (block, n), gram in zip(blocks.items(), grams, strict=True)
        }

    def noise(self, rng: np.random.Generator) -> Field:
        """Return noise (C, H, W) with the picture's histograms and roughly its smoothed spectra."""
        noise = rng.standard_normal((len(self.levels), *self.shape), dtype=np.float32)
        least = np.finfo(np.float32).eps
        for _ in range(MATCHINGS):
            spectra = scipy.fft.rfft2(noise)
            moduli = np.abs(spectra)
            spectra *= self.amplitudes / np.maximum(moduli, least * moduli.max() + least)
            noise = scipy.fft.irfft2(spectra, s=self.shape)
            for channel, levels in zip(noise, self.levels, strict=True):
                flat = channel.reshape(-1)
                flat[np.argsort(flat)] = levels
        return noise

    def refine(self, coarse: Field, noise: Field) -> Field:
        """Replace the low frequencies of noise (C, H, W) by those of a half-size image."""
        (height, _), (h, w) = self.shape, coarse.shape[1:]
        spectra, low = scipy.fft.rfft2(noise), scipy.fft.rfft2(coarse) * np.float32(4)
        rows, shared = lowest(height, h), np.arange(h) != h // 2  # without the highest frequency
        spectra[:, rows[shared], : w // 2] = low[:, shared, : w // 2]
        return np.asarray(scipy.fft.irfft2(spectra, s=self.shape))

    def distance(self, channels: Field) -> tuple[float, Field, Array]:
        """Return an image's distance from the picture, its gradient, and the residuals."""
        moments = self.measure.analyser.moments(channels)
        residual = self.measure.vector(moments) - self.target
        weighed = np.zeros_like(residual)
        for block, weights in self.weights.items():
            numbers = self.measure.blocks[block]
            weighed[numbers] = weights @ residual[numbers]
        value = 0.5 * float(residual @ weighed)
        gradient = self.measure.gradient(weighed, moments)
        seen = self.measure.analyser.seen
        beyond = np.minimum(seen - self.lowest, 0) + np.maximum(seen - self.highest, 0)
        penalty = self.penalties * beyond
        value += 0.5 * float(np.vdot(penalty, beyond))
        return value, gradient + self.measure.analyser.unview(penalty), residual

    def approach(self, start: Field) -> Iterator[tuple[Step, Array]]:
        """Yield images that get closer to the picture, and the differences of statistics."""
        latest = self.target

        def distance(channels: Field) -> tuple[float, Field]:
            nonlocal latest
            value, gradient, latest = self.distance(channels)
            return value, gradient

        for step in minimise(distance, start):
            yield step, latest


class Source:
    """A picture at all resolutions, from coarse to fine, for making textures.

    Making a `Source` takes as long as ten evaluations, so use one for all masks of a picture. It
    has working memory, so threads must not share it. The image's shape is (H, W) or (H, W, 3), its
    values are from 0 to 1; a side that cannot be halved at each scale is extended by mirrored
    pixels. A ``damping`` of 0.01 is good for tolerances ten times stricter than the default ones
    (see `DAMPING`). Raises InputError: the image has a single colour, has values that are NaN or
    outside 0 to 1, or is too small for the model.
    """

    def __init__(
        self, image: NDArray[Any], model: TextureModel | None = None, damping: float = DAMPING
    ) -> None:
        self.model = model or TextureModel()
        picture = check_image(image)
        self.shape = picture.shape[0], picture.shape[1]
        self.model.check(self.shape)
        extended = mirror_to(picture, self.model.extend(self.shape))
        self.colour = colour_of(extended)
        spectra = scipy.fft.rfft2(self.colour.separate(extended).astype(np.float32))
        self.resolutions: list[Resolution] = []
        with threadpoolctl.threadpool_limits(1, "blas"):
            for octaves in reversed(range(self.model.scales)):
                height, width = (side // 2**octaves for side in extended.shape[:2])
                low = spectra[:, lowest(len(extended), height), : width // 2 + 1]
                resolution = Resolution(
                    low / np.float32(4**octaves),
                    (height, width),
                    replace(self.model, scales=self.model.scales - octaves),
                    self.colour,
                    damping,
                    self.resolutions[-1] if self.resolutions else None,
                )
                self.resolutions.append(resolution)

    @property
    def finest(self) -> Resolution:
        return self.resolutions[-1]

    def hide_picture(self, channels: Field) -> Field:
        """Shift a texture (C, H, W) circularly, so that it correlates least with the picture.

        Shifts by multiples of the model's step do not change any statistic.
        """
        weights = np.sum(self.colour.mixing**2, axis=0)
        spectra = np.conj(scipy.fft.rfft2(channels)) * self.finest.spectra
        products = scipy.fft.irfft2(np.tensordot(weights, spectra, 1), s=self.finest.shape)
        choices = np.abs(products[:: self.model.step, :: self.model.step])
        shift = np.unravel_index(np.argmin(choices), choices.shape)
        return np.roll(channels, [int(n) * self.model.step for n in shift], axis=(1, 2))


def visible_amplitudes(spectra: Field, shape: Shape, model: TextureModel) -> Field:
    """Return amplitudes (C, H, W/2 + 1) of noise without correlations beyond the model's reach.

    The model's reach is the autocorrelation window of the coarsest image. The full spectrum would
    keep the layout of a picture with one object on a plain background. Correlations are multiplied
    by a triangle, since its spectrum is never negative.
    """
    correlation = scipy.fft.irfft2(np.abs(spectra) ** 2, s=shape)
    for axis, side in enumerate(shape):
        distance = np.abs(scipy.fft.fftfreq(side) * side)
        taper = np.maximum(1 - distance / (model.window * model.step), 0)
        correlation *= np.expand_dims(taper.astype(correlation.dtype), 1 - axis)
    return np.asarray(np.sqrt(np.maximum(scipy.fft.rfft2(correlation).real, 0)))


def synthesise(
    source: Source, rng: np.random.Generator, tolerance: Tolerance | None = None
) -> Texture:
    """Make a texture with a source's statistics, but not its layout.

    Coarse scales need the most steps, but have the fewest pixels. So the search starts with a small
    image, and each result gives its low frequencies to the next image, which has twice the
    resolution. On one machine, the same generator state always gives exactly the same texture.
    """
    limits = tolerance or Tolerance()
    with threadpoolctl.threadpool_limits(1, "blas"):
        image = source.resolutions[0].noise(rng)
        for resolution in source.resolutions:
            if image.shape[1:] != resolution.shape:
                image = resolution.refine(image, resolution.noise(rng))
            affordable = max(1, FULL_PX**2 // image[0].size) * FULL_EVALUATIONS
            finest = resolution is source.finest
            most = min(limits.evaluations, affordable if finest else COARSE_EVALUATIONS)
            errors, target = resolution.measure.errors, resolution.target
            for step, residual in resolution.approach(image):
                image = step.image
                converged = limits.hold(errors(residual, target))
                if converged and finest:
                    clipped = source.colour.separate(np.clip(source.colour.blend(image), 0.0, 1.0))
                    _, _, of_clipped = resolution.distance(clipped.astype(image.dtype))
                    converged = limits.hold(errors(of_clipped, target))
                if converged or step.evaluations >= most:
                    break
    height, width = source.shape
    pixels = source.colour.blend(source.hide_picture(image))[:height, :width]
    return Texture(np.clip(pixels, 0.0, 1.0), step.evaluations, converged)


def check_image(image: NDArray[Any]) -> Array:
    """Return an image as (H, W, colours).

    Raises InputError: the shape is wrong, or a value is NaN or outside 0 to 1.
    """
    picture = np.asarray(image, dtype=np.float64)
    if picture.ndim == 2:
        picture = picture[..., np.newaxis]
    if picture.ndim != 3 or picture.shape[2] not in (1, 3):
        raise InputError("the source image", f"has shape {image.shape}", "(H, W) or (H, W, 3)")
    if not np.all(np.isfinite(picture)):
        raise InputError("the source image", "has pixels that are not numbers", "values 0 to 1")
    if picture.min() < 0 or picture.max() > 1:
        span = f"{picture.min():g} to {picture.max():g}"
        raise InputError("the source image", f"has values from {span}", "values 0 to 1")
    return picture


def mirror_to(picture: Array, shape: Shape) -> Array:
    rows, columns = shape[0] - picture.shape[0], shape[1] - picture.shape[1]
    return np.pad(picture, ((0, rows), (0, columns), (0, 0)), mode="symmetric")


class Comparison:
    """A picture's statistics in double precision, for comparison with textures.

    The image has the shape and the values that `Source` requires.
    """

    def __init__(self, source: NDArray[Any], model: TextureModel) -> None:
        picture = check_image(source)
        self.shape = picture.shape
        model.check(picture.shape[:2])
        self.extended = model.extend(picture.shape[:2])
        picture = mirror_to(picture, self.extended)
        self.measure = Measure(self.extended, model, colour_of(picture), np.float64)
        self.wanted = self.statistics(picture)

    def statistics(self, picture: Array) -> Array:
        """Return the statistics of a picture (H, W, colours) of the extended shape."""
        channels = self.measure.colour.separate(picture)
        return self.measure.vector(self.measure.analyser.moments(channels))

    def errors(self, texture: NDArray[Any]) -> dict[str, float]:
        """Return how far a texture of the same shape is from the picture.

        Each number is the length of the differences, relative to the length of the picture's
        statistics: "total", and one for each family (`hype.masks.model.Statistics`). If a side is
        not a multiple of the model's step, both images are extended by mirrored pixels. So a
        texture that was cut to such a size has larger errors than before.
        """
        other = check_image(texture)
        if other.shape != self.shape:
            problem = f"has shape {other.shape}, its source {self.shape}"
            raise InputError("the texture", problem, "the same shape")
        statistics = self.statistics(mirror_to(other, self.extended))
        return self.measure.errors(statistics - self.wanted, self.wanted)
