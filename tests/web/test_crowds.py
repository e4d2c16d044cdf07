"""Many people who come at the same time, send nothing, or come while the disk is full."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from rated_studies import rated_study
from served import HOST, Tab, listening
from small_studies import STUDIES

from hype.store import sqlite_record
from hype.web import connections
from hype.web.arrivals import check_path
from hype.web.desk import FileDesk
from hype.web.experimenter import watch_path
from hype.web.owners import owners_path
from hype.web.serving import doors_of
from hype.web.simulated import Client


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
        """Open a record that cannot grow, as on a full disk."""
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


def test_links_are_renewed(tmp_path):
    study = STUDIES["comparison"](tmp_path / "study")
    with doors_of(study, HOST, 0) as before:
        pass
    assert watch_path(FileDesk.of(study).key()) == watch_path(before.key)
    with doors_of(study, HOST, 0, new_links=True) as now:
        pass
    for path in (watch_path, owners_path, check_path):
        assert path(now.key) != path(before.key)
    assert now.key.cookie("p01", simulated=False) == before.key.cookie("p01", simulated=False)
    assert now.key.name("invitation", 1) == before.key.name("invitation", 1)


def test_simulated_evaluators_beyond_the_places_are_told_so(tmp_path, hype):
    rated_study(tmp_path, files=True)
    done = hype("serve", tmp_path, "--port", 0, "--simulate", 12)
    assert done.code == 0, done.err
    complete = done.out.count("  The session is complete.")
    turned_away = done.out.count("  Turned away: ")
    assert complete + turned_away == 12
    assert complete
    assert turned_away
