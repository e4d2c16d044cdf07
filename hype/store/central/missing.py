"""What a central store has of a study, and what of a record it has not, or has otherwise.

Nothing is noted at a station of what it has pushed: it asks, and both sides count. So a push that
was cut off, a server that was put back from an old copy and a station that comes after a week are
all the same case. Where a copy of a record was gone on with, the store has other answers to the
same trials: it keeps a note of each, and so does the record, until somebody settles it
(`hype.store.central.problems`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, Row, Select, Table, cast, func, select

from hype.errors import InputError, NothingRecorded
from hype.store import schema
from hype.store.central import tables
from hype.store.central.problems import TRIAL, CentralRefused, Contradiction
from hype.store.columns import object_in
from hype.store.schema import ANSWER_TABLES, evaluators, studies

"""What is wrong with a store to which no station has pushed."""


def resolved_studies(connection: Connection) -> Sequence[str]:
    """Give the study, resolved, as JSON: first as the newest evaluators were given it.

    Raises InputError: the store holds no study yet.
    """
    newest = select(evaluators.c.study, func.max(evaluators.c.id).label("last"))
    given = newest.group_by(evaluators.c.study).subquery()
    query = select(studies.c.resolved).outerjoin(given, given.c.study == studies.c.checksum)
    query = query.order_by(given.c.last.desc().nulls_last(), studies.c.checksum)
    resolved = connection.execute(query).scalars().all()
    if not resolved:
        where = connection.engine.url.render_as_string()
        raise NothingRecorded(where, "holds no study yet", "hype sync STUDY --to URL brings one")
    return resolved


def names_of(resolved: Iterable[str]) -> set[str]:
    """Give the names that a study had in each of its versions; of those that can be read."""
    return {name for text in resolved if (name := study_named(text))}


def study_named(resolved: str) -> str:
    """Give the name of a resolved study; nothing where it is none."""
    study = object_in(resolved).get("study")
    return str(study.get("name", "")) if isinstance(study, dict) else ""


def require_same_study(url: str, here: AbstractSet[str], there: AbstractSet[str]) -> None:
    """Refuse a store in which another study is, by the names that both have ever had.

    Raises CentralRefused: it names both.
    """
    if here and there and not here & there:
        problem = f"holds the study {min(there)!r}, and this one is {min(here)!r}"
        raise CentralRefused(url, problem, "each study has a database of its own")


def names_at_store(store: Connection) -> set[str]:
    return names_of(store.execute(select(tables.studies.c.resolved)).scalars())


def names_in_record(record: Connection) -> set[str]:
    return names_of(record.execute(select(studies.c.resolved)).scalars())


ANSWER_NAMES: Final = frozenset(table.name for table in ANSWER_TABLES)

Extents = Mapping[str, Mapping[int, tuple[Any, ...]]]

"""By the name of a table, and the number of an evaluator: how many rows of theirs it has, and of
answers and sessions what their times add up to, which tells as many others apart."""

LAST_S: Final = 1e11

"""Later times count as this one: nothing a record may hold makes a sum too large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """Somebody of whom the store does not have everything."""

    row: Row[Any]  # their row in the record
    uid: str  # their name in every copy of it
    missing: frozenset[str]  # the tables in which something of theirs is missing
    answers: int  # how many of their answers the record has in these


def pending(record: Connection, store: Connection) -> list[Pending]:
    """List those of whom something is missing, in the order of their arrival.

    Whoever was removed on request is not among them, even where the record still has them.

    Raises InputError: the record is damaged.
    """
    rows = people_of(record)
    known, gone = evaluators_at_store(store, rows), removals_at_store(store)
    numbers = {uid: evaluator.number for uid, evaluator in known.items()}
    ours, theirs = extents_of_record(record), extents_of_store(store, list(numbers.values()))
    evaluators_pending = []
    for uid, row in rows.items():
        missing = differing(ours, row.id, theirs, numbers.get(uid))
        if uid not in gone and (missing or uid not in numbers):
            answers = sum(number_of(ours, name, row.id) for name in missing & ANSWER_NAMES)
            evaluators_pending.append(Pending(row=row, uid=uid, missing=missing, answers=answers))
    return evaluators_pending


