"""Opening a record: its owner, its version, its place, and other programs that use it."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from builders import contents, named_here
from disk_records import make_read_only, mode_of, mounted, without_log
from entered import SHOWN, crashed, ended, enter, trials
from sqlalchemy import insert, select

from hype.errors import InputError, SessionProblem
from hype.protocols.hype.record import judgements
from hype.protocols.hype.trial import Task
from hype.session.steps import Response
from hype.store import people, sqlite_files
from hype.store.record import rehearsing
from hype.store.recorder import DurableRecorder
from hype.store.schema import VERSION, evaluators, sessions, studies
from hype.store.sqlite_files import APPLICATION_ID
from hype.store.sqlite_record import reading_record, writing_record


def test_a_record_opened_for_reading_cannot_be_written(path):
    with writing_record(path) as engine:
        enter(engine)
    with reading_record(path) as engine, engine.connect() as connection:
        with pytest.raises(Exception, match="readonly database"):
            connection.execute(insert(judgements), {"evaluator_id": 1})
        assert len(people.list_evaluators(connection, simulated=False)) == 1


def of_version(version: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with sqlite3.connect(path) as record:
            record.execute("create table judgements (id integer)")
            record.execute(f"pragma user_version = {version}")
            record.execute(f"pragma application_id = {APPLICATION_ID}")
        record.close()

    return make


def somebody_elses(path: Path) -> None:
    with sqlite3.connect(path) as record:
        record.execute("create table recipes (name text)")
    record.close()


FOREIGN: dict[str, tuple[Callable[[Path], Any], str]] = {
    "text": (lambda path: path.write_text("no database " * 100), "as a record"),
    "of a later version": (
        of_version(VERSION + 1),
        rf"is a record of version {VERSION + 1}; this program reads version {VERSION}$",
    ),
    "of version 0": (of_version(0), "is a record of version 0; this program"),
    "another program's": (somebody_elses, r"data\.sqlite: "),
}


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize("opening", [writing_record, reading_record], ids=["write", "read"])
def test_a_file_that_is_no_record_of_ours_is_refused_and_left_alone(what, opening, path):
    make, message = FOREIGN[what]
    make(path)
    before = path.read_bytes()

    with pytest.raises(InputError, match=message), opening(path):
        pass
    assert path.read_bytes() == before


def empty_database(path: Path) -> None:
    with sqlite3.connect(path) as record:
        record.execute("pragma journal_mode = wal")
    record.close()
    assert path.stat().st_size


NOT_YET: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: None,
    "an empty file": lambda path: path.write_bytes(b""),
    "a file in which a crash left no table": empty_database,
}


@pytest.mark.parametrize("what", NOT_YET)
def test_no_record_yet(what, path):
    NOT_YET[what](path)
    before = contents(path.parent)
    wanted = "there is no record yet; hype run or hype simulate"
    with pytest.raises(InputError, match=wanted), reading_record(path):
        pass
    with writing_record(path):
        pass  # a refusal before the first write leaves no file
    with writing_record(path) as engine, rehearsing(engine) as connection:
        connection.execute(insert(studies).values(checksum="0", resolved=""))
        assert len(connection.execute(select(studies)).all()) == 1
    assert contents(path.parent) | before == contents(path.parent)
    assert path.name in before or not path.exists()

    with writing_record(path) as engine:
        enter(engine)
    with reading_record(path) as engine, engine.connect() as connection:
        assert len(people.list_evaluators(connection, simulated=False)) == 1
        assert connection.execute(select(studies)).all() == []


def test_a_rehearsal_keeps_nobody_from_writing(path):
    with writing_record(path) as engine:
        enter(engine)
        with rehearsing(engine) as connection, writing_record(path) as other:
            assert len(people.list_evaluators(connection, simulated=False)) == 1
            with other.begin() as writing:
                writing.execute(insert(studies).values(checksum="0", resolved=""))
            assert connection.execute(select(studies)).all() == []


def test_a_first_transaction_that_fails_leaves_no_record(path):
    with writing_record(path) as engine, pytest.raises(ZeroDivisionError), engine.begin():
        _ = 1 / 0
    with pytest.raises(InputError, match="there is no record yet"), reading_record(path):
        pass


@pytest.fixture
def _permissive() -> Iterator[None]:
    """Let new files be readable and writable for everybody."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_permissive")
def test_a_new_record_is_its_owners(path):
    with writing_record(path) as engine:
        enter(engine)
        modes = {file.name: mode_of(file) for file in path.parent.iterdir() if file.is_file()}

    assert modes == dict.fromkeys(("data.sqlite", "data.sqlite-wal", "data.sqlite-shm"), 0o600)


@pytest.mark.parametrize("opening", [writing_record, reading_record])
def test_a_link_to_a_record_elsewhere_is_none_of_this_study(opening, path):
    with writing_record(path) as engine:
        enter(engine)
    before = path.read_bytes()
    link = path.parent / "study" / "data.sqlite"
    link.parent.mkdir()
    link.symlink_to(path)

    with pytest.raises(InputError, match="leads out of its folder"), opening(link):
        pass
    assert path.read_bytes() == before


def test_a_link_that_leads_nowhere_is_no_place_for_a_record(path):
    path.symlink_to(path.parent / "nothing.sqlite")
    with (
        writing_record(path) as engine,
        pytest.raises(InputError, match="cannot be made"),
        engine.begin(),
    ):
        pass
    assert not (path.parent / "nothing.sqlite").exists()


