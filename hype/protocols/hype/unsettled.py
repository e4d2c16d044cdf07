"""HYPE_time: blocks that ended before their staircase had come to where it settles.

The most frequent exposure of such a block says more of where blocks begin than of the evaluator.
Two signs tell them, and neither is the place of the mode alone: somebody whose threshold is near
the start has a mode there too, but a staircase that turns around it again and again.

- Few reversals: fewer than the six whose mean is taken beside the mode (Levitt 1971, who leaves
  the first ones out besides).
- A mode in passing: the staircase went past its most frequent exposure once at most, or never left
  it for good, and so shows nothing but its way from the start. One that has settled comes back.

A block whose mode is the floor or the ceiling has come as far as it can; that is told elsewhere.
Of the paper's rule and 150 trials, simulated evaluators whose staircases settle at 100 to 1000 ms
have such blocks in 0 to 3 %; of 20 trials, in 98 to 100 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.protocols.hype.modal_exposure import numbered_blocks
from hype.protocols.hype.reversals import LAST, turning_points

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from hype.protocols.hype.modal_exposure import BlockLabel

IntArray = npt.NDArray[np.int64]
BACK: Final = 2
"""A staircase that passes its mode so often has come back to it."""


@dataclass(frozen=True, kw_only=True)
class Unsettled:
    """How many blocks of a condition had not settled.

    Parameters
    ----------
    blocks
        Number of blocks.
    few_reversals
        Of them, blocks with fewer than six reversals.
    mode_in_passing
        Others, whose staircase never came back to its most frequent exposure.
    """

    blocks: int
    few_reversals: int
    mode_in_passing: int

    @property
    def share(self) -> float:
        """Of the blocks, 0 to 1."""
        return (self.few_reversals + self.mode_in_passing) / self.blocks


def unsettled_by_condition(
    judgements: pd.DataFrame,
    modes_ms: Mapping[BlockLabel, float],
    bounds_ms: tuple[float, float],
) -> dict[str, Unsettled]:
    """Count the blocks that had not settled.

    Parameters
    ----------
    judgements
        Rows of the time protocol, as `check_judgements` returns them: all trials.
    modes_ms
        Modal exposures by (condition, evaluator, block); blocks without one are not counted.
    bounds_ms
        Floor and ceiling.

    Returns
    -------
    dict
        Condition to its numbers; empty where the order of the trials is not known.
    """
    if "trial" not in judgements or judgements["trial"].isna().any():
        return {}
    numbers, labels = numbered_blocks(judgements)
    order = np.lexsort((judgements["trial"].to_numpy(dtype=float), numbers))
    numbers = numbers[order]
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)[order]
    mode_ms = np.array([modes_ms.get(label, np.nan) for label in labels])
    moving = ~np.isin(mode_ms, bounds_ms)
    few = moving & (
        np.bincount(turning_points(exposures_ms, numbers)[1], minlength=len(labels)) < LAST
    )
    passing = moving & ~few & (passes(exposures_ms - mode_ms[numbers], numbers, len(labels)) < BACK)
    return {
        condition: Unsettled(
            blocks=len(own),
            few_reversals=int(few[own].sum()),
            mode_in_passing=int(passing[own].sum()),
        )
        for condition, own in places(labels, mode_ms).items()
    }


def places(
    labels: tuple[BlockLabel, ...], mode_ms: npt.NDArray[np.float64]
) -> dict[str, list[int]]:
    """List the blocks of each condition that have a mode."""
    found: dict[str, list[int]] = {}
    for number, (condition, _, _) in enumerate(labels):
        if not np.isnan(mode_ms[number]):
            found.setdefault(condition, []).append(number)
    return found


def passes(above_ms: npt.NDArray[np.float64], numbers: IntArray, blocks: int) -> IntArray:
    """Count how often each staircase goes from one side of its mode to the other.

    Parameters
    ----------
    above_ms
        Exposures less the mode of their block, in the order of trials, block by block.
    numbers
        The block of each, ascending.
    """
    aside = above_ms != 0
    side, of = above_ms[aside] > 0, numbers[aside]
    changes = (side[1:] != side[:-1]) & (of[1:] == of[:-1])
    return np.bincount(of[1:][changes], minlength=blocks).astype(np.int64)
