"""Who came to compare: a table beside the comparisons, which also has those who made none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Row, case, func, select

from hype.export.kinds.base import PeopleTable
from hype.export.kinds.people_table import Fact, answered, prompted_table, scored, whole
from hype.export.pieces import Tally
from hype.sessions.exported_comparisons import (
    BY_STATUS,
    REASONS,
    NotCounted,
    Validated,
    failed_validation,
    validated,
)
from hype.store.answer_tables import comparisons
from hype.study.studies import ComparisonStudy


def evaluator_table(
    connection: Connection, study: ComparisonStudy, tally: Tally, simulated: bool
) -> PeopleTable:
    """Give a row for each evaluator, with what they said about themselves."""
    did = what_they_did(connection, study, tally, simulated=simulated)
    return prompted_table(connection, study, did, simulated=simulated)


def what_they_did(
    connection: Connection, study: ComparisonStudy, tally: Tally, *, simulated: bool
) -> Iterator[Fact]:
    """Say how much they did, and how well they looked."""
    counted = validated(connection, simulated=simulated)
    failed = failed_validation(study, counted)
    hasty = hasty_answers(connection, simulated=simulated)

    def looked(who: Row[Any]) -> Validated:
        return counted.get(who.evaluator, Validated())

    def why_not(who: Row[Any]) -> str:
        return BY_STATUS.get(who.status) or failed.get(who.evaluator, "")

    yield answered(
        tally, "comparisons", "how many comparisons they made, practice and validation included"
    )
    yield whole(
        "validation",
        "how many of these had an obvious answer, to find out whether they look",
        lambda who: looked(who).met,
    )
    yield whole(
        "validation_correct",
        "how many of those they answered correctly",
        lambda who: looked(who).correct,
    )
    yield whole(
        "hasty_answers",
        "how many answers came faster than the study allows",
        lambda who: hasty.get(who.id, 0),
    )
    reasons = (*BY_STATUS.values(), NotCounted.FAILED_VALIDATION.value)
    yield from scored(tally, "comparisons", {why: REASONS[why] for why in reasons}, why_not)


def hasty_answers(connection: Connection, *, simulated: bool) -> dict[int, int]:
    """Count the answers of each evaluator, by number, that came too fast."""
    found = comparisons.c
    query = (
        select(found.evaluator_id, func.sum(case((found.hasty, 1), else_=0)))
        .where(found.simulated == simulated)
        .group_by(found.evaluator_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}
