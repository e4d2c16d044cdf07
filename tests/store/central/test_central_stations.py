"""Records of several stations in one central store."""

from __future__ import annotations

from pathlib import Path

import pytest
from central.contradicted import at, contradicted_at, contradicted_in, gone_on_with_twice
from central.pushed import attended_study, codes_at, record_in, sent
from central.union import same_as_union
from paper_comparer import PaperComparer, compare, small_study
from paper_station import record_of
from postgres import Database
from running import Program

from hype.errors import InputError
from hype.protocols.load import load_any
from hype.protocols.studies import AnyStudy
from hype.session.pushing import push_record


@pytest.fixture
def attended(tmp_path: Path) -> AnyStudy:
    return attended_study(tmp_path / "study")


def test_one_code_at_two_stations_is_two_evaluators(
    attended: AnyStudy, tmp_path: Path, central: Database, hype: Program
):
    other = small_study(tmp_path / "other")
    with record_of(other) as engine:
        compare(engine, other, "p03", PaperComparer())
        compare(engine, other, "p01", PaperComparer())
        compare(engine, other, "p01__1", PaperComparer())  # as a store once named the first
    records = [record_in(attended), record_in(other)]

    for record in records:
        sent(record, central)

    assert codes_at(central) == ["p01#1", "p02", "p03", "p01#2", "p01__1"]
    found = same_as_union(central.analyst_url, records)
    assert found.same, found
    assert hype("score", central.analyst_url).code == 0


def test_a_copy_that_was_gone_on_with_elsewhere_is_contradicted(
    tmp_path: Path, central: Database, hype: Program
):
    original, copy = gone_on_with_twice(tmp_path)
    sent(original, central)
    before = same_as_union(central.analyst_url, [original])

    for _ in range(2):
        ended = hype("sync", copy.parent, "--to", central.station_url)
        assert ended.code == 1
        assert "p01: " in ended.err
        assert "answers were not taken" in ended.err
    pushed = sent(copy, central)

    assert pushed.contradicted == {"p01": before.trials - 8}
    central.query("TRUNCATE hype_added.contradictions")  # which the original has none of
    after = same_as_union(central.analyst_url, [original])
    assert {name[0] for name in after.twice} == {"sessions", "events"}
    assert not after.lost
    assert not after.changed, "the first answers stay"


def test_the_owner_settles_for_a_station_that_is_gone(
    tmp_path: Path, central: Database, monkeypatch: pytest.MonkeyPatch
):
    original, copy = gone_on_with_twice(tmp_path)
    sent(original, central)
    url = at(central, "lab-b", monkeypatch)
    push_record(load_any(copy.parent), url)
    ((_, _, answers),) = contradicted_at(central)

    assert central.query("SELECT hype_added.settle('p01')") == [(answers,)]

    assert contradicted_at(central) == []
    assert push_record(load_any(copy.parent), url).contradicted == {}
    assert contradicted_in(copy) == []


def test_what_the_store_takes_after_all_is_settled(tmp_path: Path, central: Database):
    """Its owner erased the evaluator, so that the other record could be pushed."""
    original, copy = gone_on_with_twice(tmp_path)
    sent(original, central)
    study = load_any(copy.parent)
    assert push_record(study, central.station_url).contradicted

    central.query("SELECT hype_added.erase(ARRAY(SELECT id FROM hype_added.evaluators))")

    assert push_record(study, central.station_url).contradicted == {}
    assert contradicted_in(copy) == []
    found = same_as_union(central.analyst_url, [copy])
    assert {name[0] for name in (*found.lost, *found.changed)} <= {"contradictions"}


def test_a_store_put_back_from_an_old_copy_is_told_again(tmp_path: Path, central: Database):
    original, copy = gone_on_with_twice(tmp_path)
    sent(original, central)
    study = load_any(copy.parent)
    before = push_record(study, central.station_url).contradicted
    central.query("TRUNCATE hype_added.contradictions")

    assert push_record(study, central.station_url).contradicted == before


def test_another_study_is_refused(
    attended: AnyStudy, tmp_path: Path, central: Database, hype: Program
):
    other = small_study(tmp_path / "other", study={"name": "another"})
    with record_of(other) as engine:
        compare(engine, other, "p09", PaperComparer())
    sent(record_in(attended), central)

    with pytest.raises(InputError, match="'compared', and this one is 'another'"):
        sent(record_in(other), central)
    ended = hype("sync", other.folder, "--to", central.station_url)
    assert ended.code == 2
    assert len(ended.err.strip().splitlines()) == 1
    assert "each study has a database of its own" in ended.err
    assert codes_at(central) == ["p01", "p02"]
