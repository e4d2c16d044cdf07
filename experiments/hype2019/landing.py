"""Step 2 of the fit: change observers until the people of a seed give the published figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd
from average import aims_of, moved, timed_aims_of, timed_figures, untimed_observer
from expected import LAPSE, Array, Figures
from published import EVALUATORS, HERE, Run
from runs import Observers, read_study, seed_of, simulate, with_observers
from staircases import modes

from hype.protocols.hype.settings import ObserverSettings

ROUNDS: Final = 10
MOST_BESIDE: Final = 1.5
MOST_AWAY: Final = 2.1
TIMED_ROUNDS: Final = 20
NEAR_ENOUGH: Final = 0.03
TIMED_NEAR_ENOUGH: Final = 0.005


def untimed_found(frame: pd.DataFrame) -> dict[str, Figures]:
    """Return the figures of simulated HYPE_infinity runs, by condition."""
    rows = frame[frame["task"].eq("infinity")]
    wrong = rows["answer"].ne(rows["truth"])
    kinds = wrong.groupby([rows["condition"], rows["truth"]]).mean()
    people = wrong.groupby([rows["condition"], rows["evaluator"]]).mean()
    stds = people.groupby(level=0).std(ddof=0) / np.sqrt(EVALUATORS)
    return {
        condition: Figures(
            fakes_error=kinds[condition, "fake"],
            reals_error=kinds[condition, "real"],
            std=std,
        )
        for condition, std in stds.items()
    }


def timed_found(frame: pd.DataFrame) -> dict[str, Array]:
    """Return score and Std. of simulated HYPE_time runs, by condition."""
    rows = frame[frame["task"].eq("time")]
    steps = (rows["exposure_ms"] / 10).astype(int)
    spent = pd.crosstab([rows["condition"], rows["evaluator"], rows["block"]], steps)
    spent = spent.reindex(columns=range(101), fill_value=0)
    scores = pd.Series(modes(spent.to_numpy()), index=spent.index).groupby(level=[0, 1]).mean()
    by_condition = scores.groupby(level=0)
    return {
        condition: np.array([values.mean(), values.std(ddof=0) / np.sqrt(EVALUATORS)])
        for condition, values in by_condition
    }


def land(
    name: str, runs: Sequence[Run], average: Observers, say: Callable[[str], None]
) -> dict[str, ObserverSettings]:
    """Change a study's observers until the people of the seed give the published figures."""
    study, pools = read_study(HERE, name)

    def run(observers: Observers) -> pd.DataFrame:
        return simulate(with_observers(study, observers), pools, seed=seed_of(name))

    landed = land_untimed(dict(average), aims_of(runs), run, say)
    timed = timed_aims_of(runs)
    return land_timed(landed, timed, run, say) if timed else landed


def land_untimed(
    observers: dict[str, ObserverSettings],
    targets: Mapping[str, Figures],
    run: Callable[[Observers], pd.DataFrame],
    say: Callable[[str], None],
) -> dict[str, ObserverSettings]:
    """Repeatedly shift each aim by its last error; return each condition's best observer."""
    best: dict[str, tuple[float, ObserverSettings]] = {}
    aims = dict(targets)
    for turn in range(ROUNDS):
        found = untimed_found(run(observers))
        for condition, target in targets.items():
            missed = np.abs(target.missed_by(found[condition])) * [1, 1, 0.3]
            if condition not in best or missed.max() < best[condition][0]:
                best[condition] = float(missed.max()), observers[condition]
            aims[condition] = aim_beside(aims[condition], target, found[condition])
            kept = observers[condition].model_dump(include={"threshold_ms", "timed_ceiling"})
            kept["threshold_spread"] = observers[condition].threshold_spread
            observers[condition] = untimed_observer(aims[condition], **kept)
        say(f"round {turn + 1}: " + ", ".join(f"{c} {m:.3f}" for c, (m, _) in best.items()))
        if max(size for size, _ in best.values()) < NEAR_ENOUGH:
            break
    return {condition: observer for condition, (_, observer) in best.items()}


def aim_beside(aim: Figures, target: Figures, found: Figures) -> Figures:
    """Correct an aim by the last error; correct its Std., which jumps, by only a part of its error.

    The aim's score stays about within the published interval, and its Std. near the target's. (A
    sample that lacks the few people who make most errors has a small Std. at any spread.)
    """
    fakes = aim.fakes_error - found.fakes_error
    reals = aim.reals_error - found.reals_error
    away = abs(fakes + reals) / 2 / target.std
    part = min(1.0, MOST_AWAY / away) if away else 1.0
    least = LAPSE / 2 + 0.001
    std = aim.std * np.clip((target.std / found.std) ** 0.5, 0.8, 1.25)
    return Figures(
        fakes_error=max(least, target.fakes_error + part * fakes),
        reals_error=max(least, target.reals_error + part * reals),
        std=float(np.clip(std, target.std / MOST_BESIDE, target.std * MOST_BESIDE)),
    )


def land_timed(
    observers: dict[str, ObserverSettings],
    targets: Mapping[str, tuple[float, float]],
    run: Callable[[Observers], pd.DataFrame],
    say: Callable[[str], None],
) -> dict[str, ObserverSettings]:
    """Move observers towards the targets by slopes of expected figures; return the best ones."""
    best: dict[str, tuple[float, ObserverSettings]] = {}
    slopes = {c: timed_slopes(observers[c]) for c in targets}
    for turn in range(TIMED_ROUNDS):
        found = timed_found(run(observers))
        for condition, target in targets.items():
            one = observers[condition]
            missed = (np.array(target) - found[condition]) / target[1]
            size = float(np.abs(missed * [1, 0.05]).max())
            if condition not in best or size < best[condition][0]:
                best[condition] = size, one
            now = np.array([np.log(one.threshold_ms), one.threshold_spread or 0.0])
            step = np.linalg.solve(slopes[condition], missed * target[1])
            step = (
                np.clip(step, -0.3, 0.3) * 0.9**turn
            )  # the score jumps, so the steps become smaller and smaller
            observers[condition] = moved(one, np.maximum(now + step, 0.01))
        say(f"timed round {turn + 1}: " + ", ".join(f"{c} {m:.3f}" for c, (m, _) in best.items()))
        if max(size for size, _ in best.values()) < TIMED_NEAR_ENOUGH:
            break
    return observers | {condition: observer for condition, (_, observer) in best.items()}


def timed_slopes(observer: ObserverSettings) -> Array:
    """Return derivatives of score and Std. by log threshold and by its spread, shape (2, 2)."""
    at = np.array([np.log(observer.threshold_ms), observer.threshold_spread or 0.0])
    here = timed_figures(observer, at)
    ahead = [timed_figures(observer, at + step) for step in np.diag([0.1, 0.1])]
    return (np.column_stack(ahead) - here[:, None]) / 0.1
