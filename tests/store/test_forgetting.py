"""Removed rows, and their bytes in the record's files."""

import random
import sqlite3
import struct
import time
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

import pytest
from builders import named_here
from entered import enter_evaluator
from paper_station import rows_of
from sqlalchemy import Engine

from hype.errors import SessionProblem
from hype.protocols.hype.record import judgements
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.session.loop import Presentation
from hype.session.steps import GO_ON, Page, Response, Screen
from hype.stimuli.manifest import Stimulus, Truth
from hype.store import forgetting, people
from hype.store.backup import BACKUPS
from hype.store.forgetting import copies_with, count_rows, may_hold, wipe_traces
from hype.store.people import Evaluator, find_evaluator
from hype.store.recorder import DurableRecorder
from hype.store.schema import evaluators, events, removals, sessions
from hype.store.sqlite_record import writing_record

ANSWERS = 3
TABLES = (evaluators, sessions, judgements, events)


def enter(engine: Engine, code: str, *, simulated: bool = False, status: str = "active") -> int:
    with engine.begin() as connection:
        return enter_evaluator(connection, code, simulated=simulated, status=status)


def image_of(code: str, number: int) -> str:
    """Return the name of an image that only one evaluator saw."""
    return f"real/seen-by-{code}-{number}.png"


def rt_of(number: int, who: int) -> float:
    """Return a response time that occurs only once."""
    return 100.0 + number + who / 1_000_003


def sit(engine: Engine, code: str, who: int) -> None:
    """Write a session with a few trials whose cells all contain the evaluator's code."""
    with engine.begin() as connection:
        session = people.insert_one(
            connection,
            sessions,
            {
                "evaluator_id": who,
                "study": "0" * 64,
                "mode": "person",
                "versions": "{}",
                "machine": f'{{"host": "at-{code}"}}',
                "display": "{}",
                "started_unix_s": 0.0,
                "heard_unix_s": 0.0,
                "utc_offset_s": 0.0,
            },
        )
    owner = {"evaluator_id": who, "session_id": session, "simulated": False}
    recorder = DurableRecorder(engine, owner)
    shown = Presentation(0.0, 0.0)
    recorder.record(Screen(page=Page.CONSENT), shown, GO_ON)
    for number in range(1, ANSWERS + 1):
        image = Stimulus(
            path=image_of(code, number), truth=Truth.REAL, condition="", sha256=f"{number:064x}"
        )
        trial = JudgementTrial(
            task=Task.INFINITY, block=session, number=number, stimulus=image, exposure_ms=None
        )
        recorder.begin(trial)
        recorder.record(trial, shown, Response("real", "f", rt_of(number, who)))


def come(engine: Engine, code: str, sittings: int = 1) -> int:
    who = enter(engine, code)
    for _ in range(sittings):
        sit(engine, code, who)
    return who


def remove(engine: Engine, code: str, *, simulated: bool = False) -> Evaluator:
    with engine.begin() as connection:
        who = find_evaluator(connection, code, simulated=simulated)
        assert who is not None
        held = count_rows(connection, who)
    forgetting.remove(engine, held)
    return who


def left_in_files(path: Path, words: Collection[bytes]) -> set[tuple[str, bytes]]:
    """Return the words that are anywhere in the record's files, also in free space."""
    files = [file for file in path.parent.glob(f"{path.name}*") if file.is_file()]
    contents = {file.name: file.read_bytes() for file in files}
    return {(name, word) for name, content in contents.items() for word in words if word in content}


def test_all_rows_of_one_evaluator_go_and_a_note_stays_that_does_not_say_whose(engine):
    come(engine, "p01")
    come(engine, "p02")
    before = [rows_of(engine, table) for table in TABLES]
    who = come(engine, "victim", sittings=2)
    with engine.begin() as connection:
        found = find_evaluator(connection, "victim", simulated=False)
        assert found is not None
        held = count_rows(connection, found)
        assert (held.sessions, held.judgements) == (2, 2 * ANSWERS)
    remove(engine, "victim")

    assert [rows_of(engine, table) for table in TABLES] == before
    (note,) = rows_of(engine, removals)
    cells = note._asdict()
    assert 0 <= time.time() - cells.pop("removed_unix_s") < 60
    assert cells == {
        "id": 1,
        "simulated": False,
        "condition": "model",
        "methods": "time infinity",
        "sessions": 2,
        "judgements": 2 * ANSWERS,
    }
    assert who not in note


def test_a_person_and_a_simulated_evaluator_of_the_same_code_are_two(engine):
    come(engine, "p01")
    enter(engine, "p01", simulated=True)
    remove(engine, "p01", simulated=True)

    assert [(row.evaluator, row.simulated) for row in rows_of(engine, evaluators)] == [
        ("p01", False)
    ]
    assert len(rows_of(engine, judgements)) == ANSWERS


