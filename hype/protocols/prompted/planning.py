"""What planning asks of comparisons, ratings and rankings alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from hype.planning.planned import ELO, PairVerdict, PlannedScore
from hype.protocols.prompted.course import PromptedCourse
from hype.session.outgoing import Outgoing
from hype.statistics.strengths import ELO_PER_UNIT
from hype.tables.columns import Declared


def planned_strengths(
    course: PromptedCourse[Any],
    differences: Callable[[pd.DataFrame], Iterable[Any]],
    *,
    title: str,
    outgoing: Outgoing[Any],
    columns: Iterable[Declared],
    check: Callable[..., pd.DataFrame],
    unit: str = ELO,
) -> PlannedScore:
    """Plan a study in which everybody is asked about all conditions.

    ``differences`` takes a checked frame and gives its pairs of conditions: how far their strengths
    are apart, or their means, and the verdict.
    """
    pay: Any = course.study.settings.pay
    return PlannedScore(
        course=course,
        title=title,
        unit=unit,
        conditions=course.pools.conditions,
        groups={course.pools.conditions: course.cells},
        outgoing=outgoing,
        columns=frozenset(column.name for column in columns),
        check=check,
        pairs=partial(pairs_by, differences, ELO_PER_UNIT if unit == ELO else 1),
        pay=pay.pay(),
        paid=len,
        parameter="strength",
        move=move_strength,
    )


def pairs_by(
    differences: Callable[[pd.DataFrame], Iterable[Any]], times: float, frame: pd.DataFrame
) -> list[PairVerdict]:
    return [
        PairVerdict(one.a, one.b, times * one.difference.value, one.verdict == "separable")
        for one in differences(frame)
    ]


def move_strength(taste: Any, by: float) -> dict[str, Any]:
    """Move the strength, on all axes where there are axes."""
    changed: dict[str, Any] = {"strength": taste.strength + by}
    if hasattr(taste, "axes"):
        changed["axes"] = {axis: strength + by for axis, strength in taste.axes.items()}
    return changed
