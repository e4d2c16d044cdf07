"""The recorder that the session loop writes to."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine, Table, bindparam, func, select, update

from hype.errors import NobodyNeeded
from hype.session.facts import Clocks, gap_between
from hype.session.loop import PartOver, Presentation
from hype.session.plans import TRIES
from hype.session.steps import (
    GO_ON,
    YES,
    Comprehension,
    Page,
    Question,
    Response,
    Screen,
    Step,
    Trial,
    TrialName,
)
from hype.session.timing import TimingTable
from hype.store import people
from hype.store.columns import Cells
from hype.store.kept import recorders_by_trial
from hype.store.people import end_session, mark_interrupted, read_session, take_place
from hype.store.postgres import is_postgres, write_patiently
from hype.store.record import lock_places, require_durable, transaction
from hype.store.schema import Event, demographics, events, sessions
from hype.system import since_boot_s

ResultT = TypeVar("ResultT")
HasRoom = Callable[[Connection, Mapping[str, object], str, str], bool]
"""Returns whether the study still needs a person who has given this answer about themselves. It is
called with the connection, the cells of the person's rows, the question and the answer."""
Events = Sequence[tuple[str, Mapping[str, object]]]
"""Events of a session, each with the cells of its row."""
THIS_SESSION: Final = sessions.c.id == bindparam("session")
READ_HEARD: Final = select(sessions.c.heard_unix_s).where(THIS_SESSION)
SET_HEARD: Final = update(sessions).where(THIS_SESSION).values(heard_unix_s=bindparam("now"))
SET_SHOWING: Final = SET_HEARD.values(showing=bindparam("trial"))


def read_clocks() -> Clocks:
    return Clocks(wall_s=time.time(), monotonic_s=time.monotonic(), boot_s=since_boot_s())


