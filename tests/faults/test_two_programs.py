"""Several programs on one study at once: which may run a session, and what they record."""

import os
import signal
import socket
import subprocess
import sys

import pytest
from builders import whole_study
from faults.ordeal import trials_told
from faults.places import linked
from faults.records import read_record
from known import verify_record
from paper_comparer import small_study

from hype.store.seats import evaluator_seat, seats_folder

STANDING_MS = 100_000
ONE_CONDITION = {"": 14, "good": 14}
"""With one cell of the design, an evaluator's plan does not depend on earlier evaluators."""


@pytest.fixture
def study(tmp_path):
    return whole_study(tmp_path / "study", ONE_CONDITION, keys={"left_means": "real"}).folder


def sits_alone(sitters, study, evaluator, but=frozenset()):
    """Return the record of an evaluator who is alone in a study, without some columns."""
    alone = linked(study, study.parent / f"alone-{evaluator}")
    assert sitters.sit(alone, evaluator=evaluator).wait().code == 0
    return read_record(alone, study.parent / "read").of(evaluator).lasting(but)


def is_seated(lines):
    """Tell whether a session has shown its first screen."""
    return "shown welcome" in lines


def shows_a_trial(lines):
    """Tell whether a session has shown a trial."""
    return bool(trials_told(lines, "shown"))


def refusal(evaluator, sitter):
    """Check the message for an evaluator whose session is already open elsewhere; return it."""
    assert sitter.code == 1
    assert sitter.says.startswith("hype: ")
    assert sitter.says.count("\n") == 1
    assert f"'{evaluator}'" in sitter.says
    assert "already in progress" in sitter.says
    return sitter.says


@pytest.mark.parametrize("number", [2, pytest.param(8, marks=pytest.mark.long)])
def test_evaluators_who_sit_at_once_leave_what_each_leaves_alone(number, sitters, study):
    """The record does not exist yet, so they also create it at the same time."""
    codes = [f"e{place}" for place in range(number)]
    present = [sitters.sit(study, evaluator=code, pace_ms=5) for code in codes]
    assert [sitter.wait().code for sitter in present] == [0] * number, present[-1].says
    together = read_record(study, study.parent / "read-together")
    assert together.sound
    for code in codes if number == 2 else codes[-1:]:
        assert together.of(code).lasting() == sits_alone(sitters, study, code)
    sessions = together["sessions"]
    assert [row["ended"] for row in sessions] == ["complete"] * number
    assert len(together["judgements"]) == number * len(together.of("e0")["judgements"])


@pytest.mark.long
def test_evaluators_who_are_killed_beside_each_other(sitters, study, figures, soak):
    """Killing one session does not affect the others."""
    count = figures("killed beside others")
    codes = ["e0", "e1", "e2"]
    for _ in range(10 if soak else 2):
        present = [sitters.sit(study, evaluator=code, pace_ms=5) for code in codes]
        for sitter in present:
            sitter.read_until(shows_a_trial).read_for(0.02).kill().wait()
        killed = sum(sitter.killed for sitter in present)
        count.faults += killed
        count.kills += killed
    ended = [sitters.sit(study, evaluator=code) for code in codes]
    assert {sitter.wait().code for sitter in ended} <= {0, 1}
    together = read_record(study, study.parent / "read-together")
    count.sessions += len(codes)
    count.interrupted += len(together.interrupted)
    for code in codes:  # a repeated trial has the verdict "seen before"
        alone = sits_alone(sitters, study, code, {"verdict"})
        assert together.of(code).lasting({"verdict"}) == alone


