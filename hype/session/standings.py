"""Where evaluators stand, whatever they answer."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import ColumnElement, Connection, Row, case, func, select

from hype.session.steps import Due
from hype.store.places import PlaceRule
from hype.store.schema import evaluators

if TYPE_CHECKING:
    from hype.protocols.studies import AnyStudy
    from hype.study.shared import SharedSettings


class Owed(Protocol):
    """Where anybody stands, whatever they answer: how far they are, and what they are owed.

    ``trials`` are answers that count.
    """

    @property
    def evaluator(self) -> str:
        """Their code."""

    @property
    def condition(self) -> str:
        """What they judge; nothing where they compare everything."""

    @property
    def methods(self) -> tuple[str, ...]:
        """What they do."""

    @property
    def status(self) -> str:
        """How far they are."""

    @property
    def standing(self) -> str:
        """What they are to the design: `hype.store.places.PlaceStanding`."""

    @property
    def trials(self) -> int:
        """How many of their answers count."""

    @property
    def pay(self) -> float:
        """What is due as of now."""

    @property
    def base(self) -> float:
        """A part of it."""

    @property
    def bonus(self) -> float:
        """The other part."""

    @property
    def came_unix_s(self) -> float:
        """When they were assigned."""

    @property
    def last_answered_unix_s(self) -> float | None:
        """When they were last asked what they answered; None where they answered nothing."""


def place_rule(settings: SharedSettings) -> PlaceRule:
    """Tell as of now who has a place of a study's design."""
    return PlaceRule(since_unix_s=time.time() - 60 * settings.web.release_minutes)


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
    """Give everybody in the order in which they came, and what their ``standing`` is."""
    columns, standing = evaluators.c, place_rule(study.settings).standing
    query = select(evaluators, standing).where(columns.simulated == simulated)
    return connection.execute(query.order_by(columns.id))
