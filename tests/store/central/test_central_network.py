"""A network that fails between a station and its central store, at every statement.

Limits are short here. What they are meant to be is looked at where a connection is looked at.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from central.program import hype
from central.pushed import attended_study, record_in
from central.union import same_as_union
from paper_station import record_of
from postgres import Database, Server
from proxy import Fault, between
from sqlalchemy import select

from hype.protocols.studies import AnyStudy
from hype.store.central import engine as waiting
from hype.store.central import limits
from hype.store.central.engine import TooLong, connected, driver_of, reading_central
from hype.store.central.enrolment import LOCK, assigning
from hype.store.central.limits import Limits, waiting_announced
from hype.store.central.problems import CentralAway
from hype.store.central.push import push
from hype.store.forgetting import wipe_traces
from hype.store.record import reading_record
from hype.store.schema import TABLES

SHORT = Limits(connect_s=2, statement_s=5, lock_s=4.5, idle_s=3)
SLOWLY_S = 30.0
"""Far longer than anything may take by these limits, and far shorter than without any."""
LEFT_THERE = (
    "SELECT pid, state, query FROM pg_stat_activity WHERE datname = current_database() "
    "AND xact_start IS NOT NULL AND pid <> pg_backend_pid()"
)
EMPTIED = "TRUNCATE hype_added.studies, hype_added.evaluators, hype_added.removals CASCADE"
WORKERS = 5
TCP_NAMES = ("KEEPIDLE", "KEEPINTVL", "KEEPCNT", "USER_TIMEOUT")


@pytest.fixture(scope="module")
def attended(tmp_path_factory: pytest.TempPathFactory) -> AnyStudy:
    return attended_study(tmp_path_factory.mktemp("attended") / "study")


@pytest.fixture(autouse=True)
def _at_any_port(central: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let libpq find the passwords behind a proxy too."""
    passwords = central.passwords(tmp_path)
    passwords.write_text(passwords.read_text().replace(f":{central.port}:", ":*:"))


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STATION", SHORT)
    monkeypatch.setattr(limits, "READER", SHORT)


def pushed(study: AnyStudy, url: str) -> Any:
    with reading_record(record_in(study)) as engine:
        return push(engine, url)


