"""Step 1 of the fit: find observers whose expected figures are the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from expected import LAPSE, Array, Figures, solve
from implied import std_of
from published import Run
from scipy.optimize import least_squares
from staircases import Timed, people_scores

from hype.protocols.hype.settings import ObserverSettings

DIGITS: Final = {"threshold_ms": 1, "ceiling": 5}
SLOPE: Final = 1.5
FLOOR_THRESHOLD_MS: Final = 40.0
"""Threshold of models whose score is the shortest exposure; lower thresholds change nothing."""
TIMED_CEILING: Final = 0.9
TIMED_CEILING_AT_THE_FLOOR: Final = 0.99
"""Both ceilings are assumed: see celeba-64/study.toml."""


def aims_of(runs: Sequence[Run]) -> dict[str, Figures]:
    """Return the published figures of a study's HYPE_infinity runs, as shares, by condition."""
    untimed = [run for run in runs if run.method == "infinity"]
    return {
        run.condition: Figures(
            fakes_error=(run.score if run.fakes_error is None else run.fakes_error) / 100,
            reals_error=(run.score if run.reals_error is None else run.reals_error) / 100,
            std=std_of(run, untimed) / 100,
        )
        for run in untimed
    }


def timed_aims_of(runs: Sequence[Run]) -> dict[str, tuple[float, float]]:
    """Return the score and Std. of each HYPE_time run above the shortest exposure, by condition."""
    timed = [run for run in runs if run.method == "time"]
    return {run.condition: (run.score, std_of(run, timed)) for run in timed if not run.bottomed_out}


def untimed_observer(aim: Figures, **others: float | None) -> ObserverSettings:
    """Return the observer, rounded as in the file, whose expected figures are ``aim``."""
    found = solve(aim)
    numbers: dict[str, float | None] = {
        "threshold_ms": FLOOR_THRESHOLD_MS,
        "slope": SLOPE,
        "lapse": LAPSE,
        "ceiling": found.ceiling,
        "bias": found.bias,
        "ceiling_spread": found.ceiling_spread,
        **others,
    }
    return rounded(numbers)


def rounded(numbers: Mapping[str, float | None]) -> ObserverSettings:
    """Make an observer from numbers rounded as in the file."""
    given = {key: value for key, value in numbers.items() if value is not None}
    return ObserverSettings(**{k: round(v, DIGITS.get(k, 4)) + 0.0 for k, v in given.items()})


def timed_of(observer: ObserverSettings, unknowns: Array) -> Timed:
    """Return an observer for staircases; ``unknowns``: log threshold, and spread of thresholds."""
    return Timed(
        threshold_ms=float(np.exp(unknowns[0])),
        threshold_spread=float(unknowns[1]),
        slope=observer.slope,
        ceiling=observer.timed_ceiling or observer.ceiling,
        bias=observer.bias,
        ceiling_spread=observer.ceiling_spread or 0.0,
    )


def timed_figures(observer: ObserverSettings, unknowns: Array) -> Array:
    """Return the expected score and Std. of thirty people."""
    scores = people_scores(timed_of(observer, unknowns))
    return np.array([scores.mean(), scores.std() * np.sqrt(29) / 30])


def fit_timed(observer: ObserverSettings, aim: tuple[float, float]) -> ObserverSettings:
    """Fit the threshold and its spread to ``aim``, a score and Std."""

    def misfit(unknowns: Array) -> Array:
        return (timed_figures(observer, unknowns) - aim) / aim[1]

    bounds = ([2.0, 0.0], [8.0, 2.0])
    found = least_squares(
        misfit, [5.0, 0.4], bounds=bounds, diff_step=0.03, xtol=1e-3, ftol=1e-4, max_nfev=20
    )
    return moved(observer, found.x)


def moved(observer: ObserverSettings, unknowns: Array) -> ObserverSettings:
    """Set an observer's log threshold and spread of thresholds to ``unknowns``."""
    numbers = {
        **observer.model_dump(),
        "threshold_ms": float(np.exp(unknowns[0])),
        "threshold_spread": float(unknowns[1]),
    }
    return rounded(numbers)


def on_average(runs: Sequence[Run], *, timed: bool = True) -> dict[str, ObserverSettings]:
    """Return the observers of one study whose expected figures are the published ones.

    If not ``timed``, thresholds are not fitted; their fit takes longest.
    """
    ceilings = {
        run.condition: TIMED_CEILING_AT_THE_FLOOR if run.bottomed_out else TIMED_CEILING
        for run in runs
        if run.method == "time"
    }
    found = {
        condition: untimed_observer(aim, timed_ceiling=ceilings.get(condition))
        for condition, aim in aims_of(runs).items()
    }
    if timed:
        for condition, aim in timed_aims_of(runs).items():
            found[condition] = fit_timed(found[condition], aim)
    return found
