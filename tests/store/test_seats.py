"""Seats: only one program at a time has a seat, and never a program that has ended."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hype.errors import InputError, SessionProblem
from hype.store.seats import evaluator_seat, hold_seat, is_taken, seats_folder

SEAT = evaluator_seat("p01", simulated=False)
WHO = "the session of 'p01'"
HOLD = """
import sys
from pathlib import Path
from hype.store.seats import hold_seat
with hold_seat(Path(sys.argv[1]), sys.argv[2], "somebody"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "data.sqlite"


def holder(record: Path) -> subprocess.Popen[str]:
    """Start a program that holds the seat until its input ends."""
    command = [sys.executable, "-c", HOLD, str(record), SEAT]
    process = subprocess.Popen(command, stdin=-1, stdout=-1, text=True)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def test_a_seat_that_is_held_is_refused_by_name_process_and_host(record):
    with holder(record) as other:
        told = rf"{WHO} is already in progress .*process {other.pid} on {os.uname().nodename} since"
        with (
            pytest.raises(SessionProblem, match=told),
            hold_seat(record, SEAT, WHO),
        ):
            pass
        other.communicate()


def test_a_seat_whose_holder_was_killed_is_free(record):
    with holder(record) as other:
        other.send_signal(signal.SIGKILL)
    assert (seats_folder(record) / SEAT).exists()  # nobody removed the file

    with hold_seat(record, SEAT, WHO):
        assert f"process {os.getpid()}" in (seats_folder(record) / SEAT).read_text()


def test_whether_a_seat_is_taken_can_be_asked(record):
    assert not is_taken(record, SEAT)
    with holder(record) as other:
        assert is_taken(record, SEAT)
        other.send_signal(signal.SIGKILL)
    assert not is_taken(record, SEAT)
    with hold_seat(record, SEAT, WHO):
        assert is_taken(record, SEAT)


def test_a_seat_that_was_left_leaves_nothing(record):
    with hold_seat(record, SEAT, WHO):
        pass

    assert list(seats_folder(record).iterdir()) == []


def test_within_one_program_a_seat_is_held_once(record):
    with hold_seat(record, SEAT, WHO):
        with pytest.raises(SessionProblem), hold_seat(record, SEAT, WHO):
            pass
        other = evaluator_seat("p01", simulated=True)
        with hold_seat(record, other, WHO):
            pass
        with hold_seat(record.with_name("other.sqlite"), SEAT, WHO):
            pass


def test_only_the_owner_can_read_who_sits(record):
    with hold_seat(record, SEAT, WHO):
        assert seats_folder(record).stat().st_mode & 0o077 == 0
        assert (seats_folder(record) / SEAT).stat().st_mode & 0o077 == 0


def test_a_link_in_place_of_a_seat_is_not_followed(record):
    target = record.with_name("precious")
    target.write_text("precious")
    seats_folder(record).mkdir()
    (seats_folder(record) / SEAT).symlink_to(target)

    with pytest.raises(InputError, match="cannot be written"), hold_seat(record, SEAT, "p01"):
        pass
    assert target.read_text() == "precious"


def count_in_turn(record: Path, rounds: int) -> None:
    """Add to a number in a file again and again, with reading and writing as two steps."""
    tally = record.with_name("tally")
    while rounds:
        try:
            with hold_seat(record, SEAT, WHO):
                tally.write_text(str(int(tally.read_text()) + 1))
                rounds -= 1
        except SessionProblem:
            continue


@pytest.mark.posix("does not fork")
def test_several_programs_that_come_and_go_never_hold_it_together(record):
    """A program that leaves a seat removes its file while others are opening it."""
    record.with_name("tally").write_text("0")
    spawn = multiprocessing.get_context("fork")
    programs = [spawn.Process(target=count_in_turn, args=(record, 200)) for _ in range(4)]
    for program in programs:
        program.start()
    for program in programs:
        program.join(timeout=60)

    assert [program.exitcode for program in programs] == [0] * 4
    assert record.with_name("tally").read_text() == "800"


def test_a_link_in_place_of_the_seats_is_not_followed(record):
    elsewhere = record.with_name("elsewhere")
    elsewhere.mkdir()
    (elsewhere / SEAT).write_text("precious")
    seats_folder(record).symlink_to(elsewhere)

    with pytest.raises(InputError, match="-seats: is a link"), hold_seat(record, SEAT, WHO):
        pass
    assert not is_taken(record, SEAT)
    assert (elsewhere / SEAT).read_text() == "precious"


@pytest.mark.posix("has no named pipes")
def test_a_pipe_in_place_of_a_seat_is_not_taken(record):
    seats_folder(record).mkdir()
    os.mkfifo(seats_folder(record) / SEAT)

    with pytest.raises(InputError, match="is not a file"), hold_seat(record, SEAT, WHO):
        pass
    assert not is_taken(record, SEAT)
