"""How far each station is, and codes that several of them gave."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import named_study
from paper_station import PaperStation, record_of, sit

from hype.protocols.hype.status import standings
from hype.session.standings import (
    SeveralTimes,
    codes_at_several,
    station_progress,
    stations_met,
)


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


def test_nobody_came_anywhere() -> None:
    assert station_progress([], {}) == ()
    assert codes_at_several({}) == ()


def test_codes_that_several_stations_gave() -> None:
    """No code has a #, so nobody else can be called as they are."""
    where = {"p01#2": "b", "p02": "a", "p01#1": "a", "p01#3": None, "p01__1": "a", "p03__2": "b"}

    assert codes_at_several(where) == (
        SeveralTimes(code="p01", evaluators=("p01#2", "p01#1", "p01#3"), stations=("b", "a", None)),
    )
