"""HYPE_time: the modal exposure of a block, and beside it the mean of its last reversals.

Zhou et al. (2019), section 2.1: the score of a block is its modal exposure, the one at which its
staircase spent most of its trials, and that of an evaluator the mean over blocks. The paper has no
rule for a mode that is not unique; the mean of the tied exposures is taken here, and the tie is
recorded.

A reversal is a level at which a staircase turns: it had come down to it and goes up from it, or
the other way round. Levitt (1971), "Transformed up-down methods in psychoacoustics", JASA 49,
467-477, leaves the first ones out and takes the mean of an even number, so that peaks and valleys
count alike. García-Pérez (1998), "Forced-choice staircases with fixed step sizes", Vision Research
38, 1861-1881, simulated what such means converge to and how many reversals they need: more of them
scatter less, and where the steps up and down differ the level they find depends on the sizes of
the steps more than on the number of correct answers that a step down needs.

Like the mode, the mean of reversals is a figure of the staircase's rule: it is near the exposure at
which the rule settles, not the one at which a wanted share of the answers is correct. Neither is
that exposure itself: under the paper's rule modes lie above it, and reversals too, by less. So its
own estimate stands beside them (`thresholds.settle_points`), for which the rule is told from the
steps of the staircases (`settles_at_by_condition`).

A block may end before its staircase has come to where it settles (`unsettled_by_condition`). The
most frequent exposure of such a block says more of where blocks begin than of the evaluator.
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

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.staircase import AT, QUEST_PLUS, Staircase, estimate
from hype.statistics.arrays import BoolArray, FloatArray, IntArray

BlockLabel = tuple[str, str, str]
"""Condition, evaluator, block."""


def numbered_blocks(judgements: pd.DataFrame) -> tuple[IntArray, tuple[BlockLabel, ...]]:
    """Number the blocks of one protocol, from 0, in the order of their labels, sorted as text.

    Gives for each row the number of its block, shape (rows,), and for each number the label.
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
    """The modal exposure of one block."""

    block: str
    # The most frequent requested exposure; the mean of the most frequent ones where they tie
    exposure_ms: float
    # The exposures that tie, ascending; empty where the mode is unique
    tied_ms: tuple[float, ...] = ()
    # Of QUEST+, whose exposure is no mode but the posterior mean of the threshold: its posterior
    # standard deviation, in doublings
    sd_doublings: float | None = None


@dataclass(frozen=True, kw_only=True)
class Staircases:
    """How the blocks of a condition behaved under the time protocol."""

    blocks: int
    tied_modes: int  # number of blocks whose most frequent exposure was not unique
    # shortest_ms, longest_ms: the floor and the ceiling: the bounds of the study's staircase where
    # they are known; else the shortest and the longest exposure that anyone was shown, in any
    # condition
    shortest_ms: float
    # shortest_share, longest_share: share of the condition's blocks, 0 to 1, whose mode is that
    # exposure: staircases that ran into the floor or the ceiling, so that the threshold may lie
    # beyond. 0 where none did, as where nobody reached a known bound. None where floor and ceiling
    # are the same.
    shortest_share: float | None
    longest_ms: float
    longest_share: float | None


@dataclass(frozen=True, kw_only=True)
class Posteriors:
    """How well QUEST+ knows the thresholds of the blocks of a condition."""

    at: float  # accuracy at the thresholds, lapses and lucky guesses included
    blocks: int
    sd_doublings: float  # mean over blocks of the posterior standard deviation
    unsure: int  # blocks of which it is more than `UNSURE`


UNSURE: Final = 0.75
"""Doublings: half of the posterior standard deviation before any answer, under the usual bounds."""


def posteriors_of(blocks: Sequence[BlockMode]) -> Posteriors:
    """Sum up the blocks of a condition, at least one, all of QUEST+."""
    spreads = [block.sd_doublings or 0.0 for block in blocks]
    return Posteriors(
        at=AT,
        blocks=len(blocks),
        sd_doublings=sum(spreads) / len(blocks),
        unsure=sum(spread > UNSURE for spread in spreads),
    )


