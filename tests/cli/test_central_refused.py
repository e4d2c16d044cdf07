"""What keeps a command from reading a central store is said in one line, without any password."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from compared_studies import compared_study
from postgres import ANALYST_PASSWORD, STATION_PASSWORD

if TYPE_CHECKING:
    from postgres import Database
    from running import Program, Ran

COMMANDS = pytest.mark.parametrize(
    "command", [("score",), ("report",), ("export", "-o", "out")], ids=["score", "report", "export"]
)
NOBODY = "postgresql+psycopg://hype_analyst@127.0.0.1:9/fashion"
"""Nothing listens at the port of what throws everything away."""


@COMMANDS
def test_a_store_that_cannot_be_reached_is_said_in_one_line(
    command: tuple[str, ...], hype: Program
) -> None:
    said = hype(command[0], NOBODY, *command[1:]).failed()

    assert said.startswith(f"hype: {NOBODY}: the central store cannot be reached")
    assert "\n" not in said


@COMMANDS
def test_a_wrong_password_is_refused_and_no_password_is_told(
    command: tuple[str, ...], central: Database, hype: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", STATION_PASSWORD)
    done = hype(command[0], central.analyst_url, *command[1:])

    assert "password authentication failed" in done.refused()
    told_no_password(done)


@COMMANDS
@pytest.mark.parametrize("place", ["user:{}@127.0.0.1/x", "127.0.0.1/x?password={}"])
def test_a_url_with_a_password_is_refused_and_not_repeated(
    command: tuple[str, ...], place: str, hype: Program
) -> None:
    url = f"postgresql+psycopg://{place.format(quote(ANALYST_PASSWORD, safe=''))}"
    done = hype(command[0], url, *command[1:])

    assert "the command line: holds a password" in done.refused()
    told_no_password(done)


def told_no_password(done: Ran) -> None:
    for word in (STATION_PASSWORD, ANALYST_PASSWORD, quote(ANALYST_PASSWORD, safe="")):
        assert word not in done.out + done.err


@COMMANDS
def test_a_study_that_names_no_store_has_none(
    command: tuple[str, ...], hype: Program, tmp_path: Path
) -> None:
    folder = compared_study(tmp_path).folder
    said = hype(command[0], folder, "--central", *command[1:]).refused()

    assert f"{folder / 'study.toml'}: store.central: is missing" in said


@COMMANDS
def test_a_url_is_central_already(command: tuple[str, ...], hype: Program) -> None:
    said = hype(command[0], NOBODY, "--central", *command[1:]).refused()

    assert said.startswith("hype: --central: is for a study, and a URL was given")


@pytest.mark.parametrize("command", ["score", "report"])
def test_a_table_has_no_store(command: str, hype: Program, tmp_path: Path) -> None:
    table = tmp_path / "judgements.csv"
    table.write_text("truth,answer\n")
    said = hype(command, table, "--central").refused()

    assert said.startswith(f"hype: --central: is for a study, and {table} is a table")


@COMMANDS
def test_a_url_of_something_else_is_refused(command: tuple[str, ...], hype: Program) -> None:
    said = hype(command[0], "https://example.org/study", *command[1:]).refused()

    assert "is no URL of a PostgreSQL database" in said


def test_a_store_that_nothing_was_pushed_to_holds_no_study(
    central: Database, hype: Program
) -> None:
    said = hype("score", central.analyst_url).refused()

    assert said.startswith(f"hype: {central.analyst_url}: holds no study yet")
