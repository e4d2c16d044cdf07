"""`hype backup`: its messages and exit codes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import contents, named_study
from paper_station import record_of, sit

from hype.store.record import RECORD_FILE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study that two people and a simulated evaluator have completed."""
    study = named_study(tmp_path / "study")
    with record_of(study) as engine:
        sit(engine, study, "p01")
        sit(engine, study, "p02")
        sit(engine, study, "sim", simulated=True)
    return study.folder


def count(copy: Path) -> int:
    with closing(sqlite3.connect(copy)) as record:
        return int(record.execute("select count(*) from judgements").fetchone()[0])


def test_it_says_where_the_copy_is_and_what_it_holds(hype, folder):
    ran = hype("backup", folder)
    (copy,) = (folder / "backups").iterdir()
    kilobytes = -(-copy.stat().st_size // 1000)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        f"{copy}: 2 evaluators, 44 judgements; simulated: 1 evaluator, 22 judgements; "
        f"{kilobytes} kB\n"
    )
    assert count(copy) == 66


def test_a_record_is_saved_even_if_the_study_file_is_spoiled(hype, folder):
    (folder / "study.toml").write_text("spoiled = [")
    assert hype("backup", folder).code == 0
    assert hype("backup", folder / "study.toml").code == 0

    assert [count(copy) for copy in (folder / "backups").iterdir()] == [66, 66]


def test_wrong_input_is_refused_with_one_message(hype, folder, tmp_path):
    hype("status", folder)  # reading leaves an empty log file
    before = contents(tmp_path)
    record = folder / RECORD_FILE

    assert (
        hype("backup", folder, "-o", record)
        .refused()
        .endswith("data.sqlite: already exists; another name; a backup never replaces a file")
    )
    assert (
        hype("backup", folder, "-o", folder / "no" / "copy")
        .refused()
        .endswith("no: there is no such folder; create it first")
    )
    assert "there is no such study" in hype("backup", tmp_path / "nothing").refused()
    assert "there is no record yet" in hype("backup", tmp_path).refused()
    assert contents(tmp_path) == before
