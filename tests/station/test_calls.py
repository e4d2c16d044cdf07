"""Signals and events that end or stop a session from outside."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from from_outside import close_window, destroy_window
from long import long_but
from real_window import FLASHED, Onlooker, Outlets, station_at, watched_station

from hype.errors import SessionProblem
from hype.session.steps import Page, Screen, Step
from hype.station.interrupts import (
    SIGNALLED_S,
    SIGNALS,
    Interrupt,
    Interrupts,
    SessionInterrupted,
    Stops,
    note_signals,
)
from hype.station.station import WindowStation

TRIAL = replace(FLASHED, exposure_ms=200.0)


def test_the_first_call_is_the_reason():
    interrupts = Interrupts()
    interrupts.note(Interrupt.WINDOW_CLOSED)
    interrupts.note(Interrupt.TERMINATED)
    with pytest.raises(SessionInterrupted, match="window-closed"):
        interrupts.stop_if_any()


@contextmanager
def handled_by(number: signal.Signals, handler: signal.Handlers) -> Iterator[None]:
    """Handle a signal with another handler while the block lasts."""
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_noted_and_nothing_is_interrupted(number):
    with handled_by(number, signal.SIG_DFL):  # the parent process may ignore this signal
        with note_signals() as interrupts:
            os.kill(os.getpid(), number)
            with pytest.raises(SessionInterrupted, match="told-to-end"):
                interrupts.stop_if_any()
        assert signal.getsignal(number) == signal.SIG_DFL


def test_a_terminal_that_closes_twice_does_not_end_the_program():
    """A session manager sends SIGHUP right after SIGTERM."""
    with note_signals() as interrupts:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGHUP):
            os.kill(os.getpid(), number)
        with pytest.raises(SessionInterrupted):
            interrupts.stop_if_any()


@pytest.mark.parametrize("number", SIGNALS)
def test_what_was_ignored_stays_ignored(number):
    with handled_by(number, signal.SIG_IGN), note_signals() as interrupts:
        os.kill(os.getpid(), number)
        interrupts.stop_if_any()


STUBBORN = """
import os, signal
from hype.station.interrupts import SIGNALS, note_signals
for number in SIGNALS:
    signal.signal(number, signal.SIG_DFL)
with note_signals():
    os.kill(os.getpid(), signal.{first})
    print("noted", flush=True)
    os.kill(os.getpid(), signal.{second})
    print("still here")
"""
"""A program that ignores the signals that it has noted."""


@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param(*["SIGINT"] * 2, marks=pytest.mark.long), ("SIGINT", "SIGTERM")],
)
def test_a_second_signal_ends_the_program_at_once(first, second):
    program = STUBBORN.format(first=first, second=second)
    ran = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert ran.stdout == "noted\n"
    assert ran.returncode == -getattr(signal, second)


WAITS = {
    "screen": Screen(page=Page.WELCOME, values={"minutes": 5}),
    "choice": Screen(page=Page.CONSENT, choice=True),
    "feedback": Screen(page=Page.CORRECT, duration_ms=100.0),
    "untimed": replace(TRIAL, exposure_ms=None, masks=()),
    "countdown": TRIAL,
}


def go_through(station: WindowStation, step: Step) -> None:
    """Show a step and wait for its answer."""
    station.present(step)
    station.respond(step)


@pytest.mark.usefixtures("display")
@pytest.mark.parametrize(
    "close", [close_window, pytest.param(destroy_window, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("kind", long_but(["countdown"], WAITS))
def test_a_closed_window_is_noticed_wherever_the_station_waits(opened, kind, close):
    station = station_at(opened, log := [])
    close()
    with pytest.raises(SessionInterrupted, match="window-closed"):
        go_through(station, WAITS[kind])
    assert "image on" not in log


@pytest.mark.usefixtures("display")
@pytest.mark.parametrize("act", long_but(["press"], ["press", "see"]))
def test_a_window_destroyed_while_an_answer_is_awaited_is_noticed(opened, act):
    """This is also true if a simulated evaluator can no longer press a key at the window."""

    def fail() -> None:
        destroy_window()
        if act == "press":
            raise SessionProblem("another window has the keyboard")

    station = station_at(opened, [], respondent=Onlooker([fail]))
    with pytest.raises(SessionInterrupted, match="window-closed"):
        go_through(station, WAITS["untimed"])
    with pytest.raises(SessionInterrupted, match="window-closed"):
        station.show_trouble()


@pytest.mark.usefixtures("display")
def test_what_fails_at_a_window_that_is_there_is_not_hidden(opened):
    station = station_at(opened, [], respondent=Onlooker([lambda: {}["nobody"]]))
    with pytest.raises(KeyError, match="nobody"):
        go_through(station, WAITS["untimed"])


@pytest.mark.usefixtures("display")
def test_an_exposure_is_finished_before_a_call_is_heeded(opened, monkeypatch):
    monkeypatch.setattr(Outlets, "image_on", lambda _: close_window())
    station, watched = watched_station(opened, monkeypatch)
    shown = station.present(TRIAL)
    assert len(shown.timing.flips) == 4
    assert watched.log[-5:] == ["flip", "image off", "flip", "flip", "resume"]
    with pytest.raises(SessionInterrupted, match="window-closed"):
        station.respond(TRIAL)


@pytest.mark.usefixtures("display")
def test_the_trouble_screen_stays_no_longer_than_the_person(opened, monkeypatch):
    station, watched = watched_station(opened, monkeypatch, respondent=Onlooker())
    station.show_trouble()
    (screen,) = watched.screens
    written = np.argwhere((screen != screen[0, 0]).any(axis=2))
    assert len(written) > 500
    assert written.min() > 5
    assert (written.max(axis=0) < np.array(screen.shape[:2]) - 5).all()


class Clock:
    """A clock that is set by hand."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def stops(clock):
    return Stops(clock)


def test_a_stop_is_told_once_and_in_full(stops, clock):
    for passed_s in (0.001, 30.0, 0.001, 5.0):
        clock.now_s += passed_s
        stops.look()

    assert stops.take() == pytest.approx([30.0, 5.0])
    assert stops.take() == []


@pytest.mark.parametrize(("more_s", "found"), [(0.5, []), (30.0, [30.0])])
def test_what_was_planned_is_no_stop(more_s, found, stops, clock):
    clock.now_s += 3.0 + more_s
    stops.look(planned_s=3.0)

    assert stops.take() == pytest.approx(found)


@pytest.mark.parametrize("look", ["begin", "look"])
def test_of_a_stop_that_the_system_tells_of_less_is_enough(look, stops, clock):
    clock.now_s += 2 * SIGNALLED_S
    stops.note_continued()
    getattr(stops, look)()
    clock.now_s += 2 * SIGNALLED_S
    getattr(stops, look)()

    assert stops.take() == pytest.approx([2 * SIGNALLED_S])


def test_the_signal_after_a_stop_is_noted(clock, monkeypatch):
    before = signal.getsignal(signal.SIGCONT)
    with note_signals() as interrupts:
        monkeypatch.setattr(interrupts, "stops", stops := Stops(clock))
        os.kill(os.getpid(), signal.SIGCONT)
        clock.now_s += 2 * SIGNALLED_S
        stops.begin()
        interrupts.stop_if_any()

    assert len(stops.take()) == 1
    assert signal.getsignal(signal.SIGCONT) == before
