"""What a record holds of one evaluator, and of the studies that evaluators were given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, Table, func, select

from hype.errors import InputError, few
from hype.session.course import Course
from hype.session.materials import read_others, read_stimuli
from hype.stimuli.manifest import Stimulus
from hype.store.columns import RecordedAnswers
from hype.store.kept import answer_tables
from hype.store.people import Evaluator, evaluator_of
from hype.store.schema import demographics, evaluators, events, sessions, studies
from hype.study.phrases import numbered
from hype.study.studies import AnyStudy
from hype.study.versions import study_as_recorded
from hype.verify.findings import Problem, shown

Key = tuple[object, object, object]
"""What identifies a trial of an evaluator: task, block and number, as the record has them."""


def key_of(row: Row[Any]) -> Key:
    return (row.task, row.block, row.trial)


def name_of(key: Key) -> str:
    task, block, trial = key
    return f"{shown(task)} block {shown(block)} trial {shown(trial)}"


def images_of(answers: RecordedAnswers, row: Row[Any]) -> Iterator[tuple[str, str]]:
    """Yield path and checksum of each image that a row names.

    The columns of paths are called ``image`` or end in ``_image``, those of checksums likewise.
    """
    columns = answers.table.columns
    for path in (column.name for column in columns if column.name.endswith("image")):
        pair = (f"{path}_sha256", f"{path.removesuffix('_image')}_sha256")
        sha256 = next(name for name in pair if name in columns)
        if getattr(row, path) is not None:
            yield getattr(row, path), getattr(row, sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One evaluator: their row, and their sessions, events and answers by their numbers.

    Rows with impossible cells are left out, except answers: those still count.
    """

    who: Evaluator
    answers: RecordedAnswers  # how the record keeps what their study asks for
    seed: str  # the one that their row names
    sessions: Sequence[Row[Any]]
    events: Sequence[Row[Any]]
    rows: Sequence[Row[Any]]  # their answers
    unreadable: Collection[int]  # numbers of the rows with impossible cells
    strays: Mapping[str, int]  # how many answers of another kind there are, by table
    statements: Sequence[Row[Any]]  # what they said of themselves

    @property
    def readable(self) -> list[Row[Any]]:
        return [row for row in self.rows if row.id not in self.unreadable]

    def events_of(self, session: int) -> list[Row[Any]]:
        return [event for event in self.events if event.session_id == session]


def read_cases(
    connection: Connection, bad: Mapping[str, Collection[int]], answers: RecordedAnswers
) -> Iterator[Case]:
    """Read all evaluators in the order of their arrival.

    ``bad``: numbers of the rows with impossible cells, by table.
    """

    def rows_of(table: Table, evaluator: int) -> Sequence[Row[Any]]:
        query = select(table).where(table.c.evaluator_id == evaluator).order_by(table.c.id)
        return connection.execute(query).all()

    def count(table: Table, evaluator: int) -> int:
        query = select(func.count()).where(table.c.evaluator_id == evaluator)
        return int(connection.execute(query).scalar_one())

    def possible(rows: Sequence[Row[Any]], table: Table) -> list[Row[Any]]:
        return [row for row in rows if row.id not in bad[table.name]]

    everyone = connection.execute(select(evaluators).order_by(evaluators.c.id)).all()
    for row in possible(everyone, evaluators):
        theirs = select(events).join(sessions).where(sessions.c.evaluator_id == row.id)
        yield Case(
            who=evaluator_of(row),
            answers=answers,
            seed=row.seed,
            sessions=possible(rows_of(sessions, row.id), sessions),
            events=possible(connection.execute(theirs.order_by(events.c.id)).all(), events),
            rows=[one for one in rows_of(answers.table, row.id) if isinstance(one.id, int)],
            unreadable=bad[answers.table.name],
            strays={
                other.name: count(other, row.id)
                for other in answer_tables()
                if other is not answers.table
            },
            statements=possible(rows_of(demographics, row.id), demographics),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStudy:
    """A copy of a study in the record, and how its sessions go with what it draws from today.

    ``course`` is None if that cannot be read; ``listed`` are its images by their paths.
    """

    study: AnyStudy
    course: Course[Any] | None
    listed: Mapping[str, Stimulus]


def read_recorded_studies(
    connection: Connection,
    today: AnyStudy,
    course_of: Callable[[AnyStudy], Course[Any]],
    problems: list[Problem],
) -> dict[str, RecordedStudy]:
    """Read the copies that can be read, by their checksums, and note what is wrong with others."""
    recorded = {}
    for checksum, resolved in connection.execute(select(studies.c.checksum, studies.c.resolved)):
        if not isinstance(resolved, str):
            continue  # that is a fault already
        copy = f"the copy {str(checksum)[:8]!r}"  # its beginning tells copies apart
        if hashlib.sha256(resolved.encode()).hexdigest() != checksum:
            problems.append(("study-copy-changed", f"{copy} was changed since it was kept"))
        try:
            study = study_as_recorded(today, resolved)
        except InputError as error:
            problems.append(("study-copy-unreadable", f"{copy}: {error.problem}"))
            continue
        course, listed = None, {}
        try:
            listed = {s.path: s for s in (*read_stimuli(study).stimuli, *read_others(study))}
            course = course_of(study)
        except InputError as error:
            wrong = ("manifest-unreadable", str(error))
            if wrong not in problems:  # copies may share their folders
                problems.append(wrong)
        recorded[checksum] = RecordedStudy(study=study, course=course, listed=listed)
    kept = select(studies.c.checksum)
    unknown = select(sessions.c.id).where(sessions.c.study.not_in(kept)).order_by(sessions.c.id)
    for session in connection.execute(unknown).scalars():
        message = f"session {session} used a study of which there is no copy"
        problems.append(("study-not-kept", message))
    return recorded


MOST_KEYS: Final = 4
"""Keys of a study file that a message names."""


def compare_with_today(
    connection: Connection, today: AnyStudy, recorded: Mapping[str, RecordedStudy]
) -> Iterator[Problem]:
    """Say where sessions used another study than today's, and what differs."""
    used = list(connection.execute(select(sessions.c.study)).scalars())
    for checksum, version in recorded.items():
        number = used.count(checksum)
        if not number:
            continue
        what = numbered(number, "session")
        later = [name for name in today.added if name not in version.study.added]
        if later:
            message = f"joined after {what} had begun, which go without"
            yield "model-joined", f"{', '.join(later)} {message}"
        then, now = (
            dict(flatten("", json.loads(some.resolved())))
            for some in (version.study, today.without(later))
        )
        if keys := [key for key in {**then, **now} if then.get(key) != now.get(key)]:
            message = f"differs from what {what} used, in {few(keys, MOST_KEYS)}"
            yield "study-edited", f"{today.path.name} {message}"


def flatten(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each value of nested tables with the whole name of its key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flatten(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", value
