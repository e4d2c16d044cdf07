"""Thresholds of all evaluators and conditions, and quick psychometric curves of each condition.

A quick curve is the maximum of the posterior whose intervals `fit_thresholds` gives (`quick_fit`).
It is fitted to all exposures that were shown; only the points drawn beside it are joined.
"""

from __future__ import annotations

import math
import multiprocessing
import signal
import statistics
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.errors import HypeError, InputError
from hype.protocols.hype.block_scores import staircase_bounds
from hype.protocols.hype.images import wilson_interval
from hype.statistics.psychometric_fit import (
    LevelCounts,
    PsychometricFunction,
    count_levels,
    quick_fit,
)
from hype.statistics.resampling import condition_rng
from hype.statistics.thresholds import (
    AT,
    CONFIDENCE,
    Bounds,
    Side,
    Threshold,
    check_bounds,
    check_settings,
    obstacle,
    threshold_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class EvaluatorThreshold:
    """An evaluator and the threshold."""

    evaluator: str
    threshold: Threshold


@dataclass(frozen=True, kw_only=True)
class ConditionThresholds:
    """The thresholds of one condition."""

    # Of one function fitted to the answers of all evaluators. Where people differ it rises less
    # steeply than each person's own, and its interval, which takes answers for independent, is too
    # narrow: it speaks of these people.
    pooled: Threshold
    evaluators: tuple[EvaluatorThreshold, ...]  # each one's own, sorted by name
    # Median of the evaluators' thresholds, in ms. Those known to lie below or above what was shown
    # take part in it as the lowest and the highest; others without one do not. None where it falls
    # among them, or nobody takes part.
    median_ms: float | None
    # On which side of the exposures shown the median lies, where that is why it is None
    median_beyond: Side | None
    without: int  # number of evaluators who have no threshold


@dataclass(frozen=True, kw_only=True)
class _Job:
    """One fit, to be handed to another process: of an evaluator, or (None) of all together."""

    condition: str
    evaluator: str | None
    counts: LevelCounts
    only_answer: str | None
    """The answer to every trial, where there is but one."""


def fit_thresholds(
    judgements: pd.DataFrame,
    *,
    seed: int,
    at: float = AT,
    confidence: float = CONFIDENCE,
    bounds_ms: Bounds | None = None,
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, ConditionThresholds]:
    """Find the thresholds of all evaluators and of all conditions, sorted.

    ``bounds_ms`` are by default the shortest and the longest exposure in the judgements. The same
    seed gives the same figures, whichever other conditions there are and however many processes.
    With more than one, a script that calls this must be importable (`if __name__ == "__main__":`).
    ``progress`` is told the number of fits done and of all fits, after each, which takes about half
    a second.

    InputError where a setting is out of range; HypeError where a process was killed.
    """
    if processes < 1:
        raise InputError("processes", str(processes), "allowed is a whole number, 1 or more")
    exposures_ms = judgements["exposure_ms"]
    bounds_ms = bounds_ms or (float(exposures_ms.min()), float(exposures_ms.max()))
    check_settings(at, confidence, bounds_ms)
    fit = partial(_fit, at=at, confidence=confidence, bounds_ms=bounds_ms, seed=seed)
    jobs = list(_jobs(judgements))
    fitted: dict[int, Threshold] = {}
    for place, threshold in _run(jobs, fit, processes):
        fitted[place] = threshold
        if progress:
            progress(len(fitted), len(jobs))
    return _by_condition(jobs, [fitted[place] for place in range(len(jobs))])


def _jobs(judgements: pd.DataFrame) -> Iterator[_Job]:
    """Give the fits of each condition, sorted: of all evaluators together, then of each."""
    names = ["condition", "evaluator"]
    table = (
        judgements[names]
        .astype(str)
        .assign(
            exposure_ms=judgements["exposure_ms"].astype(float),
            fake=judgements["answer"].eq("fake"),
            correct=judgements["answer"].eq("fake") == judgements["truth"].eq("fake"),
        )
    )
    for condition, everyone in table.groupby("condition"):
        yield _job(everyone, str(condition), None)
        for evaluator, own in everyone.groupby("evaluator"):
            yield _job(own, str(condition), str(evaluator))


def _job(rows: pd.DataFrame, condition: str, evaluator: str | None) -> _Job:
    only = "fake" if rows["fake"].all() else None if rows["fake"].any() else "real"
    counts = count_levels(rows["exposure_ms"], rows["correct"])
    return _Job(condition=condition, evaluator=evaluator, counts=counts, only_answer=only)


def _run(
    jobs: Sequence[_Job], fit: Callable[[_Job], Threshold], processes: int
) -> Iterator[tuple[int, Threshold]]:
    """Yield the place of each job and its threshold, in any order."""
    if processes == 1:
        yield from ((place, fit(job)) for place, job in enumerate(jobs))
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(processes, len(jobs)), context, initializer=_ignore_interrupts)
    try:
        places = {pool.submit(fit, job): place for place, job in enumerate(jobs)}
        for future in as_completed(places):
            yield places[future], future.result()
    except BrokenProcessPool:
        raise HypeError("a process was killed, perhaps for lack of memory") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that hands out the work, which then takes back what is left."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _fit(job: _Job, *, at: float, confidence: float, bounds_ms: Bounds, seed: int) -> Threshold:
    # Names are printable: a line break cannot make two pairs of them one.
    rng = condition_rng(seed, f"{job.condition}\n{job.evaluator or ''}")
    return threshold_of(
        job.counts, bounds_ms, at=at, confidence=confidence, rng=rng, only_answer=job.only_answer
    )


