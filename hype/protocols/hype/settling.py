"""Simulations of what a staircase can measure with its number of trials.

The accuracy at which a rule settles is known
(`hype.protocols.hype.staircase.Staircase.settles_at`), but a staircase would reach it exactly only
after infinitely many trials. A block starts at ``start_ms``, so its most frequent exposure is
between the start and the point where it would settle. To find how close scores are to the truth,
many blocks are simulated with observers whose true score is known: it is the exposure at which the
observer reaches the accuracy where the rule settles. The true scores cover the range from the
shortest to the longest exposure. Differences are measured in doublings (400 ms is one doubling
above 200 ms), since people's thresholds differ by factors. A rule measures a true score if

- the mean score of its blocks is less than half a doubling from the true score, so that it is not
mistaken for a true score twice or half as long; and
- two observers, half a doubling above and below, have mean scores that differ by more than the
standard deviation of their blocks.

A rule settles if it measures at least half of its range, in doublings. A rule that measures less
fails for most observers who are spread evenly over the range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, log, log2, nan, sqrt
from statistics import fmean
from typing import Any, Final

import numpy as np

from hype.check.findings import Finding, Preflight
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.settings import Study, TimeSettings
from hype.protocols.hype.staircase import CHANCE, FEWEST_TRIALS, QUEST_PLUS, Staircase
from hype.statistics.arrays import BoolArray, FloatArray, IntArray

Array = FloatArray
HALF: Final = 0.5
"""A rule may err by at most this many doublings, over at least this share of the range."""
PER_DOUBLING: Final = 6
"""Simulated observers for each doubling of the exposure; their thresholds are 12 % apart."""
BLOCKS: Final = 200
"""Blocks simulated for each observer; a mean score's standard error is 1/14 of the blocks' SD."""
FEWER_BLOCKS: Final = 50
MANY_TRIALS: Final = 300
"""With more trials than this, scores of blocks vary less, so fewer blocks are simulated."""
MOST_TRIALS: Final = 5000
"""The maximum number of trials that are simulated in a block, even if the block has more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """What a rule can measure in blocks of ``trials`` trials."""

    rule: Staircase
    trials: int
    # from_ms, to_ms: the longest range of true scores that the rule measures, or None
    from_ms: float | None
    to_ms: float | None
    # Mean factor by which a score grows when the true score doubles, over the measured range (the
    # whole range if there is none): 2 if scores follow the truth, 1 if they are unrelated.
    doubling: float
    # A row for each observer, from ``min_ms`` to ``max_ms``. ``true_ms``: the exposure at which
    # the observer reaches the accuracy where the rule settles; ``score_ms``, ``spread_ms``: mean
    # and standard deviation of the modal exposures of the blocks; ``measured``: whether the rule
    # measures ``true_ms``
    observers: tuple[dict[str, Any], ...]

    @property
    def doublings(self) -> float:
        return log2(self.to_ms / self.from_ms) if self.from_ms and self.to_ms else 0.0

    @property
    def settles(self) -> bool:
        return self.doublings >= HALF * log2(self.rule.max_ms / self.rule.min_ms)

    def error(self, blocks: int) -> float:
        """Return the root mean square error of a mean over ``blocks`` blocks, in doublings."""
        squares = (
            log2(each["score_ms"] / each["true_ms"]) ** 2
            + (each["spread_ms"] / each["score_ms"] / log(2)) ** 2 / blocks
            for each in self.observers
        )
        return sqrt(fmean(squares))


def observer_at(rule: Staircase, true_ms: float, like: Psychometric) -> Psychometric | None:
    """Return an observer like ``like``, but with the true score ``true_ms``.

    None if the rule settles at an accuracy no better than guessing, or at one that the observer
    cannot reach.
    """
    at = replace(like, threshold_ms=1.0)
    steps = at.settling_ms(rule.settles_at)
    return None if steps is None else replace(like, threshold_ms=true_ms / steps)


