"""Images: how often each was called fake, and how much evaluators agree (Krippendorff's α).

The units of α are the images of a condition, both real and fake; the observers are its evaluators;
the values are the answers, real or fake. Evaluators who all detect the fakes also agree: α measures
consensus, not deception.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import pandas as pd

from hype.statistics.agreement import image_alpha
from hype.statistics.alpha import Alpha
from hype.statistics.arrays import IntArray
from hype.statistics.estimate import FEWEST_SHOWN, Images
from hype.statistics.proportions import wilson

IMAGE_SCORE_COLUMNS = (
    "condition",
    "task",
    "truth",
    "image",
    "shown",
    "called_fake",
    "share",
    "low",
    "high",
    "mean_exposure_ms",
)
"""The columns of `image_scores`."""


def label_codes(cells: pd.Series) -> tuple[IntArray, list[str]]:
    """Number the labels of a text or categorical column in the order of their names.

    Returns the number of each row, shape (rows,), -1 if the cell is missing or blank, and the
    sorted names, including unused categories.
    """
    if isinstance(cells.dtype, pd.CategoricalDtype):
        codes, values = cells.cat.codes.to_numpy(), cells.cat.categories
    else:
        codes, values = pd.factorize(pd.Index(cells))
    texts = list(map(str, values.to_numpy(dtype=object)))
    # Categories are usually sorted already, so sorting them is quick.
    names = sorted(dict.fromkeys(filter(str.strip, texts)))
    if names == texts:
        return codes.astype(np.int64), names
    position = dict(zip(names, range(len(names)), strict=True))
    # The last place is for the code -1, which pandas uses for a missing cell.
    lookup = np.array([*(position.get(text, -1) for text in texts), -1], dtype=np.int64)
    return lookup[codes], names


def image_scores(judgements: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count how often every image was called fake, in each condition and protocol.

    Returns one row per condition, task, truth and image, sorted in this order, with the columns
    `IMAGE_SCORE_COLUMNS`. The four labels are categorical; a real image has one row per condition.
    ``shown`` counts judgements, two if an evaluator judged an image twice. ``called_fake`` counts
    the answers "fake"; their ``share``, 0 to 1, has Wilson's interval, as if judgements were
    independent. ``mean_exposure_ms`` averages requested exposures, NaN outside the time protocol.
    There are no rows if the judgements name no images.
    """
    keys = ["condition", "task", "truth", "image"]
    labels = [label_codes(judgements[key]) for key in keys] if "image" in judgements else []
    named = labels[-1][0] >= 0 if labels else np.zeros(len(judgements), dtype=bool)
    if not named.any():
        return pd.DataFrame(columns=list(IMAGE_SCORE_COLUMNS))
    shape = tuple(len(names) for _, names in labels)
    flat = np.ravel_multi_index(tuple(codes[named] for codes, _ in labels), shape)
    group, distinct = pd.factorize(flat, sort=True)
    codes_found = np.unravel_index(distinct, shape)
    tables = zip(keys, codes_found, (names for _, names in labels), strict=True)
    index = {key: pd.Categorical.from_codes(at, pd.Index(names)) for key, at, names in tables}
    called = judgements["answer"].eq("fake").to_numpy()[named]
    exposures_ms = np.full(len(judgements), np.nan)
    if "exposure_ms" in judgements:
        timed = judgements["task"].eq("time").to_numpy()
        exposures_ms[timed] = judgements["exposure_ms"].to_numpy(dtype=float)[timed]
    shown, called_fake = np.bincount(group), np.bincount(group[called], minlength=len(distinct))
    low, high = wilson(called_fake, shown, confidence=confidence)
    tallies = {
        "shown": shown,
        "called_fake": called_fake,
        "share": called_fake / shown,
        "low": low,
        "high": high,
        "mean_exposure_ms": np.bincount(group, weights=exposures_ms[named]) / shown,
    }
    return pd.DataFrame({**index, **tallies})


NAMED: Final = 5
"""This many of the most convincing fakes are named, and as many of the least convincing."""
ROUNDING: Final = 1e-9
"""A share this close to the mean counts as equal to it."""