class DurableRecorder:
    """Commits each step before a call returns: a trial at its start, and again at its answer.

    A screen is recorded when a key ends it. The session's column ``showing`` names a trial
    that was shown but not yet answered or interrupted; see `hype.store.people`.

    ``owner``: the cells that are the same in all rows of the session.
    ``clocks``: reads the clocks; changes between two steps are recorded as an event.
    ``stops``: returns the duration of each stop of the program since the last call.
    ``last``: the clocks at the session's last step, if this recorder continues it.
    ``has_room``: see `HasRoom`; called in the transaction that stores an answer about the person.
    ``has_place``: returns whether the evaluator's place is still theirs, or is free; called in the
        transaction that stores their consent or another first step.
    ``writing``: begins each transaction; `transaction` if None.

    ``answers``: how many trials were committed.
    ``wait``: called with the seconds to wait if the store does not answer; None: do not wait.
    """

    def __init__(
        self,
        engine: Engine,
        owner: Mapping[str, object],
        clocks: Callable[[], Clocks] = read_clocks,
        stops: Callable[[], Iterable[float]] = tuple,
        last: Clocks | None = None,
        has_room: HasRoom = lambda *_: True,
        has_place: Callable[[Connection], bool] = lambda _: True,
        wait: Callable[[float], None] | None = None,
        writing: Callable[[], AbstractContextManager[Connection]] | None = None,
    ) -> None:
        self.wait = wait
        self._begin_writing = writing or partial(transaction, engine)
        self._owner = dict(owner)
        self._has_room = has_room
        self._has_place = has_place
        self._is_placed = False
        self._stops = stops
        self._clocks = clocks
        self._last = last or clocks()
        self._together: ExitStack | None = None
        self._joint: Connection | None = None
        self._kinds = recorders_by_trial()
        self.answers = 0

    @contextmanager
    def together(self) -> Iterator[None]:
        """When the block ends, commit either all that it wrote, in one transaction, or nothing.

        If the block also writes the start of the next trial, the program must not show this
        trial before the block has ended. If nothing is written, no transaction begins.
        """
        with ExitStack() as stack:
            self._together = stack
            try:
                yield
            finally:
                self._together = self._joint = None

    def begin(self, step: Step) -> None:
        if isinstance(step, Screen):
            return
        gap = partial(self._add_events, self._gap(None))
        self._write(gap, trial=trial_text(step.name))

    def interrupt(self, trial: Trial) -> None:
        gap = self._gap(trial)
        now = {"unix_s": self._last.wall_s, "monotonic_s": self._last.monotonic_s}

        def write(connection: Connection) -> None:
            self._add_events(gap, connection)
            mark_interrupted(connection, self._session, **now)

        self._write(write)

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        """Write one step.

        Raises PartOver: the step is written, and it ends the evaluator's part in the study.
        Raises NobodyNeeded: nothing is written, because others got the evaluator's place.
        """
        is_over = False
        # A welcome page, or a step that the evaluator declines, does not count as consent.
        has_said_no = isinstance(step, Screen) and step.choice and response.answer != YES.answer
        greets = isinstance(step, Screen) and step.page in (Page.WELCOME, Page.DECLINED)
        if not (self._is_placed or has_said_no or greets):
            self._write(self._take_place)
            self._is_placed = True
        if isinstance(step, Question) and step.about:
            cells: Cells = {step.name: step.cell(response.answer)}
            self._write(partial(self._add_to_row, step.about, cells))
        elif isinstance(step, Question):
            said = step.name, response.answer

            def keep(connection: Connection) -> bool:
                lock_places(connection)
                people.keep_answer(connection, self._owner, *said)
                return not self._has_room(connection, self._owner, *said)

            is_over = self._write(keep)
        if isinstance(step, Screen):
            if step.duration_ms is None:  # feedback, which follows from the answer, gets no row.
                # The answer to a question about the person is stored in another table
                kept = "" if isinstance(step, Question) else response.answer
                self.note(step.page.value, shown, replace(response, answer=kept))
            if isinstance(step, Comprehension) and response.answer != step.right:
                is_over = self._write(partial(self._count_wrong, right=step.right)) >= TRIES
            if is_over:
                raise PartOver
            return
        kind = self._kinds[type(step)]
        row, gap = self._owner | kind.row(step, shown, response), self._gap(step)

        def write(connection: Connection) -> None:
            insert_rows(connection, [(kind.table, row)])
            self._add_events(gap, connection)

        self._write(write, trial=None)
        self.answers += 1

    def _add_to_row(self, trial: Trial, cells: Cells, connection: Connection) -> None:
        """Write the answer to a follow-up question into the row of its trial."""
        table = self._kinds[type(trial)].table
        whose = {"evaluator_id": self._owner["evaluator_id"], **people.trial_cells(trial.name)}
        row = (table.c[name] == value for name, value in whose.items())
        connection.execute(update(table).where(*row).values(cells))

    def note(self, event: str, shown: Presentation, response: Response = GO_ON) -> None:
        """Record a screen that was shown, or an event of the session."""
        cells: dict[str, object] = {
            "answer": response.answer,
            "unix_s": shown.onset_unix_s,
            "monotonic_s": shown.onset_monotonic_s,
            "rt_ms": response.rt_ms,
        }
        self._write(partial(self._add_events, [*self._gap(None), (event, cells)]))

    def _write(self, write: Callable[[Connection], ResultT], **showing: str | None) -> ResultT:
        """Commit what ``write`` writes; within `together`, commit it with the rest of the block.

        The same transaction writes the current time into the session's row, and the ``trial`` that
        is shown now. If the commit is not confirmed, the stored time shows whether it arrived: no
        other program writes this time.
        """
        here, now = {"session": self._session}, time.time()
        mark = SET_SHOWING if showing else SET_HEARD
        results: list[ResultT] = []

        def write_to(connection: Connection) -> None:
            results.append(write(connection))
            connection.execute(mark, {**here, "now": now, **showing})

        def write_once() -> None:
            with self._begin_writing() as connection:
                write_to(connection)

        def has_arrived() -> bool:
            with self._begin_writing() as connection:
                return bool(connection.execute(READ_HEARD, here).scalar() == now)

        if self._together is not None:
            if self._joint is None:
                self._joint = self._together.enter_context(self._begin_writing())
            write_to(self._joint)
        elif self.wait is None:
            write_once()
        else:
            write_patiently(write_once, self.wait, has_arrived)
        return results[-1]

    def _take_place(self, connection: Connection) -> None:
        lock_places(connection)
        if not self._has_place(connection):
            raise NobodyNeeded("the place was given to others", "place_taken")
        take_place(connection, self._owner["evaluator_id"])

    def _count_wrong(self, connection: Connection, right: str) -> int:
        """Count the evaluator's wrong answers about the instructions, in all their sessions."""
        theirs = sessions.c.evaluator_id == self._owner["evaluator_id"]
        wrong = (events.c.event == Page.COMPREHENSION.value) & (events.c.answer != right)
        query = select(func.count()).select_from(events.join(sessions)).where(theirs, wrong)
        return connection.execute(query).scalar_one()

    @property
    def _session(self) -> object:
        return self._owner["session_id"]

    def _add_events(self, happened: Events, connection: Connection) -> None:
        for event, cells in happened:
            people.add_event(connection, self._session, event, **cells)

    def _gap(self, trial: Trial | None) -> Events:
        """List sleep, stops and clock changes since the last step; ``trial``: the shown trial."""
        before, self._last = self._last, self._clocks()
        slept_s, set_s = gap_between(before, self._last)
        happened = [(Event.SUSPENDED, slept_s), (Event.CLOCK_SET, set_s)]
        happened += [(Event.STOPPED, seconds) for seconds in self._stops()]
        common = people.trial_cells(trial.name) if trial else {}
        common |= {"unix_s": self._last.wall_s, "monotonic_s": self._last.monotonic_s}
        return [
            (event.value, common | {"seconds": round(seconds, 3)})
            for event, seconds in happened
            if seconds
        ]


