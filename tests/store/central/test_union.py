"""The comparison of a central store with its records, which other tests rely on, can fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from central.union import same_as_union
from paper_comparer import compared_soundly
from postgres import Database

from hype.store.central import tables
from hype.store.central.push import push
from hype.store.central.tables import columns_into
from hype.store.record import RECORD_FILE, reading_record

CHANGE = "UPDATE hype_added.{0} SET {1} WHERE ctid IN (SELECT ctid FROM hype_added.{0} LIMIT 1)"
CHANGES = {
    "an answer": ("comparisons", "answer = 'tie', hasty = NOT hasty"),
    "a response time, hardly": ("comparisons", "rt_ms = rt_ms + 1e-9"),
    "nothing where there was something": ("comparisons", "key = ''"),
    "a session": ("sessions", "versions = '{}'"),
    "how it ended": ("ends", "timing = NULL"),
    "an event": ("events", "event = 'paused'"),
    "a station": ("evaluators", "station = 'lab-b'"),
    "a status": ("parts", "status = 'active'"),
    "what somebody said": ("demographics", "answer = 'nothing'"),
}
LATER = {"ends": "sessions", "parts": "evaluators"}
"""Where what is known later is shown."""
DELETE = "DELETE FROM hype_added.events WHERE id = (SELECT max(id) FROM hype_added.events)"
UNIQUE = (
    "SELECT conname FROM pg_constraint "
    "WHERE contype = 'u' AND conrelid = 'hype_added.comparisons'::regclass"
)
AGAIN = "INSERT INTO hype_added.comparisons ({0}) SELECT {0} FROM hype_added.comparisons LIMIT 1"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compared_soundly(tmp_path_factory.mktemp("recorded") / "study").folder / RECORD_FILE


@pytest.fixture
def record(recorded: Path, central: Database) -> Path:
    with reading_record(recorded) as engine:
        push(engine, central.station_url)
    return recorded


def test_what_was_pushed_is_the_same(record: Path, central: Database):
    found = same_as_union(central.analyst_url, [record])

    assert found.same, found
    assert found.trials > 50
    assert found.rows["evaluators"] == 7
    assert min(found.rows[name] for name in ("events", "demographics", "sessions")) > 5


@pytest.mark.parametrize("what", list(CHANGES))
def test_every_change_of_a_cell_is_found(what: str, record: Path, central: Database):
    table, change = CHANGES[what]
    central.query(CHANGE.format(table, change))

    found = same_as_union(central.analyst_url, [record])

    assert [name[0] for name in found.changed] == [LATER.get(table, table)]
    assert not found.lost
    assert not found.twice


def test_a_study_that_is_not_what_its_checksum_says_is_lost(record: Path, central: Database):
    central.query("UPDATE hype_added.studies SET resolved = resolved || ' '")
    found = same_as_union(central.analyst_url, [record])

    assert [name[0] for name in found.lost] == ["studies"]


def test_a_row_that_is_missing_or_there_twice_is_found(record: Path, central: Database):
    central.query(DELETE)
    lost = same_as_union(central.analyst_url, [record])
    assert [name[0] for name in lost.lost] == ["events"]

    ((constraint,),) = central.query(UNIQUE)
    central.query(f"ALTER TABLE hype_added.comparisons DROP CONSTRAINT {constraint}")
    names = ", ".join(f'"{name}"' for name in columns_into(tables.ANSWERS["comparisons"]))
    central.query(AGAIN.format(names))
    twice = same_as_union(central.analyst_url, [record])
    assert [name[0] for name in twice.twice] == ["comparisons"]


def test_a_record_that_was_never_pushed_is_lost(tmp_path: Path, record: Path, central: Database):
    other = compared_soundly(tmp_path / "other").folder / RECORD_FILE

    found = same_as_union(central.analyst_url, [record, other])

    assert len([name for name in found.lost if name[0] == "evaluators"]) == 7