def block_mode(exposures_ms: npt.ArrayLike, *, block: str = "1") -> BlockMode:
    """Find the modal exposure of a block of one trial or more, of shape (trials,)."""
    levels_ms, counts = np.unique(np.asarray(exposures_ms, dtype=float), return_counts=True)
    return _mode_of(levels_ms[counts == counts.max()].tolist(), block)


def block_modes(judgements: pd.DataFrame) -> dict[tuple[str, str], tuple[BlockMode, ...]]:
    """Find the modal exposures of all blocks, by (condition, evaluator), sorted by block."""
    numbers, labels = numbered_blocks(judgements)
    modes: dict[tuple[str, str], list[BlockMode]] = {}
    for (condition, evaluator, block), found_ms in zip(
        labels, _most_frequent_ms(numbers, judgements["exposure_ms"]), strict=True
    ):
        mode = _mode_of(found_ms, block)
        modes.setdefault((condition, evaluator), []).append(mode)
    return {key: tuple(blocks) for key, blocks in modes.items()}


def block_estimates(
    judgements: pd.DataFrame, bounds_ms: tuple[float, float]
) -> dict[tuple[str, str], tuple[BlockMode, ...]]:
    """Estimate the thresholds of all blocks of QUEST+, by (condition, evaluator), by block."""
    numbers, labels = numbered_blocks(judgements)
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)
    right = (judgements["truth"].eq("fake") == judgements["answer"].eq("fake")).to_numpy()
    modes: dict[tuple[str, str], list[BlockMode]] = {}
    for number, (condition, evaluator, block) in enumerate(labels):
        own = numbers == number
        mode = estimate(exposures_ms[own], right[own], bounds_ms)
        modes.setdefault((condition, evaluator), []).append(
            BlockMode(block=block, exposure_ms=mode.threshold_ms, sd_doublings=mode.sd_doublings)
        )
    return {key: tuple(blocks) for key, blocks in modes.items()}


def is_quest_plus(judgements: pd.DataFrame) -> bool:
    """Whether QUEST+ chose the exposures. InputError where it did of some."""
    if "exposure_rule" not in judgements:
        return False
    of_rule = judgements["exposure_rule"].eq(QUEST_PLUS)
    if of_rule.any() and not of_rule.all():
        raise InputError(
            "exposure_rule",
            f"is {QUEST_PLUS} in some judgements of HYPE_time and not in others, whose scores are "
            "of different kinds",
            "one of them in a table",
        )
    return bool(of_rule.any())


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
    if len(modes_ms) == 1:
        return BlockMode(block=block, exposure_ms=modes_ms[0])
    mean_ms = float(np.mean(modes_ms))
    return BlockMode(block=block, exposure_ms=mean_ms, tied_ms=tuple(modes_ms))


def staircase_bounds(judgements: pd.DataFrame) -> tuple[float, float]:
    """Give floor and ceiling, in ms: as the table says, else the extremes that were shown."""
    exposures_ms = judgements["exposure_ms"]
    floor_ms = judgements.get("floor_ms", exposures_ms).min()
    ceiling_ms = judgements.get("ceiling_ms", exposures_ms).max()
    # A table that contradicts itself: no floor lies above an exposure that was shown.
    return float(min(floor_ms, exposures_ms.min())), float(max(ceiling_ms, exposures_ms.max()))


def summarise_blocks(blocks: Sequence[BlockMode], extremes_ms: tuple[float, float]) -> Staircases:
    """Summarise the blocks of a condition, at least one.

    ``extremes_ms`` are floor and ceiling: `min_ms` and `max_ms` of the study's staircase where they
    are known. Of a table without its study, the shortest and the longest exposure that anyone was
    shown, in any condition; then the shares are of blocks at the extremes that were reached, which
    are floor and ceiling only if some staircase came that far.

    A mode is compared with a bound as it is: a block whose mode is the mean of the bound and
    another exposure that ties with it counts as within.
    """
    shortest_ms, longest_ms = extremes_ms
    at_shortest = sum(block.exposure_ms <= shortest_ms for block in blocks) / len(blocks)
    at_longest = sum(block.exposure_ms >= longest_ms for block in blocks) / len(blocks)
    varied = shortest_ms < longest_ms
    return Staircases(
        blocks=len(blocks),
        tied_modes=sum(bool(block.tied_ms) for block in blocks),
        shortest_ms=shortest_ms,
        shortest_share=at_shortest if varied else None,
        longest_ms=longest_ms,
        longest_share=at_longest if varied else None,
    )


