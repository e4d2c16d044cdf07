"""Which image of a group a row is of: what is the same in the rankings of several people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

IntArray = npt.NDArray[np.int64]


def codes_of(cells: pd.Series) -> IntArray:
    return np.asarray(cells.cat.codes.to_numpy(), dtype=np.int64)


def member_codes(rankings: pd.DataFrame) -> IntArray:
    """Number images: by their names, or by their conditions where they have none.

    Parameters
    ----------
    rankings
        Rows with the categorical ``condition`` and, where images have names, ``image``.

    Returns
    -------
    ndarray
        Shape (rows,). Numbers of a table and of a part of it may differ.
    """
    conditions = codes_of(rankings["condition"])
    if "image" not in rankings:
        return conditions
    named = rankings["image"].ne("").to_numpy()
    return np.where(
        named,
        codes_of(rankings["image"]),
        len(rankings["image"].cat.categories) + conditions,
    )


def joint(columns: Sequence[IntArray]) -> IntArray:
    """Give each distinct row of some columns of small numbers a number of its own."""
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, number = np.unique(number, return_inverse=True)  # never more than there are rows
        number = number * (int(column.max(initial=0)) + 1) + column
    return number
