"""Judgements as two crossed samples, one of evaluators and one of images.

A real image is one image in whichever condition it is shown; a fake belongs to its condition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class CrossedSamples:
    """Who judged which image for which condition, and was it wrong.

    Parameters
    ----------
    names
        The conditions, sorted.
    condition, evaluator, image
        Codes from 0 without gaps, shape (judgements,).
    wrong
        1 or 0, shape (judgements,).
    """

    names: tuple[str, ...]
    condition: IntArray
    evaluator: IntArray
    image: IntArray
    wrong: npt.NDArray[np.float64]

    @property
    def evaluators(self) -> int:
        """Number of evaluators."""
        return int(self.evaluator.max(initial=-1)) + 1

    @property
    def images(self) -> int:
        """Number of images."""
        return int(self.image.max(initial=-1)) + 1


def named_images(judgements: pd.DataFrame) -> pd.DataFrame:
    """Keep the judgements that name their image."""
    if "image" not in judgements:
        return judgements.iloc[:0]
    images = judgements["image"].astype(object)
    return judgements[images.notna() & images.astype(str).str.strip().ne("")]


def crossed_samples(named: pd.DataFrame) -> CrossedSamples:
    """Number the conditions, evaluators and images of judgements that name their image."""
    condition, names = pd.factorize(np.asarray(named["condition"], dtype=object), sort=True)
    evaluator, _ = pd.factorize(np.asarray(named["evaluator"], dtype=object))
    fake = named["truth"].eq("fake").to_numpy()
    picture = np.zeros(0, dtype=np.int64)
    if len(named):
        picture, _ = pd.factorize(np.asarray(named["image"], dtype=object))
    owner = np.where(fake, condition + 1, 0)
    image, _ = pd.factorize(picture.astype(np.int64) * (len(names) + 1) + owner)
    wrong = fake != named["answer"].eq("fake").to_numpy()
    return CrossedSamples(
        names=tuple(map(str, names)),
        condition=condition.astype(np.int64),
        evaluator=evaluator.astype(np.int64),
        image=image.astype(np.int64),
        wrong=wrong.astype(float),
    )


def why_no_fit(judgements: pd.DataFrame, codes: CrossedSamples) -> str:
    """Say why a mixed model cannot be fitted; empty where it can."""
    if "task" in judgements and judgements["task"].eq("time").any():
        return "A staircase sets the error rate itself, so a model of errors says nothing there."
    if not len(codes.wrong):
        return "No judgement names its image, so images cannot be told from evaluators."
    if codes.wrong.min() == codes.wrong.max():
        return f"{'All' if codes.wrong.all() else 'No'} judgements are wrong."
    return _too_little(codes) or _too_much(codes)


def _too_little(codes: CrossedSamples) -> str:
    if np.bincount(codes.image).max() < 2:
        return "No image was judged twice, so nothing shows how much images vary."
    served = np.unique(np.stack([codes.condition, codes.evaluator]), axis=1)[0]
    if np.bincount(served).max() < 2:
        return "Every condition has a single evaluator, so nothing shows how much they vary."
    return ""


def _too_much(codes: CrossedSamples) -> str:
    from hype.analysis.mixed.crossed_logistic import MOST_EFFECTS

    if len(codes.names) + codes.evaluators > MOST_EFFECTS:
        return f"There are more than {MOST_EFFECTS} evaluators, too many for the mixed model."
    return ""