@pytest.fixture
def crowd(engine: Engine) -> list[str]:
    """Write many evaluators with a SQLite that leaves bytes in split pages; return their codes."""
    codes = [f"evaluator-number-{number:04d}" for number in range(600)]
    random.Random(5).shuffle(codes)
    base = {"simulated": False, "condition": "m", "methods": "time", "left_means": "real"}
    base |= {"qualified_in": "", "seed": "7", "study": "", "plan": "", "status": "active"}
    base |= {"assigned_unix_s": 0.0}
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA secure_delete = OFF")
        for code in codes:
            people.insert_one(connection, evaluators, base | {"evaluator": code})
    return codes


def test_no_byte_of_the_removed_is_left_in_any_file(engine, crowd, path):
    victims = crowd[::10]
    for code in victims[:3]:
        with engine.begin() as connection:
            who = find_evaluator(connection, code, simulated=False)
        assert who is not None
        sit(engine, code, who.id)
    words = [code.encode() for code in victims]
    assert len({word for _, word in left_in_files(path, words)}) == len(words)
    for code in victims:
        remove(engine, code)
    with closing(engine.raw_connection()) as raw:
        raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert left_in_files(path, words), "nothing is left to wipe, so this test shows nothing"
    wipe_traces(engine)

    assert left_in_files(path, words) == set()
    assert (path.with_name(path.name + "-wal")).stat().st_size == 0
    assert left_in_files(path, [crowd[1].encode()])  # the search does find those who stay


def test_no_byte_of_their_answers_is_left(engine, path):
    come(engine, "p01")
    who = come(engine, "victim", sittings=2)
    come(engine, "p02")
    words = [image_of("victim", number).encode() for number in range(1, ANSWERS + 1)]
    words += [struct.pack(">d", rt_of(number, who)) for number in range(1, ANSWERS + 1)]
    words += [b"at-victim"]
    assert {word for _, word in left_in_files(path, words)} == set(words)
    remove(engine, "victim")
    wipe_traces(engine)

    assert left_in_files(path, words) == set()
    assert left_in_files(path, [struct.pack(">d", rt_of(1, 1))])


def test_a_session_that_is_going_on_loses_nothing(engine, path):
    """Another program has the record open, and writes to it before and after."""
    come(engine, "victim")
    with writing_record(path) as other:
        who = come(other, "p01")
        remove(engine, "victim")
        sit(other, "p01", who)
        wipe_traces(engine)
        sit(other, "p01", who)
        assert left_in_files(path, [b"victim"]) == set()

    assert len(rows_of(engine, judgements)) == 3 * ANSWERS
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "BEGIN"], ids=["writes", "reads"])
def test_traces_that_stay_are_told_of_and_go_the_next_time(statement, path, monkeypatch):
    monkeypatch.setattr(forgetting, "PATIENCE_MS", 50)
    with writing_record(path) as engine, closing(sqlite3.connect(path)) as other:
        come(engine, "victim")
        remove(engine, "victim")
        other.isolation_level = None
        other.execute(statement)
        other.execute("SELECT * FROM evaluators").fetchall()
        with pytest.raises(SessionProblem, match=r"data are removed, but .* run the same command"):
            wipe_traces(engine)
        assert left_in_files(path, [b"victim"])
        other.execute("ROLLBACK")
        wipe_traces(engine)

        assert left_in_files(path, [b"victim"]) == set()


def test_copies_that_hold_somebody_or_cannot_be_read_are_listed(engine, path):
    come(engine, "p01")
    with engine.connect() as connection:
        who = find_evaluator(connection, "p01", simulated=False)
    assert who is not None
    assert copies_with(path, who) == ()
    folder = path.parent / BACKUPS
    folder.mkdir()
    for number, (name, simulated) in enumerate([("p01", 0), ("p01", 1), ("p02", 0)], start=1):
        with closing(sqlite3.connect(folder / f"data-{number}.sqlite")) as copy:
            copy.execute("CREATE TABLE evaluators (evaluator, simulated)")
            copy.execute("INSERT INTO evaluators VALUES (?, ?)", (name, simulated))
            copy.commit()
    (folder / "data-broken.sqlite").write_bytes(b"no database")
    (folder / "data-3.sqlite-wal").write_bytes(b"not replayed yet")
    (folder / "notes.txt").write_text("p01")
    before = sorted(folder.iterdir())

    holding = [copy.stem.removeprefix("data-") for copy in copies_with(path, who)]
    assert holding == ["1", "3", "broken"]
    assert sorted(folder.iterdir()) == before


def test_a_backup_in_write_ahead_mode_is_read_without_writing_beside_it(engine, path):
    come(engine, "p01")
    with closing(engine.raw_connection()) as raw:
        raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    folder = path.parent / named_here("odd ? name") / BACKUPS
    folder.mkdir(parents=True)
    copy = folder / "data-1.sqlite"
    copy.write_bytes(path.read_bytes())

    assert may_hold(copy, "p01", simulated=False)
    assert not may_hold(copy, "p02", simulated=False)
    assert list(folder.iterdir()) == [copy]
