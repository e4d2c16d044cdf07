"""Whether the fakes of a condition differ at all in how often they are taken for real.

Some of many images stand at the ends of any ranking, and with few judgements each they stand there
by chance. Whether there is more than chance is Tarone's question: do the counts scatter more than
binomial ones with a common share do?

Tarone (1979), "Testing the goodness of fit of the binomial distribution", Biometrika 66, 585-590:

    Z = (Σ (kᵢ − nᵢp)² / p(1 − p) − Σ nᵢ) / √(2 Σ nᵢ(nᵢ − 1)),    p = Σ kᵢ / Σ nᵢ

which is near normal for many images, however few judgements each has; an image that was judged once
says nothing, as it should.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from hype.analysis.image_scores import image_scores

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class ImageDifferences:
    """Whether the fakes of a condition differ.

    Parameters
    ----------
    images
        How many were judged.
    fewest, most
        Judgements of the image that has the fewest, and the most.
    z, p
        Tarone's statistic, and its one-sided p. None where no image was judged twice, or all
        judgements are the same.
    """

    images: int
    fewest: int
    most: int
    z: float | None
    p: float | None


def image_differences(judgements: pd.DataFrame) -> dict[str, ImageDifferences]:
    """Ask of each condition whether its fakes differ; empty where the images have no names.

    Parameters
    ----------
    judgements
        Rows of one protocol, as `check_judgements` returns them.

    Notes
    -----
    Judgements are taken as independent. In the time protocol exposures differ between them, which
    is no difference between images as long as chance pairs the two.
    """
    scores = image_scores(judgements)
    if scores.empty:
        return {}
    fakes = scores[scores["truth"].eq("fake")]
    return {
        str(name): _differences(rows["called_fake"].to_numpy(), rows["shown"].to_numpy())
        for name, rows in fakes.groupby("condition", observed=True, sort=True)
    }


def _differences(
    called_fake: npt.NDArray[np.int64], shown: npt.NDArray[np.int64]
) -> ImageDifferences:
    z = tarone_z(called_fake, shown)
    return ImageDifferences(
        images=len(shown),
        fewest=int(shown.min()),
        most=int(shown.max()),
        z=z,
        p=None if z is None else float(ndtr(-z)),
    )


def tarone_z(successes: npt.ArrayLike, trials: npt.ArrayLike) -> float | None:
    """Give Tarone's statistic of counts: above 0 where they scatter more than binomial ones.

    Parameters
    ----------
    successes, trials
        Counts of one shape, at least one trial each.

    Returns
    -------
    float or None
        None where no count has two trials, or all trials have one outcome.
    """
    k, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    share = k.sum() / n.sum()
    pairs = 2 * (n * (n - 1)).sum()
    if pairs == 0 or share in (0.0, 1.0):
        return None
    scatter = ((k - n * share) ** 2).sum() / (share * (1 - share))
    return float((scatter - n.sum()) / np.sqrt(pairs))
