"""HYPE_time: the exposure at which a staircase spent most of its trials.

Zhou et al. (2019), section 2.1: the score of a block is its modal exposure, that of an evaluator
the mean over blocks. The paper has no rule for a mode that is not unique; the mean of the tied
exposures is taken here, and the tie is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class BlockMode:
    """The modal exposure of one block.

    Parameters
    ----------
    block
        The block's label.
    exposure_ms
        The most frequent requested exposure; the mean of the most frequent ones where they tie.
    tied_ms
        The exposures that tie, ascending; empty where the mode is unique.
    """

    block: str
    exposure_ms: float
    tied_ms: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Staircases:
    """How the blocks of a condition behaved under the time protocol.

    Parameters
    ----------
    blocks
        Number of blocks.
    tied_modes
        Number of blocks whose most frequent exposure was not unique.
    shortest_ms, longest_ms
        The shortest and the longest exposure that anyone was shown, in any condition.
    shortest_share, longest_share
        Share of the condition's blocks, 0 to 1, whose mode is that exposure: staircases that ran
        into the floor or the ceiling, so that the threshold may lie beyond. None where all
        exposures are the same.
    """

    blocks: int
    tied_modes: int
    shortest_ms: float
    shortest_share: float | None
    longest_ms: float
    longest_share: float | None


def block_mode(exposures_ms: npt.ArrayLike, *, block: str = "1") -> BlockMode:
    """Find the modal exposure of a block.

    Parameters
    ----------
    exposures_ms
        Requested exposures of the block's trials, shape (trials,), at least one.
    block
        The block's label.
    """
    levels_ms, counts = np.unique(np.asarray(exposures_ms, dtype=float), return_counts=True)
    modes_ms = levels_ms[counts == counts.max()]
    tied = tuple(modes_ms.tolist()) if len(modes_ms) > 1 else ()
    return BlockMode(block=block, exposure_ms=float(modes_ms.mean()), tied_ms=tied)


def block_modes(judgements: pd.DataFrame) -> dict[tuple[str, str], tuple[BlockMode, ...]]:
    """Find the modal exposures of all blocks.

    Parameters
    ----------
    judgements
        Rows of the time protocol, as `check_judgements` returns them.

    Returns
    -------
    dict
        (condition, evaluator) to the modes of that evaluator's blocks, sorted by block.
    """
    modes: dict[tuple[str, str], tuple[BlockMode, ...]] = {}
    keys = ["condition", "evaluator", "block"]
    for labels, exposures_ms in judgements.groupby(keys)["exposure_ms"]:
        condition, evaluator, block = map(str, labels)
        mode = block_mode(exposures_ms, block=block)
        modes[condition, evaluator] = (*modes.get((condition, evaluator), ()), mode)
    return modes


def summarise_blocks(blocks: Sequence[BlockMode], extremes_ms: tuple[float, float]) -> Staircases:
    """Summarise the blocks of a condition.

    Parameters
    ----------
    blocks
        At least one.
    extremes_ms
        The shortest and the longest exposure that anyone was shown, in any condition.
    """
    shortest_ms, longest_ms = extremes_ms
    at_shortest = sum(block.exposure_ms == shortest_ms for block in blocks) / len(blocks)
    at_longest = sum(block.exposure_ms == longest_ms for block in blocks) / len(blocks)
    varied = shortest_ms < longest_ms
    return Staircases(
        blocks=len(blocks),
        tied_modes=sum(bool(block.tied_ms) for block in blocks),
        shortest_ms=shortest_ms,
        shortest_share=at_shortest if varied else None,
        longest_ms=longest_ms,
        longest_share=at_longest if varied else None,
    )
