"""What tells real images from generated ones without a look at the picture, measured.

JPEG leaves blocks of 8 x 8 pixels, cameras blur, programs write smaller files: people and judges
may go by such traces. A linear classifier learns them from some images and is tried on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

BLOCK_PX: Final = 8
TRACES: Final = {
    "blockiness": slice(0, 1),
    "file size": slice(1, 2),
    "sharpness": slice(2, 3),
    "mean colour": slice(3, 6),
}
"""Which of the numbers of an image belong to which trace."""
FEWEST: Final = 40
"""Images of each side, below which nothing is said."""
FOLDS: Final = 5
PENALTY: Final = 1.0
"""On the squared weights of standardised traces."""
TELLING_AUC: Final = 0.75

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Giveaway:
    """How well all traces together tell two sides apart, and the strongest of them.

    An AUC is how often the classifier puts an image of one side above one of the other: 0.5 is
    chance, 1 is always.
    """

    auc: float
    strongest: str
    strongest_auc: float


def traces_of(image: Image.Image, file_bytes: int) -> Floats:
    """Measure an image: blockiness, file size, sharpness (on logarithmic scales), mean colour."""
    grey = np.asarray(image.convert("L"), dtype=np.float64)
    colour = np.asarray(image.convert("RGB"), dtype=np.float64).mean(axis=(0, 1))
    inner = grey[1:-1, 1:-1]
    around = grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:]
    sharpness = np.var(4 * inner - around) if inner.size else 0.0
    return np.array([blockiness(grey), np.log(file_bytes), np.log(sharpness + 1), *colour])


def blockiness(grey: Floats) -> float:
    """Say how much pixels differ across the edges of blocks, over how much they differ elsewhere.

    The logarithm; edges are where columns, and rows, differ most at steps of `BLOCK_PX`.
    """
    ratios = []
    for pixels in (grey, grey.T):
        steps = np.abs(np.diff(pixels, axis=1)).mean(axis=0)
        if len(steps) < BLOCK_PX:
            return 0.0
        means = np.array([steps[start::BLOCK_PX].mean() for start in range(BLOCK_PX)])
        ratios.append(np.log((means.max() + 0.1) / (np.median(means) + 0.1)))
    return float(np.mean(ratios))


def measure_giveaway(real: Sequence[Floats], fake: Sequence[Floats]) -> Giveaway | None:
    """Try how well the traces tell the sides apart; None if there are too few images."""
    if min(len(real), len(fake)) < FEWEST:
        return None
    traces = np.vstack([*real, *fake])
    is_fake = np.repeat([0.0, 1.0], [len(real), len(fake)])
    alone = {
        name: cross_validated_auc(traces[:, columns], is_fake) for name, columns in TRACES.items()
    }
    strongest = max(alone, key=lambda name: alone[name])
    return Giveaway(
        auc=cross_validated_auc(traces, is_fake),
        strongest=strongest,
        strongest_auc=alone[strongest],
    )


def cross_validated_auc(traces: Floats, is_fake: Floats) -> float:
    """Classify each fifth of the images by the other four; give the mean AUC of the fifths."""
    from scipy.stats import mannwhitneyu  # takes a second, and every session loads this module

    fold = np.empty(len(is_fake), dtype=np.int64)
    rng = np.random.default_rng(0)
    for side in (0.0, 1.0):
        members = np.flatnonzero(is_fake == side)
        fold[rng.permutation(members)] = np.arange(len(members)) % FOLDS
    aucs = []
    for number in range(FOLDS):
        test = fold == number
        scores = traces_scored(traces, is_fake, test)
        fakes, reals = scores[is_fake[test] == 1], scores[is_fake[test] == 0]
        aucs.append(mannwhitneyu(fakes, reals).statistic / (len(fakes) * len(reals)))
    return float(np.mean(aucs))


def traces_scored(traces: Floats, is_fake: Floats, test: NDArray[np.bool_]) -> Floats:
    """Fit a logistic regression to the images that are not tested; score those that are."""
    from scipy.optimize import minimize
    from scipy.special import expit

    train = traces[~test]
    spread = train.std(axis=0)
    standard = (traces - train.mean(axis=0)) / np.where(spread > 0, spread, 1)
    design = np.column_stack([np.ones(len(standard)), standard])
    known, answer = design[~test], is_fake[~test]

    def loss(weights: Floats) -> tuple[float, Floats]:
        logits = known @ weights
        penalised = np.concatenate([[0.0], weights[1:]])
        value = (
            np.logaddexp(0, logits).sum() - answer @ logits + PENALTY / 2 * penalised @ penalised
        )
        return float(value), known.T @ (expit(logits) - answer) + PENALTY * penalised

    fitted = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B")
    scores: Floats = design[test] @ fitted.x
    return scores
