"""HYPE_time: the modal exposure of a block, and the mean of its last reversals.

Zhou et al. (2019), section 2.1: the score of a block is its modal exposure, the most frequent one
of its trials; the score of an evaluator is the mean over blocks. The paper has no rule for a mode
that is not unique; here the score is the mean of the tied exposures, and the tie is recorded.

A reversal is a level at which a staircase turns, from falling to rising or from rising to falling.
Levitt (1971), "Transformed up-down methods in psychoacoustics", JASA 49, 467-477, leaves out the
first reversals and averages an even number of the others, so that peaks and valleys count equally.
García-Pérez (1998), "Forced-choice staircases with fixed step sizes", Vision Research 38,
1861-1881, simulated means of reversals. With more reversals, the mean varies less. If the steps up
and down differ, the mean depends more on the sizes of steps than on the number of correct answers
before a step down.

The mode and the mean of reversals both depend on the staircase's rule: they are near the exposure
at which the rule settles. Under the paper's rule, the mode and (less so) the mean of reversals are
longer than the exposure at which the rule settles. So this exposure is estimated separately
(`thresholds.settle_points`), with the rule inferred from the steps of the staircases
(`settles_at_by_condition`).

A block may end before its staircase has settled (`count_unsettled`). The most frequent exposure of
an unsettled block depends more on the first exposure than on the evaluator. A mode near the start
is no sign of an unsettled block: the threshold may also be near the start, and then the staircase
crosses its mode repeatedly. Two signs show that a block had not settled:

- Few reversals: fewer than the six that are averaged (Levitt 1971 also leaves out the first
reversals).
- A mode in passing: the staircase passed its most frequent exposure at most once, on the way from
the start. A staircase that has settled returns to its mode. A staircase whose mode is the floor or
the ceiling could not go further, so it is reported separately. Simulated evaluators whose
staircases settle at 100 to 1000 ms have 0 to 3 % unsettled blocks under the paper's rule with 150
trials, and 98 to 100 % with 20 trials.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.staircase import AT, QUEST_PLUS, Staircase, estimate
from hype.report.tabular import Row
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.estimate import Estimate, ends_of
from hype.statistics.pairs import Pair

BlockLabel = tuple[str, str, str]
"""Condition, evaluator, block."""
UNSURE: Final = 0.75
"""A block's threshold is uncertain if its posterior standard deviation, in doublings, exceeds this.
With the usual bounds, the prior's standard deviation is about twice this value."""
LAST: Final = 6
"""A block's last 6 reversals are averaged; if it has fewer, the largest even number of them."""
BACK: Final = 2
"""A staircase that crosses its mode this many times has returned to it."""
ALIKE: Final = 0.9
"""A rule is inferred only if at least this share of steps up, and of steps down, is equal."""
End = Literal["floor", "ceiling"]
"""The shortest or the longest possible exposure."""
BOUND_SHARE: Final = 0.5
"""A condition is at the floor or the ceiling if at least this share of its blocks are."""


def number_blocks(judgements: pd.DataFrame) -> tuple[IntArray, tuple[BlockLabel, ...]]:
    """Number the blocks of one protocol from 0; their labels are sorted as text.

    Returns the block number of each row, shape (rows,), and the label of each number.
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


def score_blocks(
    judgements: pd.DataFrame, bounds_ms: tuple[float, float] | None = None
) -> pd.DataFrame:
    """Score the blocks of the time protocol, in the order of `number_blocks`.

    ``bounds_ms``: floor and ceiling, given only if QUEST+ chose the exposures. Under QUEST+, a
    block's score is the posterior mean of its threshold, since the mode has no meaning.

    Returns the columns condition, evaluator, block; ``exposure_ms``, the score; ``tied``, how many
    exposures were equally frequent; ``sd_doublings``, the posterior standard deviation of the
    threshold under QUEST+, else NaN.
    """
    numbers, labels = number_blocks(judgements)
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)
    blocks = pd.DataFrame(labels, columns=["condition", "evaluator", "block"])
    if bounds_ms:
        right = are_right(judgements)
        each = [
            estimate(exposures_ms[own], right[own], bounds_ms)
            for own in (numbers == number for number in range(len(labels)))
        ]
        means_ms, spreads = zip(*each, strict=True)
        return blocks.assign(exposure_ms=means_ms, tied=1, sd_doublings=spreads)
    levels_ms, level = np.unique(exposures_ms, return_inverse=True)
    cells, counts = np.unique(numbers * len(levels_ms) + level, return_counts=True)
    block, level = np.divmod(cells, max(len(levels_ms), 1))
    most = np.zeros(len(labels), dtype=np.int64)
    np.maximum.at(most, block, counts)
    frequent = counts == most[block]
    tied = np.bincount(block[frequent], minlength=len(labels))
    sums_ms = np.bincount(block[frequent], levels_ms[level[frequent]], minlength=len(labels))
    return blocks.assign(exposure_ms=sums_ms / np.maximum(tied, 1), tied=tied, sd_doublings=np.nan)


def block_mode(exposures_ms: npt.ArrayLike) -> float:
    """Return a block's modal exposure in ms; if several are equally frequent, their mean."""
    levels_ms, counts = np.unique(np.asarray(exposures_ms, dtype=float), return_counts=True)
    return float(levels_ms[counts == counts.max()].mean())


