"""Records of several stations, and of earlier programs, in one central store."""

from __future__ import annotations

from pathlib import Path

import pytest
from central.program import hype
from central.pushed import attended_study, codes_at, copied, record_in, sent
from central.union import same_as_union
from old_records import OLD, old_study, untouched
from paper_comparer import PaperComparer, compare, small_study
from paper_station import record_of
from postgres import Database
from sqlalchemy import Engine, func, select, update

from hype.errors import InputError
from hype.sessions.pushing import push_record
from hype.store.answer_tables import comparisons
from hype.store.central.engine import reading_central
from hype.store.contradictions import list_contradicted
from hype.store.people import uid_of
from hype.store.record import reading_record, writing_record
from hype.store.schema import evaluators
from hype.study.load import load_any
from hype.study.studies import AnyStudy


@pytest.fixture
def attended(tmp_path: Path) -> AnyStudy:
    return attended_study(tmp_path / "study")


def test_one_code_at_two_stations_is_two_evaluators(
    attended: AnyStudy, tmp_path: Path, central: Database
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
    assert hype("score", central.analyst_url, "--draws", "100").code == 0


def gone_on_with_twice(folder: Path) -> tuple[Path, Path]:
    """Copy a record in the middle of a session, and go on with both; gives where both are.

    They have as many answers and sessions each, and the last answers are of the same moment.
    """
    study = small_study(folder / "study")
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer(stops_at=7))
    copy = copied(record_in(study), folder / "copy")
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer(now_s=9_000.0))
    other = small_study(folder / "unused")  # the same study; its folder is the copy's below
    with writing_record(copy) as engine:
        compare(engine, other, "p01", PaperComparer(now_s=20_000.0))
    with reading_record(record_in(study)) as engine, engine.connect() as connection:
        last = connection.execute(select(func.max(comparisons.c.onset_unix_s))).scalar_one()
    with writing_record(copy) as engine, engine.begin() as connection:
        newest = select(func.max(comparisons.c.id)).scalar_subquery()
        same = update(comparisons).where(comparisons.c.id == newest)
        connection.execute(same.values(onset_unix_s=last))
    return record_in(study), copy


def at(store: Database, station: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Be at a station; gives the URL by which it pushes."""
    monkeypatch.setenv("HYPE_STATION", station)
    return store.url_of(station)


def test_a_copy_that_was_gone_on_with_elsewhere_is_contradicted(tmp_path: Path, central: Database):
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


@pytest.mark.parametrize("station", ["lab-a", "lab-b"], ids=["same station", "another"])
def test_a_contradiction_stands_until_it_is_settled(
    station: str, tmp_path: Path, central: Database, monkeypatch: pytest.MonkeyPatch
):
    """The first push is of a program that tells nobody."""
    original, copy = gone_on_with_twice(tmp_path)
    sent(original, central)
    quiet = at(central, station, monkeypatch)
    study = load_any(copy.parent)
    answers = push_record(study, quiet).contradicted["p01"]
    assert answers > 5
    said = [
        hype("sync", copy.parent, "--to", quiet),
        hype("status", copy.parent),
        hype("verify", copy.parent),
        hype("score", copy.parent, "--draws", "100"),
        hype("status", central.analyst_url),
        hype("score", central.analyst_url, "--draws", "100"),
    ]

    assert [ended.code for ended in said] == [1, 0, 1, 0, 0, 0]
    for ended in said:
        words = " ".join((ended.out + ended.err).split())
        assert f"{answers} answers" in words, ended
        assert "p01" in words
    settled = hype("sync", copy.parent, "--to", quiet, "--settle", "p01")
    assert settled.code == 0
    assert "not taken" not in settled.said
    assert hype("sync", copy.parent, "--to", quiet).code == 0
    assert contradicted_at(central) == contradicted_in(copy) == []


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


def contradicted_at(store: Database) -> list[tuple[str, str, int]]:
    with reading_central(store.analyst_url) as engine:
        return in_short(engine)


def contradicted_in(record: Path) -> list[tuple[str, str, int]]:
    with reading_record(record) as engine:
        return in_short(engine)


def in_short(engine: Engine) -> list[tuple[str, str, int]]:
    with engine.connect() as connection:
        found = list_contradicted(connection)
    return [(one.evaluator, one.station, one.answers) for one in found]


def test_another_study_is_refused(attended: AnyStudy, tmp_path: Path, central: Database):
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


@pytest.mark.parametrize("version", OLD)
def test_records_of_earlier_programs_are_pushed_as_they_are(
    version: int, tmp_path: Path, central: Database
):
    record = old_study(tmp_path / "study", version)
    before = record.read_bytes()
    first = sent(record, central)
    found = same_as_union(central.analyst_url, [record])
    assert found.same, found
    assert first.trials == found.trials > 20
    assert record.read_bytes() == before

    assert sent(record, central).rows == {}
    untouched(record)  # which brings it up to date
    assert sent(record, central).rows == {}
    assert sorted(codes_at(central, evaluators.c.uid)) == sorted(uids_in(record))


def uids_in(record: Path) -> list[str]:
    with reading_record(record) as engine, engine.connect() as connection:
        return [uid_of(row) for row in connection.execute(select(evaluators))]