def test_an_arena_goes_on_with_the_pairs_it_chose_though_others_voted_meanwhile(sitters, tmp_path):
    arena = {"most_votes": 600, "pairs": "adaptive"}
    study = small_study(tmp_path / "study", arena=True, comparison={"arena": arena})
    first = sitters.sit(study.folder, evaluator="e1", pace_ms=2)
    first.read_until(lambda lines: len(trials_told(lines, "shown")) >= 6).kill().wait()
    assert first.killed
    for code in ("e2", "e3"):
        assert sitters.sit(study.folder, evaluator=code).wait().code == 0
    assert sitters.sit(study.folder, evaluator="e1").wait().code == 0
    found = read_record(study.folder, tmp_path / "read")
    assert found.sound
    assert found.of("e1").lasting() == sits_alone(sitters, study.folder, "e1")
    pairs = {row["evaluator"]: row["pairs"] for row in found["evaluators"]}
    (alone,) = sits_alone(sitters, study.folder, "e3")["evaluators"]
    assert pairs["e3"] != alone["pairs"], "others' votes changed nothing"
    assert verify_record(study).sound


def test_nobody_sits_twice_until_they_are_dead(sitters, study):
    first = sitters.sit(study, pace_ms=STANDING_MS).read_until(
        lambda lines: "shown welcome" in lines
    )
    said = refusal("e1", sitters.sit(study).wait())
    assert f"process {first.number} on {socket.gethostname()}" in said
    os.kill(first.number, signal.SIGSTOP)  # a hanging machine may resume
    refusal("e1", sitters.sit(study).wait())
    assert sitters.sit(study, evaluator="e2").wait().code == 0
    first.kill().wait()
    assert sitters.sit(study).wait().code == 0
    found = read_record(study, study.parent / "read")
    assert [row["ended"] for row in found.of("e1")["sessions"]] == ["broke-off", "complete"]
    alone = sits_alone(sitters, study, "e1", {"verdict"})
    assert found.of("e1").lasting({"verdict"}) == alone


@pytest.mark.parametrize("left", [b"", b"process 1 on elsewhere since 2019-01-01", b"\xff" * 5000])
def test_a_seat_that_the_dead_left_keeps_nobody(left, sitters, study):
    seats = seats_folder(study / "data.sqlite")
    seats.mkdir()
    (seats / evaluator_seat("e1", simulated=True)).write_bytes(left)
    assert sitters.sit(study).wait().code == 0
    assert list(seats.iterdir()) == []


def test_of_eight_programs_for_one_evaluator_one_wins(sitters, study):
    present = [sitters.sit(study, pace_ms=STANDING_MS) for _ in range(8)]
    winners = [sitter for sitter in present if has_won(sitter)]
    assert len(winners) == 1
    for sitter in present:
        if sitter not in winners:
            refusal("e1", sitter)
    winners[0].kill().wait()
    assert sitters.sit(study).wait().code == 0
    found = read_record(study, study.parent / "read")
    assert [row["ended"] for row in found["sessions"]] == ["broke-off", "complete"]


def has_won(sitter):
    """Wait until a sitter (a session's process) starts its session or is refused."""
    if is_seated(sitter.read_until(is_seated).lines):
        return True
    sitter.wait()
    return False


IN_AND_OUT = """
import os, sys
from pathlib import Path
from hype.errors import SessionProblem
from hype.store.seats import hold_seat

record, held = Path(sys.argv[1]), 0
while held < int(sys.argv[2]):
    try:
        with hold_seat(record, "seat", "it"):
            alone = os.open(record.with_name("alone"), os.O_CREAT | os.O_EXCL)
            os.close(alone)
            os.unlink(record.with_name("alone"))
            held += 1
    except SessionProblem:
        pass
"""
"""A program that takes a seat and leaves it, and fails if another session has the seat."""


@pytest.mark.long
def test_two_never_hold_a_seat_however_often_it_changes_hands(tmp_path):
    command = [sys.executable, "-c", IN_AND_OUT, tmp_path / "record", "5000"]
    several = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    try:
        said = [process.communicate(timeout=300)[1] for process in several]
    finally:
        for process in several:
            process.kill()
    assert said == [""] * 4