def _by_condition(
    jobs: Sequence[_Job], thresholds: Sequence[Threshold]
) -> dict[str, ConditionThresholds]:
    pooled: dict[str, Threshold] = {}
    people: dict[str, list[EvaluatorThreshold]] = {}
    for job, threshold in zip(jobs, thresholds, strict=True):
        if job.evaluator is None:
            pooled[job.condition] = threshold
        else:
            row = EvaluatorThreshold(evaluator=job.evaluator, threshold=threshold)
            people.setdefault(job.condition, []).append(row)
    return {name: _condition(pooled[name], rows) for name, rows in people.items()}


def _condition(pooled: Threshold, rows: Sequence[EvaluatorThreshold]) -> ConditionThresholds:
    median_ms, beyond = median_threshold([row.threshold for row in rows])
    return ConditionThresholds(
        pooled=pooled,
        evaluators=tuple(rows),
        median_ms=median_ms,
        median_beyond=beyond,
        without=sum(row.threshold.threshold_ms is None for row in rows),
    )


def median_threshold(thresholds: Iterable[Threshold]) -> tuple[float | None, Side | None]:
    """Give the median of thresholds, and on which side it lies where it has no number.

    Thresholds below or above what was shown are the lowest and the highest; those without any for
    another reason are left out.
    """
    ranked = [_rank(threshold) for threshold in thresholds]
    known = [rank for rank in ranked if rank is not None]
    median_ms = statistics.median(known) if known else math.nan
    if math.isfinite(median_ms):
        return median_ms, None
    if math.isnan(median_ms):  # nobody, or half below and half above
        return None, None
    return None, "above" if median_ms > 0 else "below"


def _rank(threshold: Threshold) -> float | None:
    if threshold.threshold_ms is not None:
        return threshold.threshold_ms
    if threshold.beyond is None:
        return None
    return math.inf if threshold.beyond == "above" else -math.inf