LAST: Final = 6
"""How many reversals are averaged, unless told otherwise."""
NO_ORDER: Final = "the order of the trials is not known: there is no column 'trial'"
NO_REVERSALS: Final = "no block has two reversals"


@dataclass(frozen=True, kw_only=True)
class BlockReversals:
    """The reversals of one block."""

    block: str
    reversals: int  # how many there are
    used: int  # how many of them, the last ones, are averaged: an even number
    exposure_ms: float | None  # mean of their levels; None where there are fewer than two


@dataclass(frozen=True, kw_only=True)
class EvaluatorReversals:
    """The reversals of one evaluator."""

    evaluator: str
    reversals_ms: float | None  # mean over the blocks that have a mean; None where none has
    blocks: tuple[BlockReversals, ...]  # all blocks, sorted by label


@dataclass(frozen=True, kw_only=True)
class ConditionReversals:
    """The reversals of one condition."""

    reversals_ms: float | None  # mean over the evaluators that have a mean; None where none has
    blocks: int
    # Number of blocks with fewer than two reversals, as those of staircases that lie at the floor
    # or the ceiling; they are in no mean, so `reversals_ms` leans towards the others
    blocks_without: int
    evaluators_without: int  # number of evaluators none of whose blocks has two
    last: int  # the most reversals of a block that are averaged
    # All evaluators, sorted by name; empty where the order of trials is not known
    evaluators: tuple[EvaluatorReversals, ...]
    reason: str | None = None  # why there is no mean; None where there is one


def reversals_by_condition(
    judgements: pd.DataFrame, *, last: int = LAST
) -> dict[str, ConditionReversals]:
    """Find the mean of the last reversals for each condition, sorted.

    Of all trials of the time protocol, spoiled ones too, since the staircase went through them.
    Only the column `trial` tells their order; without it there are no reversals, whatever the order
    of the rows. ``last`` is an even number; fewer, but an even number, are averaged where a block
    has fewer.

    A step of zero size is no change of direction. Such are the trials before enough correct
    answers have come together, those at a bound that holds the level, and one that the screen
    spoiled and that is shown again (`repeats`) at the end of the block, where the staircase goes
    on from where it stood. At a bound steps are clipped: a staircase that turns at the floor
    turns above where an unbounded one would, and one that stays there has no reversal at all.
    """
    if last < 2 or last % 2:
        raise InputError("last", str(last), "allowed is an even number, 2 or more")
    if "trial" not in judgements or judgements["trial"].isna().any():
        return _unordered(judgements, last)
    conditions: dict[str, dict[str, list[BlockReversals]]] = {}
    for (condition, evaluator, _), block in _block_reversals(judgements, last):
        conditions.setdefault(condition, {}).setdefault(evaluator, []).append(block)
    return {name: _condition(evaluators, last) for name, evaluators in conditions.items()}


def turning_points(
    exposures_ms: npt.ArrayLike, blocks: npt.ArrayLike | None = None
) -> tuple[FloatArray, IntArray]:
    """Find the reversals of one or more staircases, one after the other.

    ``exposures_ms`` are the levels of the trials in their order, ``blocks`` the ascending number of
    each one's staircase, shape (trials,); by default all are of one. Gives the level at which each
    reversal turns, in the order of trials, and its staircase, shape (reversals,).
    """
    levels_ms = np.asarray(exposures_ms, dtype=float)
    number = np.zeros(len(levels_ms), np.int64) if blocks is None else np.asarray(blocks, np.int64)
    steps = np.diff(levels_ms)
    before = np.flatnonzero((steps != 0) & (np.diff(number) == 0))
    up, of = steps[before] > 0, number[before]
    turns = (up[1:] != up[:-1]) & (of[1:] == of[:-1])
    return levels_ms[before[1:][turns]], of[1:][turns]


