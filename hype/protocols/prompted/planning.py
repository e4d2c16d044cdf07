"""What planning asks of comparisons, ratings and rankings alike: strengths, in Elo points."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from hype.planning.planned import Parameter, PlannedGroup, PlannedScore, Told
from hype.statistics.strengths import ELO_PER_UNIT

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from hype.protocols.prompted.conduct import PromptedConduct
    from hype.session.outgoing import Outgoing
    from hype.statistics.strength_table import Difference
    from hype.tables.columns import Declared


ELO: Final = "Elo points"


def planned_strengths(
    conduct: PromptedConduct[Any],
    *,
    title: str,
    outgoing: Outgoing[Any],
    columns: Iterable[Declared],
    check: Callable[..., pd.DataFrame],
    told: Callable[[pd.DataFrame, str, str], Told],
    unit: str = ELO,
) -> PlannedScore:
    """Plan a study in which everybody is asked about all conditions."""
    pay: Any = conduct.study.settings.pay
    return PlannedScore(
        conduct=conduct,
        title=title,
        unit=unit,
        conditions=conduct.pools.conditions,
        groups=(PlannedGroup(serves=(), cells=conduct.cells),),
        outgoing=outgoing,
        columns=frozenset(column.name for column in columns),
        check=check,
        told=told,
        pay=pay.pay(),
        paid=len,
        parameter=Parameter(name="strength", moved=move_strength, value=strength_of),
        of_win_rate=elo_of if unit == ELO else None,
    )


def elo_of(win_rate: float) -> float:
    """Give how many Elo points make a win rate, or as often a defeat."""
    return ELO_PER_UNIT * abs(math.log(win_rate / (1 - win_rate)))


def strength_of(settings: Any, condition: str) -> float:
    taste = settings.observers.get(condition)
    return taste.strength if taste else 0.0


def move_strength(settings: Any, baseline: str, rival: str, by: float) -> Any:
    """Move the strength, on all axes where there are axes."""
    kind = type(settings).model_fields["observers"].annotation.__args__[1]
    taste = settings.observers.get(baseline, kind())
    changed: dict[str, Any] = {"strength": taste.strength + by}
    if hasattr(taste, "axes"):
        changed["axes"] = {axis: strength + by for axis, strength in taste.axes.items()}
    moved = taste.model_copy(update=changed)
    return settings.model_copy(update={"observers": {**settings.observers, rival: moved}})


def told_by(differences: Iterable[Difference], baseline: str, rival: str) -> Told:
    """Take that of a pair, in Elo points, of all differences, which have the stronger first."""
    for one in differences:
        if {one.a, one.b} == {baseline, rival}:
            elo = ELO_PER_UNIT * one.difference.value * (1 if one.a == rival else -1)
            return Told(difference=elo, separable=one.verdict == "separable")
    return Told(difference=math.nan, separable=False)
