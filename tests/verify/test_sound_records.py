"""Sound records, and the notes on them."""

import ast
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from admitted import admit
from builders import named_study, whole_study
from damaged_answers import RECORDS
from known import DOCUMENTED, verify_record
from paper_station import record_of, sit
from sqlalchemy import select, update
from verified_records import (
    TickingStation,
    attend,
    damage,
    notes_of,
    sound_study,
)

from hype import verify
from hype.errors import InputError
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import JudgementTrial
from hype.protocols.registry import course_of
from hype.session.facts import Clocks
from hype.session.loop import Presentation
from hype.session.steps import Response, Step
from hype.store.recorder import DurableRecorder
from hype.store.schema import evaluators, sessions
from hype.verify.record import NOTES

P01, P05 = "p01", "p05"


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return sound_study(tmp_path / "study")


@pytest.mark.parametrize("kind", RECORDS)
def test_a_sound_record_has_no_fault(kind, tmp_path):
    """The records contain interrupted and resumed sessions, and people who declined or left."""
    study = RECORDS[kind].make(tmp_path)
    verified = verify_record(study)
    with record_of(study) as engine, engine.connect() as connection:
        people = select(evaluators.c.status).where(evaluators.c.simulated.is_(False))
        statuses = connection.execute(people).scalars().all()
        rows = connection.execute(select(RECORDS[kind].answers.table)).all()

    assert verified.faults == []
    assert {"complete", "declined", "active"} <= set(statuses)
    assert (verified.people, verified.simulated > 0) == (len(statuses), True)
    assert verified.answers == len(rows)


def test_trials_that_were_left_are_noted_with_their_sessions(study):
    notes = notes_of(study)

    assert {evaluator for _, evaluator in notes} == {"p01", "p04", "p05"}
    assert notes["trial-interrupted", P05].startswith(
        "a trial was interrupted at time block 2 trial"
    )


def test_a_study_without_a_record_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no record yet"):
        verify_record(named_study(tmp_path))


def test_a_record_in_which_nobody_came_is_sound(tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine, engine.begin():
        pass  # the first transaction creates the file
    verified = verify_record(study)

    assert verified.sound
    assert (verified.people, verified.simulated, verified.answers) == (0, 0, 0)


def test_whoever_answered_all_and_left_before_the_last_screen_is_no_fault(tmp_path):
    """This happens if the program is killed while it shows the debrief."""
    study = whole_study(tmp_path)
    with record_of(study) as engine:
        attend(engine, study, "p01", TickingStation())
    end = update(sessions).values(ended=None, ended_unix_s=None, timing=None)
    damage(study, end, update(evaluators).values(status="active"))

    assert verify_record(study).faults == []


def test_who_qualified_elsewhere_is_replayed_without_a_qualification(tmp_path):
    first = whole_study(tmp_path / "experiments" / "first")
    second = whole_study(
        tmp_path / "experiments" / "second", qualification={"valid_from": ["../first"]}
    )
    for study in (first, second):
        with record_of(study) as engine:
            attend(engine, study, "p01", TickingStation())
    shutil.rmtree(first.folder)

    assert verify_record(second).sound


class Falls(Exception):
    """Represents the kill of a program."""


class FallingStation(TickingStation):
    """A station whose program is killed while a trial is shown."""

    def respond(self, step: Step) -> Response:
        if isinstance(step, JudgementTrial) and self.number == 5:
            raise Falls
        return super().respond(step)


def broken_off(folder: Path) -> Study:
    study = whole_study(folder)
    with record_of(study) as engine:
        admit(engine, course_of(study), "p01", simulated=False)
        with pytest.raises(Falls):
            sit(engine, study, "p01", FallingStation())
    return study


def test_a_session_that_broke_off_and_the_trial_that_it_showed(tmp_path):
    study = broken_off(tmp_path)
    notes = notes_of(study)

    assert verify_record(study).sound
    assert notes["session-broke-off", P01] == (
        "session 1 is still running, or broke off while qualification 1 4 was shown"
    )


def test_a_session_that_broke_off_stays_known_once_it_was_resumed(tmp_path):
    study = broken_off(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", TickingStation(now_s=9_000.0))
    notes = notes_of(study)

    assert verify_record(study).sound
    assert notes["session-broke-off", P01].startswith("session 1 broke off")
    assert "at qualification block 1 trial 4 of session" in notes["trial-interrupted", P01]


def clocks(*readings: tuple[float, float, float]) -> Callable[[], Clocks]:
    """Return a clock with these readings (wall, monotonic, boot) in turn; the last one stays."""
    given = [Clocks(wall_s=w, monotonic_s=m, boot_s=b) for w, m, b in readings]
    return lambda: given.pop(0) if len(given) > 1 else given[0]


@pytest.mark.parametrize(
    ("after", "code", "said"),
    [
        ((4600.0, 1000.0, 1000.0), "clock-set", "the wall clock was changed by +3,600.0 s"),
        ((4600.0, 1000.0, 4600.0), "machine-suspended", "the machine slept for 3,600.0 s"),
    ],
)
def test_a_jump_of_the_wall_clock_that_the_session_noticed_is_a_note(after, code, said, study):
    with record_of(study) as engine:
        recorder = DurableRecorder(
            engine, {"session_id": 1}, clocks=clocks((1000.0, 1000.0, 1000.0), after)
        )
        recorder.note("paused", Presentation(0.0, 0.0))

    assert verify_record(study).sound
    assert said in notes_of(study)[code, P01]


def test_a_stop_of_the_program_is_a_note(study):
    with record_of(study) as engine:
        recorder = DurableRecorder(engine, {"session_id": 1}, stops=[30.0].copy)
        recorder.note("paused", Presentation(0.0, 0.0))

    assert verify_record(study).sound
    assert "the program stopped for 30.0 s" in notes_of(study)["program-stopped", P01]


def test_the_documentation_has_every_code():
    room = Path(verify.__file__).parent
    first = {
        node.elts[0].value
        for path in room.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Tuple) and node.elts and isinstance(node.elts[0], ast.Constant)
    }
    found = {one for one in first if re.fullmatch("[a-z]+(-[a-z]+)+", str(one))}

    assert found == {*DOCUMENTED["fault"], *DOCUMENTED["note"]}
    assert {*NOTES} == {*DOCUMENTED["note"]}