TAKEN: dict[str, Callable[[Path], object]] = {
    "deleted": lambda path: path.unlink(),
    "moved": lambda path: path.rename(path.with_name("moved.sqlite")),
    "exchanged": lambda path: (
        shutil.copy(path, path.with_name("new")) and path.with_name("new").replace(path)
    ),
}


@pytest.mark.posix("cannot remove or replace an open file")
@pytest.mark.parametrize("what", TAKEN)
def test_nothing_is_written_to_a_record_that_was_taken_away(what, path):
    with writing_record(path) as engine:
        owner = enter(engine)
        recorder = DurableRecorder(engine, owner)
        TAKEN[what](path)
        with pytest.raises(SessionProblem, match=r"data\.sqlite: the record is not there any more"):
            recorder.record(trials(Task.TIME)[0], SHOWN, Response("real"))


def test_a_folder_is_no_record(path):
    path.mkdir()
    with pytest.raises(InputError, match="is not a file"), writing_record(path):
        pass


@pytest.mark.parametrize("opening", [writing_record, reading_record], ids=["write", "read"])
@pytest.mark.parametrize("kept_bytes", [50, 4096, 20_000])
def test_half_a_record_is_refused_and_left_as_it_is(kept_bytes, opening, path):
    with writing_record(path) as engine:
        enter(engine)
    os.truncate(path, kept_bytes)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"as a record: |not a record"), opening(path):
        pass

    assert path.read_bytes() == before


@pytest.mark.parametrize("left", [ended, crashed])
def test_a_record_on_a_medium_that_cannot_be_written_can_be_read(left, tmp_path):
    with mounted(tmp_path / "medium") as medium:
        path = medium / "data.sqlite"
        left(path)
        make_read_only(medium)
        with reading_record(path) as engine, engine.connect() as connection:
            found = people.list_evaluators(connection, simulated=False)
            assert connection.execute(select(sessions.c.showing)).first() == (None,)
        with pytest.raises(InputError, match=r"data\.sqlite"), writing_record(path):
            pass

    assert found[0].evaluator == "p01"


def killed(path: Path) -> None:
    """Leave a record as after the kill of a program."""
    crashed(path)
    path.with_name("data.sqlite-shm").touch()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a record against all other programs."""
    with closing(sqlite3.connect(path, isolation_level=None)) as record:
        record.execute("pragma locking_mode = exclusive")
        record.execute("begin exclusive")
        yield


def test_a_record_that_a_program_locks_is_in_use(path, monkeypatch):
    monkeypatch.setattr(sqlite_files.connect, "__kwdefaults__", {"timeout_s": 0.05})
    killed(path)
    with (
        locked(path),
        pytest.raises(SessionProblem, match="in use by another program"),
        reading_record(path),
    ):
        pass


@pytest.mark.parametrize("name", ["100 % real", "what?", "a#b", "%41", "a&mode=rw", "Köln"])
def test_records_in_folders_of_any_name(name, tmp_path):
    folder = tmp_path / (name := named_here(name))
    folder.mkdir()
    with writing_record(folder / "data.sqlite") as engine:
        enter(engine)
    with reading_record(folder / "data.sqlite") as engine, engine.connect() as connection:
        found = people.list_evaluators(connection, simulated=False)

    assert [who.evaluator for who in found] == ["p01"]
    assert (folder / "data.sqlite").is_file()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_text_that_is_none_is_one_message(tmp_path):
    """Every reader gets this message, for invalid text anywhere in the file."""
    path = tmp_path / "data.sqlite"
    ended(path)
    with closing(sqlite3.connect(path)) as record:
        record.execute("update evaluators set condition = cast(x'ff' as text)")
        record.commit()

    with (
        pytest.raises(InputError, match=r"as a record: Could not decode.* verify"),
        reading_record(path) as engine,
        engine.connect() as connection,
    ):
        connection.execute(select(evaluators)).all()


@pytest.mark.posix("cannot sync a folder")
def test_the_name_of_a_new_record_is_brought_to_the_disk(path, monkeypatch):
    """Otherwise a power cut could lose the whole file."""
    synced, sync = [], os.fsync

    def noting(file: int) -> None:
        sync(file)
        synced.append(Path(f"/proc/self/fd/{file}").readlink())

    monkeypatch.setattr(os, "fsync", noting)
    sqlite_files.connect_writing(path).close()
    assert synced == [path.parent]
    sqlite_files.connect_writing(path).close()
    assert synced == [path.parent]


def test_without_a_log_nothing_is_recorded(path):
    """SQLite reports no error if it cannot use a log, for example with locks that are files."""
    ended(path)
    without_log(path)
    with closing(sqlite3.connect(f"file:{path}?vfs=unix-dotfile", uri=True)) as record:
        assert record.execute("pragma journal_mode = wal").fetchone() == ("delete",)
        with pytest.raises(sqlite3.OperationalError, match="no log can be written"):
            sqlite_files.use_wal(record)


def test_a_copy_that_another_program_tidied_away_is_one_message(path, monkeypatch):
    with writing_record(path) as engine, engine.begin():
        pass
    copied = sqlite_files.copy_whole

    def copied_and_gone(whole: Path, copy: Path) -> None:
        copied(whole, copy)
        shutil.rmtree(copy.parent)

    monkeypatch.setattr(sqlite_files, "copy_whole", copied_and_gone)

    with pytest.raises(InputError, match=r"its copy in .* cannot be opened: .*; read it again"):
        sqlite_files.connect_reading(path)
