"""Sessions that are ended from outside: the program's message, and the record."""

import os
import select
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest
from builders import pseudo_terminal
from from_outside import (
    LONGEST_S,
    answered,
    close_window,
    destroy_window,
    ended,
    one,
    press_until,
    rows,
    start,
)

from hype.cli.run import explain_faults
from hype.errors import SessionProblem
from hype.protocols.hype.settings import Study

pytestmark = pytest.mark.usefixtures("display")
SHOWING = "select showing from sessions where showing is not null"


def wait_for(process: subprocess.Popen[str], done: Callable[[], bool]) -> None:
    """Wait until ``done`` is true; fail if the program ends before."""
    end = time.monotonic() + LONGEST_S
    while not done():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def in_a_trial(study: Study, display: str | None = None) -> subprocess.Popen[str]:
    """Start a session, answer at least one trial, and stop while the next one is shown."""
    process = start(study, display=display)
    press_until(process, ["space", "f"], done=lambda: answered(study) >= 1, display=display)
    wait_for(process, lambda: one(study, SHOWING) is not None)
    return process


def events(study: Study) -> list[str]:
    """List the events of the sessions, without the screens."""
    screens = ("welcome", "instructions_timed", "block", "resumed", "debrief")
    found = rows(study, "select event from events order by id")
    return [row["event"] for row in found if row["event"] not in screens]


def answers(study: Study) -> list[tuple[object, ...]]:
    """List the rows of all answers."""
    return [tuple(row) for row in rows(study, "select * from judgements order by id")]


def assert_goes_on(study: Study, before: list[tuple[object, ...]]) -> None:
    """Finish a session of four trials that ended early; earlier answers must stay."""
    process = start(study)
    press_until(process, ["space", "f"])
    code, out, err = ended(process)

    assert (code, "The session is complete." in out) == (0, True), err
    assert answers(study)[: len(before)] == before
    trials = rows(study, "select trial from judgements order by id")
    assert [row["trial"] for row in trials] == [1, 2, 3, 4]


@pytest.mark.long
@pytest.mark.parametrize("close", [close_window, destroy_window])
def test_a_closed_window_ends_the_session_calmly_and_it_can_be_resumed(make_study, close):
    study = make_study("consent = false")
    process = in_a_trial(study)
    shown = one(study, SHOWING)
    close()
    code, out, err = ended(process)

    assert (code, "Traceback" in err) == (0, False), err
    assert "The session was stopped and can be resumed" in out
    assert events(study) == ["window-closed", "interrupted"]
    found = rows(study, "select * from events where event = 'interrupted'")[0]
    assert f"{found['task']} {found['block']} {found['trial']}" == shown
    session = rows(study, "select * from sessions")[0]
    assert (session["ended"], session["showing"]) == ("quit", None)
    assert_goes_on(study, answers(study))
    assert "resumed" in {row["event"] for row in rows(study, "select event from events")}


@pytest.mark.long
def test_a_program_that_is_told_to_end_ends_the_session_calmly(make_study):
    """A system that shuts down sends two signals at once."""
    study = make_study("consent = false")
    process = in_a_trial(study)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGHUP)
    code, out, err = ended(process)

    assert (code, "Traceback" in err) == (0, False), err
    assert "The session was stopped and can be resumed" in out
    assert events(study) == ["told-to-end", "interrupted"]
    assert one(study, "select ended from sessions") == "quit"


@pytest.mark.long
def test_a_record_that_is_lost_is_told_to_participant_and_experimenter(make_study):
    """The participant's screen stays until a key is pressed that is not an answer."""
    study = make_study("consent = false")
    process = in_a_trial(study)
    before = answered(study)
    with closing(sqlite3.connect(study.folder / "data.sqlite")) as connection, connection:
        connection.execute("alter table judgements rename to lost")
    end = time.monotonic() + 3
    press_until(process, ["f"], done=lambda: time.monotonic() > end)
    assert process.poll() is None
    press_until(process, ["space"])
    code, out, err = ended(process)

    assert (code, out, "Traceback" in err) == (1, "", False)
    assert "the record cannot be written" in err
    assert "run the same command again" in err
    assert one(study, "select count(*) from lost") == before
    assert one(study, "select ended from sessions") is None
    assert one(study, SHOWING) is not None