def waited_for(condition: Callable[[], bool]) -> bool:
    """Wait for something to come true."""
    end = time.monotonic() + SLOWLY_S
    while not (true := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return true


def in_transactions(central: Database) -> list[Any]:
    """List the server's processes that are in a transaction; not those that are sent rows.

    These wait for the rest as long as their connection lasts, and keep nobody waiting.
    """
    return [row for row in central.query(LEFT_THERE) if not row[2].startswith("COPY")]


def statements_of(work: Callable[[str], object], url: str, port: int) -> int:
    """Count the statements of which something consists."""
    with between(port) as proxy:
        work(proxy.leads_to(url))
    return len(proxy.passed)


@pytest.mark.parametrize(
    "fault", [Fault.CUT, Fault.LEFT, Fault.STALL], ids=lambda fault: fault.name
)
def test_after_any_statement_the_next_push_brings_the_rest(
    fault: Fault, attended: AnyStudy, central: Database, postgres: Server, short: None, soak: bool
) -> None:
    stores = [central, *(postgres.database(f"{central.name}{n}") for n in range(1, WORKERS))]
    statements = statements_of(partial(pushed, attended), central.station_url, central.port)
    central.query(EMPTIED)
    tried = range(0 if soak else list(Fault).index(fault), statements + 1, 1 if soak else 37)

    def try_some(number: int) -> None:
        for at in tried[number::WORKERS]:
            fail_and_go_on(fault, at, attended, stores[number])

    with ThreadPoolExecutor(WORKERS) as pool:
        assert list(pool.map(try_some, range(WORKERS))) == [None] * WORKERS
    for store in stores[1:]:
        postgres.drop(store)


def fail_and_go_on(fault: Fault, at: int, study: AnyStudy, central: Database) -> None:
    """Let a push fail after a statement, and look at what is left of it."""
    begun = time.monotonic()
    with between(central.port, fault, at) as proxy:
        with pytest.raises(CentralAway, match="cannot be reached"):
            pushed(study, proxy.leads_to(central.station_url))
        pushed(study, central.station_url)  # at once, while the other end is open perhaps
        assert time.monotonic() - begun < SLOWLY_S, (fault, at)
        assert waited_for(lambda: not in_transactions(central)), (fault, at)
    assert waited_for(lambda: not central.query(LEFT_THERE)), (fault, at)
    found = same_as_union(central.analyst_url, [record_in(study)])
    assert found.same, (fault, at, found)
    central.query(EMPTIED)


def test_a_slow_network_is_only_slow(attended: AnyStudy, central: Database, short: None) -> None:
    with between(central.port, Fault.DELAY, delay_s=0.02) as proxy:
        pushed(attended, proxy.leads_to(central.station_url))

    assert same_as_union(central.analyst_url, [record_in(attended)]).same


@pytest.mark.parametrize("fault", [Fault.CUT, Fault.STALL], ids=lambda fault: fault.name)
def test_who_reads_is_told_after_any_statement(
    fault: Fault, attended: AnyStudy, central: Database, short: None
) -> None:
    pushed(attended, central.station_url)
    statements = statements_of(read_all, central.analyst_url, central.port)

    def fail(at: int) -> None:
        with between(central.port, fault, at) as proxy, pytest.raises(CentralAway):
            read_all(proxy.leads_to(central.analyst_url))

    with ThreadPoolExecutor(statements) as pool:
        list(pool.map(fail, range(statements)))
    assert statements > len(TABLES)


def read_all(url: str) -> None:
    with reading_central(url) as engine, engine.connect() as connection:
        for table in TABLES:
            connection.execute(select(table)).all()


def test_a_record_that_is_pushed_can_be_wiped(
    attended: AnyStudy, central: Database, short: None
) -> None:
    """The push stands still; what was removed from the record must go from its file by then."""
    with between(central.port, Fault.STALL, 40) as proxy, ThreadPoolExecutor() as pool:
        pushing = pool.submit(pushed, attended, proxy.leads_to(central.station_url))
        assert waited_for(lambda: len(proxy.passed) == 40)
        with record_of(attended) as engine:
            wipe_traces(engine)
        assert not pushing.done()
        with pytest.raises(CentralAway):
            pushing.result()


def test_whoever_waits_is_told_once(
    attended: AnyStudy, central: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "SAID_AFTER_S", 0.3)
    monkeypatch.setattr(limits, "STATION", Limits(connect_s=2, statement_s=1, lock_s=0.8))
    told: list[str] = []
    begun = time.monotonic()
    with waiting_announced(told.append), central.connect() as other:
        for at in (0, 0, 30):
            with between(central.port, Fault.STALL, at) as proxy, pytest.raises(CentralAway):
                pushed(attended, proxy.leads_to(central.station_url))
        other.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        with pytest.raises(CentralAway, match="lock timeout"), assigning(central.station_url):
            pass

    assert time.monotonic() - begun < SLOWLY_S
    assert told == [
        "waiting for the central store, up to 2 seconds",
        "waiting for the central store, up to 1 seconds",
        "waiting for another station, which is giving somebody a place, up to 0.8 seconds",
    ]


def test_the_program_says_for_what_it_waits(attended: AnyStudy, central: Database) -> None:
    with between(central.port, Fault.STALL) as proxy:
        ended = hype("sync", attended.folder, "--to", proxy.leads_to(central.station_url))

    assert ended.code == 1
    assert ended.out == ""
    first, *rest = ended.err.strip().splitlines()
    assert first == "waiting for the central store, up to 5 seconds"
    assert " ".join(rest).endswith("cannot be reached (connection timeout expired)")


def test_a_lock_is_not_waited_for_longer_than_it_may_be(
    attended: AnyStudy, central: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else adds the same study and does not come to an end."""
    monkeypatch.setattr(limits, "STATION", Limits(lock_s=1))
    with central.connect() as other:
        other.execute("BEGIN")
        other.execute("LOCK hype_added.studies")
        with pytest.raises(CentralAway, match="lock timeout"):
            pushed(attended, central.station_url)


def test_a_connection_that_waited_too_long_is_closed(central: Database) -> None:
    kept = Limits(statement_s=0)
    with connected(central.station_url, kept) as engine, engine.connect() as connection:
        driver = driver_of(connection)
        driver.execute("SET statement_timeout = 0")
        with pytest.raises(TooLong, match="no answer for 1 seconds"):
            driver.execute("SELECT pg_sleep(60)")
        assert driver.closed
        with pytest.raises(TooLong, match="no answer for 1 seconds"):
            driver.rollback()


@pytest.mark.parametrize("reader", [False, True], ids=["station", "reader"])
def test_both_sides_are_told_the_limits(reader: bool, central: Database) -> None:
    url, kept = (
        (central.analyst_url, limits.READER) if reader else (central.station_url, limits.STATION)
    )
    with connected(url, kept) as engine, engine.connect() as connection:
        driver = driver_of(connection)
        at_server = {name: shown(driver, name) for name in kept.settings}
        at_client = options_of(driver)

    assert at_server == {
        "statement_timeout": "5min" if reader else "30s",
        "lock_timeout": "20s",
        "idle_in_transaction_session_timeout": "5min" if reader else "10s",
        "tcp_keepalives_idle": "5",
        "tcp_keepalives_interval": "3",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": "15000",
    }
    assert at_client == [1, 5, 3, 3, 15_000]
    assert kept.connect_s == 5


def shown(driver: psycopg.Connection[Any], name: str) -> str:
    """Ask a server for a setting; those of TCP it reads from its socket."""
    row = driver.execute(f"SHOW {name}".encode()).fetchone()
    assert row is not None
    return str(row[0])


def options_of(driver: psycopg.Connection[Any]) -> list[int]:
    """Give what the kernel was told of a client's socket."""
    with socket.socket(fileno=driver.fileno()) as borrowed:
        names = (getattr(socket, f"TCP_{name}") for name in TCP_NAMES)
        found = [borrowed.getsockopt(socket.IPPROTO_TCP, name) for name in names]
        found.insert(0, borrowed.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))
        borrowed.detach()
    return found
