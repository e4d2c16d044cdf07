"""`hype status` of a central store: what it says of a record, and of the stations."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attended_studies import judged_in_every_state
from builders import named_study
from long import long_but
from paper_comparer import compared_soundly
from paper_ranker import ranked_soundly
from paper_rater import rated_soundly
from postgres import ANALYST_PASSWORD, STATION_PASSWORD, Database

from hype.protocols.studies import AnyStudy
from hype.store.central.push import push
from hype.store.record import RECORD_FILE, reading_record

if TYPE_CHECKING:
    from running import Program


KINDS: dict[str, Callable[[Path], AnyStudy]] = {
    "judgements": judged_in_every_state,
    "comparisons": compared_soundly,
    "an arena": partial(compared_soundly, arena=True),
    "ratings": rated_soundly,
    "rankings": ranked_soundly,
}
OF_STIMULI = {
    *("study", "stimuli_problem", "cells", "shares", "pairs", "whole", "axes", "arena"),
    *("rankings_wanted", "remaining", "checks"),
}
"""What depends on what the study folder holds beside its file."""


def pushed(study: AnyStudy, central: Database) -> Path:
    """Push a record, and let the study's file name where to."""
    with reading_record(study.folder / RECORD_FILE) as record:
        push(record, central.station_url)
    with study.path.open("a", encoding="utf-8") as file:
        file.write(f'\n[store]\ncentral = "{central.analyst_url}"\n')
    return study.folder


@pytest.fixture
def two_stations(
    central: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Path]:
    """Give the folders of a study at two stations to which people came under the same codes."""
    folders = []
    for name in ("left", "right"):
        monkeypatch.setenv("HYPE_STATION", name)
        folders.append(pushed(judged_in_every_state(tmp_path / name), central))
    return folders[0], folders[1]


@pytest.mark.parametrize("kind", long_but(["judgements"], KINDS))
def test_a_store_says_what_the_record_says(
    kind: str, central: Database, tmp_path: Path, hype: Program
) -> None:
    folder = pushed(KINDS[kind](tmp_path / "study"), central)
    for options in ((), ("--simulated",)):
        record = hype("status", folder, "--json", *options).json
        store = hype("status", folder, "--central", "--json", *options).json
        alone = hype("status", central.analyst_url, "--json", *options).json

        assert store == record
        assert record["evaluators"]
        assert alone["study"] == central.analyst_url
        assert {key: alone[key] for key in {*alone} - OF_STIMULI} == {
            key: record[key] for key in {*record} - OF_STIMULI
        }


@pytest.mark.parametrize("kind", long_but(["rankings"], KINDS))
def test_people_are_told_the_same(
    kind: str, central: Database, tmp_path: Path, hype: Program
) -> None:
    folder = pushed(KINDS[kind](tmp_path / "study"), central)
    record, store = hype("status", folder), hype("status", folder, "--central")
    alone = hype("status", central.analyst_url)

    own = [line for line in store.out.splitlines() if line not in record.out.splitlines()]
    assert own[0].split() == ["Station", "Came", "Done", "Begun", "Answers", "Last", "answer"]
    assert len(own) <= 3
    assert {line for line in record.out.splitlines() if line.strip()} <= {*store.out.splitlines()}
    assert max(len(line.rstrip()) for line in store.out.splitlines()) <= 80
    assert store.err == record.err
    assert "only the URL of a central store is given" in " ".join(alone.err.split())
    assert "p01" in alone.out


def test_a_record_has_its_own_station(
    tmp_path: Path, hype: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYPE_STATION", "cellar")
    told = hype("status", judged_in_every_state(tmp_path).folder, "--json").json
    (station,) = told["stations"]

    assert station["station"] == "cellar"
    assert [station[key] for key in ("evaluators", "complete", "active", "trials")] == [
        *(5, told["whole"]["complete"], told["whole"]["active"], told["whole"]["judgements"])
    ]
    assert station["last_answered_unix_s"] == max(
        one["last_answered_unix_s"] or 0 for one in told["evaluators"]
    )
    assert told["codes_at_several_stations"] == []


def test_codes_that_came_to_both_stations(
    two_stations: tuple[Path, Path], central: Database, hype: Program
) -> None:
    folder, _ = two_stations
    one = hype("status", folder, "--json").json
    both = hype("status", folder, "--central", "--json").json
    said = hype("status", folder, "--central")

    assert [station["station"] for station in both["stations"]] == ["left", "right"]
    assert [station["evaluators"] for station in both["stations"]] == [5, 5]
    assert both["pay_due"] == 2 * one["pay_due"]
    assert both["whole"]["judgements"] == 2 * one["whole"]["judgements"]
    assert [several["code"] for several in both["codes_at_several_stations"]] == [
        f"p0{n}" for n in range(1, 6)
    ]
    assert both["codes_at_several_stations"][0] == {
        "code": "p01",
        "evaluators": ["p01#1", "p01#2"],
        "stations": ["left", "right"],
    }
    assert "p01, p02, p03, p04, p05 came at more than one station" in " ".join(said.err.split())
    assert "p01#2" in said.out


def test_all_stations_are_paid_at_once(
    two_stations: tuple[Path, Path], tmp_path: Path, hype: Program
) -> None:
    hype("status", two_stations[0], "--central", "--pay", tmp_path / "pay.csv")
    with (tmp_path / "pay.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    assert [row["evaluator"] for row in rows] == [
        f"p0{n}#{m}" for m in (1, 2) for n in (1, 2, 4, 5)
    ]


@pytest.mark.parametrize("of_study", [True, False], ids=["study", "URL"])
def test_passwords_are_nowhere(
    of_study: bool, central: Database, tmp_path: Path, hype: Program
) -> None:
    folder = pushed(judged_in_every_state(tmp_path / "study"), central)
    done = hype("status", *((folder, "--central") if of_study else (central.analyst_url,)))

    assert done.code == 0
    assert not any(p in done.out + done.err for p in (ANALYST_PASSWORD, STATION_PASSWORD))


def with_password(url: str) -> str:
    return url.replace("@", ":secret-in-a-url@")


@pytest.mark.parametrize("watched", [(), ("--watch",)], ids=["once", "watched"])
def test_what_no_store_can_be_read_from(
    watched: Any, central: Database, tmp_path: Path, hype: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = central.analyst_url
    refused = hype("status", with_password(url), *watched).refused()
    assert "holds a password" in refused
    assert "secret-in-a-url" not in refused
    study = named_study(tmp_path / "study")
    assert "store.central" in hype("status", study.folder, "--central", *watched).refused()
    assert "--central" in hype("status", url, "--central", *watched).refused()
    monkeypatch.setenv("PGPASSWORD", "wrong")
    assert "password" in hype("status", url, *watched).refused()


def test_nobody_answers(hype: Program) -> None:
    url = "postgresql+psycopg://hype_analyst@127.0.0.1:1/fashion"

    assert "the central store cannot be reached" in hype("status", url).failed()


def test_a_station_may_not_look(central: Database, tmp_path: Path, hype: Program) -> None:
    pushed(judged_in_every_state(tmp_path / "study"), central)

    assert "hype_analyst" in hype("status", central.station_url).refused()
