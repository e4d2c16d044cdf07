"""Records of earlier programs, met by this one: migrated once, alone, after a backup."""

import csv
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from long import long_but
from old_records import OLD, as_before, old_study, pragma, rows_in, untouched, without_log
from paper_station import PaperStation, evaluators_of, rows_of, sit

from hype.answers.choices import Choices
from hype.errors import SessionProblem
from hype.protocols.hype.judgements import judgements_for, score_judgements
from hype.protocols.load import load_study
from hype.store import update
from hype.store.people import answers_of
from hype.store.record import reading_record, writing_record
from hype.store.schema import VERSION, sessions


@pytest.mark.parametrize("version", OLD)
def test_the_record_as_it_was_is_kept(version: int, tmp_path: Path) -> None:
    path = old_study(tmp_path / "study", version)
    before = rows_in(path)
    remarks: list[str] = []
    for _ in range(2):
        with writing_record(path, remark=remarks.append):
            pass
    (kept,) = (path.parent / "backups").iterdir()
    (remark,) = remarks

    assert (rows_in(kept), pragma(kept, "user_version")) == (before, version)
    assert str(kept) in remark
    assert f"schema version {VERSION} instead of {version}" in remark


OPENED = """
import sqlite3, sys
record = sqlite3.connect(sys.argv[1], isolation_level=None)
record.execute("pragma journal_mode = wal")
print(record.execute("select count(*) from judgements").fetchone()[0], flush=True)
sys.stdin.read()
record.close()
"""


@pytest.mark.parametrize("version", OLD)
def test_nothing_is_migrated_under_the_feet_of_an_earlier_program(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which has the record open, and is doing nothing at the moment."""
    monkeypatch.setattr(update, "PATIENCE_S", 0.2)
    path = old_study(tmp_path / "study", version)
    before = rows_in(path)
    with subprocess.Popen(
        [sys.executable, "-c", OPENED, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as earlier:
        assert earlier.stdin is not None
        assert earlier.stdout is not None
        assert earlier.stdout.readline() == "186\n"
        with pytest.raises(SessionProblem, match="another program has it open; end that one first"):
            untouched(path)
        assert rows_in(path) == before
        with reading_record(path) as engine, engine.connect() as connection:
            connection.exec_driver_sql("select verdict, showing from judgements, sessions")
        assert not (path.parent / "backups").exists()
        earlier.stdin.close()
    untouched(path)

    assert as_before(rows_in(path), version) == before


OPENING = """
import sys
from pathlib import Path
from sqlalchemy import insert
from hype.store.record import writing_record
from hype.store.schema import studies

print("ready", flush=True)
sys.stdin.readline()
with writing_record(Path(sys.argv[1]), remark=print) as engine:
    with engine.begin() as connection:
        connection.execute(insert(studies).values(checksum=sys.argv[2], resolved=""))
    print("open", flush=True)
    sys.stdin.read()
"""


def opened_at_once(path: Path, programs: int) -> list[str]:
    """Let programs open a record at the same moment, write to it, and keep it open; what they say.

    None of them leaves before all have written.
    """
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", OPENING, path, f"program {number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(programs)
    ]
    said = []
    for program in started:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
    for program in started:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in started:
        assert program.stdout is not None
        while (line := program.stdout.readline()) and line != "open\n":
            said.append(line)
    for program in started:
        program.communicate(timeout=60)
        assert program.returncode == 0
    return said


@pytest.mark.parametrize(("version", "wal"), [(1, False), (2, True)], ids=["journal", "WAL"])
def test_of_programs_that_find_it_old_at_once_one_migrates(
    version: int, wal: bool, tmp_path: Path
) -> None:
    path = old_study(tmp_path / "study", version)
    if not wal:
        without_log(path)
    before = rows_in(path)
    said = opened_at_once(path, 2)

    assert len([line for line in said if "earlier version" in line]) == 1
    assert len(list((path.parent / "backups").iterdir())) == 1
    after = as_before(rows_in(path), version)
    added = [row for row in after["studies"] if row not in before["studies"]]
    assert sorted(row["checksum"] for row in added) == [f"program {n}" for n in range(2)]
    assert after | {"studies": before["studies"]} == before


def test_programs_that_make_a_new_record_at_once_make_one(tmp_path: Path) -> None:
    path = tmp_path / "data.sqlite"
    assert opened_at_once(path, 3) == []

    rows = rows_in(path)
    assert [row["checksum"] for row in rows["studies"]] == [f"program {n}" for n in range(3)]
    assert rows["alembic_version"] == [{"version_num": str(VERSION)}]


@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("evaluator", ["p02", "p03"])
def test_a_session_that_an_earlier_program_began_goes_on(
    version: int, evaluator: str, tmp_path: Path
) -> None:
    """One was left by its evaluator; the other broke off. Both end with their plan fulfilled."""
    path = old_study(tmp_path / "study", version)
    study = load_study(path.parent)
    station = PaperStation()
    with writing_record(path) as engine:
        (who,) = (one for one in evaluators_of(engine) if one.evaluator == evaluator)
        with engine.connect() as connection:
            answered = len(answers_of(connection, who.id))
        ended = sit(engine, study, evaluator, station)
        with engine.connect() as connection:
            places = [tuple(a.name) for a in answers_of(connection, who.id)]
        endings = [row.ended for row in rows_of(engine, sessions) if row.evaluator_id == who.id]

    planned = {"infinity": 14, "time": 22}[" ".join(who.methods)]
    assert (ended, station.before, len(station.rows)) == ("complete", answered, planned - answered)
    assert len(set(places)) == planned
    assert endings == [{"p02": "quit", "p03": "broke-off"}[evaluator], "complete"]


SCORED = """
select e.evaluator, e.condition, j.task, j.truth, j.answer, j.block, j.trial, j.image,
       j.exposure_ms, j.rt_ms, 100 as floor_ms, 1000 as ceiling_ms
from judgements j join evaluators e on e.id = j.evaluator_id
where j.simulated and j.task in ('time', 'infinity')
"""


@pytest.mark.parametrize("version", long_but([OLD[0], OLD[-1]], OLD))
def test_an_old_record_has_the_score_of_its_rows(version: int, tmp_path: Path) -> None:
    """Read as it is, migrated, and from a table of its rows that nothing of ours has read."""
    path = old_study(tmp_path / "study", version)
    table = tmp_path / "rows.csv"
    with closing(sqlite3.connect(path)) as record, table.open("w", newline="") as file:
        found = record.execute(SCORED)
        csv.writer(file).writerows([[name for name, *_ in found.description], *found])
    wanted = scores_of(table)
    as_it_is = scores_of(path.parent)
    assert pragma(path, "user_version") == version
    untouched(path)
    migrated = scores_of(path.parent)

    assert as_it_is == wanted
    assert migrated == wanted
    assert {len(conditions) for conditions in wanted.values()} == {2}


def scores_of(source: Path) -> dict[str, list[dict[str, object]]]:
    """Give the conditions' scores by method."""
    judgements = judgements_for(source, Choices(simulated=source.is_dir()))
    found = (score.to_json() for score in score_judgements(judgements, Choices()))
    names = ("condition", "judgements", "score", "fakes_error", "reals_error", "ci_low", "ci_high")
    return {
        score["protocol"]: [{name: row[name] for name in names} for row in score["conditions"]]
        for score in json.loads(json.dumps(list(found)))
    }
