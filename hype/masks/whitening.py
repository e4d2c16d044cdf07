"""What makes synthesis fast: residuals measured in units of the image change that mends them.

The statistics of a texture are far from independent, and a step that mends one spoils others.
With J the derivative of the statistics with respect to the pixels, G = J J' says how: its entry
(i, j) is the inner product of the two images that change statistics i and j most. The residuals r
are therefore weighed by (G + lambda diag G)^-1, which makes the sum of squares about the squared
distance to the nearest image that has the statistics wanted; a gradient step of length one is then
a step of Gauss and Newton. G is that of the source: it is made once, however many masks follow.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import scipy.linalg
import scipy.sparse

from hype.masks.families import Array, Layout, Moments, Statistics, pull_back

BATCH: Final = 256
"""Statistics that are worked on at a time, to hold less in memory."""
ROUNDING: Final = 1e-5
"""A sum that is less than this share of its parts may be nothing but rounding."""
SMALLEST: Final = 1e-7
"""Statistics that pixels move less than this, relative to the one most moved, are left alone."""


class Whitening:
    """Residuals' squared distance, for a target.

    Parameters
    ----------
    gram
        G; it is overwritten.
    damping
        What share of its diagonal is added to it.
    """

    def __init__(self, gram: Array, damping: float) -> None:
        spread = np.sqrt(np.diag(gram))
        moved = spread > SMALLEST * spread.max()
        self.scale = np.where(moved, 1 / np.where(moved, spread, 1), 0)
        gram *= self.scale
        gram *= self.scale[:, np.newaxis]
        gram[np.diag_indices_from(gram)] = 1 + damping
        # The transpose, which is the same, lies in memory as LAPACK wants it.
        self.factor = scipy.linalg.cholesky(
            gram.T, lower=True, overwrite_a=True, check_finite=False
        )

    def __call__(self, residual: Array) -> tuple[float, Array]:
        """Give half the squared distance of residuals, and its gradient with respect to them."""
        solve = scipy.linalg.solve_triangular
        scaled = self.scale * residual
        distance = solve(self.factor, scaled, lower=True, check_finite=False)
        back = solve(self.factor, distance, lower=True, trans="T", check_finite=False)
        return 0.5 * float(distance @ distance), self.scale * back


def statistics_gram(
    moments: Array, m: Moments, colours: Array, pixels: int, layouts: tuple[Layout, Layout]
) -> Array:
    """Give G = J J' of the statistics, from that of the moments.

    What a statistic owes to its moments may cancel, as the skewness of a picture of two levels
    does; what rounding leaves of it is taken out, lest it be weighed as if it were small.

    Parameters
    ----------
    moments
        J J' of the moments.
    m, colours, pixels
        As for `pull_back`.
    layouts
        Of moments and of statistics.
    """
    slopes = slopes_of(m, colours, pixels, layouts)
    size = slopes.shape[0]
    gram = np.empty((size, size))
    for start in range(0, size, BATCH):
        part = slopes[start : start + BATCH] @ moments
        gram[start : start + BATCH] = (slopes @ part.T).T
    most = np.square(abs(slopes) @ np.sqrt(np.diag(moments)))
    unmoved = np.diag(gram) < ROUNDING * most
    gram[unmoved] = 0.0
    gram[:, unmoved] = 0.0
    return gram


def slopes_of(m: Moments, colours: Array, pixels: int, layouts: tuple[Layout, Layout]) -> Any:
    """Give the derivatives of the statistics with respect to the moments, a sparse matrix."""
    source, target = layouts
    parts = []  # a statistic depends on a few moments only: the whole would be nearly all zeros
    for start in range(0, target.size, BATCH):
        unit_vectors = np.eye(min(BATCH, target.size - start), target.size, start)
        each = Statistics(*target.unpack(unit_vectors))
        parts.append(scipy.sparse.csr_array(source.pack(pull_back(each, m, colours, pixels))))
    return scipy.sparse.vstack(parts, format="csr")
