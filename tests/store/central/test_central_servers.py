"""The user's list of trusted servers."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from hype.central_url import Server
from hype.store.central.problems import CentralRefused, CentralUntrusted
from hype.store.central.servers import (
    keep_servers,
    require_trusted,
    servers_file,
    trusted_servers,
)

LAB = Server("lab.example.org", 5432)
SERVERS = {LAB: False, Server("2001:db8::1", 5433): True, Server("/run/postgresql", 1): False}


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a list of one's own; give where it is to be."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "hype" / "servers"


def test_what_is_kept_is_read_again(path: Path) -> None:
    assert trusted_servers() == {}
    keep_servers(SERVERS)

    assert trusted_servers() == SERVERS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    keep_servers({})
    assert trusted_servers() == {}


def test_it_may_be_written_by_hand(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("# ours\n\n  LAB.example.org \n[::1]:7 clear-text\n", encoding="utf-8")

    assert trusted_servers() == {LAB: False, Server("::1", 7): True}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"lab\n*\n", "servers line 2: names a server that cannot be"),
        (b"lab clear\n", "line 1: has something behind the server"),
        (b"lab clear-text clear-text\n", "line 1: has something behind the server"),
        (b"lab,other\n", "line 1: names a server that cannot be"),
        (b"\xff\n", "cannot be read"),
        (b"#" * (2 << 20), "has 2,097,152 bytes"),
    ],
    ids=["no server", "another word", "a word twice", "two servers", "no text", "too large"],
)
def test_anything_else_is_refused(content: bytes, problem: str, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(CentralRefused, match=problem):
        trusted_servers()


def test_a_folder_is_no_list(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(CentralRefused, match="is not a file"):
        trusted_servers()


@pytest.mark.parametrize("named", ["", ".", "configuration"])
def test_it_is_never_looked_for_in_the_folder_one_is_in(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", named)

    assert servers_file() == tmp_path / ".config" / "hype" / "servers"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://hype_station@lab.example.org/x",
        "postgresql+psycopg://LAB.Example.Org:5432/y?sslmode=disable",
        "postgres:///z?host=lab.example.org",
    ],
)
def test_a_trusted_server_is_so_however_it_is_written(url: str) -> None:
    with pytest.raises(CentralUntrusted, match=r"hype trust lab\.example\.org:5432"):
        require_trusted("study.toml", url)
    keep_servers({LAB: False})
    require_trusted("study.toml", url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://lab.example.org:5433/x",
        "postgresql://lab.example.org.example.com/x",
        "postgresql://other.lab.example.org/x",
        "postgresql://lab.example.org@example.com/x",
        "postgresql://lab.example.org%2Fx@example.com/x",
        "postgresql://192.0.2.1/lab.example.org",
        "postgresql:///x?host=/lab.example.org",
    ],
)
def test_another_is_not(url: str) -> None:
    keep_servers({LAB: True})
    with pytest.raises(CentralUntrusted, match="is not trusted, so it was not asked"):
        require_trusted("study.toml", url)
