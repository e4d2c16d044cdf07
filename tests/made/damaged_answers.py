"""Damage to the answers in one table of a record, as somebody with an editor would do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from known import verify_record
from long import long_but
from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    delete,
    func,
    insert,
    select,
    update,
)
from verified_records import Statement, damage, faults_of, raw, without_rules

from hype.store.schema import evaluators, events, studies
from hype.study.studies import AnyStudy

E = evaluators.c
Damages = Mapping[str, tuple[Statement, str | None, str]]
NO_SUM = "0" * 64


def assert_found(
    study: AnyStudy, what: tuple[Statement, str | None, str], *, alone: bool = False
) -> None:
    """Do damage, of which verifying must say whose it is and what; ``alone``: and nothing else."""
    statement, evaluator, code = what
    damage(study, statement)
    verified = verify_record(study)

    assert not verified.sound
    assert (evaluator, code) in faults_of(verified)
    if alone:
        assert faults_of(verified) == {(evaluator, code)}
        assert verified.findings.number("fault") == 1


def who(code: str) -> ColumnElement[bool]:
    """Select an evaluator; codes with "sim" are those of simulated ones."""
    return and_(E.evaluator == code, E.simulated == ("sim" in code))


def number_of(code: str) -> Any:
    """Give the number of an evaluator."""
    return select(E.id).where(who(code)).scalar_subquery()


def edit_evaluator(code: str, **cells: Any) -> Statement:
    """Change cells of an evaluator's row."""
    return update(evaluators).where(who(code)).values(cells)


ALIKE = (
    *("cell-impossible", "reference-broken", "study-copy-unreadable", "study-not-kept"),
    *("session-of-another", "simulated-unlike-evaluator", "consent-missing", "trial-twice"),
    *("ending-unlike-status", "status-unlike-trials", "showing-unlike-trials"),
    *("judgement-copied", "onsets-descend", "clock-jump", "response-time-negative"),
)
"""Faults of what no protocol decides: judgements have them, and other answers in the soak."""


def own_damages(damages: Damages) -> list[Any]:
    """Mark all damages as long but the first of each fault that is not alike everywhere."""
    kinds = {what: code for what, (*_, code) in damages.items()}
    first = {code: what for what, code in reversed(kinds.items()) if code not in ALIKE}
    return long_but(first.values(), kinds)


@dataclass(frozen=True)
class Answers:
    """The answers in one table, and what can be done to them."""

    table: Table

    def of(self, code: str) -> ColumnElement[bool]:
        """Select all answers of an evaluator."""
        return self.table.c.evaluator_id == number_of(code)

    def nth(self, n: int, where: ColumnElement[bool]) -> ColumnElement[bool]:
        """Select the n-th of some answers, from 0; the last are -1, -2, ..."""
        number = self.table.c.id
        order = number if n >= 0 else number.desc()
        query = select(number).where(where).order_by(order).offset(n if n >= 0 else -n - 1)
        return number == query.limit(1).scalar_subquery()

    def edit(self, where: ColumnElement[bool], **cells: Any) -> Statement:
        """Change cells of one answer."""

        def change(connection: Connection) -> None:
            query = select(self.table.c.id).where(where)
            (number,) = connection.execute(query).scalars().all()
            this = self.table.c.id == number
            connection.execute(update(self.table).where(this).values(cells))

        return change

    def drop(self, where: ColumnElement[bool]) -> Statement:
        """Remove answers."""

        def change(connection: Connection) -> None:
            numbers = connection.execute(select(self.table.c.id).where(where)).scalars().all()
            connection.execute(delete(self.table).where(self.table.c.id.in_(numbers)))

        return change

    def copy(self, where: ColumnElement[bool], **cells: Any) -> Statement:
        """Let an answer be there twice, with some cells changed."""

        def change(connection: Connection) -> None:
            without_rules(connection, self.table)
            row = connection.execute(select(self.table).where(where)).mappings().one()
            last = connection.execute(select(func.max(self.table.c.id))).scalar_one()
            connection.execute(insert(self.table).values({**row, "id": last + 1, **cells}))

        return change

    def swap(self, one: ColumnElement[bool], other: ColumnElement[bool]) -> Statement:
        """Let two answers change places, and keep all else as it was."""

        def change(connection: Connection) -> None:
            number = self.table.c.id
            first, second = (
                connection.execute(select(number).where(where)).scalar_one()
                for where in (one, other)
            )
            for before, after in ((first, -1), (second, first), (-1, second)):
                connection.execute(update(self.table).where(number == before).values(id=after))

        return change


def damages_of_any(answers: Answers, one: ColumnElement[bool]) -> Damages:
    """Give what can be done to all answers alike: to one, and to the last, of p04."""
    last = answers.nth(-1, answers.of("p04"))
    p03 = number_of("p03")
    return {
        "task": (answers.edit(one, task="guess"), "p04", "trial-unplanned"),
        "block": (answers.edit(one, block=9), "p04", "trial-missing"),
        "number": (answers.edit(one, trial=999), "p04", "trial-unplanned"),
        "one gone": (answers.drop(one), "p04", "trial-missing"),
        "the last gone": (answers.drop(last), "p04", "status-unlike-trials"),
        "all gone": (answers.drop(answers.of("p04")), "p04", "status-unlike-trials"),
        "copy": (answers.copy(one), "p04", "judgement-copied"),
        "answered twice": (answers.copy(one, rt_ms=999.0), "p04", "trial-twice"),
        "after the last": (answers.copy(last, trial=999), "p04", "after-the-end"),
        "another's session": (answers.edit(one, session_id=1), "p04", "session-of-another"),
        "another evaluator": (answers.edit(one, evaluator_id=p03), "p03", "trial-missing"),
        "person simulated": (
            answers.edit(one, simulated=True),
            "p04",
            "simulated-unlike-evaluator",
        ),
        "time of day": (
            answers.edit(one, onset_unix_s=answers.table.c.onset_unix_s + 60),
            *("p04", "clock-jump"),
        ),
        "word for a number": (answers.edit(one, rt_ms=raw("soon")), None, "cell-impossible"),
        "interrupted out of place": (
            update(events).where(events.c.event == "interrupted").values(trial=99),
            *("p05", "showing-unlike-trials"),
        ),
        "no consent": (
            update(events).where(events.c.event == "consent").values(answer="no"),
            *("p01", "consent-missing"),
        ),
        "unknown share": (edit_evaluator("p04", share=3), "p04", "evaluator-unlike-study"),
        "no share": (edit_evaluator("p04", share=None), "p04", "evaluator-unlike-study"),
        "pairs": (edit_evaluator("p04", pairs='[["a","b"]]'), "p04", "evaluator-unlike-study"),
        "another kind of study": (
            update(studies).values(resolved='{"study": {"methods": ["time"]}}'),
            *(None, "study-copy-unreadable"),
        ),
    }
