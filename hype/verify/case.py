"""What a record holds of one evaluator and of their study, and what each protocol checks of it."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from sqlalchemy import Connection, Row, Table, func, select

from hype.errors import InputError, few
from hype.session.course import Course
from hype.session.loop import Presentation
from hype.session.materials import read_others, read_stimuli
from hype.session.steps import Response
from hype.stimuli.manifest import Stimulus
from hype.store.columns import Cells, RecordedAnswers
from hype.store.kept import answer_tables
from hype.store.people import Evaluator, evaluator_of
from hype.store.schema import demographics, evaluators, events, sessions, studies
from hype.study.studies import AnyStudy
from hype.study.versions import study_as_recorded
from hype.verify.findings import Irregularity, Whose, shown

Key = tuple[object, object, object]
"""What identifies a trial of an evaluator: task, block and number, as the record has them."""
Place = tuple[int, int]
"""Where in a plan a trial stands: later ones are greater."""
Places = Callable[[Key], Place | None]
"""Tells the place of a trial; None of one that the plan cannot ask for."""
NOWHERE = Presentation(0.0, 0.0)


def key_of(row: Row[Any]) -> Key:
    return (row.task, row.block, row.trial)


def listed(keys: Iterable[Key]) -> Places:
    places = {key: (at, 0) for at, key in enumerate(keys)}
    return places.get


def name_of(key: Key) -> str:
    task, block, trial = key
    return f"{shown(task)} block {shown(block)} trial {shown(trial)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Files that an evaluator was to see: images with their checksums, and names of masks."""

    images: Iterable[tuple[str, str]]
    masks: Iterable[str] = ()


class AnswerChecks(ABC):
    """One kind of answers."""

    noun: ClassVar[str]  # what one of them is called
    storage: ClassVar[RecordedAnswers]  # how the record keeps them
    # The cells that the plan decides, and the fault where one is another
    planned: ClassVar[Mapping[str, str]]
    # Those of them that follow from earlier answers, so that they are not known without these
    led: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def places(self, plan: Any) -> Places:
        """Give the places of the trials that a plan may ask for."""

    @abstractmethod
    def usual(self, trial: Any) -> Response:
        """Give what an answer is taken for that lacks or is none."""

    @abstractmethod
    def possible(self, trial: Any, answer: object) -> bool:
        """Whether something is an answer to a trial."""

    def followed(self, _trial: Any, _later: Row[Any], /) -> Response | None:
        """Give the answer that lacks, where the row of the next trial tells which it was."""
        return None

    @abstractmethod
    def check_row(self, row: Row[Any]) -> Iterator[Irregularity]:
        """Check what an answer says of itself, whatever was planned."""

    @abstractmethod
    def files_of_plan(self, plan: Any) -> Files:
        """Give what a plan shows."""

    @abstractmethod
    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        """Give what was shown, by the record."""

    @abstractmethod
    def check_assignment(self, case: Case, recorded: RecordedStudy) -> Iterator[Irregularity]:
        """Compare what an evaluator was given with what their study gives."""

    @abstractmethod
    def check_rules(self, plan: Any, trial: Any, row: Row[Any], /) -> Iterable[Irregularity]:
        """Check what only follows from an answer and the plan's rules."""

    @abstractmethod
    def strange(self, case: Case, recorded: RecordedStudy, /) -> Iterable[str]:
        """Say what else of that which the record shows is no longer to be had."""

    def response(self, row: Row[Any]) -> Response:
        """Give the answer as its script was told it; a time that is none is taken for 0."""
        rt_ms = row.rt_ms if isinstance(row.rt_ms, int | float) else 0.0
        return Response(row.answer, row.key, rt_ms)

    def spoiled(self, _row: Row[Any], /) -> bool:
        """Whether the screen spoiled a trial; only what is flashed can be."""
        return False

    def differences(self, row: Row[Any], wanted: Cells) -> Iterator[tuple[str, str]]:
        """Yield the cells that are not as planned, each after its fault."""
        for column, code in self.planned.items():
            if getattr(row, column) != wanted[column]:
                yield code, column


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One evaluator: their row, and their sessions, events and answers by their numbers.

    Rows with impossible cells are left out, except answers: those still count.
    """

    who: Evaluator
    kind: AnswerChecks
    seed: str  # the one that their row names
    sessions: Sequence[Row[Any]]
    events: Sequence[Row[Any]]
    rows: Sequence[Row[Any]]
    unreadable: Collection[int]  # numbers of the rows with impossible cells
    strays: Mapping[str, int]  # how many answers of another kind there are, by table
    statements: Sequence[Row[Any]]  # what they said of themselves

    @property
    def whose(self) -> Whose:
        return Whose(self.who.evaluator, bool(self.who.simulated))

    @property
    def readable(self) -> list[Row[Any]]:
        return [row for row in self.rows if row.id not in self.unreadable]

    def events_of(self, session: int) -> list[Row[Any]]:
        return [event for event in self.events if event.session_id == session]


def read_cases(
    connection: Connection,
    bad: Mapping[str, Collection[int]],
    kind: AnswerChecks,
) -> Iterator[Case]:
    """Read all evaluators in the order of their arrival.

    ``bad``: numbers of the rows with impossible cells, by table.
    ``kind``: what evaluators answer.
    """
    for row in connection.execute(select(evaluators).order_by(evaluators.c.id)).all():
        if row.id in bad["evaluators"]:
            continue
        held = rows_of(connection, sessions, row.id)
        befell = select(events).join(sessions).where(sessions.c.evaluator_id == row.id)
        table = kind.storage.table
        others = [other for other in answer_tables() if other is not table]
        yield Case(
            who=evaluator_of(row),
            kind=kind,
            seed=row.seed,
            sessions=[session for session in held if session.id not in bad["sessions"]],
            events=[
                event
                for event in connection.execute(befell.order_by(events.c.id))
                if event.id not in bad["events"]
            ],
            rows=[
                answer
                for answer in rows_of(connection, table, row.id)
                if isinstance(answer.id, int)
            ],
            unreadable=bad[table.name],
            strays={other.name: count_of(connection, other, row.id) for other in others},
            statements=[
                answer
                for answer in rows_of(connection, demographics, row.id)
                if answer.id not in bad["demographics"]
            ],
        )


def rows_of(connection: Connection, table: Table, evaluator_id: int) -> Sequence[Row[Any]]:
    query = select(table).where(table.c.evaluator_id == evaluator_id).order_by(table.c.id)
    return connection.execute(query).all()


def count_of(connection: Connection, table: Table, evaluator_id: int) -> int:
    query = select(func.count()).where(table.c.evaluator_id == evaluator_id)
    return int(connection.execute(query).scalar_one())


FEW: Final = 4
"""As many keys that differ are named, and not more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStudy:
    """One copy: the study, and how its sessions go with what it draws from today.

    ``course`` is None where that cannot be read; ``listed`` are its images by their paths.
    """

    study: AnyStudy
    course: Course[Any] | None
    listed: Mapping[str, Stimulus]