def are_right(judgements: pd.DataFrame) -> BoolArray:
    return (judgements["truth"].eq("fake") == judgements["answer"].eq("fake")).to_numpy()


def is_quest_plus(judgements: pd.DataFrame) -> bool:
    """Return whether QUEST+ chose the exposures. InputError if QUEST+ chose only some of them."""
    if "exposure_rule" not in judgements:
        return False
    of_rule = judgements["exposure_rule"].eq(QUEST_PLUS)
    if of_rule.any() and not of_rule.all():
        raise InputError(
            "exposure_rule",
            f"is {QUEST_PLUS} only in some judgements of HYPE_time, but scores from QUEST+ and "
            "from staircases cannot be mixed",
            "a table with only one rule",
        )
    return bool(of_rule.any())


def staircase_bounds(judgements: pd.DataFrame) -> tuple[float, float]:
    """Return floor and ceiling in ms: from the table, or else the shortest and longest exposure."""
    exposures_ms = judgements["exposure_ms"]
    floor_ms = judgements.get("floor_ms", exposures_ms).min()
    ceiling_ms = judgements.get("ceiling_ms", exposures_ms).max()
    # A table may contradict itself: its floor may be above an exposure that was shown.
    return float(min(floor_ms, exposures_ms.min())), float(max(ceiling_ms, exposures_ms.max()))


def count_blocks(blocks: pd.DataFrame, bounds_ms: tuple[float, float]) -> dict[str, dict[str, Any]]:
    """Count the blocks of each condition, and those with a score at a bound of the exposures.

    ``bounds_ms``: `min_ms` and `max_ms` of the study's staircase if known. For a table without its
    study, the bounds are the shortest and the longest exposure shown in any condition; those are
    the floor and the ceiling only if some staircase reached them.

    If the bound and another exposure are equally frequent, the mode is their mean, so the block
    does not count as being at the bound. The shares are None if floor and ceiling are the same.
    """
    floor_ms, ceiling_ms = bounds_ms
    varied = floor_ms < ceiling_ms
    return {
        str(condition): {
            "blocks": len(own),
            "tied_modes": int((own["tied"] > 1).sum()),
            "floor_ms": floor_ms,
            "floor_share": float((own["exposure_ms"] <= floor_ms).mean()) if varied else None,
            "ceiling_ms": ceiling_ms,
            "ceiling_share": float((own["exposure_ms"] >= ceiling_ms).mean()) if varied else None,
        }
        for condition, own in blocks.groupby("condition")
    }


def is_at_end(end: End, row: Row) -> bool:
    """Return whether many blocks are at a bound; their thresholds may be beyond it.

    ``row``: from `count_blocks`.
    """
    return (row[f"{end}_share"] or 0) >= BOUND_SHARE


def verdicts_off_bounds(
    pairs: Sequence[Pair], stairs: Mapping[str, Row], intervals: Mapping[str, Estimate | None]
) -> tuple[Pair, ...]:
    """Call a pair "not known" if a condition is at the floor or the ceiling.

    The condition's thresholds are at that bound or beyond it, so its interval is too narrow. The
    pair keeps its verdict only if the other condition's interval does not reach that bound.
    """

    def is_off(end: End, name: str) -> bool:
        row, (low_ms, high_ms) = stairs[name], ends_of(intervals[name])
        if is_at_end(end, row):
            return False
        if end == "floor":
            return low_ms is not None and low_ms > row["floor_ms"]
        return high_ms is not None and high_ms < row["ceiling_ms"]

    def is_known(pair: Pair) -> bool:
        ends: tuple[End, ...] = ("floor", "ceiling")
        return not stairs or all(
            is_off(end, other)
            for name, other in ((pair.a, pair.b), (pair.b, pair.a))
            for end in ends
            if is_at_end(end, stairs[name])
        )

    return tuple(
        pair
        if pair.separable is None or is_known(pair)
        else replace(pair, separable=False, verdict="not known")
        for pair in pairs
    )


