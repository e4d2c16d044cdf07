"""How far the evaluators of a condition agree on its images: Krippendorff's α.

Units are the images of the condition, real and fake ones alike; observers are its evaluators;
values are the answers, real or fake. Evaluators who all see through the images agree too: α tells
consensus, not deception.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hype.protocols.hype.images import label_codes
from hype.statistics.agreement import Alpha, unit_alpha
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.crossed import Images
from hype.statistics.estimate import Estimate
from hype.statistics.resampling import FEWEST_PEOPLE

NO_IMAGES = "the judgements do not say which image was shown"
NOT_PAIRABLE = "no image was judged by two evaluators"
ALL_THE_SAME = "all answers to the images judged by two evaluators or more are the same"
LONE_IMAGE = "no interval: only one image was judged by two evaluators or more"
FEW_PEOPLE = f"no interval: fewer than {FEWEST_PEOPLE} evaluators judged images that others judged"
NO_DISSENT = "no interval: on every image all gave one answer"


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Agreement among the evaluators of a condition."""

    alpha: float | None  # Krippendorff's α, at most 1; None where it is undefined
    # ci_low, ci_high: for other evaluators and, unless images are fixed, other images; None where
    # there is none
    ci_low: float | None
    ci_high: float | None
    images: int  # images that were judged at all
    units: int  # those judged by two evaluators or more; only these tell of agreement
    judgements: int  # judgements of these units, one per evaluator and image
    evaluators: int
    confidence: float  # coverage the interval aims at, as a proportion
    draws: int = 0  # nothing is drawn
    reason: str = ""  # why there is no α or no interval; else empty

    @property
    def basis(self) -> Alpha | None:
        """Give α, and what it is of; None where there is none."""
        if self.alpha is None:
            return None
        return Alpha(
            unit="images",
            alpha=Estimate(value=self.alpha, low=self.ci_low, high=self.ci_high),
            units=self.units,
            n=self.judgements,
            evaluators=self.evaluators,
        )


def agreement_by_condition(
    judgements: pd.DataFrame, *, images: Images = "sample", confidence: float = 0.95
) -> dict[str, Agreement]:
    """Compute Krippendorff's α for each condition of the rows of one protocol, sorted.

    Rows that name no image tell nothing. Of an evaluator who judged an image several times, the
    last judgement counts, by block and trial where these are given, else by the order of the rows:
    agreement of an evaluator with himself is another thing, and a trial shown again replaces a
    spoiled one.
    """
    judged = dict(_judged(judgements))
    return {
        name: _agreement(judged.get(name), images, confidence)
        for name in sorted(map(str, judgements["condition"].unique()))
    }


@dataclass(frozen=True, kw_only=True, eq=False)
class _Judged:
    """One judgement of each evaluator and image of a condition, in numbers, shape (judgements,)."""

    image: IntArray
    evaluator: IntArray
    fake: BoolArray


def _agreement(judged: _Judged | None, images: Images, confidence: float) -> Agreement:
    nothing: IntArray = np.zeros(0, dtype=np.int64)
    own = judged or _Judged(image=nothing, evaluator=nothing, fake=nothing > 0)
    number = np.bincount(own.image)
    paired = (number >= 2)[own.image]
    items = own.image if images == "sample" else None
    by = own.image, own.fake.astype(float), own.evaluator, items
    alpha = unit_alpha(*by, what="items", level="nominal", confidence=confidence)
    units, people = int((number >= 2).sum()), len(np.unique(own.evaluator[paired]))
    reason = _why_not(judged, alpha, units, people)
    low, high = alpha.alpha.ends if alpha and not reason else (None, None)
    return Agreement(
        alpha=alpha.alpha.value if alpha else None,
        ci_low=low,
        ci_high=high,
        images=len(number),
        units=units,
        judgements=int(paired.sum()),
        evaluators=people,
        confidence=confidence,
        reason=reason,
    )


def _why_not(judged: _Judged | None, alpha: Alpha | None, units: int, people: int) -> str:
    """Say why there is no α, or no interval; empty where there are both."""
    if judged is None:
        return NO_IMAGES
    if alpha is None:
        return ALL_THE_SAME if units else NOT_PAIRABLE
    if units == 1:
        return LONE_IMAGE
    if people < FEWEST_PEOPLE:
        return FEW_PEOPLE
    return NO_DISSENT if alpha.alpha.value == 1 else ""


def _judged(judgements: pd.DataFrame) -> Iterator[tuple[str, _Judged]]:
    if "image" not in judgements:
        return
    labels = [label_codes(judgements[key]) for key in ("condition", "truth", "image", "evaluator")]
    named = np.flatnonzero(labels[2][0] >= 0)
    if not len(named):
        return
    shape = tuple(len(names) for _, names in labels)
    cell = np.ravel_multi_index(tuple(codes[named] for codes, _ in labels), shape)
    last = np.flatnonzero(_last_of_each(cell, judgements, named))
    # Sums depend on their order in the last digit, and the order of the rows is to change nothing.
    last = last[np.argsort(cell[last])]
    fake = judgements["answer"].eq("fake").to_numpy()[named[last]]
    image, evaluator = np.divmod(cell[last], shape[3])
    condition = image // (shape[1] * shape[2])
    ends = np.searchsorted(condition, np.arange(shape[0] + 1))
    for name, start, end in zip(labels[0][1], ends, ends[1:], strict=False):
        if end > start:
            numbers = np.unique(image[start:end], return_inverse=True)[1]
            yield (
                str(name),
                _Judged(image=numbers, evaluator=evaluator[start:end], fake=fake[start:end]),
            )


def _last_of_each(cell: IntArray, judgements: pd.DataFrame, named: IntArray) -> BoolArray:
    repeated = pd.Series(cell).duplicated(keep=False).to_numpy()
    rows = np.flatnonzero(repeated)
    trials = judgements.iloc[named[rows]]
    ordered = rows[np.lexsort((_trial_numbers(trials), _block_places(trials), cell[rows]))]
    last = np.append(cell[ordered][1:] != cell[ordered][:-1], np.ones(min(1, len(rows)), bool))
    keep = ~repeated
    keep[ordered[last]] = True
    return keep


def _trial_numbers(judgements: pd.DataFrame) -> FloatArray:
    if "trial" not in judgements:
        return np.zeros(len(judgements))
    return judgements["trial"].fillna(0).to_numpy(dtype=float)


def _block_places(judgements: pd.DataFrame) -> IntArray:
    """Return where each row's block comes: numbered ones by their number, then others by name."""
    codes, names = label_codes(judgements["block"])
    numbers = [int(name) if name.isdecimal() else math.inf for name in names]
    order = sorted(range(len(names)), key=lambda code: (numbers[code], names[code]))
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    return np.asarray(places[codes])
