"""Who came to compare: a table beside the comparisons, which also has those who made none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Row, case, func, select

from hype.export.columns import ExportedColumn, Kind, documented
from hype.export.kinds.about_them import columns_of, questions_in, read_said
from hype.export.kinds.arrivals import ASSIGNED, SESSIONS, arrivals
from hype.export.kinds.base import PeopleTable
from hype.export.moments import utc
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
from hype.store.schema import evaluators
from hype.study.studies import ComparisonStudy


def number(name: str, meaning: str) -> ExportedColumn:
    """Describe a column that counts."""
    return ExportedColumn(name=name, meaning=meaning, kind=Kind.WHOLE)


WHO: Final = (
    documented("evaluator", evaluators.c.evaluator),
    documented("simulated", evaluators.c.simulated),
    documented("share", evaluators.c.share),
    documented("status", evaluators.c.status),
)
DID: Final = (
    ASSIGNED,
    SESSIONS,
    number("comparisons", "how many comparisons they made, practice and validation included"),
    number("validation", "how many of these had an obvious answer, to find out whether they look"),
    number("validation_correct", "how many of those they answered correctly"),
    number("hasty_answers", "how many answers came faster than the study allows"),
    number("scored", "how many of their comparisons are scored"),
    ExportedColumn(
        name="not_scored",
        meaning="why none of their comparisons is scored; empty where there is no reason",
        kind=Kind.TEXT,
        levels={
            why: REASONS[why] for why in (*BY_STATUS.values(), NotCounted.FAILED_VALIDATION.value)
        },
        gaps=True,
    ),
)


def evaluator_table(
    connection: Connection, study: ComparisonStudy, tally: Tally, simulated: bool
) -> PeopleTable:
    """Give a row for each evaluator, with what they said about themselves."""
    said = read_said(connection, simulated=simulated)
    questions = questions_in(study.settings, said)
    looked = validated(connection, simulated=simulated)
    failed = failed_validation(study, looked)
    hasty = hasty_answers(connection, simulated=simulated)
    rows = tuple(
        (
            *(who.evaluator, who.simulated, who.share, who.status),
            *(said.get(who.id, {}).get(question, "") for question in questions),
            *did(who, tally, looked.get(who.evaluator, Validated()), hasty),
            BY_STATUS.get(who.status) or failed.get(who.evaluator, ""),
        )
        for who in arrivals(connection, simulated=simulated)
    )
    asked = columns_of(study.settings, questions, said)
    return PeopleTable(columns=(*WHO, *asked, *DID), rows=rows)


def did(
    who: Row[Any], tally: Tally, looked: Validated, hasty: Mapping[int, int]
) -> tuple[object, ...]:
    """Say when somebody came, and how much they did."""
    return (
        *(utc(who.assigned_unix_s), who.sessions, tally.by_evaluator[who.evaluator]),
        *(looked.met, looked.correct, hasty.get(who.id, 0), tally.scored[who.evaluator]),
    )


def hasty_answers(connection: Connection, *, simulated: bool) -> dict[int, int]:
    """Count the answers of each evaluator, by number, that came too fast."""
    found = comparisons.c
    query = (
        select(found.evaluator_id, func.sum(case((found.hasty, 1), else_=0)))
        .where(found.simulated == simulated)
        .group_by(found.evaluator_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}