MOST_POINTS: Final = 12
"""More than these are a cloud, and each of them says little."""


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """Answers at neighbouring exposures."""

    exposure_ms: float  # geometric mean of their exposures, in ms
    # shortest_ms, longest_ms: the extremes of these
    shortest_ms: float
    longest_ms: float
    # trials, correct: answers, at least one, and how many of them are correct
    trials: int
    correct: int
    share: float  # `correct` over `trials`, 0 to 1
    # ci_low, ci_high: Wilson's 95 % interval of the share, 0 to 1; it takes the answers as
    # independent
    ci_low: float
    ci_high: float


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The psychometric curve of one condition, all evaluators together."""

    points: tuple[CurvePoint, ...]  # the data, by exposure; at least one
    # What was fitted to them before they were joined; None where nothing was
    function: PsychometricFunction | None
    reason: str | None  # why there is no function; None where there is one
    trials: int
    # shortest_ms, longest_ms: the extremes of the exposures: beyond them the function speaks of
    # nothing that was seen
    shortest_ms: float
    longest_ms: float


def psychometric_curves(
    judgements: pd.DataFrame,
    bounds_ms: Bounds | None = None,
    *,
    most_points: int = MOST_POINTS,
) -> dict[str, Curve]:
    """Fit a psychometric function to the answers of each condition, and sum up these answers.

    Parameters
    ----------
    judgements
        Rows of the time protocol, as `check_judgements` returns them; those to be scored.
    bounds_ms
        Shortest and longest exposure of the study (the prior of the fit). By default floor and
        ceiling of its staircases, as `score` takes them for thresholds.
    most_points
        How many points a curve has at most, 1 or more.

    Returns
    -------
    dict
        Condition to its curve, sorted by condition.

    Raises
    ------
    InputError
        `bounds_ms` are not two exposures above 0, the shorter one first.
    """
    bounds_ms = bounds_ms or staircase_bounds(judgements)
    check_bounds(bounds_ms)
    fakes = judgements["answer"].eq("fake").to_numpy()
    correct = fakes == judgements["truth"].eq("fake").to_numpy()
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)
    places = judgements.groupby("condition", observed=True, sort=True).indices
    return {
        str(name): _curve(exposures_ms[rows], correct[rows], fakes[rows], bounds_ms, most_points)
        for name, rows in places.items()
    }


def curve_of(threshold: Threshold) -> PsychometricFunction | None:
    """Give the function that a threshold was read off; None where nothing was fitted."""
    if threshold.scale_ms is None or threshold.slope is None or threshold.lapse is None:
        return None
    return PsychometricFunction(
        scale_ms=threshold.scale_ms, exponent=threshold.slope, lapse=threshold.lapse
    )


def _curve(
    exposures_ms: npt.NDArray[np.float64],
    correct: npt.NDArray[np.bool_],
    fakes: npt.NDArray[np.bool_],
    bounds_ms: Bounds,
    most_points: int,
) -> Curve:
    counts = count_levels(exposures_ms, correct)
    only_answer = "fake" if fakes.all() else None if fakes.any() else "real"
    against = obstacle(counts, only_answer)
    return Curve(
        points=curve_points(exposures_ms, correct, most=most_points),
        function=None if against else quick_fit(counts, bounds_ms),
        reason=against[0] if against else None,
        trials=len(correct),
        shortest_ms=counts.shortest_ms,
        longest_ms=counts.longest_ms,
    )


def curve_points(
    exposures_ms: npt.NDArray[np.float64],
    correct: npt.NDArray[np.bool_],
    *,
    most: int = MOST_POINTS,
) -> tuple[CurvePoint, ...]:
    """Sum up answers as at most so many points, each of neighbouring exposures.

    Exposures are joined so that within the points they scatter little on the scale of ln t: those
    two neighbours at a time whose joining adds least to the sum of squares (Ward 1963,
    "Hierarchical grouping to optimize an objective function", Journal of the American Statistical
    Association 58, 236-244). So an exposure with many trials stays by itself, and rare ones join.
    """
    levels_ms, level = np.unique(exposures_ms, return_inverse=True)
    at_levels = np.bincount(level)
    starts = _first_of_each(np.log(levels_ms), at_levels.astype(float), most)
    trials = np.add.reduceat(at_levels, starts)
    right = np.add.reduceat(np.bincount(level, correct), starts).astype(np.int64)
    logs = np.add.reduceat(at_levels * np.log(levels_ms), starts)
    shortest_ms = levels_ms[starts]
    longest_ms = levels_ms[np.append(starts[1:], len(levels_ms)) - 1]
    columns = {
        "exposure_ms": np.exp(logs / trials).clip(shortest_ms, longest_ms),  # rounding aside
        "shortest_ms": shortest_ms,
        "longest_ms": longest_ms,
        "trials": trials,
        "correct": right,
        "share": right / trials,
        **dict(zip(("ci_low", "ci_high"), wilson_interval(right, trials), strict=True)),
    }
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return tuple(CurvePoint(**dict(zip(columns, row, strict=True))) for row in rows)


def _first_of_each(
    log_levels: npt.NDArray[np.float64], trials: npt.NDArray[np.float64], most: int
) -> npt.NDArray[np.int64]:
    """Give the places of the levels at which the points begin."""
    starts, means = np.arange(len(log_levels)), log_levels
    while len(starts) > most:
        joint = trials[:-1] + trials[1:]
        at = int((trials[:-1] * trials[1:] / joint * np.diff(means) ** 2).argmin())
        means, trials = means.copy(), trials.copy()
        means[at] = (trials[at : at + 2] * means[at : at + 2]).sum() / joint[at]
        trials[at] = joint[at]
        starts, means, trials = (np.delete(column, at + 1) for column in (starts, means, trials))
    return starts
