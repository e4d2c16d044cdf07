"""Malicious records do not harm any command, and no command ends with a traceback."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from builders import contents
from crafted_journals import lay_trap
from long import long_but
from sqlalchemy import update
from verified_records import damage, raw, sound_study, without_rules

from hype.protocols.hype.record import judgements
from hype.protocols.hype.settings import Study
from hype.store.record import RECORD_FILE
from hype.store.schema import evaluators, events, sessions

COMMANDS: Final = {
    "status": ("status", "STUDY"),
    "score": ("score", "STUDY"),
    "report": ("report", "STUDY", "-o", "OUT/report.html"),
    "export": ("export", "STUDY", "-o", "OUT/data"),
    "bids": ("export", "STUDY", "-o", "OUT/bids", "--format", "bids"),
    "verify": ("verify", "STUDY"),
    "backup": ("backup", "STUDY"),
    "forget": ("forget", "STUDY", "p01", "--yes"),
    "simulate": ("simulate", "STUDY"),
    "run": ("run", "STUDY", "--evaluator", "p09", "--simulate"),
    "serve": ("serve", "STUDY", "--port", "0", "--simulate", "1"),
}
READERS: Final = ("status", "score", "report", "export", "bids")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return sound_study(tmp_path / "study")


def arguments(command: str, study: Study) -> list[str]:
    places = {"STUDY": str(study.folder), "OUT": str(study.folder.parent)}
    words = COMMANDS[command]
    return [places.get(word, word.replace("OUT", places["OUT"])) for word in words]


RUN = pytest.param("run", marks=pytest.mark.posix("cannot run a station"))


@pytest.mark.parametrize("command", [*(name for name in COMMANDS if name != "run"), RUN])
def test_no_command_deletes_what_a_journal_names(command, study, tmp_path, hype):
    victim = tmp_path / "thesis.txt"
    victim.write_text("years of work")
    lay_trap(study.folder / RECORD_FILE, victim)
    before = contents(study.folder)
    said = hype(*arguments(command, study)).refused()

    assert f"{RECORD_FILE}-journal: is a journal that would delete another file" in said
    assert victim.exists()
    assert contents(study.folder) == before


def test_check_names_such_a_journal(study, tmp_path, hype):
    victim = tmp_path / "thesis.txt"
    victim.write_text("years of work")
    lay_trap(study.folder / RECORD_FILE, victim)
    done = hype("check", study.folder)

    assert done.code == 2
    assert "would delete another file" in " ".join(done.out.split())
    assert victim.exists()


def test_verify_changes_nothing_in_the_folder(study, hype):
    before = contents(study.folder)
    assert hype("verify", study.folder).code == 0

    assert contents(study.folder) == before


CELLS: Final = {
    "late": (judgements, "onset_unix_s", 1e308),
    "endless": (judgements, "onset_unix_s", float("inf")),
    "early": (evaluators, "assigned_unix_s", -1.0),
    "word": (sessions, "started_unix_s", "noon"),
    "event": (events, "unix_s", 1e308),
    "offset": (sessions, "utc_offset_s", "UTC"),
    "nothing": (evaluators, "methods", None),
    "machine": (sessions, "machine", None),
}
"""Tables, columns, and values that the program never writes there."""


@pytest.mark.parametrize("cell", long_but([*CELLS][:1], CELLS))
def test_a_cell_that_cannot_be_is_one_message_and_verify_names_it(cell, study, hype):
    table, column, value = CELLS[cell]
    damage(
        study,
        lambda connection: without_rules(connection, table),
        update(table).where(table.c.id == 2).values({column: raw(value)}),
    )
    for command in READERS:
        done = hype(*arguments(command, study))
        if done.code:  # the command needs this cell
            said = done.refused()
            assert f"{RECORD_FILE}: contains impossible values ({table.name} 2: " in said
            assert said.endswith("for details: hype verify STUDY")
    done = hype("verify", study.folder)
    assert done.code == 1
    assert f"{table.name} 2: {column}" in done.out


def test_answers_that_a_record_throws_away_are_not_told_as_simulated(study, hype):
    with closing(sqlite3.connect(study.folder / RECORD_FILE)) as record:
        record.execute(
            "create trigger gone after insert on judgements begin "
            "delete from judgements where id = new.id; end"
        )
    said = hype("simulate", study.folder, "--evaluators", 2, "--seed", 5).failed()

    assert "a program that opens it now would not find the recorded answers" in said


def test_a_record_whose_words_are_no_text_is_one_message(study, hype):
    """SQLite quotes the invalid bytes in its message, which Python then cannot decode."""
    path = study.folder / RECORD_FILE
    path.write_bytes(
        path.read_bytes().replace(b"CREATE TABLE evaluators", b"CREATE \xfeABLE evaluators")
    )

    assert "cannot be read as a record" in hype("status", study.folder).refused()