@lru_cache(maxsize=256)
def settling(rule: Staircase, trials: int) -> Settling | None:
    """Simulate observers with true scores over the whole range of a rule; find what it can measure.

    The same arguments give the same result. None if no observer has a true score: if there is only
    one exposure, or if the rule settles at an accuracy no better than guessing, or at one that
    observers cannot reach.
    """
    typical = observer_at(rule, 1.0, Psychometric(threshold_ms=1.0))
    if typical is None or rule.min_ms == rule.max_ms:
        return None
    # Space observers evenly in doublings, with half a doubling beyond both ends of the range.
    span = log2(rule.max_ms / rule.min_ms)
    steps = max(1, ceil(PER_DOUBLING * span))
    beyond = ceil(HALF * steps / span)
    places = np.arange(-beyond, steps + beyond + 1) / steps
    true_ms = rule.min_ms * 2 ** (span * places)
    inside = slice(beyond, beyond + steps + 1)

    many = BLOCKS if trials <= MANY_TRIALS else FEWER_BLOCKS
    modes_ms = find_modes(
        play_blocks(rule, typical, true_ms, (many, min(trials, MOST_TRIALS)), seed=0)
    )
    score_ms, spread_ms, place = modes_ms.mean(axis=1), modes_ms.std(axis=1), np.log2(true_ms)

    above, below = (np.interp(place + half, place, score_ms) for half in (HALF, -HALF))
    squares = [np.interp(place + half, place, spread_ms**2) for half in (HALF, -HALF)]
    near = np.abs(np.log2(score_ms / true_ms)) <= HALF
    apart = above - below > np.sqrt(sum(squares) / 2)
    measured = (near & apart)[inside].tolist()
    first, last = find_longest_run(measured)
    growth = (above / below)[inside]
    columns = (each[inside].tolist() for each in (true_ms, score_ms, spread_ms))
    observers = tuple(
        {"true_ms": true, "score_ms": score, "spread_ms": spread, "measured": tells}
        for true, score, spread, tells in zip(*columns, measured, strict=True)
    )
    return Settling(
        rule=rule,
        trials=trials,
        from_ms=observers[first]["true_ms"] if last > first else None,
        to_ms=observers[last - 1]["true_ms"] if last > first else None,
        doubling=float(np.mean(growth[first:last] if last > first else growth)),
        observers=observers,
    )


def play_blocks(
    rule: Staircase,
    typical: Psychometric,
    true_ms: Array,
    blocks_and_trials: tuple[int, int],
    seed: int,
) -> Array:
    """Simulate blocks of trials for observers with these true scores.

    Returns exposures, shape (observers, blocks, trials).
    """
    blocks, trials = blocks_and_trials
    rng = np.random.default_rng(seed)
    at_ms = np.full((len(true_ms), blocks), rule.start_ms)
    streak = np.zeros(at_ms.shape, dtype=np.int64)
    exposures_ms = np.empty((trials, *at_ms.shape))
    for trial in range(trials):
        exposures_ms[trial] = at_ms
        correct = rng.random(at_ms.shape) < accuracy(typical, at_ms / true_ms[:, np.newaxis])
        at_ms, streak = step_many(rule, at_ms, streak, correct)
    return np.moveaxis(exposures_ms, 0, -1)


def accuracy(typical: Psychometric, exposures_ms: Array) -> Array:
    rise = 1 - 2.0 ** -((exposures_ms / typical.threshold_ms) ** typical.slope)
    seen = CHANCE + (typical.ceiling - CHANCE) * rise
    return np.asarray((1 - typical.lapse) * seen + typical.lapse / 2)


def step_many(
    rule: Staircase, at_ms: Array, streak: IntArray, correct: BoolArray
) -> tuple[Array, IntArray]:
    """Compute `Staircase.step` for many staircases at once."""
    run = np.where(correct, streak + 1, 0)
    descends = run == rule.correct_to_descend
    by_ms = np.where(descends, -rule.down_ms, np.where(correct, 0.0, rule.up_ms))
    after_ms = np.clip(np.round(at_ms + by_ms, 6), rule.min_ms, rule.max_ms)
    return after_ms, np.where(descends, 0, run)


def find_modes(exposures_ms: Array) -> Array:
    """Return the most frequent value along the last axis; the mean if several tie."""
    ascending = np.sort(exposures_ms, axis=-1)
    places = np.arange(ascending.shape[-1])
    first = np.diff(ascending, axis=-1, prepend=nan) != 0
    began = np.maximum.accumulate(np.where(first, places, 0), axis=-1)
    length = places - began
    most = length == length.max(axis=-1, keepdims=True)
    return np.asarray((ascending * most).sum(axis=-1) / most.sum(axis=-1))


def find_longest_run(flags: list[bool]) -> tuple[int, int]:
    """Return the start and the end of the longest run of true values; 0, 0 if there is none."""
    best, began = (0, 0), 0
    for place, flag in enumerate(flags):
        if not flag:
            began = place + 1
        elif place + 1 - began > best[1] - best[0]:
            best = began, place + 1
    return best


MOST_TIMES: Final = 6
"""The maximum factor by which steps are enlarged."""
TENTHS: Final = 10
"""The search tries numbers of trials in steps of this size."""


