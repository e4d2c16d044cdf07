"""The texture model: its settings, and the families of its statistics (Portilla & Simoncelli 2000).

An image is reduced to statistics in two steps. *Moments* are products of pixels or of bands,
averaged over the image. *Statistics* are mostly moments divided by standard deviations; images are
compared by their statistics. This module lays out moments and statistics, computes statistics from
moments, and turns gradients of statistics into gradients of moments. It does not need the pixels.

Axes: S scales; C channels (1 for grey, up to 3 principal components in colour); B = C x
orientations bands per scale; L lags in half of the autocorrelation window, since the other half is
its mirror image; R colours (1 for grey, else 3); V views of the pixels (grey, or the colours and
the channels). All functions accept batch axes before these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hype.errors import InputError

Shape = tuple[int, int]
Array = NDArray[np.float64]
"""Moments, statistics and their gradients, in double precision."""
Field = NDArray[Any]
"""Pixels, bands or frequencies of an image, in the working precision."""

WINDOWS: Final = (5, 7, 9, 11)
MOST_SCALES: Final = 7
MOST_ORIENTATIONS: Final = 8
SMALLEST_PX: Final = 16
LARGEST_PX: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class TextureModel:
    """Which statistics are measured (Portilla & Simoncelli 2000, section 2.3).

    Raises InputError: a setting is impossible for an image of any size.
    """

    scales: int = 4  # octaves of the steerable pyramid, without the highpass and lowpass residuals
    orientations: int = 4  # number of bands of each scale
    # Number of rows and columns of the autocorrelations, an odd number: 7 in the paper's figures,
    # 9 in its table
    window: int = 7

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("scales", self.scales, range(1, MOST_SCALES + 1)),
            ("orientations", self.orientations, range(2, MOST_ORIENTATIONS + 1)),
            ("window", self.window, WINDOWS),
        ):
            if value not in allowed:
                choices = ", ".join(str(choice) for choice in allowed)
                raise InputError("the texture model", f"cannot have {name} = {value}", choices)

    @property
    def step(self) -> int:
        return int(2**self.scales)

    def extend(self, shape: Shape) -> Shape:
        """Return the smallest shape that contains ``shape`` and can be halved at each scale."""
        height, width = (-(-side // self.step) * self.step for side in shape)
        return height, width

    def fits(self, shape: Shape) -> bool:
        """Return whether the lowpass residual of ``shape`` is at least as wide as the window."""
        return min(self.extend(shape)) // self.step >= self.window

    def check(self, shape: Shape) -> None:
        """Refuse a shape with a side that is too short or too long."""
        height, width = shape
        if not (min(shape) >= SMALLEST_PX and max(shape) <= LARGEST_PX):
            problem = f"cannot have {width} x {height} px"
            raise InputError("a mask", problem, f"{SMALLEST_PX} to {LARGEST_PX} px on each side")
        if not self.fits(shape):
            size = min(self.extend(shape)) // self.step
            raise InputError(
                f"{width} x {height} px",
                f"too small for {self.scales} scales with a window of {self.window}:"
                f" the lowpass image would be {size} px",
                "fewer scales, or a smaller window",
            )

    def holds_layout(self, shape: Shape) -> bool:
        """Return whether the widest autocorrelations are wider than half of an image of ``shape``.

        Such autocorrelations determine the layout: the texture of an object on a plain background
        would be the same picture, only shifted.
        """
        return 2 * self.window * self.step > min(shape)

    @classmethod
    def usual_for(cls, shape: Shape) -> TextureModel:
        """Return the default model; small images get fewer scales, so that the layout is lost."""
        usual = cls()
        loose = (cls(scales=n) for n in range(usual.scales, 1, -1))
        return next((model for model in loose if not model.holds_layout(shape)), cls(scales=1))


FLOOR: Final = 1e-12
"""A field with less variance counts as flat: correlations and skewness are 0, kurtosis is 3."""


class ImageMoments(NamedTuple):
    """Mean products over the pixels of each level."""

    lags: Array  # (S, B, L) magnitudes times shifted magnitudes; lag 0 is the variance
    pairs: Array  # (S, B, B) products of two magnitudes
    reals: Array  # (S, B, B) products of two real parts
    parents: Array  # (S-1, B, B) magnitude times magnitude one scale coarser
    parent_power: Array  # (S-1, B) variance of the magnitude one scale coarser
    doubled: Array  # (S-1, B, 2 B) real part times phase-doubled band one scale coarser
    doubled_power: Array  # (S-1, 2 B) mean square of the phase-doubled band
    low_lags: Array  # (S+1, C, L) lowpass images times shifted lowpass images
    low_cubes: Array  # (S+1, C)
    low_fourths: Array  # (S+1, C)
    # (S+2, C, C), upper triangles: products of two channels, in the pixels and each lowpass image
    colours: Array
    highpass: Array  # (C,) mean square of the highpass residual
    pixels: Array  # (4, V) means of the powers 1 to 4 of each view


class Statistics(NamedTuple):
    """The families of statistics that a mask shares with its source.

    Comments give the group in section 2.2 of the paper and, in brackets, the name in the authors'
    program.
    """

    # Marginal statistics (pixelStats)
    pixels: Array  # (4, V) mean, variance, skewness, kurtosis
    # Magnitude correlation, of a band with itself, shifted (autoCorrMag)
    magnitude_std: Array  # (S, B)
    magnitude_autocorrelation: Array  # (S, B, L-1)
    # Magnitude correlation, with the other bands of its scale (cousinMagCorr)
    magnitude_correlation: Array  # (S, B, B)
    # Correlation of the bands' real parts within a scale (cousinRealCorr)
    real_correlation: Array  # (S, B, B)
    # Magnitude correlation, with the bands of the coarser scale (parentMagCorr)
    parent_magnitude_correlation: Array  # (S-1, B, B)
    # Cross-scale phase statistics (parentRealCorr)
    parent_real_correlation: Array  # (S-1, B, 2 B) with the phase-doubled parent
    # Coefficient correlation, of the partial reconstructions (autoCorrReal)
    lowpass_std: Array  # (S+1, C)
    lowpass_autocorrelation: Array  # (S+1, C, L-1)
    # Marginal statistics, of the partial reconstructions (pixelLPStats)
    lowpass_skewness: Array  # (S+1, C)
    lowpass_kurtosis: Array  # (S+1, C)
    # Only for colour pictures, which the paper does not treat
    colour_correlation: Array  # (S+2, R, R) in the pixels and each lowpass image
    # Marginal statistics (varianceHPR)
    highpass_variance: Array  # (C,)


class StatisticsLayout:
    """The places of the fields of `ImageMoments` or of `Statistics` in one vector.

    For symmetric fields, ``triangles`` has the first diagonal of the triangle that is kept.
    """

    def __init__(self, shapes: dict[str, tuple[int, ...]], triangles: dict[str, int]) -> None:
        self.shapes = shapes
        self.kept: dict[str, NDArray[np.intp]] = {}  # places in the flattened field
        self.slices: dict[str, slice] = {}
        self.size = 0
        for name, shape in shapes.items():
            mask = np.ones(shape, dtype=bool)
            if name in triangles:
                mask &= np.triu(np.ones(shape[-2:], dtype=bool), triangles[name])
            self.kept[name] = np.flatnonzero(mask)
            end = self.size + len(self.kept[name])
            self.slices[name] = slice(self.size, end)
            self.size = end

    def pack(self, fields: ImageMoments | Statistics) -> Array:
        flat = []
        for name, field in fields._asdict().items():
            batch = field.shape[: field.ndim - len(self.shapes[name])]
            flat.append(np.reshape(field, (*batch, -1))[..., self.kept[name]])
        return np.concatenate(flat, axis=-1)

    def unpack(self, vector: Array) -> list[Array]:
        """Return the fields of a vector (..., size), with zeros in lower triangles."""
        fields = []
        for name, shape in self.shapes.items():
            flat = np.zeros((*vector.shape[:-1], int(np.prod(shape))))
            flat[..., self.kept[name]] = vector[..., self.slices[name]]
            fields.append(flat.reshape((*vector.shape[:-1], *shape)))
        return fields

    def numbers(self, name: str) -> NDArray[Any]:
        """Return each entry's place in the vector, for one field; -1 if it is not kept."""
        places = np.full(int(np.prod(self.shapes[name])), -1)
        places[self.kept[name]] = np.arange(self.slices[name].start, self.slices[name].stop)
        return places.reshape(self.shapes[name])


