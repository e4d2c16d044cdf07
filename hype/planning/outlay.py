"""What a planned study takes: money and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hype.planning.groups import Group
from hype.protocols.hype.plan import Pay


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlay:
    """What a study of so many evaluators per condition takes, on average.

    Attributes
    ----------
    cost
        In all: base for everyone who comes, those who are turned away included, and what is paid
        per correct judgement.
    hours
        In all, of those who are turned away as well.
    hours_per_evaluator
        Of one who comes to the end.
    turned_away_share
        Of all who come, 0 to 1.
    """

    cost: float
    hours: float
    hours_per_evaluator: float
    turned_away_share: float


def outlay(groups: Sequence[Group], pay: Pay, evaluators: int) -> Outlay:
    """Give what so many evaluators per condition take; whoever is turned away is replaced."""
    cost = hours = away = own_hours = 0.0
    for group in groups:
        n, each = len(group.complete), group.turned_away_each
        own = sum(sitting.seconds for sitting in group.complete) / n / 3600
        lost = sum(sitting.seconds for sitting in group.turned_away) / n / 3600
        cost += sum(pay.due(sitting.correct) for sitting in group.complete) / n
        cost += pay.due(0) * each
        hours += own + lost
        own_hours += own
        away += each
    return Outlay(
        cost=evaluators * cost,
        hours=evaluators * hours,
        hours_per_evaluator=own_hours / len(groups),
        turned_away_share=away / (away + len(groups)),
    )
