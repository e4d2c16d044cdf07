"""Participation, read from the record and described."""

import json
from dataclasses import replace
from datetime import date

import pytest
from builders import named_study
from paper_station import PaperStation, record_of, sit
from sqlalchemy import insert, update

from hype.protocols.hype.report import DRAWN
from hype.protocols.hype.settings import Study
from hype.protocols.registry import course_of
from hype.report.methods import describe_people
from hype.session.participation import (
    Arrivals,
    DisplayUsed,
    Participation,
    participation,
)
from hype.session.simulate import Simulation
from hype.store.schema import removals, sessions
from hype.study.assignment import Cell

NOON_7_MAY_S = 1_778_155_200.0
DAY_S = 86_400.0
BODY = {"screen_px": [1920, 1080], "refresh_hz": 59.95, "sync": "vsync", "virtual": False}
NOBODY = Participation(
    flow=(),
    removed=0,
    first=None,
    last=None,
    modes={},
    stations=0,
    screens=(),
    broke_off=0,
    interrupted=0,
    versions={},
)
CELL = Cell(condition="good", methods=("time",))


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study with people in every state, one who came twice, and simulated evaluators."""
    made = named_study(tmp_path_factory.mktemp("study"))
    with record_of(made) as engine:
        sit(engine, made, "p01", PaperStation(stops_at=9))
        sit(engine, made, "p01")
        sit(engine, made, "p02", PaperStation(lambda trial, n: False))
        sit(engine, made, "p03", PaperStation(consents=False))
        sit(engine, made, "p04", PaperStation(stops_at=13))
        list(Simulation(engine, course_of(made), seed=1).simulate_some(2))
        with engine.begin() as connection:
            connection.execute(insert(removals).values(REMOVED))
            connection.execute(insert(removals).values(REMOVED | {"simulated": True}))
    return made


REMOVED = {
    "simulated": False,
    "condition": "good",
    "methods": "time",
    "sessions": 1,
    "judgements": 12,
    "removed_unix_s": NOON_7_MAY_S,
}


def read(study: Study, *, simulated: bool = False) -> Participation:
    with record_of(study) as engine, engine.connect() as connection:
        return participation(connection, simulated=simulated)


def read_with(study: Study, **cells: object) -> Participation:
    """Read the participation as if every session had these ``cells``; the record is unchanged."""
    with record_of(study) as engine, engine.connect() as connection:
        connection.execute(update(sessions).values(cells))
        return participation(connection, simulated=False)


def test_everyone_who_came_is_counted_once_and_simulated_evaluators_apart(study):
    people, simulated = read(study), read(study, simulated=True)
    whole = people.whole

    assert whole == Arrivals(cell=whole.cell, declined=1, unqualified=1, active=1, complete=1)
    assert whole.came == sum(one.came for one in people.flow) == 4
    assert (people.sessions, people.modes, people.stations) == (5, {"person": 5}, 1)
    assert people.interrupted == 2, "the two people who left during a trial"
    assert (people.broke_off, people.removed, len(people.versions["hype"])) == (0, 1, 1)
    assert (simulated.whole.came, simulated.modes) == (2, {"simulated": 2})
    assert (simulated.removed, simulated.interrupted) == (1, 0)


@pytest.mark.parametrize(
    ("utc_offset_s", "apart_s", "first", "last"),
    [
        (0.0, 0.0, date(2026, 5, 7), date(2026, 5, 7)),
        (13 * 3600.0, 0.0, date(2026, 5, 8), date(2026, 5, 8)),
        (-13 * 3600.0, 0.0, date(2026, 5, 6), date(2026, 5, 6)),
        (0.0, DAY_S, date(2026, 5, 8), date(2026, 5, 12)),
    ],
)
def test_days_are_those_of_the_station(utc_offset_s, apart_s, first, last, study):
    began = NOON_7_MAY_S + apart_s * sessions.c.id
    found = read_with(study, started_unix_s=began, utc_offset_s=utc_offset_s)

    assert (found.first, found.last) == (first, last)


def test_displays_are_alike_to_the_hertz(study):
    found = read_with(study, display=json.dumps(BODY)).screens

    body = DisplayUsed(width_px=1920, height_px=1080, refresh_hz=60, sync="vsync", virtual=False)
    assert found == ((body, 5),)


DAMAGED: dict[str, dict[str, object]] = {
    "no object": {"display": "[]", "machine": "7", "versions": "null"},
    "no JSON": {"display": "{", "machine": "", "versions": "x"},
    "no numbers": {"display": json.dumps(BODY | {"screen_px": "large"})},
}


@pytest.mark.parametrize("what", DAMAGED)
def test_what_cannot_be_read_is_not_said(what, study):
    found = read_with(study, **DAMAGED[what])

    assert found.whole.came == 4
    assert found.screens == ()


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (date(2026, 5, 3), date(2026, 5, 7), "3–7 May 2026"),
        (date(2026, 4, 28), date(2026, 5, 3), "28 April – 3 May 2026"),
        (date(2025, 12, 30), date(2026, 1, 2), "30 December 2025 – 2 January 2026"),
    ],
)
def test_periods(first, last, said):
    assert replace(NOBODY, first=first, last=last).period == said


def said(found: Participation, *, simulated: bool = False) -> str:
    return " ".join(describe_people(found, DRAWN, simulated=simulated))


def test_people_in_words(study):
    words = said(replace(read(study), first=date(2026, 5, 3), last=date(2026, 5, 7)))

    assert words.startswith(
        "Four people came to the study, in five sessions at one station (3–7 May 2026). "
        "Of these, one did not consent, one did not pass the qualification, one has not finished "
        "and one completed the study. The data of one person were removed on request"
    )
    assert "Trials were interrupted twice" in words
    assert "Sessions ran under hype " in words


def display(width_px: int, height_px: int, refresh_hz: int, sync: str) -> DisplayUsed:
    return DisplayUsed(
        width_px=width_px,
        height_px=height_px,
        refresh_hz=refresh_hz,
        sync=sync,
        virtual=sync == "software",
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "Nobody came to the study."),
        (
            {"flow": (Arrivals(cell=CELL, complete=1),), "modes": {"person": 1}, "stations": 1},
            "came to the study, in one session at one station. This evaluator completed the study.",
        ),
        (
            {"screens": ((display(8, 6, 60, "vsync"), 2), (display(9, 5, 75, "software"), 1))},
            "The displays had 8 × 6 px at 60 Hz (two sessions) and 9 × 5 px at 75 Hz, with frames "
            "timed by the program, drawn in memory without a screen (one session).",
        ),
        (
            {"flow": (Arrivals(cell=CELL, active=2),), "broke_off": 1, "interrupted": 1},
            "One session broke off. Trials were interrupted once",
        ),
        (
            {"versions": {"hype": ("0.1", "0.2"), "numpy": ("2",), "python": ("3",)}},
            "Sessions ran under hype 0.1 and 0.2 and Python 3.",
        ),
        (
            {
                "flow": (Arrivals(cell=CELL, complete=2),),
                "modes": {"web": 2},
                "versions": {"hype": ("1",), "psychopy": ("2026.1",)},
            },
            "came to the study, in two sessions in browsers. All evaluators completed the study. "
            "Sessions ran under hype 1.",
        ),
    ],
)
def test_words(change, expected):
    assert expected in said(replace(NOBODY, **change))


def test_simulated_evaluators_are_nobody(study):
    words = said(read(study, simulated=True), simulated=True)

    assert words.startswith("No people took part: the study was run with two simulated evaluat")
    assert "No images were shown on any display." in words
    at_a_window = replace(NOBODY, modes={"simulated-window": 1})
    assert "No images were shown" not in said(at_a_window, simulated=True)
