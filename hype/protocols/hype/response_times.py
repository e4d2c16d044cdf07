"""How long people took to answer: quantiles, by condition, correctness and truth.

Response times are skewed and have no natural upper end, so all figures are quantiles and counts;
there are no means. Quantiles interpolate linearly (Hyndman & Fan 1996, "Sample quantiles in
statistical packages", The American Statistician 50, 361-365, definition 7).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from hype.protocols.hype.images import label_codes
from hype.protocols.hype.trial import SCORED_TASKS
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.proportions import median_interval

TOO_FAST_MS: Final = 200.0
"""A choice between two keys that begins with the picture takes people longer. In HYPE_time the
clock starts after the masks, and a decision may have been made before: there it proves nothing."""
TOO_SLOW_MS: Final = 60_000.0
"""Somebody did something else meanwhile."""
DECADES: Final = (2, 5)
"""From which to which power of ten ms times are binned: 100 ms to 100 s."""
BINS_PER_DECADE: Final = 10

QUANTILES: Final = {
    "p05_ms": 0.05,
    "p25_ms": 0.25,
    "median_ms": 0.5,
    "p75_ms": 0.75,
    "p95_ms": 0.95,
}


@dataclass(frozen=True, kw_only=True)
class Times:
    """Response times of a set of judgements."""

    n: int  # how many, at least 1
    # p05_ms, p25_ms, median_ms, p75_ms, p95_ms: their quantiles, in ms
    p05_ms: float
    p25_ms: float
    median_ms: float
    p75_ms: float
    p95_ms: float


@dataclass(frozen=True, kw_only=True)
class EvaluatorMedians:
    """How evaluators differ: each one's median response time."""

    evaluators: int  # how many have one
    # lowest_ms, p25_ms, median_ms, p75_ms, highest_ms: quartiles and extremes of their medians, in
    # ms
    lowest_ms: float
    p25_ms: float
    median_ms: float
    p75_ms: float
    highest_ms: float
    # ci_low_ms, ci_high_ms: interval of the median over evaluators, between two of theirs:
    # `median_interval`. None with fewer than six.
    ci_low_ms: float | None
    ci_high_ms: float | None


@dataclass(frozen=True, kw_only=True)
class ConditionTimes:
    """The response times of one condition in one protocol."""

    condition: str
    task: str
    times: Times  # of all its judgements that have one
    # correct, wrong, real, fake: of those judged correctly and wrongly, of real and of fake images;
    # None where there is none
    correct: Times | None
    wrong: Times | None
    real: Times | None
    fake: Times | None
    evaluators: EvaluatorMedians  # the spread of evaluators' medians
    missing: int  # judgements without a response time
    # too_fast, too_slow: times below `TOO_FAST_MS` and above `TOO_SLOW_MS`. They are among all the
    # others here.
    too_fast: int
    too_slow: int
    # Times in each bin of `ResponseTimes.edges_ms`; the first and the last bin take in what lies
    # beyond
    counts: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ResponseTimes:
    """The response times of a study."""

    # Ends of the bins, equal on the scale of ln t and the same for all conditions; one more than
    # there are bins
    edges_ms: tuple[float, ...]
    # Time before infinity, then by name. A condition without any response time is left out.
    conditions: tuple[ConditionTimes, ...]

    def of(self, task: str) -> tuple[ConditionTimes, ...]:
        return tuple(row for row in self.conditions if row.task == task)


@dataclass(frozen=True, kw_only=True)
class _AnswersWithTimes:
    """Judgements of one condition that have a response time, fastest first; arrays of one shape."""

    rt_ms: FloatArray
    evaluator: IntArray
    correct: BoolArray
    fake: BoolArray


def response_times(judgements: pd.DataFrame) -> ResponseTimes | None:
    """Sum up response times by protocol and condition.

    Parameters
    ----------
    judgements
        As `check_judgements` returns them; practice and qualification are passed over.

    Returns
    -------
    ResponseTimes or None
        None where no judgement of a scored protocol has a response time.
    """
    if "rt_ms" not in judgements:
        return None
    rt_ms = judgements["rt_ms"].to_numpy(dtype=float)
    columns = _columns(judgements, rt_ms)
    edges_ms = np.logspace(*DECADES, BINS_PER_DECADE * (DECADES[1] - DECADES[0]) + 1)
    summaries = [
        _condition(columns, *labels, rows, edges_ms)
        for labels, rows in _by_condition(judgements, rt_ms)
    ]
    conditions = tuple(row for row in summaries if row is not None)
    if not conditions:
        return None
    return ResponseTimes(edges_ms=tuple(edges_ms.tolist()), conditions=conditions)