def lags(window: int) -> list[tuple[int, int]]:
    """Return the shifts (rows, columns) of half an autocorrelation window, (0, 0) first."""
    reach = window // 2
    return [(y, x) for y in range(reach + 1) for x in range(-reach if y else 0, reach + 1)]


def moment_shapes(model: TextureModel, channels: int, views: int) -> dict[str, tuple[int, ...]]:
    s, c, b = model.scales, channels, channels * model.orientations
    n = len(lags(model.window))
    return {
        "lags": (s, b, n),
        "pairs": (s, b, b),
        "reals": (s, b, b),
        "parents": (s - 1, b, b),
        "parent_power": (s - 1, b),
        "doubled": (s - 1, b, 2 * b),
        "doubled_power": (s - 1, 2 * b),
        "low_lags": (s + 1, c, n),
        "low_cubes": (s + 1, c),
        "low_fourths": (s + 1, c),
        "colours": (s + 2, c, c),
        "highpass": (c,),
        "pixels": (4, views),
    }


def layouts(
    model: TextureModel, channels: int, colours: int, views: int
) -> tuple[StatisticsLayout, StatisticsLayout]:
    s, c, b = model.scales, channels, channels * model.orientations
    n = len(lags(model.window))
    moments = moment_shapes(model, channels, views)
    statistics = {
        "pixels": (4, views),
        "magnitude_std": (s, b),
        "magnitude_autocorrelation": (s, b, n - 1),
        "magnitude_correlation": (s, b, b),
        "real_correlation": (s, b, b),
        "parent_magnitude_correlation": (s - 1, b, b),
        "parent_real_correlation": (s - 1, b, 2 * b),
        "lowpass_std": (s + 1, c),
        "lowpass_autocorrelation": (s + 1, c, n - 1),
        "lowpass_skewness": (s + 1, c),
        "lowpass_kurtosis": (s + 1, c),
        "colour_correlation": (s + 2, colours, colours),
        "highpass_variance": (c,),
    }
    symmetric = {"magnitude_correlation": 1, "real_correlation": 1, "colour_correlation": 1}
    return (
        StatisticsLayout(moments, {"pairs": 1, "reals": 0, "colours": 0 if c > 1 else 1}),
        StatisticsLayout(statistics, symmetric),
    )