def people_of(record: Connection) -> dict[str, Row[Any]]:
    """Give the rows of all evaluators, by their `uid`, in the order of their arrival.

    Raises InputError: two of them have the same.
    """
    rows = record.execute(select(schema.evaluators).order_by(schema.evaluators.c.id)).all()
    row_of_uid = {row.uid: row for row in rows}
    if len(row_of_uid) < len(rows):
        raise InputError("the record", "has evaluators of one uid", "hype verify STUDY tells which")
    return row_of_uid


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEvaluator:
    """Somebody whom the store knows: by which number, and as whose evaluator."""

    number: int
    station: str | None


def evaluators_at_store(store: Connection, uids: Iterable[str]) -> dict[str, KnownEvaluator]:
    """Give those whom the store knows, by their `uid`."""
    columns = tables.evaluators.c
    query = select(columns.uid, columns.id, columns.station).where(
        columns.uid == func.any(list(uids))
    )
    return {
        row.uid: KnownEvaluator(number=row.id, station=row.station) for row in store.execute(query)
    }


def station_at(store: Connection) -> str | None:
    """Give the station that the store takes this one for; whoever owns it is none."""
    name = store.execute(select(func.hype_added.station())).scalar()
    return None if name is None else str(name)


def removals_at_store(store: Connection) -> frozenset[str]:
    """Give the `uid` of everybody who was removed on request."""
    return frozenset(filter(None, store.execute(select(tables.removals.c.uid)).scalars()))


def differing(ours: Extents, number: int, theirs: Extents, known_as: int | None) -> frozenset[str]:
    """Name the tables that do not have the same of an evaluator on both sides."""
    other = -1 if known_as is None else known_as
    return frozenset(
        name for name, rows in ours.items() if rows.get(number) != theirs[name].get(other)
    )


def number_of(extents: Extents, table: str, evaluator: int) -> int:
    count: int = extents[table].get(evaluator, (0,))[0]
    return count


def extents_of_record(record: Connection) -> Extents:
    people, held, demographics = schema.evaluators.c, schema.sessions.c, schema.demographics.c
    since = func.max(func.coalesce(demographics.asked_unix_s, 0.0))

    def times(column: ColumnElement[float]) -> ColumnElement[Any]:
        return func.sum(cast(func.min(func.max(column, 0.0), LAST_S) * 1000, BigInteger))

    queries = {
        "parts": extent(people.id).where(people.status != "active"),
        "sessions": extent(held.evaluator_id, times(held.started_unix_s)),
        "ends": extent(held.evaluator_id).where(held.ended.is_not(None)),
        "events": extent(held.evaluator_id).join(schema.events),
        "demographics": extent(demographics.evaluator_id, since, of=demographics.question),
        **{t.name: extent(t.c.evaluator_id, times(t.c.onset_unix_s)) for t in ANSWER_TABLES},
    }
    return {name: counted(record, query) for name, query in queries.items()}


def extents_of_store(store: Connection, numbers: Sequence[int]) -> Extents:
    """Count what a store has of some evaluators, by the numbers that it gave them."""
    among = func.any(list(numbers))

    def times(column: ColumnElement[float]) -> ColumnElement[Any]:
        cut_off = func.trunc(func.least(func.greatest(column, 0.0), LAST_S) * 1000)
        return func.sum(cast(cut_off, BigInteger))

    over, held, demographics = tables.parts.c, tables.sessions.c, tables.demographics.c
    queries = {
        "parts": extent(over.evaluator_id).where(over.evaluator_id == among),
        "sessions": extent(held.evaluator_id, times(held.started_unix_s)).where(
            held.evaluator_id == among
        ),
        "ends": extent(held.evaluator_id).where(held.evaluator_id == among).join(tables.ends),
        "events": extent(held.evaluator_id).where(held.evaluator_id == among).join(tables.events),
        "demographics": extent(
            *(demographics.evaluator_id, func.max(demographics.asked_unix_s)),
            of=demographics.question,
        ).where(demographics.evaluator_id == among),
        **{
            name: extent(t.c.evaluator_id, times(t.c.onset_unix_s)).where(t.c.evaluator_id == among)
            for name, t in tables.ANSWERS.items()
        },
    }
    return {name: counted(store, query) for name, query in queries.items()}


