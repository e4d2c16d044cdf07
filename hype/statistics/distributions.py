"""Distances between generated and real images, from their features.

Real features are x, shape (n, d), generated ones y, shape (m, d):

- Fréchet distance: Heusel et al. (2017), "GANs trained by a two time-scale update rule converge to
  a local Nash equilibrium", equation 6. Its limit for infinitely many images is extrapolated
  linearly in 1/N: Chong & Forsyth (2020), "Effectively unbiased FID and Inception Score and where
  to find them".
- Kernel distance: Bińkowski et al. (2018), "Demystifying MMD GANs": the unbiased estimate of the
  squared maximum mean discrepancy with the kernel (x·y/d + 1)³; the paper takes the mean over
  subsets of 1000.
- Precision and recall: Kynkäänniemi et al. (2019), "Improved precision and recall metric for
  assessing generative models", equation 1, with k = 3.
- F8 and F1/8: Sajjadi et al. (2018), "Assessing generative models via precision and recall": all
  images are divided into 20 clusters, whose shares give a curve of precision against recall; F8 (or
  F1/8) is the largest F-score on this curve if recall (or precision) has 8 times the weight.
- Density and coverage: Naeem et al. (2020), "Reliable fidelity and diversity metrics for generative
  models", equations 3 and 4, with k = 5.
- Authenticity: Alaa et al. (2022), "How faithful is your synthetic data?", section 3: the share of
  generated images that are farther from the nearest real image than this real image is from all
  other real images.

All values except the kernel distance depend on the number of images. Intervals come from random
halves of both sets, drawn without replacement (Shao & Wu 1989, "A general theory for jackknife
variance estimation"): a statistic varies over halves as much as over new sets of full size. A
bootstrap is not used, since it draws some images twice: 1000 draws from 1000 images contain about
632 different ones, and the nearest neighbour of an image drawn twice is its copy. In half of the
images, k neighbours are twice as large a share, and the largest density, n/k, is halved. So the
density's variance is that of a mean density with the two whole numbers around k/2 as k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import linalg, stats
from scipy.cluster.vq import kmeans, vq
from threadpoolctl import threadpool_limits

from hype.errors import InputError
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.estimate import Estimate, declare_estimate
from hype.statistics.proportions import wilson

NEIGHBOURS: Final = 3
"""The number of neighbours for precision and recall, as in the paper."""
MORE_NEIGHBOURS: Final = 5
"""The number of neighbours for density and coverage, as in the paper."""
OF_A_HALF: Final = (MORE_NEIGHBOURS // 2, MORE_NEIGHBOURS // 2 + 1)
"""Numbers of neighbours in half of the images: about the same share as `MORE_NEIGHBOURS` of all."""
FEWEST: Final = 4 * (MORE_NEIGHBOURS + 1)
"""Minimum number of images, real or generated; a quarter of it is above `MORE_NEIGHBOURS`."""
DRAWS: Final = 50
CONFIDENCE: Final = 0.95
ROUNDING: Final = 1e-13
"""Rounding error of squared distances, as a share of the vectors' squared lengths."""
BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "frechet_distance": (0, np.inf),
    "frechet_distance_limit": (0, np.inf),
    "kernel_distance": (-np.inf, np.inf),
    "precision": (0, 1),
    "recall": (0, 1),
    "f8": (0, 1),
    "f1_8": (0, 1),
    "density": (0, np.inf),
    "coverage": (0, 1),
    "authenticity": (0, 1),
}
"""The statistics, each with its smallest and its largest possible value."""
ON_LOG_SCALE: Final = ("frechet_distance", "frechet_distance_limit")
CLUSTERS: Final = 20
CLUSTERINGS: Final = 3
"""The number of random starts; the tightest clusters are kept."""
SLOPES: Final = np.tan(np.linspace(0, np.pi / 2, 1003)[1:-1])
"""The slopes at which the precision–recall curve is computed, as in the paper's program."""
DENSITY_ALIKE: Final = "density with the same share of neighbours"
OF_REAL: Final = ("recall", "coverage")
"""These statistics are shares of the real images; other shares are of the generated images."""


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """One statistic of all images, with an interval for the average over sets of the same size.

    ``at_half`` is its mean over halves of the images, which shows how it depends on their number.
    """

    name: str
    at_half: float
    estimate: Estimate = declare_estimate("value")


