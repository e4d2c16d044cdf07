"""Copies of a record: complete, possible while it is written, and never over another file."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from builders import named_study
from disk_records import make_read_only, mode_of, mounted, pragma, rows_in
from paper_station import record_of, sit

from hype.errors import InputError, SessionProblem
from hype.protocols.hype.settings import Study
from hype.protocols.registry import PROTOCOLS
from hype.store import backup
from hype.store.backup import Backup, back_up
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record

WRITING = """
import sys
from itertools import count
from pathlib import Path
from paper_station import record_of, sit
from hype.protocols.load import load_study

study = load_study(Path(sys.argv[1]))
with record_of(study) as engine:
    print("open", flush=True)
    for number in count():
        sit(engine, study, f"p{number:03d}")
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return named_study(tmp_path / "study")


def recorded(study: Study, *codes: str) -> Path:
    """Let people complete a study, and return its record."""
    with record_of(study) as engine:
        for code in codes:
            sit(engine, study, code)
    return study.folder / RECORD_FILE


def test_copies_made_while_trials_are_written_are_sound_and_beginnings_of_the_record(
    study, soak, tmp_path
):
    path = recorded(study, "first")
    tests = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", WRITING, study.folder],
        env=os.environ | {"PYTHONPATH": tests},
        stdout=subprocess.PIPE,
        text=True,
    ) as writing:
        assert writing.stdout is not None
        assert writing.stdout.readline() == "open\n"
        copies = []
        while (
            len(copies) < (200 if soak else 6) or len({c.people["judgements"] for c in copies}) < 4
        ):
            copies.append(back_up(reading_record(path), path))
            assert writing.poll() is None
        writing.kill()
    final = rows_in(path)["judgements"]

    counts = judged(copies)
    assert counts == sorted(counts)
    for copy in copies:
        assert pragma(copy.path, "integrity_check") == "ok"
        assert pragma(copy.path, "journal_mode") == "delete"
        assert rows_in(copy.path)["judgements"] == final[: copy.people["judgements"]]
        assert mode_of(copy.path) == 0o600
    assert {one.name for one in (path.parent / "backups").iterdir()} == {
        c.path.name for c in copies
    }
    assert mode_of(path.parent / "backups") == 0o700


def judged(copies: list[Backup]) -> list[int]:
    """Return the number of people's judgements in each copy."""
    return [copy.people["judgements"] for copy in copies]


def test_a_backup_says_what_it_holds(study):
    path = recorded(study, "p01", "p02")
    made = back_up(reading_record(path), path)

    assert made.path.parent == path.parent / "backups"
    nothing = {what: 0 for protocol in PROTOCOLS for what in protocol.row.held}
    assert (made.people, made.simulated) == (
        {"evaluators": 2} | nothing | {"judgements": 44},
        {"evaluators": 0} | nothing,
    )
    assert made.size_bytes == made.path.stat().st_size


def test_backups_of_one_second_have_different_names(study):
    path = recorded(study, "p01")
    names = {back_up(reading_record(path), path).path.name for _ in range(5)}

    assert len(names) == 5
    assert all(name.startswith("data-2") and name.endswith(".sqlite") for name in names)


def test_a_backup_takes_the_place_of_nothing(study, tmp_path):
    path = recorded(study, "p01")
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for target in ("notes.txt", "link", "study"):
        with pytest.raises(InputError, match=f"{target}: already exists"):
            back_up(reading_record(path), path, tmp_path / target)

    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link", "notes.txt", "study"]


def test_a_file_system_without_links_takes_backups(study, tmp_path, monkeypatch):
    """The file system of a USB disk is an example."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    path = recorded(study, "p01")
    made = back_up(reading_record(path), path, tmp_path / "copy.sqlite")

    assert rows_in(made.path) == rows_in(path)
    with pytest.raises(InputError, match="already exists"):
        back_up(reading_record(path), path, tmp_path / "copy.sqlite")
    assert not backup.take_place(made.path, path)


def test_where_there_is_no_folder_no_backup_is_made(study, tmp_path):
    path = recorded(study, "p01")
    with pytest.raises(InputError, match="nowhere: there is no such folder"):
        back_up(reading_record(path), path, tmp_path / "nowhere" / "copy.sqlite")


def test_backups_do_not_follow_a_link_out_of_the_study(study, tmp_path):
    path = recorded(study, "p01")
    (tmp_path / "elsewhere").mkdir()
    (path.parent / "backups").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="backups: is a link; a folder; hype backup -o FILE"):
        back_up(reading_record(path), path)

    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_full_disk_keeps_no_half_a_backup(study, tmp_path):
    path = recorded(study, "p01", "p02", "p03")
    with mounted(tmp_path / "disk", size_kib=64) as disk:
        with pytest.raises(InputError, match=r"disk: the backup cannot be written: .*full"):
            back_up(reading_record(path), path, disk / "copy.sqlite")
        assert not list(disk.iterdir())
        make_read_only(disk)
        with pytest.raises(InputError, match="disk: the backup cannot be written: Read-only"):
            back_up(reading_record(path), path, disk / "copy.sqlite")


def test_a_damaged_record_is_not_taken_for_a_sound_one(study):
    path = recorded(study, "p01", "p02", "p03")
    with path.open("r+b") as file:
        file.seek(-4096, os.SEEK_END)
        file.write(b"\xff" * 4096)
    with pytest.raises(SessionProblem, match=r"is damaged .*was not backed up"):
        back_up(reading_record(path), path)

    assert not list((path.parent / "backups").iterdir())


def test_rows_that_refer_to_nothing_are_damage(study):
    path = recorded(study, "p01")
    with closing(sqlite3.connect(path)) as record:
        record.execute("delete from evaluators")
        record.commit()
    with pytest.raises(SessionProblem, match="a row refers to a missing row"):
        back_up(reading_record(path), path)