def find_workable(rule: Staircase, blocks: int, trials: int) -> tuple[int, Settling] | None:
    """Find a rule that settles and its number of blocks, for the same total number of trials.

    If the given rule settles, it is returned with ``blocks``. Otherwise the result is the design
    with the smallest error, rounded to hundredths of a doubling; ties go to the smallest change in
    blocks, then in steps. None if no design settles.
    """
    given = settling(rule, trials)
    if given is None or given.settles:
        return (blocks, given) if given else None
    settled = []
    # With larger steps, one step up from min_ms would more than double the exposure.
    most = max(1, min(int(rule.min_ms / max(rule.down_ms, rule.up_ms)), MOST_TIMES))
    for fewer in range(blocks, 0, -1):
        for times in range(1, most + 1):
            larger = replace(rule, down_ms=times * rule.down_ms, up_ms=times * rule.up_ms)
            played = settling(larger, blocks * trials // fewer // 2 * 2)
            if played and played.settles:
                settled.append((fewer, played))
    return min(settled, key=lambda each: round(each[1].error(each[0]), 2), default=None)


def find_trials_needed(rule: Staircase, trials: int) -> int | None:
    """Return the number of trials, a multiple of ten, that a block needs to settle.

    None if even `MANY_TRIALS` are too few.
    """
    for more in range((trials // TENTHS + 1) * TENTHS, MANY_TRIALS + 1, TENTHS):
        played = settling(rule, more)
        if played and played.settles:
            return more
    return None


QUARTERS: Final = (0.25, 0.5, 0.75)
WITHOUT: Final = 'methods = ["infinity"], which has no staircase'
REHEARSAL: Final = "only for a rehearsal: time.staircase.allow_unsettled = true"


def check_settling(flight: Preflight, study: Study) -> None:
    """Report what the staircase can measure, and refuse one that cannot settle."""
    time = study.settings.time
    if not time.staircase.is_quest_plus:
        played = settling(time.staircase.rule, time.trials)
        flight.facts["staircase_measures"] = played and {
            "trials": played.trials,
            "settles": played.settles,
            "from_ms": played.from_ms,
            "to_ms": played.to_ms,
            "doubling": round(played.doubling, 3),
            "observers": list(played.observers),
        }
    if reason := find_unsettled(time):
        flight.find(reason)


def find_unsettled(time: TimeSettings) -> Finding | None:
    """Return why a staircase cannot settle; None if it can, or if the study accepts that."""
    if time.staircase.allow_unsettled:
        return None
    if time.staircase.is_quest_plus:
        if time.trials >= FEWEST_TRIALS:
            return None
        message = (
            f"{time.trials} trials per block are too few for {QUEST_PLUS}: its estimate depends "
            "more on the range from min_ms to max_ms than on the evaluator's answers"
        )
        remedy = f"time.trials = {FEWEST_TRIALS} or more; or {REHEARSAL}"
    else:
        rule = time.staircase.rule
        played = settling(rule, time.trials)
        if (played and played.settles) or not rule.settles_above_chance:
            return None
        if rule.min_ms == rule.max_ms:
            message = f"all exposures last {rule.min_ms:g} ms, so everyone will have this score"
            remedy = f"use different min_ms and max_ms; or {REHEARSAL}"
        elif played is None:
            message = (
                f"the staircase settles at {rule.settles_at:.1%} correct, but people sometimes "
                "press the wrong key, so they never reach this share: the exposure would rise "
                "to max_ms"
            )
            remedy = "use a smaller up_ms, a larger down_ms or a smaller correct_to_descend"
        else:
            message, remedy = shortcoming(played), "; or ".join(remedies(time))
    return Finding(code="staircase-unsettled", severity="problem", message=message, remedy=remedy)


def shortcoming(played: Settling) -> str:
    """Report the scores of simulated people whose true scores are at `QUARTERS` of the range."""
    rule = played.rule
    span = rule.max_ms / rule.min_ms
    some = [
        min(played.observers, key=lambda each: abs(log2(each["true_ms"] / true_ms)))
        for true_ms in (rule.min_ms * span**share for share in QUARTERS)
    ]
    true, scores = (
        "{:.0f}, {:.0f} and {:.0f}".format(*(each[key] for each in some))
        for key in ("true_ms", "score_ms")
    )
    return (
        f"{played.trials} trials per block are too few for the staircase to get from "
        f"{rule.start_ms:g} ms to where it settles: simulated people who should score {true} ms "
        f"score {scores} ms; {reach(played)}"
    )


def reach(played: Settling) -> str:
    whole = f"{played.rule.min_ms:g} to {played.rule.max_ms:g} ms"
    if not played.doublings:
        return f"such a block measures none of the thresholds from {whole}"
    part = f"{played.from_ms:.0f} to {played.to_ms:.0f} ms"
    more = "" if played.settles else f", less than half the range {whole} on a logarithmic scale"
    return f"such a block measures thresholds of {part}{more}"


def remedies(time: TimeSettings) -> Iterator[str]:
    rule = time.staircase.rule
    design = find_workable(rule, time.blocks, time.trials)
    if design:
        blocks, played = design
        yield (
            f"with the same images, time.blocks = {blocks}, time.trials = {played.trials}, "
            f"time.staircase.down_ms = {played.rule.down_ms:g} and up_ms = {played.rule.up_ms:g} "
            f"({reach(played)})"
        )
    more = find_trials_needed(rule, time.trials)
    if more:
        images = time.blocks * more // 2
        yield (
            f"time.trials = {more}, with {images} real images and {images} of each condition, plus "
            "those for practice and qualification"
        )
    yield WITHOUT
    yield REHEARSAL
