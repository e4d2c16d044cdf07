"""Pushing beside a session: between blocks, and never while something is shown."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import whole_study
from paper_station import PaperStation, record_of, rows_of, sit
from postgres import Database, Server
from sqlalchemy import Engine

from hype.protocols.hype import record as store
from hype.protocols.registry import conduct_of
from hype.protocols.studies import AnyStudy
from hype.session.enrol import begin_session, enrol
from hype.session.loop import Presentation, run_session
from hype.session.pushing import (
    LAST_IN_LINE,
    BackgroundPusher,
    PushingBetweenBlocks,
    background_pusher,
)
from hype.session.steps import Page, Screen, Step, Trial
from hype.store.recorder import DurableRecorder

LONG_S = 120.0


def shared(folder: Path, central: Database) -> AnyStudy:
    """Write a study of two blocks as it lies at a station."""
    return whole_study(folder, store={"central": central.stations_url})


@pytest.fixture
def study(central: Database, tmp_path: Path) -> AnyStudy:
    return shared(tmp_path, central)


@pytest.fixture
def pusher(study: AnyStudy) -> Iterator[BackgroundPusher]:
    with background_pusher(study) as one:
        assert one is not None
        yield one


def until(happened: Callable[[], object]) -> None:
    """Wait until something has happened."""
    deadline = time.monotonic() + LONG_S
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def programs() -> list[int]:
    """Give the numbers of the pushing programs that this process has started and that still run."""
    entries = (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [int(entry.name) for entry in entries if state_of(entry) == (os.getpid(), True)]


def the_program() -> list[int]:
    """Wait for the pushing program to be there by its name."""
    until(programs)
    return programs()


def state_of(process: Path) -> tuple[int, bool] | None:
    """Give a process's parent, and whether it is a program that pushes."""
    try:
        command = (process / "cmdline").read_bytes()
        parent = (process / "stat").read_text().rsplit(")", 1)[1].split()[1]
    except OSError:
        return None
    return int(parent), b"hype.session.pushing" in command


def judgements(central: Database) -> int:
    """Count the answers at the store."""
    ((number,),) = central.query("SELECT count(*) FROM hype.judgements")
    return int(number)


class Waiting(PaperStation):
    """A participant who rests until the pushing is done, and looks what runs in trials."""

    def __init__(self, engine: Engine, pusher: BackgroundPusher, central: Database) -> None:
        super().__init__()
        self.engine = engine
        self.pusher = pusher
        self.central = central
        self.at_rest: list[tuple[int, int]] = []
        self.awaited: list[int] = []

    def present(self, step: Step) -> Presentation:
        if isinstance(step, Screen) and step.page in (Page.REST, Page.DEBRIEF):
            before = self.pusher.pushes
            until(lambda: (self.pusher.go(), self.pusher.pushes > before)[1])
            here = len(rows_of(self.engine, store.judgements))
            self.at_rest.append((here, judgements(self.central)))
        if isinstance(step, Trial):
            self.awaited.append(self.pusher.awaited)
        return super().present(step)


def test_answers_are_at_the_store_before_the_session_ends(
    study: AnyStudy, pusher: BackgroundPusher, central: Database
) -> None:
    with record_of(study) as engine:
        station = Waiting(engine, pusher, central)
        protocol = conduct_of(study)
        with engine.begin() as connection:
            enrolled = enrol(connection, protocol, "p01", simulated=False)
            session = begin_session(connection, study, enrolled, mode="person", display={})
        recorder = DurableRecorder(engine, enrolled.owner(session))
        keeper = PushingBetweenBlocks(recorder, pusher)
        run_session(protocol.script(enrolled.plan), station, station, keeper)
    answered = [shown for shown, _ in station.at_rest]

    assert len(answered) >= 2
    assert 0 < answered[0] < answered[-1]
    assert [at_store for _, at_store in station.at_rest] == answered
    assert set(station.awaited) == {0}, "in a trial nothing is under way"


def test_a_push_under_way_is_gone_before_a_trial(study: AnyStudy, pusher: BackgroundPusher) -> None:
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation())
    pusher.go()
    (program,) = the_program()
    assert os.getpriority(os.PRIO_PROCESS, program) == LAST_IN_LINE
    pusher.stop()

    assert programs() == []
    pusher.go()
    until(programs)
    until(lambda: (pusher.go(), pusher.pushes)[1])


def test_a_pusher_with_nothing_to_do_stays_and_does_not_push(
    study: AnyStudy, pusher: BackgroundPusher
) -> None:
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation())
    until(lambda: (pusher.go(), pusher.pushes)[1])
    (program,) = the_program()
    for _ in range(3):
        pusher.stop()
        pusher.go()

    assert programs() == [program]
    assert (pusher.pushes, pusher.awaited) == (1, 0)


def test_a_store_that_goes_away_and_comes_back_disturbs_nothing(
    study: AnyStudy, pusher: BackgroundPusher, central: Database, postgres: Server
) -> None:
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation())
    postgres.kill()
    pusher.go()
    until(lambda: (pusher.go(), pusher.failures)[1])
    postgres.restart()
    until(lambda: (pusher.go(), pusher.pushes)[1])

    assert judgements(central) > 0


def test_a_pusher_that_was_killed_is_replaced(study: AnyStudy, pusher: BackgroundPusher) -> None:
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation())
    pusher.go()
    (program,) = the_program()
    os.kill(program, signal.SIGKILL)
    until(lambda: (pusher.go(), pusher.pushes)[1])

    assert programs() != [program]


def test_the_session_leaves_no_pusher_behind(study: AnyStudy) -> None:
    with background_pusher(study) as pusher:
        assert pusher is not None
        pusher.go()
        until(programs)

    assert programs() == []


def test_a_study_of_one_station_sends_nobody(tmp_path: Path) -> None:
    with background_pusher(whole_study(tmp_path)) as pusher:
        assert pusher is None


def test_where_no_program_can_be_started_the_session_goes_on(
    study: AnyStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with background_pusher(study) as without:
        assert without is not None
        without.go()
        without.stop()

        assert (without.pushes, without.awaited) == (0, 0)
