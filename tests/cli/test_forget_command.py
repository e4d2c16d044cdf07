"""`hype forget`: its questions, its messages and its effect."""

import io
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from builders import contents, named_study, pseudo_terminal
from paper_station import PaperStation, record_of, rows_of, sit

from hype.store import forgetting
from hype.store.record import RECORD_FILE
from hype.store.schema import evaluators, removals
from hype.store.sqlite_record import reading_record
from hype.web.desk import FileDesk


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = named_study(tmp_path_factory.mktemp("begun") / "study", study={"name": "faces"})
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=9))
        sit(engine, study, "p01", PaperStation(stops_at=12))
        sit(engine, study, "-x", PaperStation(stops_at=1))
        sit(engine, study, "sim-0001", simulated=True)
    return study.folder


@pytest.fixture
def folder(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    return Path(shutil.copytree(begun, tmp_path / "study"))


def left(folder: Path) -> list[str]:
    with reading_record(folder / RECORD_FILE) as engine:
        return [row.evaluator for row in rows_of(engine, evaluators)]


def bytes_of_record(folder: Path) -> bytes:
    files = [path for path in folder.glob(f"{RECORD_FILE}*") if path.is_file()]
    return b"".join(path.read_bytes() for path in files)


def test_it_says_what_was_removed_and_where_else_the_data_may_be(folder, hype):
    (folder / "backups").mkdir()
    shutil.copy(folder / RECORD_FILE, folder / "backups" / "data-1.sqlite")
    done = hype("forget", folder, "p01")

    assert done.code == 0, done
    assert done.out.splitlines() == [
        "p01 was removed from faces: 2 sessions, 12 judgements.",
        "The record keeps a note that a person was removed, but not who.",
        "These backups still contain p01, or cannot be read; delete them when newer ones exist:",
        f"  {folder}/backups/data-1.sqlite",
        "Look for p01 in earlier exports, reports and other copies: hype cannot find them.",
        "If a file of people has a line on p01, --key FILE deletes it.",
    ]
    assert left(folder) == ["-x", "sim-0001"]
    assert b"p01" not in (folder / RECORD_FILE).read_bytes()


def test_as_json(folder, hype):
    done = hype("forget", folder, "sim-0001", "--simulated", "--json")

    assert done.json == {
        "study": str(folder / "study.toml"),
        "evaluator": "sim-0001",
        "simulated": True,
        "sessions": 1,
        "judgements": 22,
        "backups": [],
        "key_struck": None,
    }
    assert left(folder) == ["p01", "-x"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("STUDY", "--evaluator", "-x"),
        ("--evaluator", "-x", "STUDY"),
        ("STUDY", "--evaluator=-x"),
        ("STUDY", "--", "-x"),
        ("STUDY/study.toml", "--", "-x"),
    ],
    ids=" ".join,
)
def test_a_code_that_looks_like_an_option(arguments, folder, hype):
    done = hype("forget", *(word.replace("STUDY", str(folder)) for word in arguments))

    assert done.out.startswith("-x was removed from faces: 1 session, 1 judgement.")
    assert left(folder) == ["p01", "sim-0001"]