def read_recorded_studies(
    connection: Connection,
    today: AnyStudy,
    course_of: Callable[[AnyStudy], Course[Any]],
    irregularities: list[Irregularity],
) -> dict[str, RecordedStudy]:
    """Read the copies that can be read, by their checksums; note what is wrong with others."""
    recorded = {}
    for checksum, resolved in connection.execute(select(studies.c.checksum, studies.c.resolved)):
        if not isinstance(resolved, str):
            continue  # that is a fault already
        if hashlib.sha256(resolved.encode()).hexdigest() != checksum:
            message = f"the copy {short(checksum)} was changed since it was kept"
            irregularities.append(Irregularity("study-copy-changed", message))
        try:
            recorded[checksum] = with_course(
                study_as_recorded(today, resolved), course_of, irregularities
            )
        except InputError as error:
            message = f"the copy {short(checksum)}: {error.problem}"
            irregularities.append(Irregularity("study-copy-unreadable", message))
    return recorded


def with_course(
    study: AnyStudy,
    course_of: Callable[[AnyStudy], Course[Any]],
    irregularities: list[Irregularity],
) -> RecordedStudy:
    """Read what a study draws from, or say in ``irregularities`` why that cannot be read."""
    try:
        stimuli = [*read_stimuli(study).stimuli, *read_others(study)]
        course = course_of(study)
    except InputError as error:
        wrong = Irregularity("manifest-unreadable", str(error))
        if wrong not in irregularities:  # copies may share their folders
            irregularities.append(wrong)
        return RecordedStudy(study=study, course=None, listed={})
    listed = {stimulus.path: stimulus for stimulus in stimuli}
    return RecordedStudy(study=study, course=course, listed=listed)


def check_recorded_studies(connection: Connection) -> Iterator[Irregularity]:
    """Find sessions of whose study there is no copy."""
    checksums = select(studies.c.checksum)
    query = select(sessions.c.id).where(sessions.c.study.not_in(checksums)).order_by(sessions.c.id)
    for session in connection.execute(query).scalars():
        yield Irregularity(
            "study-not-kept", f"session {session} used a study of which there is no copy"
        )


def compare_with_today(
    connection: Connection, today: AnyStudy, recorded: Mapping[str, RecordedStudy]
) -> Iterator[Irregularity]:
    """Say where sessions used another study than today's, and what differs."""
    used = list(connection.execute(select(sessions.c.study)).scalars())
    for checksum, version in recorded.items():
        number = used.count(checksum)
        what = "1 session" if number == 1 else f"{number} sessions"
        later = [name for name in today.added if name not in version.study.added]
        if later and number:
            message = f"joined after {what} had begun, which go without"
            yield Irregularity("model-joined", f"{', '.join(later)} {message}")
        flat = [
            dict(flattened("", json.loads(some.resolved())))
            for some in (version.study, today.without(later))
        ]
        keys = [key for key in {**flat[0], **flat[1]} if flat[0].get(key) != flat[1].get(key)]
        if keys and number:
            message = f"differs from what {what} used, in {few(keys, FEW)}"
            yield Irregularity("study-edited", f"{today.path.name} {message}")


def flattened(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each value of nested tables with the whole name of its key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flattened(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", value


def short(checksum: object) -> str:
    """Give the beginning of a checksum, which is enough to tell copies apart."""
    return repr(str(checksum)[:8])
