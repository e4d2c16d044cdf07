"""The thresholds of all evaluators and of all conditions, fitted one beside the other."""

from __future__ import annotations

import math
import multiprocessing
import signal
import statistics
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hype.errors import HypeError, InputError
from hype.statistics.psychometric_fit import LevelCounts, count_levels
from hype.statistics.resampling import condition_rng
from hype.statistics.thresholds import (
    AT,
    CONFIDENCE,
    Bounds,
    Side,
    Threshold,
    check_settings,
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
    """The thresholds of one condition.

    Parameters
    ----------
    pooled
        Of one function fitted to the answers of all evaluators. Where people differ it rises less
        steeply than each person's own, and its interval, which takes answers for independent, is
        too narrow: it speaks of these people.
    evaluators
        Each one's own, sorted by name.
    median_ms
        Median of the evaluators' thresholds, in ms. Those known to lie below or above what was
        shown take part in it as the lowest and the highest; others without one do not. None where
        it falls among them, or nobody takes part.
    median_beyond
        On which side of the exposures shown the median lies, where that is why it is None.
    without
        Number of evaluators who have no threshold.
    """

    pooled: Threshold
    evaluators: tuple[EvaluatorThreshold, ...]
    median_ms: float | None
    median_beyond: Side | None
    without: int


@dataclass(frozen=True, kw_only=True)
class _Settings:
    """What all fits have in common."""

    at: float
    confidence: float
    bounds_ms: Bounds
    seed: int


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
    """Find the thresholds of all evaluators and of all conditions.

    Parameters
    ----------
    judgements
        Rows of the time protocol, as `check_judgements` returns them; those to be scored.
    seed
        Of `goodness_p` and `binomial_p`; the same seed gives the same figures, whichever other
        conditions there are and however many processes.
    at, confidence
        As for `fit_threshold`.
    bounds_ms
        As for `fit_threshold`; by default the shortest and the longest exposure in `judgements`.
    processes
        How many work at it: a fit takes about half a second. With more than one, a script that
        calls this must be importable (`if __name__ == "__main__":`).
    progress
        Called with the number of fits done and of all fits, after each.

    Returns
    -------
    dict
        Condition to its thresholds, sorted by condition.

    Raises
    ------
    InputError
        A setting is out of range.
    HypeError
        A process was killed.
    """
    if processes < 1:
        raise InputError("processes", str(processes), "allowed is a whole number, 1 or more")
    exposures_ms = judgements["exposure_ms"]
    bounds_ms = bounds_ms or (float(exposures_ms.min()), float(exposures_ms.max()))
    check_settings(at, confidence, bounds_ms)
    settings = _Settings(at=at, confidence=confidence, bounds_ms=bounds_ms, seed=seed)
    jobs = list(_jobs(judgements))
    fitted: dict[int, Threshold] = {}
    for place, threshold in _run(jobs, settings, processes):
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
    jobs: Sequence[_Job], settings: _Settings, processes: int
) -> Iterator[tuple[int, Threshold]]:
    """Yield the place of each job and its threshold, in any order."""
    if processes == 1:
        yield from ((place, _fit(job, settings)) for place, job in enumerate(jobs))
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(processes, len(jobs)), context, initializer=_ignore_interrupts)
    try:
        places = {pool.submit(_fit, job, settings): place for place, job in enumerate(jobs)}
        for future in as_completed(places):
            yield places[future], future.result()
    except BrokenProcessPool:
        raise HypeError("a process was killed, perhaps for lack of memory") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that hands out the work, which then takes back what is left."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _fit(job: _Job, settings: _Settings) -> Threshold:
    # Names are printable: a line break cannot make two pairs of them one.
    rng = condition_rng(settings.seed, f"{job.condition}\n{job.evaluator or ''}")
    return threshold_of(
        job.counts,
        settings.bounds_ms,
        at=settings.at,
        confidence=settings.confidence,
        rng=rng,
        only_answer=job.only_answer,
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
