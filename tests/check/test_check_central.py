"""The pre-flight of a station whose study has a central store."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import named_study
from postgres import Database, Server

from hype.check.findings import Preflight
from hype.check.record import check_central
from hype.protocols.load import load_any
from hype.protocols.registry import conduct_of
from hype.protocols.studies import AnyStudy
from hype.session.pushing import push_record
from hype.session.simulate import Simulation
from hype.store.record import RECORD_FILE, writing_record


@pytest.fixture(autouse=True)
def _at_lab_a(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPE_STATION", "lab-a")


def station(folder: Path, central: Database, name: str = "ours", **store: object) -> AnyStudy:
    """Write a study as it lies at a station."""
    return named_study(
        folder, study={"name": name}, store={"central": central.stations_url, **store}
    )


def found(study: AnyStudy) -> tuple[dict[str, str], Preflight]:
    """Check it; give each finding's severity and the whole."""
    flight = Preflight()
    check_central(flight, study)
    return {one.code: one.severity for one in flight.findings}, flight


def pushed(study: AnyStudy) -> None:
    """Let somebody simulated come, and push."""
    with writing_record(study.folder / RECORD_FILE) as engine:
        list(Simulation(engine, conduct_of(study), seed=1).come(1))
    push_record(study, study.settings.store.central)


def test_a_store_that_lets_the_station_in_is_a_fact(central: Database, tmp_path: Path) -> None:
    study = station(tmp_path, central, stations=["lab-a", "lab-b"])
    pushed(study)
    codes, flight = found(study)

    assert codes == {}
    assert flight.facts["central"] == {"url": central.stations_url, "evaluators": 0}
    assert central.query("SELECT count(*) FROM hype_added.evaluators") == [(1,)]


def test_a_store_of_another_version_names_the_command(central: Database, tmp_path: Path) -> None:
    central.query("COMMENT ON SCHEMA hype IS 'of before'")
    codes, flight = found(station(tmp_path, central, stations=["lab-a", "lab-b"]))

    assert codes == {"central-outdated": "warning"}
    assert flight.findings[0].remedy.endswith("hype central NAME ... | psql -d DATABASE")


def test_a_station_that_is_not_listed_is_warned(central: Database, tmp_path: Path) -> None:
    codes, _ = found(station(tmp_path, central, stations=["lab-b"]))

    assert codes == {"station-unknown": "warning"}


def test_a_store_that_is_away_spoils_no_session(
    central: Database, postgres: Server, tmp_path: Path
) -> None:
    postgres.kill()
    codes, flight = found(station(tmp_path, central))

    assert codes == {"central-away": "warning"}
    assert flight.exit_code == 0


def test_a_wrong_password_and_the_store_of_another_study_are_errors(
    central: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed(station(tmp_path / "theirs", central, name="theirs"))
    study = station(tmp_path / "ours", central)
    codes, flight = found(study)

    assert codes == {"central-refused": "error"}
    assert "holds the study 'theirs', and this one is 'ours'" in flight.findings[0].message
    monkeypatch.setenv("PGPASSWORD", "wrong")
    codes, flight = found(study)
    assert codes == {"central-refused": "error"}
    assert flight.exit_code == 2


def test_a_study_that_was_renamed_is_the_same(central: Database, tmp_path: Path) -> None:
    pushed(station(tmp_path, central, name="before"))
    text = (tmp_path / "study.toml").read_text(encoding="utf-8")
    (tmp_path / "study.toml").write_text(text.replace("before", "after"), encoding="utf-8")
    assert found(load_any(tmp_path))[0] == {}
