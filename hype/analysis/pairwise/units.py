"""Who gave which answer to the same comparison: what agreement is computed from.

A unit is a comparison: the same two images; where images have no names, the same prompt and the
same two conditions. Its values are relative to it: the first or the second of its two conditions
was chosen, or it is a tie. The side does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterable

IntArray = npt.NDArray[np.int64]

FIRST, SECOND, TIE = range(3)
VALUES: Final = 3

IMAGES: Final = "images"
PROMPTS: Final = "prompt and conditions"
CONDITIONS: Final = "conditions"


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """One answer per evaluator and unit; arrays of shape (answers,).

    Parameters
    ----------
    unit, evaluator
        Numbers from 0.
    pair
        Which two conditions the unit has: numbers from 0.
    value
        `FIRST`, `SECOND` or `TIE`; first is the condition that comes first by name.
    what
        What makes two comparisons the same: `IMAGES`, `PROMPTS` or `CONDITIONS`.
    """

    unit: IntArray
    evaluator: IntArray
    pair: IntArray
    value: IntArray
    what: str

    def shared(self) -> Answers:
        """Keep the units that two evaluators or more answered."""
        kept = np.bincount(self.unit)[self.unit] >= 2 if len(self.unit) else self.unit >= 0
        return Answers(
            unit=_numbered([self.unit[kept]]),
            evaluator=self.evaluator[kept],
            pair=self.pair[kept],
            value=self.value[kept],
            what=self.what,
        )


def answers(votes: pd.DataFrame) -> Answers:
    """Find the units of a table and the answers to each.

    Parameters
    ----------
    votes
        As `check_comparisons` returns them, with evaluators. Where an evaluator answered a unit
        several times the last answer counts, by the order of the rows: agreement of an evaluator
        with himself is another thing.
    """
    given = votes[votes["answer"].ne("none").to_numpy()]
    left, right = (given[side].cat.codes.to_numpy().astype(np.int64) for side in ("left", "right"))
    first, second = np.minimum(left, right), np.maximum(left, right)
    pair = _numbered([first, second])
    unit = _numbered([pair, *_content(given, left > right)])
    evaluator = given["evaluator"].cat.codes.to_numpy().astype(np.int64)
    value = _values(given["answer"].cat.codes.to_numpy().astype(np.int64), swapped=left > right)
    last = ~pd.Series(_numbered([unit, evaluator])).duplicated(keep="last").to_numpy()
    return Answers(
        unit=unit[last],
        evaluator=evaluator[last],
        pair=pair[last],
        value=value[last],
        what=_what(given),
    )


def _values(answer: IntArray, *, swapped: npt.NDArray[np.bool_]) -> IntArray:
    sides = np.array([FIRST, SECOND, TIE])[answer]  # left, right and tie, in this order
    return np.where(swapped & (sides != TIE), 1 - sides, sides)


def _what(votes: pd.DataFrame) -> str:
    if {"left_image", "right_image"} <= set(votes.columns):
        return IMAGES
    return PROMPTS if "prompt" in votes else CONDITIONS


def _content(votes: pd.DataFrame, swapped: npt.NDArray[np.bool_]) -> Iterable[IntArray]:
    """Give what else tells one unit of two conditions from another."""
    if "prompt" in votes:
        yield votes["prompt"].cat.codes.to_numpy().astype(np.int64)
    if _what(votes) == IMAGES:
        left, right = (_image(votes[f"{side}_image"]) for side in ("left", "right"))
        yield np.where(swapped, right, left)
        yield np.where(swapped, left, right)


def _image(cells: pd.Series) -> IntArray:
    # Left and right have categories of their own: the same image must get the same number.
    numbers = pd.util.hash_array(cells.cat.categories.to_numpy(dtype=object), categorize=False)
    return np.asarray(numbers.view(np.int64)[cells.cat.codes.to_numpy()])


def _numbered(keys: Iterable[IntArray]) -> IntArray:
    """Number the distinct rows of some columns from 0, in the order in which they appear."""
    number: IntArray | None = None
    for key in keys:
        codes, found = pd.factorize(key)
        if number is not None:
            codes, _ = pd.factorize(number * max(1, len(found)) + codes)
        number = codes.astype(np.int64)
    return np.zeros(0, dtype=np.int64) if number is None else number
