"""How far each station is, and codes that several of them gave."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import named_study
from hypothesis import given
from hypothesis import strategies as st
from paper_station import PaperStation, record_of, sit
from sqlalchemy import update

from hype.sessions.stations import (
    SeveralTimes,
    StationProgress,
    codes_at_several,
    numbered,
    station_progress,
    stations_met,
)
from hype.sessions.status import standings
from hype.store.schema import evaluators


def test_each_station_in_the_order_in_which_it_was_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = named_study(tmp_path)
    with record_of(study) as engine:
        for code, place, stops in (("p01", "two", None), ("p02", "one", None), ("p03", "two", 14)):
            monkeypatch.setenv("HYPE_STATION", place)
            sit(engine, study, code, PaperStation(stops_at=stops))
        sit(engine, study, "robot", simulated=True)
        with engine.connect() as connection:
            found = standings(connection, study, simulated=False)
            where = stations_met(connection, simulated=False)
    two, one = station_progress(found, where)

    assert where == {"p01": "two", "p02": "one", "p03": "two"}
    assert (two.station, two.evaluators, two.complete, two.active, two.trials) == (
        *("two", 2, 1, 1),
        found[0].trials + found[2].trials,
    )
    assert two.last_answered_unix_s == max(
        found[0].last_answered_unix_s or 0, found[2].last_answered_unix_s or 0
    )
    assert (one.station, one.evaluators, one.complete, one.active) == ("one", 1, 1, 0)


def test_who_came_before_schema_6_came_somewhere(tmp_path: Path) -> None:
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(consents=False))
        with engine.begin() as connection:
            connection.execute(update(evaluators).values(station=None))
        with engine.connect() as connection:
            found = standings(connection, study, simulated=False)
            where = stations_met(connection, simulated=False)

    assert station_progress(found, where) == (
        StationProgress(
            station=None,
            evaluators=1,
            complete=0,
            active=0,
            trials=0,
            last_answered_unix_s=None,
        ),
    )


def test_nobody_came_anywhere() -> None:
    assert station_progress([], {}) == ()
    assert codes_at_several({}) == ()


def test_codes_that_several_stations_gave() -> None:
    where = {"p01__2": "b", "p02": "a", "p01__1": "a", "p01__3": None, "p03__x": "a"}

    assert codes_at_several(where) == (
        SeveralTimes(
            code="p01", evaluators=("p01__1", "p01__2", "p01__3"), stations=("a", "b", None)
        ),
    )


@pytest.mark.parametrize(
    "codes",
    [
        ("p01__1",),
        ("p01__2", "p01__3"),
        ("p01__1", "p01__3"),
        ("p01__01", "p01__2"),
        ("__1", "__2"),
        ("p01_1", "p01_2"),
        ("p01__1", "p01__\u00b2"),
        ("p01__0", "p01__1"),
    ],
    ids=",".join,
)
def test_codes_that_only_look_like_it(codes: tuple[str, ...]) -> None:
    assert numbered(codes) == {}


@given(st.dictionaries(st.text("ab_1", min_size=1, max_size=4), st.integers(2, 12), max_size=4))
def test_what_a_store_numbers_is_found_again(codes: dict[str, int]) -> None:
    names = {code: [f"{code}__{n}" for n in range(1, times + 1)] for code, times in codes.items()}
    found = numbered(name for some in reversed(names.values()) for name in some)

    assert {code: list(some) for code, some in found.items()} == names
