"""How far the evaluators of a condition agree on its images: Krippendorff's α.

Units are the images of the condition, real and fake ones alike; observers are its evaluators;
values are the answers, real or fake. Evaluators who all see through the images agree too: α tells
consensus, not deception.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.images import label_codes
from hype.statistics.agreement import nominal_alpha, pairable, resampled_alphas
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.resampling import condition_rng, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator

Interval = tuple[float | None, float | None]
NO_IMAGES = "the judgements do not say which image was shown"
NOT_PAIRABLE = "no image was judged by two evaluators"
ALL_THE_SAME = "all answers to the images judged by two evaluators or more are the same"
LONE_IMAGE = "no interval: only one image was judged by two evaluators or more"
UNSTABLE = "no interval: in too many resamples all answers are the same"
NO_DISSENT = "no interval: on every image all gave one answer, so that no resample differs"


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Agreement among the evaluators of a condition."""

    alpha: float | None  # Krippendorff's α, at most 1; None where it is undefined
    # ci_low, ci_high: percentile interval over resampled images; None where there is none
    ci_low: float | None
    ci_high: float | None
    images: int  # images that were judged at all
    units: int  # those judged by two evaluators or more; only these tell of agreement
    judgements: int  # judgements of these units, one per evaluator and image
    evaluators: int
    confidence: float  # coverage the interval aims at, as a proportion
    draws: int
    reason: str = ""  # why there is no α or no interval; else empty


def agreement_by_condition(
    judgements: pd.DataFrame, *, draws: int = 10_000, seed: int = 0, confidence: float = 0.95
) -> dict[str, Agreement]:
    """Compute Krippendorff's α for each condition of the rows of one protocol, sorted.

    Rows that name no image tell nothing. Of an evaluator who judged an image several times, the
    last judgement counts, by block and trial where these are given, else by the order of the rows:
    agreement of an evaluator with himself is another thing, and a trial shown again replaces a
    spoiled one. An interval depends on the seed and its own condition alone. InputError for fewer
    than two draws or a negative seed.
    """
    if draws < 2:
        raise InputError("draws", str(draws), "allowed is a whole number, 2 or more")
    counted = {name: (counts, people) for name, counts, people in _counted(judgements)}
    nothing = np.zeros((0, 2), dtype=np.int64), 0
    names = sorted(map(str, judgements["condition"].unique()))
    agreements = side_by_side(
        lambda name: _agreement(
            *counted.get(name, nothing),
            draws=draws,
            # A stream of its own, apart from the one that resamples the evaluators.
            rng=condition_rng(seed, name).spawn(1)[0],
            confidence=confidence,
        ),
        names,
    )
    return dict(zip(names, agreements, strict=True))


def _agreement(
    value_counts: IntArray,
    evaluators: int,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float,
) -> Agreement:
    units = pairable(value_counts)
    alpha = nominal_alpha(units)
    (low, high), reason = (
        ((None, None), _why_undefined(value_counts, units))
        if alpha is None
        else _interval(units, draws=draws, rng=rng, confidence=confidence)
    )
    return Agreement(
        alpha=alpha,
        ci_low=low,
        ci_high=high,
        images=len(value_counts),
        units=len(units),
        judgements=int(units.sum()),
        evaluators=evaluators,
        confidence=confidence,
        draws=draws,
        reason=reason,
    )


def _why_undefined(value_counts: IntArray, units: IntArray) -> str:
    if not len(value_counts):
        return NO_IMAGES
    return ALL_THE_SAME if len(units) else NOT_PAIRABLE


def _interval(
    units: IntArray, *, draws: int, rng: np.random.Generator, confidence: float
) -> tuple[Interval, str]:
    if len(units) == 1:
        return (None, None), LONE_IMAGE
    alphas = resampled_alphas(units, draws=draws, rng=rng)
    tail = (1 - confidence) / 2
    # With more undefined resamples than a tail holds, nobody knows where the tail ends.
    if np.isnan(alphas).mean() > tail:
        return (None, None), UNSTABLE
    low, high = np.nanquantile(alphas, (tail, 1 - tail))
    return ((float(low), float(high)), "") if low < high else ((None, None), NO_DISSENT)


def _counted(judgements: pd.DataFrame) -> Iterator[tuple[str, IntArray, int]]:
    """Yield each condition, its images' counts of fake and real, and its pairable evaluators."""
    if "image" not in judgements:
        return
    labels = [label_codes(judgements[key]) for key in ("condition", "truth", "image", "evaluator")]
    named = np.flatnonzero(labels[2][0] >= 0)
    if not len(named):
        return
    shape = tuple(len(names) for _, names in labels)
    cell = np.ravel_multi_index(tuple(codes[named] for codes, _ in labels), shape)
    last = _last_of_each(cell, judgements, named)
    fake = judgements["answer"].eq("fake").to_numpy()[named[last]]
    image, evaluator = np.divmod(cell[last], shape[3])
    counts = _by_condition(image, evaluator, fake, shape)
    for name, (value_counts, people) in zip(labels[0][1], counts, strict=True):
        yield name, value_counts, people


def _by_condition(
    image: IntArray, evaluator: IntArray, fake: BoolArray, shape: tuple[int, ...]
) -> Iterator[tuple[IntArray, int]]:
    conditions, people, per_condition = shape[0], shape[3], shape[1] * shape[2]
    group, distinct = pd.factorize(image, sort=True)
    judged = np.bincount(group)
    fakes = np.bincount(group[fake], minlength=len(judged))
    paired = judged[group] >= 2
    who = pd.unique(image[paired] // per_condition * people + evaluator[paired])
    evaluators = np.bincount(who // people, minlength=conditions).tolist()
    starts = np.searchsorted(distinct, np.arange(1, conditions) * per_condition)
    value_counts = np.split(np.column_stack([fakes, judged - fakes]), starts)
    yield from zip(value_counts, evaluators, strict=True)


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
