"""The exposures at which evaluators answer with a wanted accuracy, and their psychometric curves.

Each evaluator's answers have a psychometric function of their own, and what is said of a condition
is the median of what these say: people are a sample, and differ. One function fitted to the pooled
answers would be biased by the staircase's rule, which sends people to different exposures.

Thresholds at an accuracy of choice, with an interval for everybody, are fitted where they are asked
for. Settle points, the thresholds at the accuracy where the staircase's rule settles, and the
curves that are drawn are of all evaluators at once (`fit_each`), and always there.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any

import pandas as pd

from hype.protocols.hype.block_scores import staircase_bounds
from hype.statistics.estimate import Estimate, estimated
from hype.statistics.proportions import median_over_people
from hype.statistics.psychometric_fit import (
    TOLERANCE,
    LevelCounts,
    PsychometricFunction,
    count_levels,
    fit_each,
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
    falling_accuracy,
    miss,
    obstacle,
    threshold_of,
)


@dataclass(frozen=True, kw_only=True)
class EvaluatorThreshold:
    """An evaluator and the threshold."""

    evaluator: str
    threshold: Threshold


@dataclass(frozen=True, kw_only=True)
class PeoplesThreshold:
    """The exposure at which the evaluators of a condition are right as often as is wanted."""

    at: float  # that share of correct answers, lapses and lucky guesses included
    # Median over evaluators of each one's own exposure, in ms, with the interval of
    # `median_over_people`. Those known to lie below or above what was shown take part in it as the
    # lowest and the highest; others without one do not. None where it falls among them, or nobody
    # takes part.
    median: Estimate | None = estimated("median_ms", "median_ci_low", "median_ci_high")
    # On which side of the exposures shown the median lies, where that is why it is None
    median_beyond: Side | None
    without: int  # number of evaluators who have no exposure of their own
    falling: int = 0  # number of them whose accuracy falls as exposure grows

    @property
    def median_ms(self) -> float | None:
        return self.median.value if self.median else None


@dataclass(frozen=True, kw_only=True)
class ConditionThresholds(PeoplesThreshold):
    """The thresholds of one condition."""

    evaluators: tuple[EvaluatorThreshold, ...]  # each one's own, sorted by name


@dataclass(frozen=True, kw_only=True)
class _AnswersByLevel:
    """The answers of one evaluator."""

    condition: str
    evaluator: str
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
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, ConditionThresholds]:
    """Find the thresholds of all evaluators, and their medians by condition, sorted.

    ``bounds_ms`` are by default the shortest and the longest exposure in the judgements. The same
    seed gives the same figures, whichever other conditions there are. ``progress`` is told the
    number of fits done and of all fits, after each. InputError where a setting is out of range.
    """
    exposures_ms = judgements["exposure_ms"]
    bounds_ms = bounds_ms or (float(exposures_ms.min()), float(exposures_ms.max()))
    check_settings(at, confidence, bounds_ms)
    people = answers_of_evaluators(judgements, TOLERANCE)
    falling = [own.condition for own in people if falling_accuracy(own.counts)]
    rows: dict[str, list[EvaluatorThreshold]] = {}
    for done, own in enumerate(people, start=1):
        # Names are printable: a line break cannot make two pairs of them one.
        rng = condition_rng(seed, f"{own.condition}\n{own.evaluator}")
        threshold = threshold_of(
            *(own.counts, bounds_ms),
            at=at,
            confidence=confidence,
            rng=rng,
            only_answer=own.only_answer,
        )
        row = EvaluatorThreshold(evaluator=own.evaluator, threshold=threshold)
        rows.setdefault(own.condition, []).append(row)
        if progress:
            progress(done, len(people))
    return {
        name: ConditionThresholds(
            **vars(median_threshold([_rank(row.threshold) for row in theirs], at, confidence))
            | {"falling": falling.count(name)},
            evaluators=tuple(theirs),
        )
        for name, theirs in rows.items()
    }


def answers_of_evaluators(judgements: pd.DataFrame, tolerance: float) -> list[_AnswersByLevel]:
    """Count everybody's answers by exposure, sorted by condition and evaluator."""
    fake = judgements["answer"].eq("fake").to_numpy()
    correct = fake == judgements["truth"].eq("fake").to_numpy()
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)
    keys = ["condition", "evaluator"]
    places: dict[Any, Any] = judgements.groupby(keys, observed=True, sort=False).indices
    return [
        _AnswersByLevel(
            condition=str(condition),
            evaluator=str(evaluator),
            counts=count_levels(exposures_ms[rows], correct[rows], tolerance=tolerance),
            only_answer="fake" if fake[rows].all() else None if fake[rows].any() else "real",
        )
        for (condition, evaluator), rows in sorted(places.items())
    ]


def median_threshold(
    own_ms: Iterable[float | None], at: float, confidence: float = CONFIDENCE
) -> PeoplesThreshold:
    """Sum up the exposures of evaluators: infinite above what was shown, −∞ below; None unknown."""
    every = list(own_ms)
    known = [exposure_ms for exposure_ms in every if exposure_ms is not None]
    middle = statistics.median(known) if known else math.nan
    beyond: Side | None = "above" if middle == math.inf else "below"
    return PeoplesThreshold(
        at=at,
        median=median_over_people(known, confidence) if math.isfinite(middle) else None,
        median_beyond=beyond if math.isinf(middle) else None,  # nan: half below and half above
        without=len(every) - sum(map(math.isfinite, known)),
    )