Block = tuple[int, int, int]
"""The scale and two channels of a statistic of bands; -1, 0 and 0 for other statistics."""
BANDS: Final = ("magnitude", "real", "parent", "lags", "pairs", "reals", "doubled")
"""The prefixes of the names of a band's families and moments."""

Fields = TypeVar("Fields", "ImageMoments", "Statistics")


def keep_scales(fields: Fields, count: int) -> Fields:
    return fields._replace(
        **{
            name: values[: max(0, count - name.startswith(("parent", "doubled")))]
            for name, values in fields._asdict().items()
            if name.startswith(BANDS)
        }
    )


def blocks_of(
    layout: StatisticsLayout, channels: int, orientations: int
) -> dict[Block, NDArray[np.intp]]:
    """Divide the statistics into blocks; return the places of each block in the vector.

    A block contains the statistics of one scale's bands in one channel or between two channels.
    The statistics of pixels, lowpass images and the highpass residual are one more block.
    """
    labels = []
    for name, kept in layout.kept.items():
        scale = np.full(len(kept), -1)
        one = other = np.zeros(len(kept), dtype=np.intp)
        if name.startswith(BANDS):
            scale, *bands = np.unravel_index(kept, layout.shapes[name])
            one = other = bands[0] // orientations
            if name.endswith("_correlation"):
                other = bands[1] // orientations % channels
        labels.append([scale, np.minimum(one, other), np.maximum(one, other)])
    keys, members = np.unique(np.concatenate(labels, axis=1), axis=1, return_inverse=True)
    return {
        (int(scale), int(one), int(other)): np.flatnonzero(members.ravel() == i)
        for i, (scale, one, other) in enumerate(keys.T)
    }


