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
from sqlalchemy import select

from hype.errors import InputError
from hype.store.people import uid_of
from hype.store.record import RECORD_FILE, reading_record, writing_record
from hype.store.schema import evaluators
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
    records = [record_in(attended), record_in(other)]

    for record in records:
        sent(record, central)

    assert codes_at(central) == ["p01__1", "p02", "p03", "p01__2"]
    found = same_as_union(central.analyst_url, records)
    assert found.same, found


def test_a_copy_that_was_gone_on_with_elsewhere_is_contradicted(tmp_path: Path, central: Database):
    study = small_study(tmp_path / "study")
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer(stops_at=7))
    copy = copied(record_in(study), tmp_path / "copy").parent
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer(now_s=9_000.0))
    other = small_study(tmp_path / "unused")  # the same study; its folder is the copy's below
    with writing_record(copy / RECORD_FILE) as engine:
        compare(engine, other, "p01", PaperComparer(now_s=20_000.0))
    sent(record_in(study), central)
    before = same_as_union(central.analyst_url, [record_in(study)])

    for _ in range(2):
        ended = hype("sync", copy, "--to", central.station_url)
        assert ended.code == 1
        assert "p01: " in ended.err
        assert "answers were not taken" in ended.err
    pushed = sent(copy / RECORD_FILE, central)

    after = same_as_union(central.analyst_url, [record_in(study)])
    assert pushed.contradicted == {"p01": before.trials - 7}
    assert {name[0] for name in after.twice} == {"sessions", "events"}
    assert not after.lost
    assert not after.changed, "the first answers stay"


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
