"""Derivatives of an image's moments with respect to its pixels, for weighting residuals.

A texture's statistics depend on each other: a step that corrects one changes others. J is the
derivative of the statistics with respect to the pixels, so entry (i, j) of G = J J' is the inner
product of the gradients of statistics i and j. The residuals are weighted by the inverse of
G + lambda diag G. With these weights, the sum of squared residuals is about the squared distance
to the nearest image with the wanted statistics, and a gradient step of length one is a Gauss-Newton
step. G is computed from the source, once for all masks of a picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import scipy.fft
import scipy.linalg
from numpy.typing import NDArray

from hype.masks import kernels
from hype.masks.fields import Analyser, Lowpass, PyramidLevel
from hype.masks.model import (
    Array,
    Block,
    Field,
    ImageMoments,
    Shape,
    Statistics,
    StatisticsLayout,
    keep_scales,
    pull_back,
)

Indices = NDArray[np.intp]
DENSE_RADIUS: Final = 32.0
"""All frequencies up to this number of periods per image are kept; higher ones are sampled.

A higher frequency is kept with a probability proportional to 1/frequency**2. With c channels, this
constant is divided by the square root of c, so that J keeps the same number of entries.
"""
TILE: Final = 32
"""The side of a tile. A band's gradient is cut into tiles; the tiles are added with random signs.

