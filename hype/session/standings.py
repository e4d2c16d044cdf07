"""Where evaluators stand, whatever they answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Connection, Row, case, func, select

from hype.session.steps import Due
from hype.store.places import status_now
from hype.store.schema import evaluators
from hype.study.studies import AnyStudy


class Owed(Protocol):
    """Where anybody stands, whatever they answer: how far they are, and what they are owed.

    ``trials`` are answers that count.
    """

    @property
    def evaluator(self) -> str: ...

    @property
    def condition(self) -> str:
        """What they judge; nothing where they compare everything."""

    @property
    def methods(self) -> tuple[str, ...]: ...

    @property
    def status(self) -> str:
        """How far they are, as `hype.store.places.status_now` tells it."""

    @property
    def trials(self) -> int: ...

    @property
    def pay(self) -> float:
        """What is due as of now."""

    @property
    def base(self) -> float: ...

    @property
    def bonus(self) -> float: ...

    @property
    def came_unix_s(self) -> float:
        """When they were assigned."""

    @property
    def last_answered_unix_s(self) -> float | None:
        """When they were last asked what they answered; None where they answered nothing."""


def number_of(which: ColumnElement[bool], name: str) -> ColumnElement[int]:
    return func.sum(case((which, 1), else_=0)).label(name)


def total_due(standings: Sequence[Owed]) -> Due:
    return Due(
        base=round(sum(standing.base for standing in standings), 2),
        bonus=round(sum(standing.bonus for standing in standings), 2),
    )


def all_evaluators(
    connection: Connection, study: AnyStudy, *, simulated: bool
) -> Iterable[Row[Any]]:
    """Give everybody in the order in which they came, with their status as of now."""
    columns = [column for column in evaluators.c if column.name != "status"]
    query = select(*columns, status_now(study.place_rule))
    return connection.execute(
        query.where(evaluators.c.simulated == simulated).order_by(evaluators.c.id)
    )