def reciprocal(values: Array, power: float) -> Array:
    """Return values ** -power, and 0 for flat fields."""
    flat = values < FLOOR
    return np.where(flat, 0.0, np.where(flat, 1.0, values) ** -power)


def diagonal(matrices: Array) -> Array:
    return np.diagonal(matrices, axis1=-2, axis2=-1)


def symmetric(upper: Array) -> Array:
    return upper + np.swapaxes(np.triu(upper, 1), -1, -2)


def outer_product(left: Array, right: Array) -> Array:
    return left[..., :, np.newaxis] * right[..., np.newaxis, :]


def statistics_of(m: ImageMoments, colours: Array, pixels: int) -> Statistics:
    """Compute statistics from moments.

    The pixels' moments are centred on the source's mean. ``colours``: the weight of each channel
    (C) in each colour (R). ``pixels``: the number of pixels, for the sample variance.
    """
    variance, low = m.lags[..., 0], m.low_lags[..., 0]
    std, real = reciprocal(variance, 0.5), reciprocal(diagonal(m.reals), 0.5)
    covariance = colours @ symmetric(m.colours) @ colours.T
    colour = reciprocal(diagonal(covariance), 0.5)
    kurtosis = np.where(low < FLOOR, 3.0, m.low_fourths * reciprocal(low, 2))
    m1, m2, m3, m4 = (m.pixels[..., i, :] for i in range(4))
    spread = (m2 - m1**2) * pixels / (pixels - 1)
    third = m3 - 3 * m1 * m2 + 2 * m1**3
    fourth = m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4
    shape = third * reciprocal(spread, 1.5), fourth * reciprocal(spread, 2)
    return Statistics(
        pixels=np.stack([m1, spread, *shape], axis=-2),
        magnitude_std=np.sqrt(variance),
        magnitude_autocorrelation=m.lags[..., 1:] * reciprocal(variance, 1)[..., np.newaxis],
        magnitude_correlation=m.pairs * outer_product(std, std),
        real_correlation=m.reals * outer_product(real, real),
        parent_magnitude_correlation=m.parents
        * outer_product(std[..., :-1, :], reciprocal(m.parent_power, 0.5)),
        parent_real_correlation=m.doubled
        * outer_product(real[..., :-1, :], reciprocal(m.doubled_power, 0.5)),
        lowpass_std=np.sqrt(low),
        lowpass_autocorrelation=m.low_lags[..., 1:] * reciprocal(low, 1)[..., np.newaxis],
        lowpass_skewness=m.low_cubes * reciprocal(low, 1.5),
        lowpass_kurtosis=kurtosis,
        colour_correlation=covariance * outer_product(colour, colour),
        highpass_variance=m.highpass,
    )