So only one tile is transformed, and products of different tiles cancel except for noise.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """Frequencies of the right half plane; those on the coarsest level's grid are first."""

    # rows, columns: vertical (may be negative) and horizontal frequencies (n), in periods per image
    rows: Indices
    columns: Indices
    # For each kept frequency, the square root of the number of frequencies that it represents
    scale: Field
    counts: tuple[int, ...]  # for each level: how many frequencies its grid has; they come first
    step: int = 1  # rows and columns are multiples of this

    def places(self, shape: Shape, count: int, sign: int = 1, step: int = 1) -> Indices:
        """Return the places of the first ``count`` frequencies in a field's spectrum.

        If ``sign`` is -1, return the places of the frequencies' mirror images. The field had
        ``shape`` before it was folded by ``step``.
        """
        y, x = (sign * side[:count] // step for side in (self.rows, self.columns))
        height, width = (side // step for side in shape)
        return (y % height) * width + x % width


def sort_by_level(
    analyser: Analyser, y: Indices, x: Indices, share: Field, step: int
) -> Frequencies:
    scale = np.sqrt(np.where((x == 0) & (y == 0), 1.0, 2.0) / share)
    inside = [(2 * np.abs(y) < low.shape[0]) & (2 * x < low.shape[1]) for low in analyser.lowpasses]
    order = np.argsort(-np.sum(inside, axis=0), kind="stable")
    return Frequencies(
        y[order],
        x[order],
        scale[order].astype(analyser.real),
        tuple(int(np.sum(level)) for level in inside),
        step,
    )


def fold_frequencies(analyser: Analyser, shape: Shape, most: int) -> Frequencies:
    """Return the frequencies that remain if the sides of fields are folded to about ``most`` px.

    The remaining frequencies are multiples of the same power of 2 along both axes.
    """
    step = 1
    while min(shape) > step * most and not any(side % (4 * step) for side in shape):
        step *= 2
    y, x = (
        a.ravel() * step
        for a in np.mgrid[
            1 - shape[0] // (2 * step) : shape[0] // (2 * step), 0 : shape[1] // (2 * step)
        ]
    )
    kept = (x > 0) | (y >= 0)
    share = np.full(np.count_nonzero(kept), 1 / step**2)
    return sort_by_level(analyser, y[kept], x[kept], share, step)


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """Indices and weights that turn a band's gradient into the image's gradient, as spectra.

    A band's filter is zero on one half plane. If this is the right half plane, the values at the
    mirrored frequencies are read and conjugated.
    """

    places: Indices
    weights: Field
    signs: Field

    @classmethod
    def of(cls, frequencies: Frequencies, level: int, mask: Field, shape: Shape) -> Probe:
        """Find the places and weights of a level's band in a spectrum of ``shape``."""
        count = frequencies.counts[level]
        grid = mask.shape[0], mask.shape[1]
        ahead, behind = (mask.ravel()[frequencies.places(grid, count, sign)] for sign in (1, -1))
        forward = ahead >= behind
        step = frequencies.step
        there, mirrored = (frequencies.places(shape, count, sign, step) for sign in (1, -1))
        weights = np.maximum(ahead, behind) * frequencies.scale[:count] / 2
        return cls(
            np.where(forward, there, mirrored),
            weights.astype(mask.dtype),
            np.where(forward, 1, -1).astype(mask.dtype),
        )


class JacobianRows:
    """Rows of J for one channel's bands or for one level; `of` assigns rows to moments."""

    def __init__(self, most: int, frequencies: Frequencies, level: int, real: Any) -> None:
        self.count = frequencies.counts[level]
        self.matrix: Field = np.zeros((most, 2 * self.count), real)  # unused rows cost no memory
        self.places = np.full(most, -1)
        self.used = 0

    def of(self, numbers: Indices) -> Indices:
        new = numbers[self.places[numbers] < 0]
        self.places[new] = np.arange(self.used, self.used + len(new))
        self.used += len(new)
        return self.places[numbers]

    def rows_with_moments(self, numbers: Indices) -> tuple[Field, Indices]:
        """Return the existing rows of the moments ``numbers``, and their indices in ``numbers``."""
        here = np.flatnonzero(self.places[numbers] >= 0)
        return self.matrix[self.places[numbers[here]]], here


BATCH_BYTES: Final = 2**21
"""Gradients are transformed in batches of this size; a batch fits into the processor's caches."""


class Jacobian:
    """Derivatives of the moments of the image that an `Analyser` has just analysed.

    Moments of bands are included only for the finest scale; the others come from a smaller image.
    """

    def __init__(
        self,
        analyser: Analyser,
        layout: StatisticsLayout,
        radius: float | None = None,
        tile: int = TILE,
    ) -> None:
        self.analyser = analyser
        self.layout = layout
        dense = DENSE_RADIUS / np.sqrt(analyser.channels)
        height, width = analyser.shape
        y, x = (a.ravel() for a in np.mgrid[1 - height // 2 : height // 2, 0 : width // 2])
        reach = dense if radius is None else radius
        share = np.minimum(1.0, reach**2 / np.maximum(x**2 + y**2, 1))
        kept = (np.random.default_rng(0).random(len(share)) < share) & ((x > 0) | (y >= 0))
        self.frequencies = sort_by_level(analyser, y[kept], x[kept], share[kept], 1)
        self.number = cache(layout.numbers)
        self.rows = [
            [
                JacobianRows(layout.size, self.frequencies, level, analyser.real)
                for level in range(len(analyser.lowpasses))
            ]
            for _ in range(analyser.channels)
        ]
        shape = analyser.shape
        self.folded = fold_frequencies(analyser, shape, tile)
        step = self.folded.step
        self.tile = shape[0] // step, shape[1] // step
        signs = np.random.default_rng(0).choice(np.array([-1, 1], analyser.real), (step, step))
        self.signs = np.kron(signs, np.ones(self.tile, analyser.real))
        # One probe for each orientation of the two finest scales
        self.probes = [
            [Probe.of(self.folded, scale, mask, shape) for mask in level.masks]
            for scale, level in enumerate(analyser.levels[:2])
        ]
        self.band_rows = [
            JacobianRows(layout.size, self.folded, 0, analyser.real)
            for _ in range(analyser.channels)
        ]
        level = analyser.levels[0]
        self.add_bands(level)
        if len(level.doubled):
            self.add_parents(level)
        for i, low in enumerate(analyser.lowpasses):
            self.add_lowpass(i, low)
        self.add_pixels()

    def gram(self, numbers: Indices) -> Array:
        """Return J J' for some moments."""
        gram = np.zeros((len(numbers), len(numbers)))
        for bands, others in zip(self.band_rows, self.rows, strict=True):
            own, here = bands.rows_with_moments(numbers)
            gram[np.ix_(here, here)] += own @ own.T
            parts = [rows.rows_with_moments(numbers) for rows in others]
            for fine, (upper, there) in enumerate(parts):
                for coarse, (lower, here) in enumerate(parts[fine:], start=fine):
                    if not (len(there) and len(here)):
                        continue
                    block = upper[:, : lower.shape[1]] @ lower.T
                    gram[np.ix_(there, here)] += block
                    if coarse > fine:
                        gram[np.ix_(here, there)] += block.T
        return gram * (self.analyser.shape[0] * self.analyser.shape[1])

    def add(self, scale: int, band: int, spectra: Field, numbers: Indices) -> None:
        """Add gradients (k, h, w) with respect to a band of scale 0 (the finest) or scale 1."""
        channel, orientation = divmod(band, self.analyser.model.orientations)
        rows, probe = self.band_rows[channel], self.probes[scale][orientation]
        kernels.gather(
            spectra.reshape(len(spectra), -1),
            probe.places,
            probe.weights,
            probe.signs,
            np.conj(self.analyser.phase),
            rows.of(numbers),
            rows.matrix,
        )

    def add_turned(
        self, scale: int, band: int, weights: Field, unit: Field, numbers: Indices
    ) -> None:
        """Add gradients: real fields (k, h, w), each multiplied by one complex field (h, w)."""
        k, h, w = weights.shape
        unit = unit * self.signs / self.analyser.real(h * w)
        size = max(1, BATCH_BYTES // (h * w * np.dtype(self.analyser.complex).itemsize))
        for start in range(0, k, size):
            part = np.ascontiguousarray(weights[start : start + size])
            turned = np.zeros((len(part), *self.tile), self.analyser.complex)
            kernels.turn(part, unit, turned)
            spectra = scipy.fft.fft2(turned, overwrite_x=True)
            self.add(scale, band, spectra, numbers[start : start + size])

    def transform(self, field: Field) -> Field:
        """Return the spectrum (1, h, w) of a field folded to one tile."""
        (h, w), step = field.shape, self.folded.step
        folded = (field * self.signs).reshape(step, h // step, step, w // step).sum(axis=(0, 2))
        return np.asarray(scipy.fft.fft2(folded[np.newaxis]) / field.size)

    def add_bands(self, level: PyramidLevel) -> None:
        """Add the rows of products of two bands of the finest scale."""
        a, (h, w) = self.analyser, level.shape
        b, n = a.bands, a.real(h * w)
        magnitudes, reals = level.fields.reshape(2, b, h, w)
        pairs, real_pairs = self.number("pairs")[0], self.number("reals")[0]
        for i in range(b):
            turn, wrapped = unit(level.bands[i]) / n, level.wrapped[i]
            shifted = [  # for each lag: the field shifted forward, plus the field shifted back
                wrapped[a.reach + y :, a.reach + x :][:h, :w]
                + wrapped[a.reach - y :, a.reach - x :][:h, :w]
                for y, x in a.lags
            ]
            self.add_turned(0, i, np.stack(shifted), turn, self.number("lags")[0, i])
            others = [j for j in range(b) if j != i]
            numbers = np.maximum(pairs[i], pairs[:, i])[others]
            self.add_turned(0, i, magnitudes[others], turn, numbers)
            spectrum = self.transform(reals[i]) / n
            for j in range(b):
                number = np.array([max(real_pairs[i, j], real_pairs[j, i])])
                self.add(0, j, spectrum * a.real(2 if i == j else 1), number)

    def add_parents(self, level: PyramidLevel) -> None:
        """Add the rows of products of a band and a parent, with respect to both."""
        a, (h, w) = self.analyser, level.shape
        b, n = a.bands, a.real(h * w)
        magnitudes, reals = level.fields.reshape(2, b, h, w)
        parents, doubled = np.split(level.doubled.reshape(3 * b, h, w), [b])
        for i in range(b):
            numbers = self.number("parents")[0, i]
            self.add_turned(0, i, parents, unit(level.bands[i]) / n, numbers)
        for j in range(2 * b):
            spectrum = self.transform(doubled[j]) / n
            for i in range(b):
                self.add(0, i, spectrum, self.number("doubled")[0, i, [j]])
        for j in range(b):
            turn = unit(level.parents[j])
            own, square = turn / n, turn**2
            for name, column, weight, fields, parent in (
                ("parent", j, np.ones_like(square), magnitudes, parents[j]),
                ("doubled", j, square.real - 2j * square.imag, reals, doubled[j]),
                ("doubled", j + b, square.imag + 2j * square.real, reals, doubled[j + b]),
            ):  # products with all bands, and the mean square
                products = self.number("parents" if name == "parent" else name)[0, :, column]
                numbers = np.append(products, self.number(f"{name}_power")[0, column])
                weights = np.concatenate([fields, 2 * parent[np.newaxis]])
                self.add_turned(1, j, weights, own * weight.astype(a.complex), numbers)

    def add_spectra(
        self, level: int, channel: int, spectra: Field, response: Field, numbers: Indices
    ) -> None:
        """Add half spectra (k, h, w/2 + 1) of gradients, filtered by ``response``."""
        rows, f = self.rows[channel][level], self.frequencies
        places = f.places((spectra.shape[1], spectra.shape[2]), rows.count)
        weights = response.ravel()[places] * f.scale[: rows.count]
        kernels.gather(
            spectra.reshape(len(spectra), -1),
            places,
            weights,
            np.ones_like(weights),
            self.analyser.complex(1),
            rows.of(numbers),
            rows.matrix,
        )

    def add_lowpass(self, i: int, low: Lowpass) -> None:
        """Add the rows of one lowpass image's moments."""
        a, (h, w) = self.analyser, low.shape
        images = a.low_images[i]
        spectra = half_spectra(images)
        count = self.frequencies.counts[i]
        y, x = self.frequencies.rows[:count], self.frequencies.columns[:count]
        # Shifting an image forward and back, and adding both, multiplies its spectrum by 2 cos
        cosines = np.array([2 * np.cos(2 * np.pi * (y * v / h + x * u / w)) for v, u in a.lags])
        for c, image in enumerate(images):
            rows = self.rows[c][i]
            places = self.frequencies.places((h, w // 2 + 1), count)
            weights = low.response.ravel()[places] * self.frequencies.scale[:count]
            shifted = cosines * (spectra[c].ravel()[places] * weights)
            rows.matrix[rows.of(self.number("low_lags")[i, c])] = shifted.astype(a.complex).view(
                a.real
            )
            square = image * image
            powers = half_spectra(np.stack([3 * square, 4 * square * image]))
            numbers = np.array([self.number(n)[i, c] for n in ("low_cubes", "low_fourths")])
            self.add_spectra(i, c, powers, low.response, numbers)
        self.add_colours(i, i + 1, spectra, low.response)

    def add_colours(self, level: int, i: int, spectra: Field, response: Field) -> None:
        """Add the rows of the products of two channels of one image, from their spectra."""
        numbers = self.number("colours")[i]
        for c in range(len(spectra) if len(spectra) > 1 else 0):
            twice = spectra.copy()
            twice[c] *= 2
            self.add_spectra(level, c, twice, response, np.maximum(numbers[c], numbers[:, c]))

    def add_pixels(self) -> None:
        """Add the rows of the pixels' own moments and of the highpass residual."""
        a = self.analyser
        all_pass = np.ones_like(a.highpass)
        pixels = a.shape[0] * a.shape[1]
        for v, weights in enumerate(a.views):
            seen = a.seen[v].reshape(a.shape)
            square = seen * seen
            slopes = np.stack([np.ones_like(seen), 2 * seen, 3 * square, 4 * square * seen])
            spectra = half_spectra(slopes)
            for c in np.flatnonzero(weights):
                self.add_spectra(0, c, spectra * weights[c], all_pass, self.number("pixels")[:, v])
        for c in range(a.channels):
            spectrum = a.spectrum[[c]] * a.real(2 / pixels**2)
            self.add_spectra(0, c, spectrum, a.highpass, self.number("highpass")[[c]])
        self.add_colours(0, 0, a.spectrum / a.real(pixels**2), all_pass)


def half_spectra(gradients: Field) -> Field:
    """Return half spectra (k, h, w/2 + 1) of gradients (k, h, w) / number of pixels."""
    pixels = gradients.shape[1] * gradients.shape[2]
    spectra = scipy.fft.rfft2(gradients, norm="forward")
    spectra /= pixels
    return np.asarray(spectra)


def unit(field: Field) -> Field:
    """Return the phase of complex values, as values of modulus 1."""
    modulus: Field = np.abs(field) + np.finfo(field.real.dtype).tiny
    return np.asarray(field / modulus)


ROUNDING: Final = 1e-5
"""A gradient is rounding error if length² / (sum of its parts' lengths)² is below this."""
SMALLEST: Final = 1e-7
"""Statistics with gradients below this share of the longest gradient have no weight."""


def invert_damped(gram: Array, damping: float, most: float) -> Array:
    """Add ``damping`` times its diagonal to a block of G, and return the inverse.

    Rows and columns of statistics that no pixel changes are zero. ``most``: the length of the
    longest gradient of any block.
    """
    spread = np.sqrt(np.diag(gram))
    moved = spread > SMALLEST * most
    scale = np.where(moved, 1 / np.where(moved, spread, 1), 0)
    damped = gram * np.outer(scale, scale)
    damped[np.diag_indices_from(damped)] = 1 + damping
    inverse = scipy.linalg.inv(damped, overwrite_a=True, check_finite=False)
    return np.asarray(inverse * np.outer(scale, scale))


def gram_of_blocks(
    jacobian: Jacobian,
    m: ImageMoments,
    colours: Array,
    blocks: Mapping[Block, Indices],
    statistics: StatisticsLayout,
) -> list[Array]:
    """Return the blocks of G = J J' for the finest scale's bands, and for statistics without bands.

    The parts of a statistic's gradient may cancel, for example for the skewness of a picture with
    only two grey values. The remaining rounding error is set to zero, since its inverse would be a
    large weight.
    """
    pixels = jacobian.analyser.shape[0] * jacobian.analyser.shape[1]
    layout = jacobian.layout
    places = Statistics(*map(statistics.numbers, statistics.shapes))
    moments = ImageMoments(*map(layout.numbers, layout.shapes))
    grams = []
    for (scale, *_), numbers in blocks.items():
        # the parents of the finest scale's bands belong to the next scale
        scales = 2 if scale >= 0 else 0
        units = [np.equal.outer(numbers, own).astype(float) for own in keep_scales(places, scales)]
        slopes = pull_back(Statistics(*units), keep_scales(m, scales), colours, pixels)
        kept = keep_scales(moments, scales)
        part = np.concatenate([s[..., n >= 0] for s, n in zip(slopes, kept, strict=True)], axis=1)
        moved = np.concatenate([n[n >= 0] for n in kept])
        used = np.any(part, axis=0)
        part, products = part[:, used], jacobian.gram(moved[used])
        gram = part @ products @ part.T
        most = np.square(np.abs(part) @ np.sqrt(np.diag(products)))
        unmoved = np.diag(gram) < ROUNDING * most
        gram[unmoved] = 0.0
        gram[:, unmoved] = 0.0
        grams.append(gram)
    return grams
