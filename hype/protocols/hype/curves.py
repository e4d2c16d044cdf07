"""The psychometric curve of each condition, with its data: quick enough for every report.

The function is the maximum of the posterior whose intervals `fit_thresholds` gives (`quick_fit`).
It is fitted to all exposures that were shown; only the points drawn beside it are joined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.protocols.hype.images import wilson_interval
from hype.protocols.hype.modal_exposure import staircase_bounds
from hype.statistics.psychometric_fit import PsychometricFunction, count_levels
from hype.statistics.quick_fit import quick_fit
from hype.statistics.thresholds import check_bounds, obstacle

if TYPE_CHECKING:
    import pandas as pd

    from hype.statistics.thresholds import Bounds, Threshold

MOST_POINTS: Final = 12
"""More than these are a cloud, and each of them says little."""


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """Answers at neighbouring exposures.

    Parameters
    ----------
    exposure_ms
        Geometric mean of their exposures, in ms.
    shortest_ms, longest_ms
        The extremes of these.
    trials, correct
        Answers, at least one, and how many of them are correct.
    share
        `correct` over `trials`, 0 to 1.
    ci_low, ci_high
        Wilson's 95 % interval of the share, 0 to 1; it takes the answers as independent.
    """

    exposure_ms: float
    shortest_ms: float
    longest_ms: float
    trials: int
    correct: int
    share: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The psychometric curve of one condition, all evaluators together.

    Parameters
    ----------
    points
        The data, by exposure; at least one.
    function
        What was fitted to them before they were joined; None where nothing was.
    reason
        Why there is no function; None where there is one.
    trials
        All answers.
    shortest_ms, longest_ms
        The extremes of the exposures: beyond them the function speaks of nothing that was seen.
    """

    points: tuple[CurvePoint, ...]
    function: PsychometricFunction | None
    reason: str | None
    trials: int
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
    """Sum up answers as few points, each of neighbouring exposures.

    Exposures are joined so that within the points they scatter little on the scale of ln t: those
    two neighbours at a time whose joining adds least to the sum of squares (Ward 1963,
    "Hierarchical grouping to optimize an objective function", Journal of the American Statistical
    Association 58, 236-244). So an exposure with many trials stays by itself, and rare ones join.

    Parameters
    ----------
    exposures_ms, correct
        Exposure of each trial, above 0, and whether its answer was correct, shape (trials,); at
        least one.
    most
        How many points at most, 1 or more.
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
