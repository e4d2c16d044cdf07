"""People's ratings laid out so that a judge can be put beside them: a row for each rated item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.protocols.rating.axes import codes_of
from hype.protocols.rating.exclusions import scored_ratings
from hype.protocols.rating.rows import NO, YES, AnswerKind
from hype.protocols.rating.scoring import axes_in_order
from hype.protocols.rating.table import is_pairs

if TYPE_CHECKING:
    from hype.protocols.rating.rows import Scale

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class People:
    """Ratings of I items on k axes, in R rows: one for each item that an evaluator rated.

    Parameters
    ----------
    items, axes
        Their names, I and k of them.
    kinds
        What each axis is answered with.
    ratings
        Shape (R, k); NaN where not relevant or not asked.
    item
        Of each row, shape (R,).
    evaluator
        Of each row, shape (R,), None where unknown.
    asked
        Whether anybody answered, shape (I, k).
    truth
        What is right, shape (I, k), NaN where unknown; None where the table does not tell.
    images
        Of each item its images, first and, for pairs, second; empty text where unknown. One tuple
        for each place, of length I.
    pairs
        Whether pairs are rated.
    scale
        What may be answered.
    """

    items: tuple[str, ...]
    axes: tuple[str, ...]
    kinds: tuple[AnswerKind, ...]
    ratings: FloatArray
    item: IntArray
    evaluator: IntArray | None
    asked: BoolArray
    truth: FloatArray | None
    images: tuple[tuple[str, ...], ...]
    pairs: bool
    scale: Scale

    @property
    def repeated(self) -> bool:
        return len(self.item) > len(np.unique(self.item))

    def levels(self, axis: int) -> int:
        """How many answers an axis allows, not relevant left out."""
        return len(self.scale.answers(self.kinds[axis]))

    def level(self, values: FloatArray, axis: int) -> IntArray:
        """Number the answers of an axis from 0, the lowest value first."""
        lowest = float(self.scale.values(self.kinds[axis])[0])
        return np.asarray(np.rint(values - lowest), dtype=np.int64)


def people_of(ratings: pd.DataFrame, scale: Scale, *, first: tuple[str, ...] = ()) -> People:
    """Lay out the ratings that are scored.

    Parameters
    ----------
    ratings
        As `check_ratings` returns them.
    scale
        What could be answered.
    first
        Axes in the order wanted; others follow as they appear.

    Raises
    ------
    InputError
        No rating is scored.
    """
    table, _ = scored_ratings(ratings)
    axes = axes_in_order(table, first)
    place = table["axis"].cat.categories.get_indexer(pd.Index(axes))
    axis = np.argsort(place)[codes_of(table, "axis")]
    items, item = tuple(map(str, table["item"].cat.categories)), codes_of(table, "item")
    row, starts = _rows(table, item, axis)
    wide = np.full((len(starts), len(axes)), np.nan)
    wide[row, axis] = table["value"].to_numpy()
    asked = np.zeros((len(items), len(axes)), dtype=bool)
    asked[item, axis] = True
    pairs = is_pairs(table)
    return People(
        items=items,
        axes=axes,
        kinds=tuple(_kind(table, axis == i, pairs=pairs) for i in range(len(axes))),
        ratings=wide,
        item=item[starts],
        evaluator=codes_of(table, "evaluator")[starts] if "evaluator" in table else None,
        asked=asked,
        truth=_truths(table, item, axis, asked.shape),
        images=_images(table, item, len(items)),
        pairs=pairs,
        scale=scale,
    )


def _rows(table: pd.DataFrame, item: IntArray, axis: IntArray) -> tuple[IntArray, IntArray]:
    """Give each answer the number of its row, and each row its first answer."""
    who = codes_of(table, "evaluator") if "evaluator" in table else 0 * item
    frame = pd.DataFrame({"item": item, "who": who, "axis": axis})
    frame["time"] = frame.groupby(["item", "who", "axis"]).cumcount()  # where nobody has a name
    row = frame.groupby(["item", "who", "time"], sort=True).ngroup().to_numpy()
    starts = np.unique(row, return_index=True)[1]
    return row.astype(np.int64), starts.astype(np.int64)


def _kind(table: pd.DataFrame, rows: BoolArray, *, pairs: bool) -> AnswerKind:
    if pairs:
        return "levels"
    words = table["answer"][rows].isin([YES, NO]).any()
    return "yes-no" if words else "numbers"


def _truths(
    table: pd.DataFrame, item: IntArray, axis: IntArray, shape: tuple[int, ...]
) -> FloatArray | None:
    if "truth_value" not in table:
        return None
    truth = np.full(shape, np.nan)
    truth[item, axis] = table["truth_value"].to_numpy()
    return truth


def _images(table: pd.DataFrame, item: IntArray, items: int) -> tuple[tuple[str, ...], ...]:
    first = np.unique(item, return_index=True)[1]
    names = ("first_image", "second_image") if is_pairs(table) else ("first_image",)
    return tuple(
        tuple(table[name].iloc[first].astype(str)) if name in table else ("",) * items
        for name in names
    )
