"""`hype run` at a window of a station whose study has a central store, there or away."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import whole_study
from central.program import hype
from central.union import same_as_union
from postgres import Database, Server

from hype.cli.run import push_at_the_end
from hype.protocols.load import load_any
from hype.store.record import RECORD_FILE

SHORT = {
    "study": {"methods": ["infinity"], "consent": False},
    "qualification": {"enabled": False},
    "practice": {"trials": 0},
    "infinity": {"trials": 2, "blocks": 2},
    "masks": None,
}


@pytest.fixture
def station(central: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder of a study at a station called lab-a."""
    monkeypatch.setenv("HYPE_STATION", "lab-a")
    store = {"central": central.stations_url, "stations": ["lab-a", "lab-b"]}
    return whole_study(tmp_path / "study", store=store, **SHORT).folder


def run(folder: Path, code: str):
    """Hold a session of a simulated evaluator."""
    return hype("run", folder, "--evaluator", code, "--simulate", "--windowed")


def test_at_the_end_the_store_has_everything(
    station: Path, central: Database, capsys: pytest.CaptureFixture[str]
):
    done = run(station, "p01")
    found = same_as_union(central.analyst_url, [station / RECORD_FILE])

    assert done.code == 0, done.err
    assert "The central store has everything of this station." in done.out
    assert (found.rows["evaluators"], found.trials) == (1, 4)
    assert found.same, found
    assert central.query("SELECT station, status FROM hype.evaluators") == [("lab-a", "complete")]

    central.query("UPDATE hype_added.judgements SET onset_unix_s = onset_unix_s - 60")
    push_at_the_end(load_any(station))
    said = capsys.readouterr()
    assert "The central store has everything else of this station." in said.out
    assert "p01: 4 answers were not taken" in " ".join(said.err.split())


@pytest.mark.long
def test_without_the_store_the_session_is_held_all_the_same(
    station: Path, central: Database, postgres: Server
):
    postgres.kill()
    done = run(station, "p01")
    err = " ".join(done.err.split())

    assert done.code == 0, done.err
    assert "The session is complete." in done.out
    assert "until it is back, this station goes by its own share of the places" in err
    assert "every answer is in this station's record, and hype sync pushes it later" in err
    postgres.restart()
    assert hype("sync", station).code == 0
    assert same_as_union(central.analyst_url, [station / RECORD_FILE]).same
