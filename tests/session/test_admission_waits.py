"""Whoever comes to a central store that does not answer keeps nobody of their station waiting."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock
from typing import Any

import pytest
from builders import whole_study
from central.union import same_as_union
from paper_station import evaluators_of, record_of
from postgres import Database, Server, processes_in
from proxy import Fault, between
from sqlalchemy import update

from hype.central_url import parsed_url
from hype.protocols.registry import conduct_of
from hype.protocols.studies import AnyStudy
from hype.session import admitting as reserving
from hype.session.admitting import admit, admit_together
from hype.session.enrol import Enrolled
from hype.session.pushing import push_record
from hype.store.central import limits
from hype.store.central.enrolment import LOCK
from hype.store.central.limits import Limits
from hype.store.central.servers import keep_servers, trusted_servers
from hype.store.record import RECORD_FILE, committed
from hype.store.schema import evaluators

WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
SLOWLY_S = 30.0
TRUSTING = Lock()


@pytest.fixture(autouse=True)
def _at_lab_a(central: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Be at lab-a, and let libpq find the passwords behind a proxy too."""
    monkeypatch.setenv("HYPE_STATION", "lab-a")
    passwords = central.passwords(tmp_path)
    passwords.write_text(passwords.read_text().replace(f":{central.port}:", ":*:"))


def study_at(folder: Path, url: str) -> AnyStudy:
    """Make a study whose store is trusted, wherever it is."""
    with TRUSTING:
        keep_servers({**trusted_servers(), parsed_url(url).server: False})
    store = {"central": url, "stations": ["lab-a", "lab-b"]}
    return whole_study(folder, study={"evaluators": 90, "name": "tiny"}, store=store)


def come(study: AnyStudy, code: str, remark: Callable[[str], None]) -> Enrolled[Any]:
    with record_of(study) as engine:
        return admit(engine, conduct_of(study), code, simulated=False, remark=remark)


def come_together(study: AnyStudy, codes: Sequence[str], remark: Callable[[str], None]) -> None:
    with record_of(study) as engine:
        came = admit_together(engine, conduct_of(study), codes, simulated=False, remark=remark)
    assert [who.assignment.evaluator for who in came.values() if isinstance(who, Enrolled)] == codes


@contextmanager
def another_window(study: AnyStudy) -> Iterator[list[float]]:
    """Let a session at another window write to the record; give how long each commit took."""
    took: list[float] = []
    over = Event()

    def answer() -> None:
        with record_of(study) as engine:
            while not over.wait(0.02):
                begun = time.monotonic()
                with committed(engine) as connection:
                    connection.execute(update(evaluators).values(status="active"))
                took.append(time.monotonic() - begun)

    with ThreadPoolExecutor() as pool:
        answering: Future[None] = pool.submit(answer)
        try:
            yield took
        finally:
            over.set()
            answering.result()


@pytest.mark.parametrize("stopped", [False, True], ids=["a lock is held", "the server is stopped"])
def test_a_session_at_another_window_goes_on(
    stopped: bool,
    central: Database,
    postgres: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other window's commits take no longer while a newcomer waits in the middle of it."""
    monkeypatch.setattr(limits, "STATION", Limits(statement_s=6, lock_s=5))
    study, remarks = study_at(tmp_path / "study", central.station_url), list[str]()
    come(study, "p01", pytest.fail)
    with another_window(study) as took, central.connect() as other, ThreadPoolExecutor() as pool:
        other.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        begun = time.monotonic()
        coming = pool.submit(come, study, "p02", remarks.append)
        while central.query(WAITING) == [(0,)]:
            assert not coming.done()
        with halted(postgres) if stopped else another_window(study):
            came = coming.result()
        waited = time.monotonic() - begun

    assert came.assignment.evaluator == "p02"
    assert "this station goes by its own share of the places" in remarks[0]
    assert waited > 4
    assert max(took) < waited / 2
    assert len(took) > 20


@contextmanager
def halted(server: Server) -> Iterator[None]:
    """Stop a server, which neither answers nor closes anything, and let it go on."""
    processes = processes_in(server.data)
    tell(processes, signal.SIGSTOP)
    try:
        yield
    finally:
        tell(processes, signal.SIGCONT)


def tell(processes: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to those who are there still: a server's sessions come and go."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def statements_of_an_admission(central: Database, folder: Path) -> int:
    """Count the statements after which something can happen to who comes first."""
    with between(central.port) as proxy:
        study = study_at(folder, proxy.leads_to(central.station_url))
        come_together(study, ["p01", "p02"], pytest.fail)
    central.query("TRUNCATE hype_added.studies, hype_added.evaluators CASCADE")
    return len(proxy.passed)


@pytest.mark.parametrize(
    "fault", [Fault.CUT, Fault.LEFT, Fault.STALL], ids=lambda fault: fault.name
)
def test_after_any_statement_newcomers_are_admitted_once(
    fault: Fault, central: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, soak: bool
) -> None:
    """By the store where it was known by then that it noted them, else by the station's share."""
    short = Limits(connect_s=2, statement_s=5, lock_s=4.5, idle_s=3)
    monkeypatch.setattr(limits, "STATION", short)
    (tmp_path / "studies").mkdir()

    def fail(at: int) -> AnyStudy:
        remarks: list[str] = []
        with between(central.port, fault, at) as proxy:
            url = proxy.leads_to(central.station_url)
            study = study_at(tmp_path / "studies" / str(at), url)
            begun = time.monotonic()
            come_together(study, [f"p{at:02}a", f"p{at:02}b"], remarks.append)
            assert time.monotonic() - begun < SLOWLY_S, at
        assert remarks, at
        push_record(study, central.station_url)
        return study

    statements = statements_of_an_admission(central, tmp_path / "counted")
    tried = range(0 if soak else list(Fault).index(fault), statements + 1, 1 if soak else 17)
    with ThreadPoolExecutor(4) as pool:
        studies = list(pool.map(fail, tried))
    found = same_as_union(central.analyst_url, [study.folder / RECORD_FILE for study in studies])
    assert found.same, found
    assert found.rows["evaluators"] == 2 * len(tried)
    for study in studies:
        with record_of(study) as engine:
            assert len(evaluators_of(engine)) == 2


def test_all_of_the_waiting_together_has_an_end(
    central: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No statement takes long, and all of them do."""
    monkeypatch.setattr(reserving, "NEWCOMER_S", 2.0)
    remarks: list[str] = []
    with between(central.port, Fault.DELAY, delay_s=0.3) as proxy:
        study = study_at(tmp_path / "study", proxy.leads_to(central.station_url))
        begun = time.monotonic()
        come(study, "p01", remarks.append)
        took = time.monotonic() - begun

    assert 2 < took < 10  # 11 without an end
    assert "this station goes by its own share of the places" in remarks[0]