def extent(
    whose: ColumnElement[int],
    *more: ColumnElement[Any],
    of: ColumnElement[Any] | None = None,
) -> Select[Any]:
    """Select how many rows there are of each evaluator, or how many different values ``of``."""
    number = func.count(whose) if of is None else func.count(of.distinct())
    return select(whose, number, *more).group_by(whose)


def counted(connection: Connection, query: Select[Any]) -> dict[int, tuple[Any, ...]]:
    return {number: tuple(rest) for number, *rest in connection.execute(query)}


Name = tuple[int, str, int, int, float]

"""The cells of `TRIAL`, with a record's own number of the evaluator."""


def not_taken(
    ours: Connection, store: Connection, evaluators: Mapping[int, int], source: Table
) -> list[Name]:
    """List a record's answers that the store does not have.

    ``evaluators``: whose: numbers of the store by those of the record.
    ``source``: the record's table to look in.
    """
    if not evaluators:
        return []
    table = tables.ANSWERS[source.name]
    there = select(*(table.c[name] for name in TRIAL)).where(
        table.c.evaluator_id == func.any(list(evaluators.values()))
    )
    taken = {tuple(row) for row in store.execute(there)}
    here = select(*(source.c[name] for name in TRIAL)).where(source.c.evaluator_id.in_(evaluators))
    return [
        (who, task, block, trial, onset)
        for who, task, block, trial, onset in ours.execute(here.order_by(source.c.id))
        if (evaluators[who], task, block, trial, onset) not in taken
    ]


def contradictions_noted(
    ours: Connection, store: Connection, station: str
) -> Iterator[tuple[object, ...]]:
    """Yield what the record knows of contradictions, as the store takes it.

    What the store has taken after all is settled.
    """
    contradictions = ours.execute(select(schema.contradictions)).all()
    if not contradictions:
        return
    numbers = numbers_of(ours, store, {row.evaluator_id for row in contradictions})
    open_still = {name for t in ANSWER_TABLES for name in not_taken(ours, store, numbers, t)}
    for row in contradictions:
        if row.evaluator_id in numbers:
            settled = row.settled or name_of(row) not in open_still
            number, trial = numbers[row.evaluator_id], name_of(row)[1:]
            yield (number, station, *trial, False)
            if settled:
                yield (number, station, *trial, True)


def rows_at_store(ours: Connection, store: Connection, station: str) -> list[Contradiction]:
    """List what the store knows of this station's contradictions, as the record takes it."""
    noted, who = schema.contradictions, tables.evaluators
    query = select(who.c.uid, noted).join_from(noted, who, noted.c.evaluator_id == who.c.id)
    rows = store.execute(query.where(noted.c.station == station).order_by(noted.c.id)).all()
    here = people_of(ours) if rows else {}
    names = ("station", *TRIAL[1:], "settled")
    return [
        {"evaluator_id": here[row.uid].id, **{name: row._mapping[name] for name in names}}
        for row in rows
        if row.uid in here
    ]


def numbers_of(ours: Connection, store: Connection, whose: set[int]) -> dict[int, int]:
    uids = {uid: row.id for uid, row in people_of(ours).items() if row.id in whose}
    return {uids[uid]: known.number for uid, known in evaluators_at_store(store, uids).items()}


def name_of(row: Row[Any]) -> Name:
    who, task, block, trial, onset = (row._mapping[name] for name in TRIAL)
    return who, task, block, trial, onset
