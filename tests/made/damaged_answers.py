"""Sound records of every protocol, and changes with which an editor can damage them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from known import verify_record
from paper_comparer import compared_soundly
from paper_ranker import ranked_soundly
from paper_rater import rated_soundly
from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, insert, select, update
from verified_records import Statement, damage, faults_of, sound_study, without_rules

from hype.protocols.comparison.record import comparisons
from hype.protocols.hype.record import judgements
from hype.protocols.ranking.record import placements
from hype.protocols.rating.record import ratings
from hype.store.schema import evaluators, sessions
from hype.study.studies import AnyStudy

E, S = evaluators.c, sessions.c
NO_SUM = "0" * 64


class Damage(NamedTuple):
    """The fault and the evaluator that `hype verify` must name, and the damage to the record."""

    code: str
    statement: Statement
    evaluator: str | None = "p04"


Damages = Mapping[str, Damage]


def assert_found(study: AnyStudy, done: Damage, *, alone: bool = False) -> None:
    """Do damage; `hype verify` must report it with its evaluator, and no other if ``alone``."""
    damage(study, done.statement)
    verified = verify_record(study)

    assert not verified.sound
    assert (done.evaluator, done.code) in faults_of(verified)
    if alone:
        assert faults_of(verified) == {(done.evaluator, done.code)}
        assert len(verified.faults) == 1


def who(code: str) -> ColumnElement[bool]:
    """Select an evaluator; codes with "sim" are those of simulated evaluators."""
    return and_(E.evaluator == code, E.simulated == ("sim" in code))


def number_of(code: str) -> Any:
    """Return a query for the number of an evaluator."""
    return select(E.id).where(who(code)).scalar_subquery()


def edit_evaluator(code: str, **cells: Any) -> Statement:
    """Change cells of an evaluator's row."""
    return update(evaluators).where(who(code)).values(cells)


def edit_session(code: str, which: Any, **cells: Any) -> Statement:
    """Change the first (``func.min``) or last (``func.max``) session of an evaluator."""
    number = select(which(S.id)).where(S.evaluator_id == number_of(code)).scalar_subquery()
    return update(sessions).where(S.id == number).values(cells)


@dataclass(frozen=True)
class Answers:
    """The answers in one table, and statements that damage them."""

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
            assert numbers
            connection.execute(delete(self.table).where(self.table.c.id.in_(numbers)))

        return change

    def copy(self, where: ColumnElement[bool], **cells: Any) -> Statement:
        """Add a copy of an answer with some cells changed."""

        def change(connection: Connection) -> None:
            without_rules(connection, self.table)
            row = connection.execute(select(self.table).where(where)).mappings().one()
            last = connection.execute(select(func.max(self.table.c.id))).scalar_one()
            connection.execute(insert(self.table).values({**row, "id": last + 1, **cells}))

        return change

    def swap(self, one: ColumnElement[bool], other: ColumnElement[bool]) -> Statement:
        """Exchange the places of two answers, and change nothing else."""

        def change(connection: Connection) -> None:
            number = self.table.c.id
            first, second = (
                connection.execute(select(number).where(where)).scalar_one()
                for where in (one, other)
            )
            for before, after in ((first, -1), (second, first), (-1, second)):
                connection.execute(update(self.table).where(number == before).values(id=after))

        return change


JUDGED, COMPARED = Answers(judgements), Answers(comparisons)
RATED, RANKED = Answers(ratings), Answers(placements)


@dataclass(frozen=True)
class Sound:
    """A function that makes a sound record, and one answer of p04 in this record."""

    make: Callable[..., AnyStudy]
    answers: Answers
    one: ColumnElement[bool]


def answer_of(answers: Answers, task: str, n: int, *where: ColumnElement[bool]) -> Any:
    """Select the n-th answer of p04 in a task."""
    return answers.nth(n, and_(answers.of("p04"), answers.table.c.task == task, *where))


PLACED = answer_of(
    RANKED, "ranking", 0, placements.c.image.is_not(None), func.length(placements.c.standing) == 1
)
"""The act that placed the second image of a group; two images have no place yet."""
OF_IMAGES: Any = {"rating": {"of": "images"}}
RECORDS = {
    "flashed": Sound(sound_study, JUDGED, answer_of(JUDGED, "time", 3)),
    "judged": Sound(sound_study, JUDGED, answer_of(JUDGED, "infinity", 1)),
    "compared": Sound(compared_soundly, COMPARED, answer_of(COMPARED, "comparison", 2)),
    "arena": Sound(
        partial(compared_soundly, arena=True), COMPARED, answer_of(COMPARED, "validation", 0)
    ),
    "rated": Sound(rated_soundly, RATED, answer_of(RATED, "rating", 2)),
    "rated images": Sound(
        partial(rated_soundly, **OF_IMAGES),
        RATED,
        answer_of(RATED, "rating", 2, ratings.c.truth.is_not(None)),
    ),
    "ranked": Sound(ranked_soundly, RANKED, PLACED),
    "accepted": Sound(
        ranked_soundly, RANKED, answer_of(RANKED, "ranking", 0, placements.c.answer == "accept")
    ),
}