def trial_text(name: TrialName) -> str:
    """Return a trial's name in the form that the sessions' column ``showing`` contains."""
    return " ".join(map(str, name))


def insert_rows(connection: Connection, rows: Sequence[tuple[Table, Mapping[str, object]]]) -> None:
    """Insert many rows of answers, twice as fast as SQLAlchemy, which processes each row.

    PostgreSQL gets all rows of a table in one statement.
    """
    quote = connection.dialect.identifier_preparer.quote
    for (table, columns), alike in groupby(rows, key=lambda row: (row[0], tuple(row[1]))):
        some = [row for _, row in alike]
        name, cells = quote(table.name), ", ".join(map(quote, columns))
        if is_postgres(connection.engine):
            named = f"json_populate_recordset(CAST(NULL AS {name}), %s)"
            source = f"SELECT {cells} FROM {named}"  # noqa: S608 names of our own
            given: list[tuple[object, ...]] = [(json.dumps(some),)]
        else:
            source = f"VALUES ({', '.join('?' * len(columns))})"
            given = [tuple(row.values()) for row in some]
        connection.exec_driver_sql(f"INSERT INTO {name} ({cells}) {source}", given)


class CollectingRecorder:
    """Collects the rows of a session that can start again; the caller commits all rows at once."""

    def __init__(
        self,
        owner: Mapping[str, object],
        has_room: Callable[[Mapping[str, object], str, str], bool] = lambda *_: True,
    ) -> None:
        self._owner = dict(owner)
        self._has_room = has_room
        self.rows: list[tuple[Table, dict[str, object]]] = []
        self._kinds = recorders_by_trial()
        self.answers = 0

    def begin(self, step: Step) -> None:
        """Store nothing: an interrupted session starts again from the beginning."""

    def interrupt(self, trial: Trial) -> None:
        """Store nothing: simulated evaluators do not pause."""

    def record(self, step: Step, shown: Presentation, response: Response) -> None:
        """Collect the answer to one step; screens get no row, since nobody saw them."""
        if isinstance(step, Question) and step.about:
            self.rows[-1][1][step.name] = step.cell(response.answer)
        elif isinstance(step, Question):
            who, said = self._owner["evaluator_id"], response.answer
            row = {"evaluator_id": who, "question": step.name, "answer": said}
            self.rows.append((demographics, row))
            if not self._has_room(self._owner, step.name, response.answer):
                raise PartOver
        elif not isinstance(step, Screen):
            kind = self._kinds[type(step)]
            self.answers += 1
            self.rows.append((kind.table, self._owner | kind.row(step, shown, response)))


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldSession:
    """How a session ended (such as complete or quit), and the timing of its exposures."""

    ended: str
    timing: TimingTable


def close_session(
    engine: Engine,
    session: int,
    ended: str,
    answers: int,
    wait: Callable[[float], None] | None = None,
) -> HeldSession:
    """Record how the session ended, and the timing of its exposures.

    ``wait`` is as in `DurableRecorder`.

    The end is written before the display closes, since closing may end the program. Then the record
    is read again, to check that the session's end and its ``answers`` are in it.
    """
    timings: list[TimingTable] = []

    def write() -> None:
        with transaction(engine) as connection:
            timings.append(end_session(connection, session, ended))
        require_durable(engine, lambda opened: read_session(opened, session) == (ended, answers))

    if wait is None:
        write()
    else:
        write_patiently(write, wait, has_arrived=lambda: False)  # writing the end twice is harmless
    return HeldSession(ended=ended, timing=timings[-1])
