"""What planning asks of HYPE's methods: their observers, and their verdict on two conditions."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hype.errors import InputError
from hype.planning.planned import Parameter, PlannedGroup, PlannedScore, Told
from hype.protocols.hype.conduct import HypeConduct
from hype.protocols.hype.counterbalancing import served_by
from hype.protocols.hype.observer import MOST_CERTAIN
from hype.protocols.hype.settings import Method, ObserverSettings, Study, StudyFile
from hype.protocols.hype.settling import unsettled
from hype.session.steps import Pay
from hype.study.draws import STANDARD_NORMAL
from hype.study.table import LONGEST_MS

if TYPE_CHECKING:
    import pandas as pd

    from hype.study.assignment import Cell

SHORTEST_MS: Final = 0.001
"""Any threshold far below the shortest exposure is as good as another."""
UNITS: Final[dict[Method, str]] = {"time": "ms", "infinity": "percentage points"}


def planned_judgements(study: Study, method: str | None) -> PlannedScore:
    """Plan one method of a study; without a word HYPE_∞, where it has that.

    Raises InputError: the study has no such method, evaluates nothing, or its staircase cannot
    settle, so that scores would be of nothing.
    """
    from hype.protocols.hype.export import JUDGED
    from hype.protocols.hype.rows import COLUMNS
    from hype.protocols.hype.table import check_judgements

    own = chosen_method(study, method)
    problem = unsettled(study.settings.time) if own == "time" else None
    if problem:
        raise InputError(study.path, problem.message, problem.remedy)
    conduct = HypeConduct(study)
    conduct.require_enough()
    conditions = tuple(conduct.pools.fake)
    groups: dict[tuple[str, ...], list[Cell]] = {}
    for cell in conduct.cells:
        if own in cell.methods:
            serves = tuple(sorted(served_by(study.settings, conditions, cell)))
            groups.setdefault(serves, []).append(cell)
    return PlannedScore(
        conduct=conduct,
        title="HYPE_time" if own == "time" else "HYPE_∞",
        unit=UNITS[own],
        conditions=conditions,
        groups=tuple(PlannedGroup(serves=s, cells=tuple(cells)) for s, cells in groups.items()),
        outgoing=JUDGED,
        columns=frozenset(column.name for column in COLUMNS),
        check=check_judgements,
        told=partial(judgements_told, method=own),
        pay=Pay(**study.settings.pay.model_dump()),
        paid=count_correct,
        parameter=THRESHOLD if own == "time" else CEILING,
    )


def chosen_method(study: Study, method: str | None) -> Method:
    methods = study.settings.study.methods
    if study.settings.only_qualifies:
        raise InputError(study.path, "evaluates nothing", f"methods of {' or '.join(UNITS)}")
    if method is None:
        return "infinity" if "infinity" in methods else methods[0]
    for known in methods:
        if known == method:
            return known
    allowed = " or ".join(f"{known} (a difference in {UNITS[known]})" for known in methods)
    raise InputError("--method", f"{method!r} is no method of {study.path}", allowed)


def judgements_told(frame: pd.DataFrame, baseline: str, rival: str, *, method: Method) -> Told:
    from hype.protocols.hype.condition_scores import Options
    from hype.protocols.hype.exclusion import treatment_in
    from hype.protocols.hype.scoring import pairs_alone

    options = Options(spoiled=treatment_in(frame))
    for pair in pairs_alone(frame, method, options):
        if {pair.a, pair.b} == {baseline, rival}:
            difference = pair.difference if pair.a == rival else -pair.difference
            return Told(difference=difference, separable=bool(pair.separable))
    return Told(difference=math.nan, separable=False)


def count_correct(frame: pd.DataFrame) -> int:
    from hype.protocols.hype.trial import SCORED_TASKS

    correct = frame["truth"].astype(str).eq(frame["answer"].astype(str))
    return int((correct & frame["task"].isin(SCORED_TASKS)).sum())


def observer_of(settings: StudyFile, condition: str) -> ObserverSettings:
    return settings.observers.get(condition, ObserverSettings())


def with_observer(settings: Any, baseline: str, rival: str, **changed: float) -> Any:
    observer = observer_of(settings, baseline).model_copy(update=changed)
    return settings.model_copy(update={"observers": {**settings.observers, rival: observer}})


def move_threshold(settings: Any, baseline: str, rival: str, by: float) -> Any:
    """Move the logarithm of the threshold, on which people differ from one another."""
    threshold_ms = observer_of(settings, baseline).threshold_ms * math.exp(by)
    threshold_ms = float(np.clip(threshold_ms, SHORTEST_MS, LONGEST_MS))
    return with_observer(settings, baseline, rival, threshold_ms=threshold_ms)


def move_ceiling(settings: Any, baseline: str, rival: str, by: float) -> Any:
    """Move the normal quantile of the ceiling, on which people differ from one another."""
    ceiling = observer_of(settings, baseline).ceiling
    z = STANDARD_NORMAL.inv_cdf(float(np.clip(ceiling, 1 - MOST_CERTAIN, MOST_CERTAIN)))
    moved = float(np.clip(STANDARD_NORMAL.cdf(z - by), 1 - MOST_CERTAIN, MOST_CERTAIN))
    return with_observer(settings, baseline, rival, ceiling=moved)


def threshold_of(settings: Any, condition: str) -> float:
    return observer_of(settings, condition).threshold_ms


def ceiling_of(settings: Any, condition: str) -> float:
    return observer_of(settings, condition).ceiling


THRESHOLD: Final = Parameter(name="threshold_ms", moved=move_threshold, value=threshold_of)
CEILING: Final = Parameter(name="ceiling", moved=move_ceiling, value=ceiling_of, sign=-1)