def sum_up_posteriors(blocks: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return how precisely QUEST+ estimated the thresholds of each condition's blocks."""
    return {
        str(condition): {
            "sd_doublings": sum(spreads.tolist()) / len(spreads),
            "unsure": int((spreads > UNSURE).sum()),
            "at": AT,
        }
        for condition, spreads in blocks.groupby("condition")["sd_doublings"]
    }


def trials_in_order(judgements: pd.DataFrame) -> pd.DataFrame | None:
    """Return ``block`` (a number), ``exposure_ms`` and ``right`` of each trial, in order.

    Spoiled trials of the time protocol are included, since the staircase used them (unless the
    study repeats them). Repeats come at the end of the block, and continue its staircase.
    None if the column ``trial`` is missing or incomplete, since then the order is not known.
    """
    if "trial" not in judgements or judgements["trial"].isna().any():
        return None
    trials = pd.DataFrame(
        {
            "block": number_blocks(judgements)[0],
            "exposure_ms": judgements["exposure_ms"].to_numpy(dtype=float),
            "right": are_right(judgements),
        }
    )
    order = np.lexsort((judgements["trial"].to_numpy(dtype=float), trials["block"]))
    ordered: pd.DataFrame = trials.iloc[order]
    return ordered


def turning_points(
    exposures_ms: npt.ArrayLike, blocks: npt.ArrayLike | None = None
) -> tuple[FloatArray, IntArray]:
    """Find the reversals of one or more staircases that follow one another.

    ``exposures_ms``: the levels of the trials in order; ``blocks``: the number of each trial's
    staircase, ascending, shape (trials,); by default there is one staircase. Returns the level of
    each reversal, in the order of trials, and the reversal's staircase, shape (reversals,). A step
    of zero size is not a change of direction. Steps are clipped at a bound: a staircase that turns
    at the floor turns higher than without bounds, and a staircase that stays there has no reversal.
    """
    levels_ms = np.asarray(exposures_ms, dtype=float)
    number = np.zeros(len(levels_ms), np.int64) if blocks is None else np.asarray(blocks, np.int64)
    steps = np.diff(levels_ms)
    before = np.flatnonzero((steps != 0) & (np.diff(number) == 0))
    up, of = steps[before] > 0, number[before]
    turns = (up[1:] != up[:-1]) & (of[1:] == of[:-1])
    return levels_ms[before[1:][turns]], of[1:][turns]


def mean_reversals(judgements: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Average the last reversals of each condition: over blocks, then over evaluators.

    Each block gives an even number of reversals, `LAST` at most. Blocks with fewer than two
    reversals, such as blocks at the floor or the ceiling, are left out, so the mean is biased
    towards the other blocks. If the order of trials is unknown, both numbers are None.
    """
    _, labels = number_blocks(judgements)
    trials = trials_in_order(judgements)
    levels_ms, of = np.empty(0), np.empty(0, dtype=np.int64)
    if trials is not None:
        levels_ms, of = turning_points(trials["exposure_ms"], trials["block"])
    counts = np.bincount(of, minlength=len(labels))
    used = np.minimum(counts, LAST) // 2 * 2
    late = np.arange(len(of)) >= (np.cumsum(counts) - used)[of]
    sums_ms = np.bincount(of[late], levels_ms[late], minlength=len(labels))
    blocks = pd.DataFrame(labels, columns=["condition", "evaluator", "block"]).assign(
        used=used, reversals_ms=np.where(used > 0, sums_ms / np.maximum(used, 1), np.nan)
    )
    found: dict[str, dict[str, Any]] = {}
    for condition, own in blocks.groupby("condition"):
        people_ms = own.groupby("evaluator")["reversals_ms"].mean().dropna()
        found[str(condition)] = {
            "last_reversals": float(people_ms.mean()) if len(people_ms) else None,
            "blocks_without_reversals": None if trials is None else int((own["used"] == 0).sum()),
        }
    return found


def count_unsettled(
    judgements: pd.DataFrame, blocks: pd.DataFrame, bounds_ms: tuple[float, float]
) -> dict[str, dict[str, Any]]:
    """Count the blocks of each condition that had not settled.

    ``judgements``: all trials of the time protocol. ``blocks``: the scored blocks (`score_blocks`);
    only these are counted. Empty if the order of trials is unknown.
    """
    trials = trials_in_order(judgements)
    if trials is None:
        return {}
    _, labels = number_blocks(judgements)
    every = pd.DataFrame(labels, columns=["condition", "evaluator", "block"])
    mode_ms = every.merge(blocks, how="left")["exposure_ms"].to_numpy(dtype=float)
    number, exposures_ms = trials["block"].to_numpy(), trials["exposure_ms"].to_numpy()
    turns = np.bincount(turning_points(exposures_ms, number)[1], minlength=len(labels))
    times = passes(exposures_ms - mode_ms[number], number, len(labels))
    moving = ~np.isin(mode_ms, bounds_ms)
    counted = every.assign(
        few_reversals=moving & (turns < LAST),
        mode_in_passing=moving & (turns >= LAST) & (times < BACK),
    )
    kinds = ["few_reversals", "mode_in_passing"]
    sums = counted[~np.isnan(mode_ms)].groupby("condition")[kinds].sum()
    return {str(name): {kind: int(row[kind]) for kind in kinds} for name, row in sums.iterrows()}


def passes(above_ms: FloatArray, numbers: IntArray, blocks: int) -> IntArray:
    """Count how often each staircase crosses its mode.

    ``above_ms``: exposures minus the mode of their block, in the order of trials, block by block;
    ``numbers``: the block of each exposure, ascending.
    """
    aside = above_ms != 0
    side, of = above_ms[aside] > 0, numbers[aside]
    changes = (side[1:] != side[:-1]) & (of[1:] == of[:-1])
    return np.bincount(of[1:][changes], minlength=blocks).astype(np.int64)


def settles_at_by_condition(judgements: pd.DataFrame) -> dict[str, float]:
    """Infer the accuracy at which the staircases of each condition settle, from their steps.

    ``judgements``: all trials of the time protocol. Conditions whose steps show no rule are left
    out, and so are all conditions if the order of the trials is not known. Steps that a bound cut
    short are ignored.
    """
    trials = trials_in_order(judgements)
    if trials is None:
        return {}
    _, labels = number_blocks(judgements)
    number, right = trials["block"].to_numpy(), trials["right"].to_numpy()
    exposures_ms = trials["exposure_ms"].to_numpy()
    by_ms = np.append(np.diff(exposures_ms), 0.0)
    by_ms[np.append(np.diff(number) != 0, True)] = 0.0
    trial = np.arange(len(right))
    before = np.flatnonzero(np.diff(number, prepend=-1))[number] - 1
    ended = np.maximum.accumulate(np.where(~right | (by_ms < 0), trial, -1))
    run = trial - np.maximum(np.append(-1, ended[:-1]), before)
    free = (by_ms != 0) & (right == (by_ms < 0))
    free &= ~np.isin(np.append(exposures_ms[1:], 0.0), staircase_bounds(judgements))
    steps = pd.DataFrame(
        {
            "condition": np.array([condition for condition, _, _ in labels], dtype=object)[number],
            "by_ms": np.round(by_ms, 6),
            "run": run,  # correct answers since the last step or error, including this one
        }
    )[free]
    rules = {str(name): _rule(own) for name, own in steps.groupby("condition")}
    return {name: rule.settles_at for name, rule in rules.items() if rule}


def _rule(steps: pd.DataFrame) -> Staircase | None:
    """Infer the rule from steps that are nearly always the same; None if steps vary."""
    up, down = steps[steps["by_ms"] > 0], steps[steps["by_ms"] < 0]
    usual = []
    for values in (up["by_ms"], -down["by_ms"], down["run"]):
        distinct, counts = np.unique(values, return_counts=True)
        if not len(values) or counts.max() < ALIKE * len(values):
            return None
        usual.append(float(distinct[counts.argmax()]))
    up_ms, down_ms, correct = usual
    rule = Staircase(up_ms=up_ms, down_ms=down_ms, correct_to_descend=int(correct))
    return rule if rule.settles_above_chance else None
