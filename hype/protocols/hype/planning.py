"""What planning asks of HYPE's methods: their observers, and their verdict on two conditions."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.planning.planned import PairVerdict, PlannedScore
from hype.protocols.hype.condition_scores import Options
from hype.protocols.hype.counterbalancing import served_by
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.exclusion import treatment_in
from hype.protocols.hype.observer import MOST_CERTAIN
from hype.protocols.hype.outgoing import JUDGED
from hype.protocols.hype.rows import ROW
from hype.protocols.hype.scoring import compare_pairs
from hype.protocols.hype.settings import Method, ObserverSettings, Study
from hype.protocols.hype.settling import find_unsettled
from hype.protocols.hype.table import check_judgements
from hype.protocols.hype.trial import SCORED_TASKS
from hype.study.assignment import Cell
from hype.study.draws import STANDARD_NORMAL
from hype.study.table import LONGEST_MS

SHORTEST_MS: Final = 0.001
"""Any threshold far below the shortest exposure is as good as another."""
UNITS: Final[dict[Method, str]] = {"time": "ms", "infinity": "percentage points"}


def planned_judgements(study: Study, method: str | None) -> PlannedScore:
    """Plan one method of a study; without a word HYPE_∞, where it has that.

    Raises InputError: the study has no such method, evaluates nothing, or its staircase cannot
    settle, so that scores would be of nothing.
    """
    own = chosen_method(study, method)
    timed = own == "time"
    problem = find_unsettled(study.settings.time) if timed else None
    if problem:
        raise InputError(study.path, problem.message, problem.remedy)
    course = HypeCourse(study)
    course.require_enough()
    conditions = tuple(course.pools.fake)
    groups: dict[tuple[str, ...], tuple[Cell, ...]] = {}
    for cell in course.cells:
        if own in cell.methods:
            serves = tuple(sorted(served_by(study.settings, conditions, cell)))
            groups[serves] = (*groups.get(serves, ()), cell)
    return PlannedScore(
        course=course,
        title="HYPE_time" if timed else "HYPE_∞",
        unit=UNITS[own],
        conditions=conditions,
        groups=groups,
        outgoing=JUDGED,
        columns=frozenset(column.name for column in ROW.read),
        check=check_judgements,
        pairs=partial(pairs_by, own),
        pay=study.settings.pay.pay(),
        paid=count_correct,
        parameter="threshold_ms" if timed else "ceiling",
        move=move_threshold if timed else move_ceiling,
        sign=1 if timed else -1,
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


def pairs_by(method: Method, frame: pd.DataFrame) -> list[PairVerdict]:
    pairs = compare_pairs(frame, method, Options(spoiled=treatment_in(frame)))
    return [PairVerdict(pair.a, pair.b, pair.difference, bool(pair.separable)) for pair in pairs]


def count_correct(frame: pd.DataFrame) -> int:
    correct = frame["truth"].astype(str).eq(frame["answer"].astype(str))
    return int((correct & frame["task"].isin(SCORED_TASKS)).sum())


def move_threshold(observer: ObserverSettings, by: float) -> dict[str, float]:
    """Move the logarithm of the threshold, on which people differ from one another."""
    threshold_ms = observer.threshold_ms * math.exp(by)
    return {"threshold_ms": float(np.clip(threshold_ms, SHORTEST_MS, LONGEST_MS))}


def move_ceiling(observer: ObserverSettings, by: float) -> dict[str, float]:
    """Move the normal quantile of the ceiling, on which people differ from one another."""
    z = STANDARD_NORMAL.inv_cdf(float(np.clip(observer.ceiling, 1 - MOST_CERTAIN, MOST_CERTAIN)))
    moved = STANDARD_NORMAL.cdf(z - by)
    return {"ceiling": float(np.clip(moved, 1 - MOST_CERTAIN, MOST_CERTAIN))}


PLANNED: Final = planned_judgements