def _block_reversals(
    judgements: pd.DataFrame, last: int
) -> Iterator[tuple[BlockLabel, BlockReversals]]:
    numbers, labels = numbered_blocks(judgements)
    order = np.lexsort((judgements["trial"].to_numpy(dtype=float), numbers))
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)
    levels_ms, of = turning_points(exposures_ms[order], numbers[order])
    counts = np.bincount(of, minlength=len(labels))
    used = np.minimum(counts, last) // 2 * 2
    late = np.arange(len(of)) >= (np.cumsum(counts) - used)[of]
    sums_ms = np.bincount(of[late], levels_ms[late], minlength=len(labels))
    rows = zip(labels, counts.tolist(), used.tolist(), sums_ms.tolist(), strict=True)
    for label, count, some, sum_ms in rows:
        mean_ms = sum_ms / some if some else None
        yield label, BlockReversals(block=label[2], reversals=count, used=some, exposure_ms=mean_ms)


def _condition(evaluators: Mapping[str, Sequence[BlockReversals]], last: int) -> ConditionReversals:
    rows = tuple(
        EvaluatorReversals(
            evaluator=evaluator,
            reversals_ms=_mean_ms(block.exposure_ms for block in blocks),
            blocks=tuple(blocks),
        )
        for evaluator, blocks in evaluators.items()
    )
    mean_ms = _mean_ms(row.reversals_ms for row in rows)
    return ConditionReversals(
        reversals_ms=mean_ms,
        blocks=sum(len(row.blocks) for row in rows),
        blocks_without=sum(block.used == 0 for row in rows for block in row.blocks),
        evaluators_without=sum(row.reversals_ms is None for row in rows),
        last=last,
        evaluators=rows,
        reason=NO_REVERSALS if mean_ms is None else None,
    )


def _unordered(judgements: pd.DataFrame, last: int) -> dict[str, ConditionReversals]:
    """Say of every condition that it has no reversals, since trials have no order."""
    people: dict[str, Counter[str]] = {}
    for condition, evaluator, _ in numbered_blocks(judgements)[1]:
        people.setdefault(condition, Counter())[evaluator] += 1
    return {
        condition: ConditionReversals(
            reversals_ms=None,
            blocks=blocks.total(),
            blocks_without=blocks.total(),
            evaluators_without=len(blocks),
            last=last,
            evaluators=(),
            reason=NO_ORDER,
        )
        for condition, blocks in people.items()
    }


def _mean_ms(values_ms: Iterable[float | None]) -> float | None:
    given_ms = [value for value in values_ms if value is not None]
    return sum(given_ms) / len(given_ms) if given_ms else None


BACK: Final = 2
"""A staircase that passes its mode so often has come back to it."""


@dataclass(frozen=True, kw_only=True)
class Unsettled:
    """How many blocks of a condition had not settled."""

    blocks: int
    few_reversals: int  # of them, blocks with fewer than six reversals
    mode_in_passing: int  # others, whose staircase never came back to its most frequent exposure

    @property
    def share(self) -> float:
        """Of the blocks, 0 to 1."""
        return (self.few_reversals + self.mode_in_passing) / self.blocks


