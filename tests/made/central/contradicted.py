"""Records that contradict each other, and what they and a store know of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from paper_comparer import PaperComparer, compare, small_study
from paper_station import record_of
from postgres import Database
from sqlalchemy import Engine, func, select, update

from central.pushed import copied, record_in
from hype.protocols.comparison.record import comparisons
from hype.store.central.engine import reading_central
from hype.store.central.problems import list_contradicted
from hype.store.record import reading_record, writing_record


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
