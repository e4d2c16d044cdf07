"""The installed program with its window is killed during a session and started again."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from builders import whole_study
from faults.ordeal import over
from faults.places import linked
from faults.records import MEASURED, read_record
from paper_comparer import small_study
from postgres_server import run_postgres
from programs import own_display

from hype.store.postgres import make_record

pytestmark = [pytest.mark.usefixtures("display"), pytest.mark.long]
HYPE = Path(sys.executable).parent / "hype"
LONGEST_S = 120.0
TRIALS_S = 1.5
OTHERS = ("SIGTERM", "SIGHUP", "X server")
AT_A_WINDOW = {
    "study": {"consent": False},
    "practice": {"trials": 0},
    "qualification": {"enabled": False},
    "time": {"blocks": 1, "trials": 4, "countdown_ms": 60, "min_ms": 0.0},
    "keys": {"left_means": "real"},
    "display": {"fullscreen": False, "size_px": 96, "feedback_ms": 30},
    "people": {"rt_median_ms": 40},
}
COMPARED = {
    "study": {"consent": False},
    "comparison": {
        "blocks": 1,
        "trials": 4,
        "practice": 1,
        "word_ms": 100.0,
        "min_ms": 0.0,
        # Each start alternates clicks and keys from the beginning, so the answers would differ.
        "mouse": False,
    },
    "display": {"fullscreen": False, "size_px": 96},
    "people": {"rt_median_ms": 150.0},
}


@contextmanager
def running(folder, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run a session of the program while the block lasts."""
    command = [HYPE, "run", folder, "--evaluator", "r1", "--simulate", "--windowed"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def asked(folder, query):
    """Query a number in a record that is being written; 0 if it has none yet."""
    try:
        location = f"file:{folder / 'data.sqlite'}?mode=ro"
        with closing(sqlite3.connect(location, uri=True)) as connection:
            return connection.execute(query).fetchone()[0] or 0
    except sqlite3.OperationalError:
        return 0


SESSIONS = "select max(id) from sessions"
SHOWING = "select max(id) from sessions where showing is not null and ended is null"


def whole_session(folder):
    """Let a session run to its end and return its record."""
    with running(folder) as process:
        _, said = process.communicate(timeout=LONGEST_S)
        assert process.returncode == 0, said
    return read_record(folder, folder.with_name(f"{folder.name}-read"))


def judged(folder):
    return whole_study(folder, **AT_A_WINDOW)


def compared(folder):
    return small_study(folder, **COMPARED)


@pytest.fixture(scope="module", params=[judged, compared])
def peace(request, tmp_path_factory):
    """Return a study, and the record of a session without faults."""
    study = request.param(tmp_path_factory.mktemp("window") / "study").folder
    return study, whole_session(linked(study, study.with_name("peace")))


def check_resumed(found, reference, seen):
    """Check the record of sessions that were broken off and completed, and its earlier states."""
    assert found.sound
    for before in seen:
        answered = before.answers
        assert found.answers[: len(answered)] == answered
    assert found.lasting(MEASURED) == reference.lasting(MEASURED)
    *before, last = (row["ended"] for row in found["sessions"])
    assert last == "complete"
    assert set(before) <= {"broke-off", "quit"}
    assert not any(row["showing"] for row in found["sessions"])


def break_off(process, how, server):
    """End a program, or its display server, in some way."""
    if how == "X server":
        server.kill()
    else:
        process.send_signal(getattr(signal, how))
    _, said = process.communicate(timeout=LONGEST_S)
    assert how == "X server" or "Traceback" not in said, said


def live_for_a_while(process, folder, how, chance):
    """Let a program run: sometimes only until it starts, mostly until it shows trials."""
    if how != "SIGKILL" or chance.random() < 0.8:
        before, end = asked(folder, SESSIONS), time.monotonic() + LONGEST_S
        while process.poll() is None and asked(folder, SHOWING) <= before:
            assert time.monotonic() < end
            time.sleep(0.05)
    time.sleep(chance.uniform(0, TRIALS_S))


def test_broken_off_at_a_window_and_resumed(peace, tmp_path, figures):
    study, reference = peace
    chance, count = random.Random(6), figures("hype run at a window")
    ways = ["SIGKILL"] * 36 + list(OTHERS) * 4
    chance.shuffle(ways)
    while ways:
        folder = linked(study, tmp_path / f"study-{count.sessions}")
        seen, cut = [], {}
        while ways and not (seen and over(seen[-1])):
            how = ways.pop()
            with own_display() as (server, name), running(folder, DISPLAY=name) as process:
                live_for_a_while(process, folder, how, chance)
                break_off(process, how, server)
            seen.append(read_record(folder, tmp_path / "read"))
            cut |= {row["id"]: row["showing"] for row in seen[-1]["sessions"] if row["showing"]}
            killed = process.returncode == -signal.SIGKILL
            count.faults += killed or how != "SIGKILL"  # a SIGKILL may come too late
            count.kills += killed
        found = seen[-1] if over(seen[-1]) else whole_session(folder)
        check_resumed(found, reference, seen)
        assert cut.items() <= dict(found.interrupted).items()
        count.sessions += 1
        count.interrupted += len(found.interrupted)


def test_a_session_waits_for_a_store_that_is_away(tmp_path):
    """PostgreSQL is killed twice in one session, and the session still completes without help."""
    study = judged(tmp_path / "study")
    with run_postgres() as server:
        address = server.database("study")
        make_record(address)
        with running(study.folder, HYPE_STORE=address) as process:
            for trials in (1, 3):
                until_s = time.monotonic() + LONGEST_S
                while stored(address) < trials and time.monotonic() < until_s:
                    time.sleep(0.05)
                server.kill()
                time.sleep(1)
                server.begin()
            _, said = process.communicate(timeout=LONGEST_S)
            assert process.returncode == 0, said
        verified = subprocess.run(
            (HYPE, "verify", study.folder, "--store", address, "--json"),
            capture_output=True,
            check=True,
        )
        assert json.loads(verified.stdout)["judgements"] == stored(address)
    assert not (study.folder / "data.sqlite").exists()


def stored(address: str) -> int:
    """Count the answers in a store."""
    with psycopg.connect(address) as connection:
        return connection.execute("SELECT count(*) FROM judgements").fetchone()[0]
