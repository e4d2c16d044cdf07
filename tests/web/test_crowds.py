"""A server out of descriptors goes on for who sits there, and says `busy` to all others."""

import re
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest
from besieged.server import HOST, PATIENCE_S, SERVE
from programs import ON_WINDOWS
from rated_studies import rated_study
from served import Tab, listening
from small_studies import STUDIES

from hype.protocols.load import load_any
from hype.store import sqlite_record
from hype.web import connections
from hype.web.desk import FileDesk
from hype.web.experimenter import watch_path
from hype.web.owners import owners_path
from hype.web.serving import doors_of
from hype.web.simulated import Client, await_server

FILES: Final = 200
"""That a server may open at once: the hard limit."""
HELD: Final = 400
"""Connections of somebody who says nothing on them."""
ADDRESS: Final = re.compile(rf"http://{HOST}:(\d+)/")


class Served:
    """`hype serve` as a program of its own that may open few files."""

    def __init__(self, folder: Path, said: Path, program: subprocess.Popen[bytes]) -> None:
        self.program = program
        self._said = said
        until_s = time.monotonic() + PATIENCE_S
        while not (found := ADDRESS.search(self.said)):
            assert time.monotonic() < until_s, self.said
            time.sleep(0.05)
        self.port = int(found[1])
        await_server(HOST, self.port)
        self.key = FileDesk.of(load_any(folder)).key()

    @property
    def said(self) -> str:
        return self._said.read_text()

    @property
    def file_limits(self) -> list[str]:
        """The limit in force, and the highest that there may be."""
        limits = Path(f"/proc/{self.program.pid}/limits").read_text()
        return next(line for line in limits.splitlines() if "open files" in line).split()[3:5]

    def tab(self, code: str) -> Tab:
        tab = Tab(self.port, code, simulated=True)
        tab.client._cookie = f"hype={self.key.cookie(code, simulated=True)}"
        return tab


@contextmanager
def few_files(folder: Path, *options: str) -> Iterator[Served]:
    """Serve a study by a program that may open few files, and is told to begin with fewer still."""
    said = folder.with_name("said")
    limits = ("prlimit", f"--nofile=100:{FILES}", "--", "setpriv", "--pdeathsig", "KILL")
    with said.open("wb") as log:
        program = subprocess.Popen(
            [*limits, SERVE[0], "serve", folder, "--port", "0", *options], stdout=log, stderr=log
        )
    try:
        yield Served(folder, said, program)
    finally:
        program.terminate()
        program.wait(PATIENCE_S)


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@contextmanager
def held(port: int, number: int, sent: bytes = b"GET / HT") -> Iterator[list[socket.socket]]:
    """Open connections on which no whole request comes."""
    with ExitStack() as stack:
        opened = []
        for _ in range(number):
            with suppress(OSError):
                opened.append(stack.enter_context(socket.create_connection((HOST, port), 60)))
                opened[-1].sendall(sent)
        yield opened


def is_ended(connection: socket.socket) -> bool:
    """Whether the other side has closed, whatever it said before."""
    with suppress(ConnectionError):
        while connection.recv(1 << 12):
            pass
    return True


def newcomer(port: int) -> tuple[int, bytes]:
    with closing(Client(HOST, port)) as client:
        return client.get("/")


@pytest.mark.skipif(ON_WINDOWS, reason="Windows has no such limit")
@pytest.mark.usefixtures("own_state")
def test_who_sits_goes_on_while_others_hold_all_connections(tmp_path):
    study = STUDIES["comparison"](tmp_path / "study")
    with few_files(study.folder) as server:
        assert server.file_limits == [str(FILES), str(FILES)]
        seated = server.tab("sim-1")
        assert seated.sit()[0] == 200
        with closing(seated.client), held(server.port, HELD) as idle:
            begun_s = time.monotonic()
            for _ in range(3):
                status, step = seated.answer()
                assert status == 200, step
            time.sleep(1.5)  # those that hold what is kept are ended sooner
            for _ in range(5):
                anew = server.tab("sim-1")  # as after a network that failed
                anew.seat, anew.step = seated.seat, seated.step
                with closing(anew.client):
                    assert anew.answer()[0] == 200
                    seated.step = anew.step
            status, words = newcomer(server.port)
            assert status == 503
            assert b'"busy"' in words
            assert all(map(is_ended, idle))
            assert 8 < time.monotonic() - begun_s < 20
            assert newcomer(server.port)[0] == 303
    busy = [line for line in server.said.splitlines() if "busy" in line]
    assert len(busy) == 1
    assert f"{FILES}" in busy[0]
    assert "Traceback" not in server.said
    assert len(server.said.splitlines()) < 10


def test_a_request_that_drips_in_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_S", 1.0)
    with listening(STUDIES["comparison"](tmp_path)) as port, closing(Client(HOST, port)) as client:
        assert client.get("/")[0] == 303
        kept = client._connection.sock
        assert kept is not None
        begun_s = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() < begun_s + 30:
                kept.sendall(b"G")
                time.sleep(0.1)
        assert 0.9 < time.monotonic() - begun_s < 10


@pytest.mark.parametrize("is_new", [True, False])
def test_who_comes_while_the_disk_is_full_is_told_to_wait(is_new, tmp_path, monkeypatch):
    study = STUDIES["comparison"](tmp_path / "study", comparison={"votes": 100})
    if not is_new:
        with listening(study) as port:
            assert sits(port, "sim-0") == (200, "")
    connect: Callable[[Path], sqlite3.Connection] = sqlite_record.connect_writing

    def connect_on_full_disk(path: Path) -> sqlite3.Connection:
        """Open a record that cannot grow, as SQLite finds it on a full disk."""
        connection = connect(path)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {max(pages, 1)}")
        return connection

    monkeypatch.setattr(sqlite_record, "connect_writing", connect_on_full_disk)
    with listening(study) as port:
        came = [sits(port, f"sim-{number}") for number in range(1, 20)]
    assert set(came) <= {(200, ""), (503, "busy")}
    assert came[-1] == (503, "busy")


def sits(port: int, code: str) -> tuple[int, str]:
    tab = Tab(port, code, simulated=True)
    with closing(tab.client):
        status, body = tab.sit()
    return status, body.get("error", "")


@pytest.mark.skipif(ON_WINDOWS, reason="Windows has no such limit")
@pytest.mark.usefixtures("own_state")
def test_links_are_renewed(tmp_path):
    study = STUDIES["comparison"](tmp_path / "study")
    with doors_of(study, HOST, 0) as before:
        pass
    again = FileDesk.of(study).key()
    assert watch_path(again) == watch_path(before.key)

    with few_files(study.folder, "--new-links") as server, closing(Client(HOST, server.port)) as me:
        for path in (watch_path, owners_path):
            assert path(server.key) in server.said
            assert path(before.key) not in server.said
            assert me.get(path(server.key))[0] == 200
            assert me.get(path(before.key))[0] == 404
    renewed = server.key
    assert renewed.cookie("p01", simulated=False) == before.key.cookie("p01", simulated=False)
    assert renewed.name("invitation", 1) == before.key.name("invitation", 1)


def test_simulated_evaluators_beyond_the_places_are_told_so(tmp_path, hype):
    rated_study(tmp_path, files=True)
    done = hype("serve", tmp_path, "--port", 0, "--simulate", 12)
    assert done.code == 0, done.err
    complete = done.out.count("  The session is complete.")
    turned_away = done.out.count("  Turned away: ")
    assert complete + turned_away == 12
    assert complete
    assert turned_away