def compare(
    real: FloatArray,
    fake: FloatArray,
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
    threads: int = 1,
    advance: Callable[[], None] = lambda: None,
) -> tuple[Statistic, ...]:
    """Compute every statistic of `BOUNDS`; ``advance`` is called after each of ``draws`` halves.

    Raises InputError: fewer than `FEWEST` real or generated images.
    """
    for kind, images in (("real", real), ("generated", fake)):
        if len(images) < FEWEST:
            raise InputError(f"{len(images)} {kind} images", "are too few", f"{FEWEST} or more")

    # Differences of squares lose digits if values are far from 0, so the mean is subtracted.
    centre = np.concatenate([real, fake]).mean(axis=0)
    real, fake = real - centre, fake - centre

    def of_half(rows: tuple[IntArray, IntArray]) -> dict[str, float]:
        return statistics_of(real[rows[0]], fake[rows[1]], centre=centre)

    def draw_half(images: FloatArray) -> IntArray:
        return rng.permutation(len(images))[: len(images) // 2]

    drawn = [(draw_half(real), draw_half(fake)) for _ in range(draws)]
    halves = []
    pool = ThreadPoolExecutor(threads)
    try:
        # if BLAS started threads inside these threads, all would wait for each other
        with threadpool_limits(1, user_api="blas"):
            for half in pool.map(of_half, drawn):
                halves.append(half)
                advance()
    finally:
        pool.shutdown(cancel_futures=True)
    values = {name: np.array([half[name] for half in halves]) for name in BOUNDS}
    spread = values | {"density": np.array([half[DENSITY_ALIKE] for half in halves])}
    of_halves = float(values["frechet_distance"].mean())
    whole = statistics_of(real, fake, centre=centre, of_half=of_halves)
    counted = dict.fromkeys(BOUNDS, len(fake)) | dict.fromkeys(OF_REAL, len(real))
    return tuple(
        Statistic(
            name=name,
            estimate=interval(name, whole[name], spread[name], counted[name]),
            at_half=float(values[name].mean()),
        )
        for name in BOUNDS
    )


def interval(name: str, value: float, halves: FloatArray, images: int) -> Estimate:
    """Compute Student's interval around a value, from the halves.

    If the interval of a Fréchet distance is above 0, it is computed again on the log scale: if
    features have heavy tails, distances that are too small also have too small a spread.
    ``images``: the number of images that a share is based on. A share's interval contains Wilson's
    interval for this number, since halves that all agree, for example on 0 or 1, show no variance.
    """
    lowest, highest = BOUNDS[name]
    quantile = stats.t.ppf((1 + CONFIDENCE) / 2, len(halves) - 1)
    reach = float(quantile * halves.std(ddof=1))
    low, high = max(value - reach, lowest), min(value + reach, highest)
    if name in ON_LOG_SCALE and low > 0:
        factor = float(np.exp(reach / value))
        low, high = value / factor, value * factor
    if highest == 1:
        wilson_low, wilson_high = wilson(value * images, images, confidence=CONFIDENCE)
        low, high = min(low, float(wilson_low)), max(high, float(wilson_high))
    return Estimate(value=value, low=low, high=high)


def statistics_of(
    real: FloatArray,
    fake: FloatArray,
    *,
    centre: FloatArray | None = None,
    of_half: float | None = None,
) -> dict[str, float]:
    """Compute every statistic once, and the density with k/2 neighbours for its variance.

    ``centre`` was subtracted from the images; only the kernel distance depends on it. ``of_half``:
    the mean Fréchet distance of halves; by default, of the first and the second half of the images.
    """
    products = Products.of(real, fake, centre)
    near = products.distances()
    frechet = frechet_distance(real, fake)
    if of_half is None:
        x, y = len(real) // 2, len(fake) // 2
        parts = ((real[:x], fake[:y]), (real[x:], fake[y:]))
        of_half = float(np.mean([frechet_distance(*part) for part in parts]))
    f8, f1_8 = f_scores(*cluster_shares(real, fake))
    return {
        "f8": f8,
        "f1_8": f1_8,
        "frechet_distance": frechet,
        "frechet_distance_limit": max(2 * frechet - of_half, 0.0),
        "kernel_distance": products.kernel_distance(),
        "precision": near.precision(),
        "recall": near.swap().precision(),
        "density": near.density(MORE_NEIGHBOURS),
        DENSITY_ALIKE: float(np.mean([near.density(k) for k in OF_A_HALF])),
        "coverage": near.coverage(),
        "authenticity": float((near.ratios() > 1).mean()),
    }


def frechet_distance(x: FloatArray, y: FloatArray) -> float:
    """Return ‖μ₁ − μ₂‖² + tr(Σ₁ + Σ₂ − 2(Σ₁Σ₂)^½), with n − 1 in the covariances.

    With Σ₁ = A'A and Σ₂ = B'B, the trace of the root is the sum of the singular values of AB'. This
    is true even with fewer images than features.
    """
    roots = [(z - z.mean(axis=0)) / np.sqrt(len(z) - 1) for z in (x, y)]
    total = sum(float((root**2).sum()) for root in roots)
    a, b = (linalg.qr(z, mode="r")[0][: z.shape[1]] if len(z) > z.shape[1] else z for z in roots)
    shared = float(linalg.svdvals(a @ b.T).sum())
    return float(((x.mean(axis=0) - y.mean(axis=0)) ** 2).sum()) + total - 2 * shared


def cluster_shares(real: FloatArray, fake: FloatArray) -> tuple[FloatArray, FloatArray]:
    both = np.concatenate([real, fake])
    centres, _ = kmeans(both, CLUSTERS, iter=CLUSTERINGS, rng=np.random.default_rng(0))
    cluster, _ = vq(both, centres)
    own = cluster[: len(real)], cluster[len(real) :]
    first, second = (np.bincount(one, minlength=len(centres)) / len(one) for one in own)
    return first, second


def f_scores(real: FloatArray, fake: FloatArray, beta: float = 8) -> tuple[float, float]:
    """Return the largest Fβ and F1/β on the precision–recall curve of the clusters' shares."""
    precision = np.minimum(SLOPES[:, np.newaxis] * real, fake).sum(axis=1)
    recall = precision / SLOPES

    def largest(weight: float) -> float:
        bottom = np.maximum(weight**2 * precision + recall, np.finfo(float).tiny)
        return float(((1 + weight**2) * precision * recall / bottom).max())

    return largest(beta), largest(1 / beta)


@dataclass(frozen=True, slots=True, kw_only=True)
class Products:
    """Inner products among n real images, among m generated ones, and between both (n, m).

    ``shifts``: what each image adds to its products if a centre is added to all images.
    """

    real: FloatArray
    fake: FloatArray
    across: FloatArray
    shifts: tuple[FloatArray, FloatArray]
    dimensions: int

    @staticmethod
    def of(real: FloatArray, fake: FloatArray, centre: FloatArray | None = None) -> Products:
        added = np.zeros(real.shape[1]) if centre is None else centre
        return Products(
            real=real @ real.T,
            fake=fake @ fake.T,
            across=real @ fake.T,
            shifts=(real @ added + added @ added / 2, fake @ added + added @ added / 2),
            dimensions=real.shape[1],
        )

    def kernel_distance(self) -> float:
        """Return the unbiased estimate of the squared mean discrepancy; it can be negative."""
        x, y = self.shifts
        real, fake, across = (
            ((products + one[:, None] + other) / self.dimensions + 1) ** 3
            for products, one, other in (
                *((self.real, x, x), (self.fake, y, y)),
                (self.across, x, y),
            )
        )
        within = sum((k.sum() - k.trace()) / (len(k) * (len(k) - 1)) for k in (real, fake))
        return float(within - 2 * across.mean())

    def distances(self) -> Distances:
        real, fake = self.real.diagonal(), self.fake.diagonal()
        return Distances(
            real=distances(self.real, real, real),
            fake=distances(self.fake, fake, fake),
            across=distances(self.across, real, fake),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Distances:
    """Distances among n real images, among m generated ones, and between both (n, m)."""

    real: FloatArray
    fake: FloatArray
    across: FloatArray

    def swap(self) -> Distances:
        return Distances(real=self.fake, fake=self.real, across=self.across.T)

    def precision(self) -> float:
        """Return the share of generated images that are in the neighbourhood of a real one."""
        radii = radii_of(self.real, NEIGHBOURS)
        return float((self.across <= radii[:, None]).any(axis=0).mean())

    def density(self, k: int) -> float:
        """Return how many real neighbourhoods a generated image is in on average, divided by k."""
        inside = self.across <= radii_of(self.real, k)[:, None]
        return float(inside.sum(axis=0).mean() / k)

    def coverage(self) -> float:
        """Return the share of real images with a generated one in their neighbourhood."""
        radii = radii_of(self.real, MORE_NEIGHBOURS)
        return float((self.across.min(axis=1) <= radii).mean())

    def nearest(self) -> IntArray:
        """Return the nearest real image of each generated one, shape (m,)."""
        nearest: IntArray = self.across.argmin(axis=0)
        return nearest

    def ratios(self) -> FloatArray:
        """Return how close each generated image is to a real one, as a ratio, shape (m,).

        The ratio is the distance to the nearest real image, divided by that real image's distance
        to the next real one. A ratio far below 1 means a near copy of a real image; 0 means the
        same image. If the real image occurs twice, the ratio is infinite, or 0 if the generated
        image is equal to it.
        """
        own = radii_of(self.real, 1)[self.nearest()]
        distance = self.across.min(axis=0)
        ratios = np.where(distance > 0, np.inf, 0.0)
        np.divide(distance, own, out=ratios, where=own > 0)
        return ratios


def distances(products: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return distances from inner products and squared lengths; exactly 0 for equal vectors."""
    sizes = x[:, None] + y
    squared = sizes - 2 * products
    squared[squared < ROUNDING * sizes] = 0
    return np.sqrt(squared, out=squared)


def radii_of(among: FloatArray, k: int) -> FloatArray:
    """Return the distance to the k-th nearest other image, shape (n,)."""
    return np.partition(among, k, axis=1)[:, k]
