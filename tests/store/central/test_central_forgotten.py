"""Who is removed on request is gone from a central store, and stays so."""

from __future__ import annotations

from pathlib import Path

import pytest
from central.pushed import attended_study, codes_at, copied, record_in, sent
from central.union import same_as_union
from paper_comparer import compared_soundly
from postgres import Database
from running import Program

from hype.protocols.studies import AnyStudy
from hype.store.schema import evaluators

OWNED = "SELECT count(*) FROM hype_added.{} WHERE {} = ANY(%s)"


@pytest.fixture
def attended(tmp_path: Path) -> AnyStudy:
    return attended_study(tmp_path / "study")


def test_who_is_forgotten_is_gone_and_does_not_come_back(
    attended: AnyStudy, tmp_path: Path, central: Database, hype: Program
):
    """Another station still has a copy of the record from before."""
    record = record_in(attended)
    copy = copied(record, tmp_path / "copy")
    sent(record, central)
    (uid, _) = codes_at(central, evaluators.c.uid)
    assert hype("forget", attended.folder, "p01", "--yes").code == 0
    assert sent(record, central).rows == {"removals": 1}

    for _ in range(2):  # before their rows are erased, and after
        found = same_as_union(central.analyst_url, [record, copy])
        assert found.same, found
        assert codes_at(central) == ["p02"]
        assert sent(copy, central).rows == {}
        assert rows_in_views(central, uid) == 0
        central.query("SELECT hype_added.erase_removed()")
    assert central.query("SELECT hype_added.erase_removed()") == [(0,)]
    assert central.query("SELECT evaluator FROM hype_added.evaluators") == [("p02",)]


def rows_in_views(store: Database, uid: str) -> int:
    """Count what the views show of an evaluator; theirs were the first rows of their tables."""
    (here,) = store.query(
        "SELECT count(*) FROM hype_added.evaluators e, hype_added.sessions s "
        "WHERE e.uid = %s AND s.evaluator_id = e.id AND (e.id IN (SELECT id FROM hype.evaluators) "
        "OR s.id IN (SELECT id FROM hype.sessions UNION SELECT session_id FROM hype.events) "
        "OR e.id IN (SELECT evaluator_id FROM hype.comparisons UNION "
        "SELECT evaluator_id FROM hype.demographics))",
        uid,
    )
    return int(here[0])


def test_erasing_leaves_nothing_of_them_in_any_table(
    attended: AnyStudy, central: Database, hype: Program
):
    record = record_in(attended)
    sent(record, central)
    (number, _) = codes_at(central, evaluators.c.id)
    held = [s for (s,) in central.query("SELECT id FROM hype_added.sessions ORDER BY id")]
    assert hype("forget", attended.folder, "p01", "--yes").code == 0
    sent(record, central)
    owned = central.query(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = 'hype_added' AND column_name IN ('evaluator_id', 'session_id') "
        "AND table_name <> 'removed'"
    )
    assert len(owned) >= 13

    assert central.query("SELECT hype_added.erase_removed()") == [(1,)]

    gone = {"evaluator_id": [number], "session_id": held[:2]}  # of three sessions two were theirs
    for table, column in owned:
        assert central.query(OWNED.format(table, column), gone[column]) == [(0,)], table
    assert same_as_union(central.analyst_url, [record]).same


@pytest.mark.long
def test_simulated_evaluators_can_be_erased_and_come_back_with_a_push(
    tmp_path: Path, central: Database
):
    record = record_in(compared_soundly(tmp_path / "study"))
    sent(record, central)

    assert central.query("SELECT hype_added.erase_simulated()") == [(2,)]
    assert codes_at(central, evaluators.c.simulated) == [False] * 5
    assert sent(record, central).rows["evaluators"] == 2
    found = same_as_union(central.analyst_url, [record])
    assert found.same, found