def _by_condition(
    judgements: pd.DataFrame, rt_ms: FloatArray
) -> Iterator[tuple[tuple[str, str], IntArray]]:
    """Yield condition and task with the places of their rows, sorted by response time."""
    conditions, names = label_codes(judgements["condition"])
    tasks, task_names = label_codes(judgements["task"])
    group = tasks * len(names) + conditions
    order = np.argsort(rt_ms, kind="stable")  # missing ones come last
    order = order[np.argsort(group[order], kind="stable")]
    ends = np.cumsum(np.bincount(group, minlength=len(task_names) * len(names)))
    for task in SCORED_TASKS:
        for place, name in enumerate(names if task in task_names else ()):
            number = task_names.index(task) * len(names) + place
            yield (name, task), order[ends[number - 1] if number else 0 : ends[number]]


def _columns(judgements: pd.DataFrame, rt_ms: FloatArray) -> _AnswersWithTimes:
    fake = judgements["truth"].eq("fake").to_numpy()
    return _AnswersWithTimes(
        rt_ms=rt_ms,
        evaluator=label_codes(judgements["evaluator"])[0],
        correct=judgements["answer"].eq("fake").to_numpy() == fake,
        fake=fake,
    )


def _condition(
    columns: _AnswersWithTimes, condition: str, task: str, rows: IntArray, edges_ms: FloatArray
) -> ConditionTimes | None:
    """Sum up the rows of one condition, sorted by their times; None where none has any."""
    rt_ms = columns.rt_ms[rows]
    n = int(np.count_nonzero(~np.isnan(rt_ms)))
    missing, rows, rt_ms = len(rows) - n, rows[:n], rt_ms[:n]
    everything = _times(rt_ms)
    if everything is None:
        return None
    correct, fake = columns.correct[rows], columns.fake[rows]
    inside = rt_ms.clip(edges_ms[0], edges_ms[-1])
    return ConditionTimes(
        condition=condition,
        task=task,
        times=everything,
        correct=_times(rt_ms[correct]),
        wrong=_times(rt_ms[~correct]),
        real=_times(rt_ms[~fake]),
        fake=_times(rt_ms[fake]),
        evaluators=_evaluator_medians(rt_ms, columns.evaluator[rows]),
        missing=missing,
        too_fast=int(np.searchsorted(rt_ms, TOO_FAST_MS)),
        too_slow=n - int(np.searchsorted(rt_ms, TOO_SLOW_MS, side="right")),
        counts=tuple(np.histogram(inside, edges_ms)[0].tolist()),
    )


def _times(rt_ms: FloatArray) -> Times | None:
    if not len(rt_ms):
        return None
    found_ms = zip(QUANTILES, np.quantile(rt_ms, [*QUANTILES.values()]).tolist(), strict=True)
    return Times(n=len(rt_ms), **dict(found_ms))


def _evaluator_medians(rt_ms: FloatArray, evaluators: IntArray) -> EvaluatorMedians:
    """Find each evaluator's median among sorted times, and sum these up."""
    grouped = rt_ms[np.argsort(evaluators, kind="stable")]
    numbers = np.unique(evaluators, return_counts=True)[1]
    first = np.cumsum(numbers) - numbers
    medians_ms = np.sort((grouped[first + (numbers - 1) // 2] + grouped[first + numbers // 2]) / 2)
    lowest_ms, p25_ms, median_ms, p75_ms, highest_ms = np.quantile(
        medians_ms, (0.0, 0.25, 0.5, 0.75, 1.0)
    ).tolist()
    interval_ms = median_interval(medians_ms) or (None, None)
    return EvaluatorMedians(
        evaluators=len(medians_ms),
        lowest_ms=lowest_ms,
        p25_ms=p25_ms,
        median_ms=median_ms,
        p75_ms=p75_ms,
        highest_ms=highest_ms,
        ci_low_ms=interval_ms[0],
        ci_high_ms=interval_ms[1],
    )
