"""How a station connects to a real server: encrypted unless it is here, and to the one it meant."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from central.stranger import certificate_in, relay
from postgres import STATION_PASSWORD, Database, Server

from hype.central_url import server_named
from hype.store.central.engine import arguments_of, connected
from hype.store.central.limits import READER
from hype.store.central.problems import CentralRefused
from hype.store.central.servers import keep_servers

ENCRYPTED = """
    SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE pid = pg_backend_pid()
"""


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust nobody."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("PGSSLMODE", raising=False)


@pytest.fixture
def store(central: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A store whose password is found wherever it is said to be."""
    monkeypatch.setenv("PGPASSWORD", STATION_PASSWORD)
    return central


@pytest.fixture
def encrypting(store: Database, postgres: Server, tmp_path: Path) -> Iterator[Database]:
    """The server while it encrypts, for those who ask for it."""
    postgres.start()
    certificate = shutil.copy(certificate_in(tmp_path), postgres.folder)
    if postgres.user:
        shutil.chown(certificate, postgres.user)
    for setting in ("ssl_cert_file", "ssl_key_file"):
        store.query(f"ALTER SYSTEM SET {setting} = '{certificate}'")
    store.query("ALTER SYSTEM SET ssl = on")
    postgres.restart()
    yield store
    store.query("ALTER SYSTEM RESET ALL")
    postgres.restart()


def elsewhere(url: str) -> str:
    """Name the same server by an address that does not look like this machine's."""
    return url.replace("@127.0.0.1:", "@127.1:")


def is_encrypted(url: str) -> bool:
    """Connect to a store; say what its server says."""
    with connected(url, READER) as engine, engine.connect() as store:
        return bool(store.exec_driver_sql(ENCRYPTED).scalar_one())


def test_a_server_that_encrypts_is_asked_so_and_need_not_be_if_it_is_here(encrypting: Database):
    url = encrypting.station_url

    assert is_encrypted(elsewhere(url))
    assert is_encrypted(f"{elsewhere(url)}?sslmode=disable")
    assert is_encrypted(url)
    assert not is_encrypted(f"{url}?sslmode=disable")
    assert not is_encrypted(encrypting.admin_url)
    assert not is_encrypted(f"{encrypting.admin_url}&sslmode=require")  # a socket never is


def test_one_that_does_not_is_refused_unless_this_user_says_so(store: Database):
    url = elsewhere(store.station_url)
    with pytest.raises(CentralRefused, match=r"does not support SSL.*--clear-text"):
        is_encrypted(url)
    keep_servers({server_named(f"127.1:{store.port}"): True})
    assert not is_encrypted(url)


def test_whoever_stands_between_is_not_talked_to(store: Database, tmp_path: Path):
    """They have a certificate, as anybody has, and pass on what they read to the real server."""
    with relay(store.port, tmp_path) as between:
        url = store.station_url.replace(f":{store.port}/", f":{between.port}/")
        for one in (elsewhere(url), f"{url}?sslmode=require"):
            with pytest.raises(CentralRefused, match="channel binding"):
                is_encrypted(one)
        # Which is what a station would do that only asks for encryption:
        libpq = url.replace("+psycopg", "")
        with psycopg.connect(f"{libpq}?sslmode=require&channel_binding=prefer") as fooled:
            assert fooled.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.parametrize("method", ["trust", "password"])
def test_a_server_must_ask_so_that_it_learns_nothing(
    method: str, store: Database, postgres: Server
):
    hba = postgres.data / "pg_hba.conf"
    before = hba.read_text()
    hba.write_text(before.replace("scram-sha-256", method))
    try:
        postgres.restart()
        with pytest.raises(CentralRefused, match="must ask for a password by scram-sha-256"):
            is_encrypted(store.station_url)
    finally:
        hba.write_text(before)
        postgres.restart()


@pytest.mark.parametrize(
    ("host", "asked", "environment", "clear", "used"),
    [
        *(("lab.example.org", mode, "", False, "require") for mode in ("", "disable", "prefer")),
        ("lab.example.org", "", "disable", False, "require"),
        ("lab.example.org", "verify-full", "disable", False, "verify-full"),
        ("lab.example.org", "disable", "verify-full", False, "verify-full"),
        ("lab.example.org", "", "", True, "prefer"),
        ("lab.example.org", "disable", "", True, "disable"),
        ("lab.example.org", "disable", "require", True, "require"),
        *((host, "", "", False, "prefer") for host in ("127.0.0.1", "127.9.9.9", "[::1]")),
        *((host, "disable", "", False, "disable") for host in ("localhost", "LOCALHOST")),
        ("127.0.0.1", "", "verify-ca", False, "verify-ca"),
        *((host, "disable", "", False, "require") for host in ("localhost.example.org", "127.1")),
        *((host, "disable", "", False, "require") for host in ("0", "[::]", "127.0.0.01")),
    ],
)
def test_the_strongest_encryption_counts_that_anybody_asks_for(
    host: str,
    asked: str,
    environment: str,
    clear: bool,
    used: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGSSLMODE", environment)
    keep_servers({server_named(host): clear})
    told = arguments_of(f"postgresql://me@{host}/x" + (f"?sslmode={asked}" if asked else ""))

    assert told["sslmode"] == used
    assert (told["require_auth"], told["gssencmode"]) == ("scram-sha-256", "disable")
    assert (told["channel_binding"] == "require") == (
        used in ("require", "verify-ca", "verify-full")
    )


def test_a_library_that_cannot_insist_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psycopg.pq, "version", lambda: 150010)
    with pytest.raises(CentralRefused, match="cannot be asked safely by libpq 15"):
        arguments_of("postgresql://me@127.0.0.1/x")
