"""What rows of a table of ratings must have in common, and what no two may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.tables.shortened import shortened
from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

IntArray = npt.NDArray[np.int64]

_OF_ITEM: Final = ("first", "second", "first_image", "second_image")


def refuse_changed_items(table: pd.DataFrame, where: object) -> None:
    """Refuse an item whose rows differ in conditions or images, or, on one axis, in the truth.

    Raises
    ------
    InputError
        Naming the first row that differs from the first one of its item.
    """
    items = _codes(table, ["item"])
    for name in _OF_ITEM:
        if name in table:
            _refuse_changed(table, items, name, where)
    if "truth" in table:
        _refuse_changed(table, _codes(table, ["item", "axis"]), "truth", where)


def refuse_repeated(table: pd.DataFrame, where: object) -> None:
    """Refuse two answers of an evaluator to one item and axis, but for excluded ones.

    Raises
    ------
    InputError
        Naming the second of the rows, and the first.
    """
    if "evaluator" not in table:
        return
    kept = table
    if "excluded" in table:
        kept = table[table["excluded"].eq("").to_numpy()]
    keys = pd.Series(_codes(kept, ["task", "evaluator", "item", "axis"]))
    repeated = keys.duplicated().to_numpy()
    if not repeated.any():
        return
    second = int(repeated.argmax())
    first = int(keys.eq(keys.iloc[second]).to_numpy().argmax())
    said = [f"{name} {_shown(kept, name, second)}" for name in ("evaluator", "item", "axis")]
    problem = f"repeats row {kept.index[first]} ({', '.join(said)})"
    allowed = "one answer of an evaluator to an item and axis"
    raise InputError(f"{where}, row {kept.index[second]}", problem, allowed)


def _refuse_changed(table: pd.DataFrame, groups: IntArray, name: str, where: object) -> None:
    """Compare each row with the first one of its group."""
    codes = table[name].cat.codes.to_numpy()
    starts = np.flatnonzero(~pd.Series(groups).duplicated().to_numpy())
    first = np.empty(int(groups.max()) + 1, dtype=np.int64)
    first[groups[starts]] = starts
    changed = codes != codes[first[groups]]
    if not changed.any():
        return
    row = int(changed.argmax())
    start = int(first[groups[row]])
    problem = f"{_shown(table, name, row)} is not what row {table.index[start]} says"
    before = f"{_shown(table, name, start)} of item {_shown(table, 'item', start)}"
    allowed = f"{before}; an item is the same images in every row"
    raise InputError(f"{where}, row {table.index[row]}, column {name}", problem, allowed)


def _codes(table: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Number the combinations of some columns; not every number need occur."""
    codes = np.zeros(len(table), dtype=np.int64)
    for name in names:
        codes = codes * len(table[name].cat.categories) + table[name].cat.codes.to_numpy()
    return codes


def _shown(table: pd.DataFrame, name: str, row: int) -> str:
    return repr(shortened(str(table[name].iloc[row])))