def fakes_at_either_end(judgements: pd.DataFrame, *, number: int = NAMED) -> pd.DataFrame:
    """Name the most and the least convincing fakes.

    In each condition, only fakes shown at least `FEWEST_SHOWN` times count. The most convincing are
    called fake less often than the average of these fakes; the least convincing, more often. The
    most convincing are sorted by the upper bound of their share, the smallest first, so that 1 of
    30 is above 0 of 1. The least convincing: by the lower bound, the largest first. Equal bounds
    are sorted by the share in the same way, then by how often an image was shown (ascending), then
    by name. Returns rows of `image_scores` for one protocol, with the column ``end`` (most, least).
    """
    scores = image_scores(judgements)
    often = scores[scores["truth"].eq("fake") & (scores["shown"] >= FEWEST_SHOWN)]
    if often.empty:
        return often.assign(end="")
    labels = {key: often[key].astype(str) for key in ("condition", "image")}
    often = often.assign(**labels)
    away = often["share"] - often.groupby("condition")["share"].transform("mean")
    ends = []
    for end, bound, side in (("most", "high", away < -ROUNDING), ("least", "low", away > ROUNDING)):
        rising = end == "most"
        ranked = often[side].sort_values(
            ["condition", bound, "share", "shown", "image"],
            ascending=[True, rising, rising, True, True],
        )
        ends.append(ranked.groupby("condition").head(number).assign(end=end))
    return pd.concat(ends).sort_values("condition", kind="stable")


def count_seldom(judgements: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Count the fakes of each condition, and the fakes shown too rarely to be named."""
    scores = image_scores(judgements)
    shown = scores.loc[scores["truth"].eq("fake"), "shown"].groupby(scores["condition"].astype(str))
    return {str(name): (len(own), int((own < FEWEST_SHOWN).sum())) for name, own in shown}


def agreement_by_condition(
    judgements: pd.DataFrame, *, images: Images = "sample", confidence: float = 0.95
) -> dict[str, Alpha]:
    """Compute `image_alpha` for each condition of one protocol, sorted by name.

    Rows without an image are ignored. If an evaluator judged an image several times, only the last
    judgement counts: only different evaluators are compared, and a repeated trial replaces a
    spoiled one. The last judgement is found by block and trial or, if these are unknown, by the
    order of the rows. Conditions with an undefined α are left out.
    """
    if "image" not in judgements:
        return {}
    keys = ("condition", "truth", "image", "evaluator")
    (condition, conditions), *others = (label_codes(judgements[key]) for key in keys)
    shape = (len(conditions), *(len(names) for _, names in others))
    named = np.flatnonzero(others[1][0] >= 0)
    cell = np.ravel_multi_index((condition[named], *(codes[named] for codes, _ in others)), shape)
    # Sort, since the last digit of a sum depends on the order of the terms.
    last = _last_of_each(cell, judgements.iloc[named])
    fake = judgements["answer"].eq("fake").to_numpy().astype(float)[named[last]]
    image, evaluator = np.divmod(cell[last], shape[3])
    found: dict[str, Alpha] = {}
    for place, name in enumerate(conditions):
        own = np.flatnonzero(condition[named[last]] == place)
        answers = image[own], evaluator[own], fake[own]
        if alpha := image_alpha(*answers, images=images, confidence=confidence):
            found[name] = alpha
    return found


def _last_of_each(cell: IntArray, judgements: pd.DataFrame) -> IntArray:
    """Find the last row of each cell after sorting by block (numbers first) and trial."""
    codes, names = label_codes(judgements["block"])
    numbers = [int(name) if name.isdecimal() else math.inf for name in names]
    place = np.argsort(sorted(range(len(names)), key=lambda code: (numbers[code], names[code])))
    trial = judgements.get("trial", pd.Series(0, judgements.index)).fillna(0).to_numpy(dtype=float)
    order = np.lexsort((trial, place[codes], cell))
    is_last = np.append(cell[order][1:] != cell[order][:-1], np.ones(min(1, len(order)), bool))
    return np.asarray(order[is_last])