@pytest.mark.parametrize("arguments", [("p01",), ("--evaluator", "p01")], ids=" ".join)
def test_in_the_study_s_folder_the_study_need_not_be_named(arguments, folder, hype, monkeypatch):
    monkeypatch.chdir(folder)

    assert hype("forget", *arguments).code == 0
    assert left(folder) == ["-x", "sim-0001"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("STUDY", "p02"), "data.sqlite: contains no evaluator 'p02'; hype status lists the "),
        (("STUDY", "p01", "--simulated"), "contains no simulated evaluator 'p01'"),
        (("STUDY", "p\n01"), r"contains no evaluator 'p\n01'"),
        (("STUDY",), "study.toml: there is no study in this folder; hype forget STUDY EVALUATOR"),
        (("p01",), "study.toml: there is no study in this folder; hype forget STUDY EVALUATOR"),
        ((), "needs one or two arguments, not 0; hype forget STUDY EVALUATOR"),
        (("STUDY", "p01", "--evaluator", "p01"), "needs one or two arguments, not 3"),
        (("nowhere", "p01"), "nowhere: there is no such study"),
        (("STUDY", "p01", "--key", "no.csv"), "no.csv: there is no such file"),
        (("STUDY", "p01", "--key", "STUDY/k.csv"), "k.csv: would be in a study"),
        (("STUDY", "p01", "--key", "STUDY"), "would be in a study|is not a file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_refused_changes_nothing(arguments, said, folder, hype, monkeypatch):
    monkeypatch.chdir(folder.parent)
    before = contents(folder.parent)
    message = hype("forget", *(word.replace("STUDY", "study") for word in arguments)).refused()

    assert any(part in message for part in said.split("|")), message
    assert contents(folder.parent) == before


def test_what_could_not_be_wiped_is_said_after_what_was_removed(folder, hype, monkeypatch):
    """The record is not wiped while another program reads it; the next run wipes it."""
    monkeypatch.setattr(forgetting, "PATIENCE_MS", 50)
    with closing(sqlite3.connect(folder / RECORD_FILE)) as reader:
        reader.isolation_level = None
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM evaluators").fetchall()
        done = hype("forget", folder, "p01")
        assert b"p01" in bytes_of_record(folder)
        reader.execute("ROLLBACK")
    assert done.code == 1
    assert done.out.startswith("p01 was removed from faces: 2 sessions")
    assert "may contain bytes of them" in done.err
    assert "run the same command again" in done.err

    assert "contains no evaluator 'p01'" in hype("forget", folder, "p01").refused()
    assert b"p01" not in bytes_of_record(folder)


def test_the_line_of_a_file_of_people_is_struck(folder, hype):
    key = folder.parent / "key.csv"
    key.write_text("code,person\np01,Ann Lee\n")
    bo = FileDesk(key, key).code_of("Bo")
    done = hype("forget", folder, "p01", "--key", key)

    assert "The file of people no longer has a line on p01." in done.out.splitlines()
    assert "strikes their line" not in done.out
    assert b"Ann" not in key.read_bytes()
    assert bo.encode() in key.read_bytes()
    again = hype("forget", folder, "--evaluator", "-x", "--key", key, "--json")
    assert again.json["key_struck"] is False


@pytest.fixture
def terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Yield the user's end of a terminal; its other end is the program's standard input."""
    far, near = pseudo_terminal()
    with os.fdopen(near, encoding="utf-8") as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        yield far
    os.close(far)


QUESTION = "Permanently remove evaluator p01 from faces (2 sessions, 12 judgements)? [y/N] "


@pytest.mark.parametrize("answer", [b"n\n", b"\x04"], ids=repr)
def test_at_a_terminal_it_asks_first(answer, folder, terminal, hype):
    key = folder.parent / "key.csv"
    key.write_text("code,person\np01,Ann Lee\n")
    os.write(terminal, answer)
    done = hype("forget", folder, "p01", "--key", key)

    assert (done.code, done.out) == (1, "")
    assert done.err == f"{QUESTION}Nothing was removed.\n"
    assert left(folder) == ["p01", "-x", "sim-0001"]
    assert "Ann Lee" in key.read_text()


def test_at_a_terminal_it_does_what_was_agreed_to(folder, terminal, hype):
    os.write(terminal, b"y\n")
    done = hype("forget", folder, "p01", "--json")

    assert (done.code, done.err) == (0, QUESTION)
    assert done.out.startswith("{")
    assert left(folder) == ["-x", "sim-0001"]


@pytest.mark.usefixtures("terminal")
def test_a_terminal_is_not_asked_where_the_command_says_yes(folder, hype):
    done = hype("forget", folder, "p01", "--yes")

    assert (done.code, done.err) == (0, "")
    with reading_record(folder / RECORD_FILE) as engine:
        assert len(rows_of(engine, removals)) == 1