def pull_back(g: Statistics, m: ImageMoments, colours: Array, pixels: int) -> ImageMoments:
    """Turn a gradient with respect to statistics into the gradient with respect to moments.

    This is the adjoint of `statistics_of` at ``m``. Gradients of symmetric fields, in ``g`` and in
    the result, are in the upper triangle only.
    """
    variance, low = m.lags[..., 0], m.low_lags[..., 0]
    std, real = reciprocal(variance, 0.5), reciprocal(diagonal(m.reals), 0.5)
    pairs, (left, right) = pull_back_product(g.magnitude_correlation, m.pairs, std, std)
    reals, (one, other) = pull_back_product(g.real_correlation, np.triu(m.reals, 1), real, real)
    lags, by_lag = ratio(g.magnitude_autocorrelation, m.lags[..., 1:], variance)
    low_lags, by_low = ratio(g.lowpass_autocorrelation, m.low_lags[..., 1:], low)
    parents, to_std = pull_back_product(
        g.parent_magnitude_correlation, m.parents, std[:-1], reciprocal(m.parent_power, 0.5)
    )
    doubled, to_real = pull_back_product(
        g.parent_real_correlation, m.doubled, real[:-1], reciprocal(m.doubled_power, 0.5)
    )
    by_std, by_real = left + right, one + other
    by_std[..., :-1, :] += to_std[0]
    by_real[..., :-1, :] += to_real[0]
    by_variance = by_lag + by_std + g.magnitude_std * std / 2
    by_low += (
        g.lowpass_std * reciprocal(low, 0.5) / 2
        - 1.5 * g.lowpass_skewness * m.low_cubes * reciprocal(low, 2.5)
        - 2.0 * g.lowpass_kurtosis * m.low_fourths * reciprocal(low, 3)
    )
    return ImageMoments(
        lags=np.concatenate([by_variance[..., np.newaxis], lags], axis=-1),
        pairs=pairs,
        reals=reals + by_real[..., np.newaxis] * np.eye(by_real.shape[-1]),
        parents=parents,
        parent_power=to_std[1],
        doubled=doubled,
        doubled_power=to_real[1],
        low_lags=np.concatenate([by_low[..., np.newaxis], low_lags], axis=-1),
        low_cubes=g.lowpass_skewness * reciprocal(low, 1.5),
        low_fourths=g.lowpass_kurtosis * reciprocal(low, 2),
        colours=pull_back_colours(g.colour_correlation, m.colours, colours),
        highpass=g.highpass_variance,
        pixels=pull_back_marginals(g.pixels, m.pixels, pixels),
    )


def ratio(gradient: Array, lags: Array, variance: Array) -> tuple[Array, Array]:
    """Turn the gradient of lag / variance into gradients of the lags and of the variance."""
    scale = reciprocal(variance, 1)
    return gradient * scale[..., np.newaxis], -np.sum(gradient * lags, axis=-1) * scale**2


def pull_back_product(
    gradient: Array, products: Array, left: Array, right: Array
) -> tuple[Array, tuple[Array, Array]]:
    """Turn the gradient of product_ij left_i right_j into those of the products and variances.

    ``left`` and ``right`` are 1 / standard deviations.
    """
    scaled = gradient * outer_product(left, right)
    weight = scaled * products
    return scaled, (
        -0.5 * np.sum(weight, axis=-1) * left**2,
        -0.5 * np.sum(weight, axis=-2) * right**2,
    )


def pull_back_colours(gradient: Array, upper: Array, colours: Array) -> Array:
    """Turn the gradient of the colours' correlations into that of the channels' products."""
    covariance = colours @ symmetric(upper) @ colours.T
    scale = reciprocal(diagonal(covariance), 0.5)
    direct, (left, right) = pull_back_product(gradient, np.triu(covariance, 1), scale, scale)
    full = direct + (left + right)[..., np.newaxis] * np.eye(len(colours))
    by_entry = colours.T @ full @ colours
    both = by_entry + np.swapaxes(by_entry, -1, -2)
    return np.triu(both, 1) + by_entry * np.eye(colours.shape[1])


def pull_back_marginals(gradient: Array, powers: Array, pixels: int) -> Array:
    """Turn gradients of mean, variance, skewness and kurtosis into those of mean powers 1 to 4."""
    m1, m2, m3, m4 = (powers[..., i, :] for i in range(4))
    g1, g2, g3, g4 = (gradient[..., i, :] for i in range(4))
    correction = pixels / (pixels - 1)
    variance = (m2 - m1**2) * correction
    third = m3 - 3 * m1 * m2 + 2 * m1**3
    fourth = m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4
    b3, b4 = g3 * reciprocal(variance, 1.5), g4 * reciprocal(variance, 2)
    spread = 1.5 * g3 * third * reciprocal(variance, 2.5) + 2 * g4 * fourth * reciprocal(
        variance, 3
    )
    b2 = correction * (g2 - spread)
    by_mean = (
        g1 - 2 * b2 * m1 + b3 * (6 * m1**2 - 3 * m2) + b4 * (12 * m1 * m2 - 4 * m3 - 12 * m1**3)
    )
    return np.stack([by_mean, b2 - 3 * b3 * m1 + 6 * b4 * m1**2, b3 - 4 * b4 * m1, b4], axis=-2)