def unsettled_by_condition(
    judgements: pd.DataFrame,
    modes_ms: Mapping[BlockLabel, float],
    bounds_ms: tuple[float, float],
) -> dict[str, Unsettled]:
    """Count the blocks that had not settled, of all trials of the time protocol.

    ``modes_ms`` are by (condition, evaluator, block); blocks without one are not counted. Empty
    where the order of the trials is not known.
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


def places(labels: tuple[BlockLabel, ...], mode_ms: FloatArray) -> dict[str, list[int]]:
    """List the blocks of each condition that have a mode."""
    numbers_of: dict[str, list[int]] = {}
    for number, (condition, _, _) in enumerate(labels):
        if not np.isnan(mode_ms[number]):
            numbers_of.setdefault(condition, []).append(number)
    return numbers_of


def passes(above_ms: FloatArray, numbers: IntArray, blocks: int) -> IntArray:
    """Count how often each staircase goes from one side of its mode to the other.

    ``above_ms`` are exposures less the mode of their block, in the order of trials, block by block;
    ``numbers`` the block of each, ascending.
    """
    aside = above_ms != 0
    side, of = above_ms[aside] > 0, numbers[aside]
    changes = (side[1:] != side[:-1]) & (of[1:] == of[:-1])
    return np.bincount(of[1:][changes], minlength=blocks).astype(np.int64)


ALIKE: Final = 0.9
"""A rule is told where at least this share of its steps is the same."""


def settles_at_by_condition(judgements: pd.DataFrame) -> dict[str, float]:
    """Tell from the steps of the staircases at which accuracy they settle, by condition.

    Of all trials of the time protocol. Conditions are left out whose steps show no rule, and all
    where the order of the trials is not known.
    """
    if "trial" not in judgements or judgements["trial"].isna().any():
        return {}
    numbers, labels = numbered_blocks(judgements)
    order = np.lexsort((judgements["trial"].to_numpy(dtype=float), numbers))
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)[order]
    right = (judgements["truth"].eq("fake") == judgements["answer"].eq("fake")).to_numpy()[order]
    steps = _steps(exposures_ms, right, numbers[order], staircase_bounds(judgements))
    of_block = [condition for condition, _, _ in labels]
    of_step = np.array(of_block, dtype=object)[steps.block]
    rules = {name: _rule(steps, of_step == name) for name in sorted(set(of_block))}
    return {name: rule.settles_at for name, rule in rules.items() if rule}


@dataclass(frozen=True, kw_only=True)
class _Steps:
    """Changes of exposure that no bound has cut short, of shape (steps,)."""

    block: IntArray  # the number of the staircase
    by_ms: FloatArray
    run: IntArray  # correct answers since the last change or wrong answer, this one among them


def _steps(
    exposures_ms: FloatArray,
    right: BoolArray,
    numbers: IntArray,
    bounds_ms: tuple[float, float],
) -> _Steps:
    """Find the steps of staircases, one after the other, in the order of trials."""
    by_ms = np.append(np.diff(exposures_ms), 0.0)
    by_ms[np.append(np.diff(numbers) != 0, True)] = 0.0
    trial = np.arange(len(right))
    before = np.flatnonzero(np.diff(numbers, prepend=-1))[numbers] - 1
    ended = np.maximum.accumulate(np.where(~right | (by_ms < 0), trial, -1))
    run = trial - np.maximum(np.append(-1, ended[:-1]), before)
    free = (by_ms != 0) & (right == (by_ms < 0))
    free &= ~np.isin(np.append(exposures_ms[1:], 0.0), bounds_ms)
    return _Steps(block=numbers[free], by_ms=np.round(by_ms[free], 6), run=run[free])


def _rule(steps: _Steps, own: BoolArray) -> Staircase | None:
    up, down = own & (steps.by_ms > 0), own & (steps.by_ms < 0)
    usual = [_usual(column) for column in (steps.by_ms[up], -steps.by_ms[down], steps.run[down])]
    if not all(usual):
        return None
    up_ms, down_ms, correct = (value or 0.0 for value in usual)
    rule = Staircase(up_ms=up_ms, down_ms=down_ms, correct_to_descend=int(correct))
    return rule if rule.settles_above_chance else None


def _usual(values: FloatArray | IntArray) -> float | None:
    """Give the value that nearly all are; None where there is none."""
    distinct, counts = np.unique(values, return_counts=True)
    alike = len(values) and counts.max() >= ALIKE * len(values)
    return float(distinct[counts.argmax()]) if alike else None
