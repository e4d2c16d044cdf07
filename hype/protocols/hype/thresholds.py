"""Thresholds of evaluators at a chosen accuracy, and their psychometric curves.

Each evaluator has their own psychometric function, and the threshold of a condition is the median
over evaluators, since people are a sample and differ from each other. A single function for all
answers together would be biased by the staircase's rule, which leads people to different exposures.
Thresholds at a chosen accuracy, with an interval for each evaluator, are fitted only on request.
Settle points (the thresholds at the accuracy where the staircase's rule settles) and the drawn
curves are always fitted, for all evaluators at once (`fit_each`).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from hype.protocols.hype.block_scores import are_right, staircase_bounds
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
    check_settings,
    falling_accuracy,
    miss,
    obstacle,
    threshold_of,
)


def count_answers(
    judgements: pd.DataFrame, tolerance: float
) -> list[tuple[str, str, LevelCounts, str | None]]:
    """Count each evaluator's answers by exposure, sorted by condition and evaluator.

    The last value of a row is the answer that the evaluator always gave; None if both occur.
    """
    fake, correct = judgements["answer"].eq("fake").to_numpy(), are_right(judgements)
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)
    keys = ["condition", "evaluator"]
    places: dict[Any, Any] = judgements.groupby(keys, observed=True, sort=False).indices
    return [
        (
            str(condition),
            str(evaluator),
            count_levels(exposures_ms[rows], correct[rows], tolerance=tolerance),
            "fake" if fake[rows].all() else None if fake[rows].any() else "real",
        )
        for (condition, evaluator), rows in sorted(places.items())
    ]


def fit_thresholds(
    judgements: pd.DataFrame,
    *,
    seed: int,
    at: float = AT,
    confidence: float = CONFIDENCE,
    bounds_ms: Bounds | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[dict[str, dict[str, Any]], tuple[dict[str, Any], ...]]:
    """Find the thresholds of all evaluators, and their medians by condition.

    ``bounds_ms``: by default the shortest and the longest exposure in the judgements. The same seed
    gives the same numbers, whatever other conditions there are. ``progress`` is called with the
    number of finished fits and of all fits. InputError if a setting is out of range.

    Returns the result of `median_threshold` by condition, and a row with the fields of `Threshold`
    for each evaluator, sorted by condition.
    """
    exposures_ms = judgements["exposure_ms"]
    bounds_ms = bounds_ms or (float(exposures_ms.min()), float(exposures_ms.max()))
    check_settings(at, confidence, bounds_ms)
    people = count_answers(judgements, TOLERANCE)
    rows: list[dict[str, Any]] = []
    own_ms: dict[str, list[float | None]] = {}
    falling: dict[str, int] = {}
    for condition, evaluator, counts, only_answer in people:
        # Names contain no line breaks, so a line break between two names is unambiguous.
        rng = condition_rng(seed, f"{condition}\n{evaluator}")
        fit = threshold_of(
            counts, bounds_ms, at=at, confidence=confidence, rng=rng, only_answer=only_answer
        )
        rows.append({"condition": condition, "evaluator": evaluator, **vars(fit)})
        own_ms.setdefault(condition, []).append(_place(fit.threshold_ms, fit.beyond))
        falling[condition] = falling.get(condition, 0) + bool(falling_accuracy(counts))
        if progress:
            progress(len(rows), len(people))
    medians = {
        name: median_threshold(every, at, confidence, falling=falling[name])
        for name, every in own_ms.items()
    }
    return medians, tuple(rows)


def median_threshold(
    own_ms: Iterable[float | None], at: float, confidence: float = CONFIDENCE, *, falling: int = 0
) -> dict[str, Any]:
    """Summarise evaluators' thresholds: ∞ above shown exposures, −∞ below, None if unknown.

    ``at``: the share of correct answers, including lapses and lucky guesses. ``median``: the median
    over evaluators in ms, with the interval of `median_over_people`. Thresholds outside the shown
    exposures count as the lowest or the highest; unknown ones are left out. If the median is
    outside the exposures, it is None and ``beyond`` names the side. ``without``: the number of
    evaluators without a threshold; ``falling``: how many get worse with longer exposures.
    """
    every = list(own_ms)
    known = [exposure_ms for exposure_ms in every if exposure_ms is not None]
    middle = statistics.median(known) if known else math.nan
    side: Side = "above" if middle == math.inf else "below"
    return {
        "at": at,
        "median": median_over_people(known, confidence) if math.isfinite(middle) else None,
        # NaN (no side): half of the evaluators are below and half above
        "beyond": side if math.isinf(middle) else None,
        "without": len(every) - sum(map(math.isfinite, known)),
        "few": len(known) < 6,  # with few people, the interval is Student's or missing
        "falling": falling,
    }


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
    function: PsychometricFunction | None  # None if nothing could be fitted
    # Why there is no function, and on which side of the exposures the threshold is, if known
    against: tuple[str, Side | None] | None

    def exposure_ms(self, at: float) -> float | None:
        if self.function is None:
            return _place(None, self.against[1] if self.against else None)
        exposure_ms = self.function.exposure_ms_at(at)
        missed = miss(exposure_ms, self.counts, self.function, at)
        return _place(exposure_ms, missed[1] if missed else None)


def fit_curves(
    judgements: pd.DataFrame, bounds_ms: Bounds | None = None
) -> dict[str, tuple[EvaluatorCurve, ...]]:
    """Fit a psychometric function for each evaluator; return the functions by condition.

    ``judgements``: scored judgements of HYPE_time. ``bounds_ms``: the shortest and the longest
    exposure of the study, for the prior of the fit; by default, those of the table.
    """
    bounds_ms = bounds_ms or staircase_bounds(judgements)
    people = count_answers(judgements, 0.0)
    against = [obstacle(counts, only_answer) for _, _, counts, only_answer in people]
    able = [counts for (_, _, counts, _), why in zip(people, against, strict=True) if not why]
    functions = iter(fit_each(able, bounds_ms) if able else ())
    curves = [
        EvaluatorCurve(
            condition=condition,
            evaluator=evaluator,
            counts=counts,
            function=None if why else next(functions),
            against=why,
        )
        for (condition, evaluator, counts, _), why in zip(people, against, strict=True)
    ]
    return {name: tuple(own) for name, own in groupby(curves, key=lambda curve: curve.condition)}


def settle_points(
    judgements: pd.DataFrame, bounds_ms: Bounds, settles_at: Mapping[str, float]
) -> dict[str, dict[str, Any]]:
    """Estimate the exposure at which each condition's staircases settle (see `median_threshold`).

    ``settles_at``: the accuracy at which the rule of each condition settles; conditions without a
    rule are left out.
    """
    if not settles_at:
        return {}
    curves = fit_curves(judgements, bounds_ms)
    return {
        name: median_threshold(
            [own.exposure_ms(at) for own in curves[name]],
            at,
            falling=sum(bool(own.against and falling_accuracy(own.counts)) for own in curves[name]),
        )
        for name, at in settles_at.items()
        if name in curves
    }


def typical_function(curves: Sequence[EvaluatorCurve]) -> PsychometricFunction | None:
    """Return the function whose parameters are medians over evaluators; None without functions."""
    fitted = [curve.function for curve in curves if curve.function]
    if not fitted:
        return None
    return PsychometricFunction(
        scale_ms=statistics.median(function.scale_ms for function in fitted),
        exponent=statistics.median(function.exponent for function in fitted),
        lapse=statistics.median(function.lapse for function in fitted),
    )