def _rank(threshold: Threshold) -> float | None:
    return _place(threshold.threshold_ms, threshold.beyond)


def _place(exposure_ms: float | None, beyond: Side | None) -> float | None:
    if beyond is None:
        return exposure_ms
    return math.inf if beyond == "above" else -math.inf


@dataclass(frozen=True, kw_only=True)
class EvaluatorCurve:
    """The psychometric function of one evaluator."""

    condition: str
    evaluator: str
    counts: LevelCounts
    function: PsychometricFunction | None  # None where nothing could be fitted
    # Why there is none, and on which side of what was shown the threshold must then lie
    against: tuple[str, Side | None] | None

    def exposure_ms(self, at: float) -> float | None:
        """Exposure at which accuracy is ``at``, as `median_threshold` takes it."""
        if self.function is None:
            return _place(None, self.against[1] if self.against else None)
        exposure_ms = self.function.exposure_ms_at(at)
        missed = miss(exposure_ms, self.counts, self.function, at)
        return _place(exposure_ms, missed[1] if missed else None)


def curves_of_evaluators(
    judgements: pd.DataFrame, bounds_ms: Bounds
) -> dict[str, tuple[EvaluatorCurve, ...]]:
    """Fit everybody's psychometric function; by condition, sorted.

    ``bounds_ms`` are floor and ceiling of the staircases (the prior of the fit).
    """
    people = answers_of_evaluators(judgements, 0.0)
    against = [obstacle(own.counts, own.only_answer) for own in people]
    able = [own.counts for own, why in zip(people, against, strict=True) if not why]
    functions = iter(fit_each(able, bounds_ms) if able else ())
    curves = [
        EvaluatorCurve(
            condition=own.condition,
            evaluator=own.evaluator,
            counts=own.counts,
            function=None if why else next(functions),
            against=why,
        )
        for own, why in zip(people, against, strict=True)
    ]
    return {name: tuple(own) for name, own in groupby(curves, key=attrgetter("condition"))}


def settle_points(
    judgements: pd.DataFrame, bounds_ms: Bounds, settles_at: Mapping[str, float]
) -> dict[str, PeoplesThreshold]:
    """Estimate at which exposures staircases settle, by condition.

    ``settles_at`` is the accuracy at which the rule of each condition settles; conditions of which
    it is not known have none.
    """
    if not settles_at:
        return {}
    curves = curves_of_evaluators(judgements, bounds_ms)
    return {
        name: replace(
            median_threshold([own.exposure_ms(at) for own in curves[name]], at),
            falling=sum(bool(own.against and falling_accuracy(own.counts)) for own in curves[name]),
        )
        for name, at in settles_at.items()
        if name in curves
    }


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The psychometric curves of one condition."""

    evaluators: tuple[EvaluatorCurve, ...]  # each one's own, sorted by name
    # Of the medians of their parameters; None where nobody has any
    typical: PsychometricFunction | None
    # Why somebody has none; None where everybody has one
    reason: str | None
    # shortest_ms, longest_ms: the extremes of the exposures: beyond them the function speaks of
    # nothing that was seen
    shortest_ms: float
    longest_ms: float


def psychometric_curves(
    judgements: pd.DataFrame, bounds_ms: Bounds | None = None
) -> dict[str, Curve]:
    """Fit a psychometric function to the answers of each evaluator.

    Parameters
    ----------
    judgements
        Rows of the time protocol, as `check_judgements` returns them; those to be scored.
    bounds_ms
        Shortest and longest exposure of the study (the prior of the fit). By default floor and
        ceiling of its staircases, as `score` takes them for thresholds.

    Returns
    -------
    dict
        Condition to its curves, sorted by condition.

    Raises
    ------
    InputError
        `bounds_ms` are not two exposures above 0, the shorter one first.
    """
    bounds_ms = bounds_ms or staircase_bounds(judgements)
    check_bounds(bounds_ms)
    curves = curves_of_evaluators(judgements, bounds_ms)
    return {name: _curve(own) for name, own in curves.items()}


def _curve(own: tuple[EvaluatorCurve, ...]) -> Curve:
    fitted = [curve.function for curve in own if curve.function]
    return Curve(
        evaluators=own,
        typical=_typical(fitted) if fitted else None,
        reason=next((curve.against[0] for curve in own if curve.against), None),
        shortest_ms=min(curve.counts.shortest_ms for curve in own),
        longest_ms=max(curve.counts.longest_ms for curve in own),
    )


def _typical(functions: Sequence[PsychometricFunction]) -> PsychometricFunction:
    return PsychometricFunction(
        scale_ms=statistics.median(function.scale_ms for function in functions),
        exponent=statistics.median(function.exponent for function in functions),
        lapse=statistics.median(function.lapse for function in functions),
    )
