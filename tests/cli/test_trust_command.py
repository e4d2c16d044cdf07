"""`hype trust`."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def test_servers_are_trusted_listed_and_removed(hype) -> None:
    assert hype("trust").out == "No server is trusted.\n"
    assert hype("trust", "Lab.example.org").out == "Trusted: lab.example.org:5432\n"
    assert hype("trust", "::1", "--clear-text").out == "Trusted: [::1]:5432 clear-text\n"
    assert hype("trust").out == "lab.example.org:5432\n[::1]:5432 clear-text\n"
    assert hype("trust", "--remove", "[::1]:5432").out == "[::1]:5432 is trusted no longer.\n"
    assert hype("trust").out == "lab.example.org:5432\n"


def test_clear_text_is_meant_each_time_that_it_is_said(hype) -> None:
    hype("trust", "lab", "--clear-text")
    hype("trust", "lab")
    assert hype("trust").out == "lab:5432\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lab,other",), "names a server that cannot be; one is server.example.org"),
        (("postgresql://lab/x",), "names a server that cannot be"),
        (("lab:0",), "names a port that cannot be"),
        (("--remove", "lab"), "lab:5432: is not trusted"),
        (("--clear-text",), "no server is named"),
        (("--remove",), "no server is named"),
    ],
    ids=["two", "a URL", "no port", "nobody", "clear text for all", "all"],
)
def test_what_names_no_server_is_refused(words, said: str, hype, tmp_path: Path) -> None:
    assert said in hype("trust", *words).refused()
    assert not list(tmp_path.iterdir())


def test_a_list_that_cannot_be_read_is_not_written_over(hype, tmp_path: Path) -> None:
    hype("trust", "lab")
    path = tmp_path / "hype" / "servers"
    path.write_text("lab, and others\n", encoding="utf-8")
    assert "line 1: has something behind the server" in hype("trust", "other").refused()
    assert path.read_text(encoding="utf-8") == "lab, and others\n"