@pytest.mark.long
def test_images_that_vanish_are_named_after_the_participant_was_told(make_study):
    study = make_study("consent = false")
    process = start(study)
    wait_for(process, lambda: one(study, "select 1 from sessions") is not None)
    shutil.move(study.folder / "masks", study.folder / "removed")
    press_until(process, ["space", "f"])
    code, out, err = ended(process)

    assert (code, out, "Traceback" in err) == (2, "", False)
    assert str(study.folder / "masks") in err.replace(" ", "")
    number = answered(study)
    assert one(study, SHOWING) == f"time 1 {number + 1}"


@contextmanager
def x_server() -> Iterator[tuple[str, Callable[[], None]]]:
    """Start an X server; yield its display and a function that kills it."""
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1024x768x24"]
    process = subprocess.Popen(
        [*command, "-nolisten", "tcp", "-noreset"], pass_fds=[write_end], stderr=subprocess.DEVNULL
    )
    os.close(write_end)
    with os.fdopen(read_end) as answer:
        number = answer.readline().strip()
    try:
        yield f":{number}", process.kill
    finally:
        process.kill()
        process.wait()


@pytest.mark.long
def test_a_display_that_goes_ends_the_program_and_another_goes_on(make_study):
    study = make_study("consent = false")
    with x_server() as (display, kill):
        process = in_a_trial(study, display)
        before = answers(study)
        shown = one(study, SHOWING)
        kill()
        code, _, err = ended(process)
    assert (code, "Traceback" in err) == (1, False), err
    assert "hype: the display is gone" in err
    assert "run the same command again" in err
    assert one(study, "pragma integrity_check") == "ok"
    assert one(study, SHOWING) == shown

    assert_goes_on(study, before)
    assert events(study) == ["interrupted"]
    found = rows(study, "select ended from sessions order by id")
    assert [row["ended"] for row in found] == ["broke-off", "complete"]


def stop_for(process: subprocess.Popen[str], seconds: float) -> None:
    """Stop a program for some time."""
    process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    process.send_signal(signal.SIGCONT)


@pytest.mark.long
def test_a_stop_of_the_program_is_kept_with_its_trial(make_study):
    """It is stopped once at a text and once at an image, which the trigger reports."""
    far, near = pseudo_terminal()
    port = f'\n[timing.triggers]\nserial = "{os.ttyname(near)}"\nimage_on = 7\nimage_off = 8\n'
    study = make_study("consent = false", port)
    process = start(study)
    wait_for(process, lambda: one(study, "select 1 from sessions") is not None)
    stop_for(process, 1.5)
    press_until(process, ["space"], done=lambda: bool(select.select([far], [], [], 0)[0]))
    stop_for(process, 1.5)
    press_until(process, ["f"], done=lambda: answered(study) >= 1)
    close_window()
    code, _, err = ended(process)
    for end in (far, near):
        os.close(end)

    assert code == 0, err
    first, second = rows(study, "select * from events where event = 'stopped' order by id")
    assert (first["task"], first["trial"]) == (None, None)
    assert (second["task"], second["block"], second["trial"]) == ("time", 1, 1)
    assert 1.5 <= first["seconds"] < LONGEST_S
    assert 0.8 <= second["seconds"] < LONGEST_S  # in addition to the planned half a second


def test_after_a_fault_of_the_program_its_record_is_named(tmp_path, capsys):
    with (
        pytest.raises(SessionProblem, match=r"ZeroDivisionError.* is in .*data\.sqlite"),
        explain_faults(tmp_path / "data.sqlite"),
    ):
        print(1 / 0)
    assert "ZeroDivisionError: division by zero" in capsys.readouterr().err
