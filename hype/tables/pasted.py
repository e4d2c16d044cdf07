"""A table, or a part of it, that was pasted twice: nobody said anything twice.

Doubled rows change no score, and make every interval too narrow. Rows that are alike may be honest:
somebody saw an image twice and answered the same. So rows are taken for pasted where that cannot
be: where everything in the table is there more than once, or all rows of an evaluator come again in
the same order, and the rows say more than condition, truth and answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Hashes = npt.NDArray[np.uint64]

_TELLING: Final = 4
"""Fewer different rows may all come twice by chance."""
_IN_ORDER: Final = 10
"""Somebody who answers so many questions twice in one order does not always answer the same."""
_TIMES: Final = (2, 3)
"""How often a table is looked for in itself."""


def refuse_pasted(
    table: pd.DataFrame, where: object, *, named_by: Sequence[str], of: Sequence[str]
) -> None:
    """Refuse rows that were pasted again, in a table that says what its rows are of.

    Parameters
    ----------
    table
        Checked, but for this.
    where
        What a message calls it.
    named_by
        Columns any of which, where it is there, makes rows that are alike one row.
    of
        Columns whose values part the table into what one evaluator answered in a row; those that
        are not there are passed over.

    Raises
    ------
    InputError
        Naming the first row that was pasted again, and what it repeats.
    """
    if not any(name in table for name in named_by):
        return
    rows = _hashes(table)
    again = pd.Series(rows).duplicated().to_numpy()
    if not again.any():
        return
    counts = np.unique(rows, return_counts=True)[1]
    if len(counts) >= _TELLING and (counts > 1).all():
        _refuse(table, rows, np.flatnonzero(again), where)
    for places in _places(table, again, [name for name in of if name in table]):
        if times := _times(rows[places], _IN_ORDER):
            _refuse(table, rows, places[len(places) // times :], where)


def pasted_note(table: pd.DataFrame) -> tuple[str, ...]:
    """Say that a table, which does not say what its rows are of, is the same several times over."""
    times = _times(_hashes(table), _TELLING)
    if not times:
        return ()
    return (
        f"The table is the same rows in the same order {times} times over. If it was pasted, every "
        "interval is too narrow; a column such as trial or image tells rows apart.",
    )


def pasted_hint(two: pd.DataFrame) -> str:
    first, second = _hashes(two)
    return "; the two are alike in every column: was it pasted twice?" if first == second else ""


def _hashes(table: pd.DataFrame) -> Hashes:
    return np.asarray(pd.util.hash_pandas_object(table, index=False), dtype=np.uint64)


def _places(
    table: pd.DataFrame, again: npt.NDArray[np.bool_], names: Sequence[str]
) -> Iterator[npt.NDArray[np.intp]]:
    """Give the places of the rows of each group that has a row that came before."""
    if names:
        groups = table.groupby(list(names), observed=True, sort=False).ngroup().to_numpy()
        order = np.argsort(groups, kind="stable")
        ends = np.cumsum(np.bincount(groups))
        for group in np.unique(groups[again]):
            yield order[ends[group - 1] if group else 0 : ends[group]]


def _times(rows: Hashes, fewest: int) -> int:
    """Tell how often rows are the same, one after the other; 0 where they are not."""
    for times in _TIMES:
        each, left = divmod(len(rows), times)
        if not left and each >= fewest:
            parts = rows.reshape(times, each)
            if (parts == parts[0]).all() and (parts[0] != rows[0]).any():
                return times
    return 0


def _refuse(
    table: pd.DataFrame, rows: Hashes, pasted: npt.NDArray[np.intp], where: object
) -> NoReturn:
    first = int((rows == rows[pasted[0]]).argmax())
    more = len(pasted) - 1
    problem = f"repeats row {table.index[first]} in every column, and {more:,} more rows repeat too"
    allowed = (
        "each row once; where evaluators did answer the same twice, a column trial tells rows apart"
    )
    raise InputError(f"{where}, row {table.index[pasted[0]]}", problem, allowed)
