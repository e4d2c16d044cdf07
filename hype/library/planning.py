"""How surely two conditions are told apart, and how many people that takes."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from hype.errors import InputError
from hype.library.result import Result, from_python, seed_of
from hype.library.studies import study_in
from hype.planning.planned import Asked
from hype.planning.power import plan_power
from hype.planning.tables import heading, plan_object, plan_sentences, power_drawing, power_table
from hype.protocols.comparison.power import HEADING, plan_win_rates
from hype.protocols.registry import protocol_of

STUDIES = 200


@from_python
def power(
    study: str | PathLike[str] | None = None,
    *,
    difference: float | None = None,
    win_rate: float | None = None,
    evaluators: Sequence[int] = (),
    comparisons: int | None = None,
    method: str | None = None,
    condition: str | None = None,
    studies: int = STUDIES,
    seed: int | np.random.Generator = 0,
    workers: int = 1,  # noqa: ARG001 - `from_python` takes it
) -> Result:
    """Say how surely two conditions are told apart, and how many people that takes.

    Parameters
    ----------
    study
        A study of any protocol, or none with ``win_rate`` or ``comparisons``. A path, or what
        `open_study` gave.
    difference
        Between two scores, in their unit: percentage points (infinity), ms (time), Elo points
        (comparisons, rankings, ratings of pairs) or points of the scale. 0 counts false alarms.
        Without it what the study plans, or what its observers have.
    win_rate
        The same as a win rate, above 0 and below 1. Without a study: how many independent
        comparisons tell it from one half.
    evaluators
        Numbers of a condition to ask about, 2 or more each; without any, the number with a power of
        80 % is looked for.
    comparisons
        Without a study: what this number of independent comparisons can tell.
    method
        Which score, where the study has several: "time" or "infinity", or an axis of ratings.
    condition
        The one to tell from a rival; by default the middle one by its observers.
    studies
        How many are drawn of each size.
    seed
        Of the simulated people and of the draws, or a generator that gives one.
    workers
        Processes that simulate; more than 1 needs the guard ``if __name__ == "__main__":``.

    Returns
    -------
    Result
        A row for each number of evaluators, or for each win rate. Of a study ``needed`` is the
        fewest evaluators tried with a power of 80 %; of comparisons in general what the win rate
        takes.

    Raises
    ------
    InputError
        The study is wrong, an argument is missing or out of range.

    Examples
    --------
    >>> import hype
    >>> hype.power(win_rate=0.55).needed
    778
    """
    if study is None:
        return _of_win_rates(win_rate, comparisons)

    if comparisons is not None:
        raise InputError("comparisons", "is for win rates without a study", "evaluators")
    loaded: Any = study_in(study)
    planned = protocol_of(loaded).planned(loaded, method)
    asked = Asked(
        difference=planned.wanted(difference, win_rate),
        numbers=tuple(map(int, evaluators)),
        condition=condition,
        studies=studies,
        seed=seed_of(seed),
    )
    plan = plan_power(planned, asked, lambda _stage, _done, _of: None)
    return Result(
        value=plan,
        heading=heading(plan),
        notes=tuple(plan_sentences(plan)),
        simulated=True,
        make_object=lambda: plan_object(plan),
        make_tables=lambda: (power_table(plan),),
        make_drawings=lambda: (power_drawing(plan),),
    )


def _of_win_rates(win_rate: float | None, comparisons: int | None) -> Result:
    plan = plan_win_rates(win_rate, comparisons)
    return Result(
        value=plan,
        heading=HEADING,
        notes=(plan.sentence,),
        make_object=plan.to_json,
        make_tables=lambda: (plan.table(),),
        make_drawings=tuple,
    )
