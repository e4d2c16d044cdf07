"""`hype doctor` names missing parts, and commands to install them."""

import sys
from importlib.metadata import metadata
from typing import Any

import pytest
from running import Program

from hype.check import machine
from hype.check.machine import EXTRAS
from hype.errors import installing

FOR_DEVELOPERS = {"benchmarks", "dev", "fashion", "mutants"}


def told(hype: Program, code: int = 0) -> dict[str, Any]:
    done = hype("doctor", "--json")
    assert done.code == code
    return {part["code"]: part for part in done.json["parts"]} | {"ok": done.json["ok"]}


def test_every_extra_is_looked_at():
    assert set(metadata("hype").get_all("Provides-Extra") or ()) == {*EXTRAS, *FOR_DEVELOPERS}


@pytest.mark.posix("cannot run a station")
def test_here_all_that_is_needed_works(hype, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    found = told(hype)

    assert found["ok"]
    assert {found[code]["state"] for code in EXTRAS} == {"works"}
    assert "desktop session" in found["display"]["remedy"]


def test_a_station_is_looked_at_as_hype_check_does(hype, display):
    found = told(hype)

    assert " px" in found["display"]["found"]
    assert "priority" in found


@pytest.mark.parametrize(
    ("library", "part", "code"), [("numba", "masks", 0), ("scipy", "analysis", 1)]
)
def test_what_is_missing_is_named_and_only_what_analysts_need_is_a_problem(
    library, part, code, hype, monkeypatch
):
    monkeypatch.setitem(sys.modules, library, None)
    found = told(hype, code)
    extra = "" if part == "analysis" else part

    assert found["ok"] is (code == 0)
    assert found[part]["state"] == "missing"
    assert found[part]["found"].startswith(f"{library} cannot be loaded")
    assert found[part]["remedy"] == installing(extra)


@pytest.mark.posix("cannot run a station")
def test_where_there_can_be_no_station_nothing_is_to_be_installed_for_one(hype, monkeypatch):
    monkeypatch.setattr(machine, "STATION_PYTHON", (3, 9))

    assert "Python 3.12" in told(hype)["station"]["remedy"]


def test_what_is_missing_is_added_where_the_program_is_and_by_what_installed_it(
    tmp_path, monkeypatch
):
    """PyPI has another package `hype`, which the `pip` of another environment would install."""
    environment = tmp_path / "my lab"
    environment.mkdir()
    monkeypatch.setattr(sys, "prefix", str(environment))
    monkeypatch.setattr(sys, "executable", f"{environment}/python")

    assert installing("web") == f"'{environment}/python' -m pip install \"hype[web]\""
    monkeypatch.setattr("shutil.which", lambda _: f"{environment}/python")
    assert installing("web") == 'pip install "hype[web]"'
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert installing("web") == f"uv pip install --python '{environment}' \"hype[web]\""
    (environment / "pipx_metadata.json").touch()
    assert installing("web") == 'pipx runpip hype install "hype[web]"'
