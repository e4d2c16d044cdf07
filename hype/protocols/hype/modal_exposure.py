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
    from collections.abc import Iterator, Sequence

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
        The floor and the ceiling: the bounds of the study's staircase where they are known; else
        the shortest and the longest exposure that anyone was shown, in any condition.
    shortest_share, longest_share
        Share of the condition's blocks, 0 to 1, whose mode is that exposure: staircases that ran
        into the floor or the ceiling, so that the threshold may lie beyond. 0 where none did, as
        where nobody reached a known bound. None where floor and ceiling are the same.
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
    return _mode_of(levels_ms[counts == counts.max()].tolist(), block)


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
    numbers, labels = numbered_blocks(judgements)
    modes: dict[tuple[str, str], list[BlockMode]] = {}
    for (condition, evaluator, block), found_ms in zip(
        labels, _most_frequent_ms(numbers, judgements["exposure_ms"]), strict=True
    ):
        mode = _mode_of(found_ms, block)
        modes.setdefault((condition, evaluator), []).append(mode)
    return {key: tuple(blocks) for key, blocks in modes.items()}


def _most_frequent_ms(numbers: IntArray, exposures_ms: npt.ArrayLike) -> Iterator[list[float]]:
    """Yield the most frequent exposures of each numbered block, ascending, block by block."""
    if not len(numbers):
        return
    levels_ms, level = np.unique(np.asarray(exposures_ms, dtype=float), return_inverse=True)
    cells, counts = np.unique(numbers * len(levels_ms) + level, return_counts=True)
    block, level = np.divmod(cells, len(levels_ms))
    starts = np.flatnonzero(np.diff(block, prepend=-1))
    frequent = counts == np.maximum.reduceat(counts, starts)[block]
    ends = np.cumsum(np.add.reduceat(frequent.astype(int), starts)).tolist()
    modes_ms = levels_ms[level[frequent]].tolist()
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        yield modes_ms[start:end]


def _mode_of(modes_ms: Sequence[float], block: str) -> BlockMode:
    """Make one mode of those that tie, ascending; their mean where they are several."""
    if len(modes_ms) == 1:
        return BlockMode(block=block, exposure_ms=modes_ms[0])
    mean_ms = float(np.mean(modes_ms))
    return BlockMode(block=block, exposure_ms=mean_ms, tied_ms=tuple(modes_ms))


def staircase_bounds(judgements: pd.DataFrame) -> tuple[float, float]:
    """Give floor and ceiling, in ms: as the table says, else the extremes that were shown.

    Parameters
    ----------
    judgements
        Rows of the time protocol, as `check_judgements` returns them.
    """
    exposures_ms = judgements["exposure_ms"]
    floor_ms = judgements.get("floor_ms", exposures_ms).min()
    ceiling_ms = judgements.get("ceiling_ms", exposures_ms).max()
    # A table that contradicts itself: no floor lies above an exposure that was shown.
    return float(min(floor_ms, exposures_ms.min())), float(max(ceiling_ms, exposures_ms.max()))


def summarise_blocks(blocks: Sequence[BlockMode], extremes_ms: tuple[float, float]) -> Staircases:
    """Summarise the blocks of a condition.

    Parameters
    ----------
    blocks
        At least one.
    extremes_ms
        Floor and ceiling: `min_ms` and `max_ms` of the study's staircase where they are known.
        Of a table without its study, the shortest and the longest exposure that anyone was shown,
        in any condition; then the shares are of blocks at the extremes that were reached, which
        are floor and ceiling only if some staircase came that far.

    Notes
    -----
    A mode is compared with a bound as it is: a block whose mode is the mean of the bound and
    another exposure that ties with it counts as within.
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
