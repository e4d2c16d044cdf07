"""Types of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def renumber(codes: npt.NDArray[Any]) -> tuple[int, IntArray]:
    """Return the number of different codes, and the codes renumbered from 0 without gaps."""
    used = np.bincount(codes) > 0
    return int(used.sum()), (np.cumsum(used) - 1)[codes]
