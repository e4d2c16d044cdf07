"""A password is told to PostgreSQL's library alone: nothing says it, and nothing keeps it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from central.program import Ended, hype
from paper_comparer import compared_soundly
from postgres import ANALYST_PASSWORD, STATION_PASSWORD, Database, Server

from hype.cli.main import main

WRONG = "wr0ng-of-nobody-%/@"
WORDS = (STATION_PASSWORD, ANALYST_PASSWORD, WRONG)
QUOTED = quote(WRONG, safe="")
FORMS = (*WORDS, QUOTED, quote(WRONG), "wr0ng", "s3cret")
"""As somebody might write them, and parts of them that a message might cut out."""
HIDDEN_IN = {
    "the usual place": f"postgresql+psycopg://hype_station:{QUOTED}@127.0.0.1/fashion",
    "as it is": f"postgresql+psycopg://hype_station:{WRONG}@127.0.0.1/fashion",
    "another scheme": f"postgres://hype_station:{QUOTED}@127.0.0.1/fashion",
    "another database": f"mysql://hype_station:{QUOTED}@127.0.0.1/fashion",
    "the query": f"postgresql://hype_station@127.0.0.1/fashion?password={QUOTED}",
    "the query, not the first": f"postgresql:///fashion?host=h&password={QUOTED}",
    "the query, of a key": f"postgresql://h/fashion?sslpassword={QUOTED}",
    "the query, disguised": f"postgresql://h/fashion?p%61ssword={QUOTED}",
    "without a database": f"postgresql://hype_station:{QUOTED}@127.0.0.1",
    "a malformed URL": f"postgresql://[hype_station:{QUOTED}@127.0.0.1/fashion",
    "a wrong port": f"postgresql://hype_station:{QUOTED}@127.0.0.1:port/fashion",
    "with a space": f"postgresql://hype_station:{QUOTED} @127.0.0.1/fashion",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with a record."""
    return compared_soundly(tmp_path_factory.mktemp("passwords") / "study").folder


@pytest.fixture(autouse=True)
def nothing_is_kept(folder: Path, tmp_path: Path, postgres: Server) -> Iterator[None]:
    """Look for passwords in every file under the study, and in what the server says."""
    yield
    for home in (folder, tmp_path):
        for path in home.rglob("*"):
            if path.is_file() and path.name not in ("study.toml", "pgpass"):
                found = path.read_bytes()
                assert not [word for word in FORMS if word.encode() in found], path
    log = (postgres.folder / "log").read_text(errors="replace")
    assert not [word for word in WORDS if word in log]


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the program here, which is quicker."""

    def run(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["hype", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Ended(int(ended.value.code or 0), said.out, said.err)

    return run


def tells_none(ended: Ended) -> None:
    assert not [word for word in FORMS if word in ended.said], ended
    assert "Traceback" not in ended.said


def commands(folder: Path, central: Database) -> list[tuple[tuple[object, ...], str]]:
    """Give what reaches the store, and whose password it takes."""
    reading = (("status",), ("score",), ("report", "-o", folder / "page.html"))
    return [
        (("sync", folder, "--to", central.station_url), STATION_PASSWORD),
        *(((name, central.analyst_url, *more), ANALYST_PASSWORD) for name, *more in reading),
    ]


@pytest.mark.parametrize("way", ["variable", "file"])
def test_a_right_password_is_used_and_not_told(
    way: str, folder: Path, central: Database, in_process, monkeypatch: pytest.MonkeyPatch
):
    for command, password in commands(folder, central):
        if way == "variable":
            monkeypatch.delenv("PGPASSFILE", raising=False)
            monkeypatch.setenv("PGPASSWORD", password)
        ended = in_process(*command)
        assert ended.code == 0, ended
        tells_none(ended)


def test_a_wrong_password_is_refused_and_not_told(
    folder: Path, central: Database, in_process, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PGPASSWORD", WRONG)
    for command, _ in commands(folder, central):
        ended = in_process(*command)
        assert ended.code == 2
        assert "password authentication failed" in ended.err
        tells_none(ended)


def test_a_password_in_a_file_of_the_wrong_mode_or_of_nobody_is_not_told(
    folder: Path, central: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lines = f"127.0.0.1:{central.port}:*:*:{WRONG}\n"
    path = tmp_path / "pgpass"
    path.write_text(lines, encoding="utf-8")
    monkeypatch.setenv("PGPASSFILE", str(path))
    for mode in (0o600, 0o644):
        path.chmod(mode)
        ended = hype("sync", folder, "--to", central.station_url)
        assert ended.code == 2
        tells_none(ended)


@pytest.mark.parametrize("where", list(HIDDEN_IN))
def test_a_url_that_holds_one_is_refused_and_not_repeated(where: str, folder: Path, in_process):
    url = HIDDEN_IN[where]
    for command in (
        ("sync", folder, "--to", url),
        ("sync", folder, f"--to={url}"),
        ("status", url),
        ("score", url),
        ("report", url),
        ("export", url, "-o", folder / "out"),
    ):
        ended = in_process(*command)
        assert ended.code == 2, command
        tells_none(ended)


@pytest.mark.parametrize("where", ["the usual place", "another scheme", "the query"])
def test_a_url_in_the_place_of_a_study_is_not_repeated(where: str, in_process):
    ended = in_process("sync", HIDDEN_IN[where])

    assert ended.code == 2
    tells_none(ended)


IN_FILES = [
    *((where, '"{}"') for where in HIDDEN_IN),
    *(("the usual place", other) for other in ('["{}"]', '{{ url = "{}" }}', "'''\n{}'''")),
]


@pytest.mark.parametrize(("where", "written"), IN_FILES)
def test_a_study_file_that_holds_one_is_refused_and_does_not_repeat_it(
    where: str, written: str, folder: Path, tmp_path: Path, in_process
):
    study = tmp_path / "study.toml"
    told = (folder / "study.toml").read_text(encoding="utf-8")
    value = written.format(HIDDEN_IN[where])
    study.write_text(f"{told}\n[store]\ncentral = {value}\n", encoding="utf-8")
    for command in (("sync", tmp_path), ("status", tmp_path, "--central")):
        ended = in_process(*command)
        assert ended.code == 2, command
        tells_none(ended)


BROKEN = """
import sys
from hype.cli.main import main
import hype.store.central.push as push

def pending(*_):
    raise RuntimeError("a fault of the program")

push.pending = pending
sys.argv = ["hype", "sync", *sys.argv[1:]]
main()
"""


def test_even_a_traceback_tells_none(
    folder: Path, central: Database, monkeypatch: pytest.MonkeyPatch
):
    """There should be no such fault; if there is one, it is told without what is secret."""
    monkeypatch.setenv("PGPASSWORD", STATION_PASSWORD)
    command = [sys.executable, "-c", BROKEN, str(folder), "--to", central.station_url]
    done = subprocess.run(
        command, env=os.environ, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 1
    assert "a fault of the program" in done.stderr
    assert not [word for word in FORMS if word in done.stdout + done.stderr]
