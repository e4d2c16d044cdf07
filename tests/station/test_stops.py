"""Stops of the program: which of the times between two looks at the clock are some."""

import os
import signal

import pytest

from hype.station.interrupts import LONGEST_S, TOLD_S, Stops, signals_noted


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


def test_a_program_that_looks_in_time_did_not_stop(stops, clock):
    for _ in range(100):
        clock.now_s += 0.9 * LONGEST_S
        stops.look()
    assert stops.take() == []


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


def test_what_may_take_long_is_no_stop(stops, clock):
    """A disk that is waited for, or a picture."""
    clock.now_s += 30.0
    stops.begin()
    stops.look()

    assert stops.take() == []


@pytest.mark.parametrize("look", ["begin", "look"])
def test_of_a_stop_that_the_system_tells_of_less_is_enough(look, stops, clock):
    clock.now_s += 2 * TOLD_S
    stops.note_continued()
    getattr(stops, look)()
    clock.now_s += 2 * TOLD_S
    getattr(stops, look)()

    assert stops.take() == pytest.approx([2 * TOLD_S])


def test_who_is_told_to_go_on_without_having_been_stopped_did_not_stop(stops, clock):
    """Some systems send SIGCONT after SIGTERM."""
    clock.now_s += 0.5 * TOLD_S
    stops.note_continued()
    stops.look()

    assert stops.take() == []


def test_the_signal_after_a_stop_is_noted(clock, monkeypatch):
    before = signal.getsignal(signal.SIGCONT)
    with signals_noted() as interrupts:
        monkeypatch.setattr(interrupts, "stops", stops := Stops(clock))
        os.kill(os.getpid(), signal.SIGCONT)
        clock.now_s += 2 * TOLD_S
        stops.begin()
        interrupts.stop_if_any()

    assert len(stops.take()) == 1
    assert signal.getsignal(signal.SIGCONT) == before
