"""Answers on single images against what is right: accuracy of yes and no, Pearson's r of numbers.

As Parthasarathy, Collins & Stephenson (2025), "What Makes a Good Generated Image?", score people
and judges on their single-image tasks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hype.analysis.correlation import correlation
from hype.analysis.pairwise.proportions import wilson
from hype.analysis.ratings.axis_scores import AgainstTruth
from hype.analysis.ratings.condition_means import ConditionValues, codes_of, condition_means

if TYPE_CHECKING:
    import pandas as pd

    from hype.analysis.ratings.scale import AnswerKind


def against_truth(
    ratings: pd.DataFrame, kind: AnswerKind, *, confidence: float
) -> AgainstTruth | None:
    """Hold the relevant answers of one axis against the truth; None where it is not known."""
    if "truth_value" not in ratings:
        return None
    known = ratings[(ratings["truth_value"].notna() & ratings["value"].notna()).to_numpy()]
    if not len(known):
        return None
    people = codes_of(known, "evaluator") if "evaluator" in known else None
    answer, right = known["value"].to_numpy(), known["truth_value"].to_numpy()
    if kind == "numbers":
        found = correlation(answer, right, people, confidence=confidence)
        return AgainstTruth(ratings=len(known), correlation=found)
    correct = (answer == right).astype(np.float64)
    one = np.zeros(len(known), dtype=np.int64)
    values = ConditionValues(("",), one, correct, people)
    (share,) = condition_means(values, shares=True, confidence=confidence)
    low, high = wilson(correct.sum(), len(known), confidence=confidence)
    return AgainstTruth(
        ratings=len(known),
        accuracy=share.mean,
        low=share.low,
        high=share.high,
        wilson_low=float(low),
        wilson_high=float(high),
        evaluators=share.evaluators,
    )
