"""Which block of which evaluator a judgement belongs to: one staircase each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

IntArray = npt.NDArray[np.int64]
BlockLabel = tuple[str, str, str]
"""Condition, evaluator, block."""


def numbered_blocks(judgements: pd.DataFrame) -> tuple[IntArray, tuple[BlockLabel, ...]]:
    """Number the blocks of a table, in the order of their labels.

    Parameters
    ----------
    judgements
        Rows of one protocol, as `check_judgements` returns them.

    Returns
    -------
    numbers
        For each row the number of its block, from 0, shape (rows,).
    labels
        For each number (condition, evaluator, block), sorted as text.
    """
    keys = ["condition", "evaluator", "block"]
    seen = judgements.groupby(keys, observed=True, sort=False).ngroup().to_numpy()
    first = np.unique(seen, return_index=True)[1]
    columns = [judgements[key].iloc[first].astype(str) for key in keys]
    labels: list[BlockLabel] = list(zip(*columns, strict=True))
    order = sorted(range(len(labels)), key=labels.__getitem__)
    place = np.empty(len(labels), dtype=np.int64)
    place[order] = np.arange(len(labels))
    return place[seen], tuple(labels[number] for number in order)
