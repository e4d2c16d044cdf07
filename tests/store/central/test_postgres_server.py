"""The server that tests are given is a real one: it keeps what it promised, and lets few in."""

from contextlib import closing

import psycopg
import pytest
from postgres import STATION_PASSWORD, TEMPLATE, Database, Server

RIGHTS = "SELECT datacl::text FROM pg_database WHERE datname = %s"


@pytest.fixture
def empty(postgres: Server, request: pytest.FixtureRequest) -> Database:
    return postgres.database(request.node.name, prepared=False)


def test_what_was_committed_outlives_a_kill(postgres: Server, empty: Database):
    said_before = len(postgres.log())
    empty.query("CREATE TABLE seen (what text)")
    empty.query("INSERT INTO seen VALUES (%s)", "before")
    with closing(empty.connect()) as broken:
        broken.execute("BEGIN")
        broken.execute("INSERT INTO seen VALUES ('never committed')")
        postgres.kill()
        with pytest.raises(psycopg.OperationalError):
            broken.execute("COMMIT")

    postgres.restart()

    assert empty.query("SELECT what FROM seen") == [("before",)]
    assert "was not properly shut down" in postgres.log()[said_before:]


@pytest.mark.parametrize(
    "password", [None, "wrong", STATION_PASSWORD[:-1]], ids=["none", "wrong", "cut short"]
)
def test_a_wrong_password_is_refused(central: Database, password: str | None):
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(plain(central.station_url), password=password, passfile="none")


def test_the_password_file_lets_both_roles_in(central: Database):
    for url in (central.station_url, central.analyst_url):
        with psycopg.connect(plain(url)) as connection:
            assert connection.info.dbname == central.name


def test_databases_know_nothing_of_each_other(postgres: Server, central: Database):
    other = postgres.database("another")
    central.query("CREATE TABLE public.mine ()")

    assert schemas(central) == schemas(other) >= {"hype", "hype_added"}
    assert other.query("SELECT to_regclass('public.mine')") == [(None,)]
    assert rights(central) == rights(other) == rights(postgres.there(TEMPLATE))
    postgres.drop(other)


def plain(url: str) -> str:
    """The URL as libpq has it."""
    return url.replace("+psycopg", "")


def schemas(database: Database) -> set[str]:
    return {name for (name,) in database.query("SELECT nspname FROM pg_namespace")}


def rights(database: Database) -> list[tuple[str]]:
    """Who may connect."""
    return database.query(RIGHTS, database.name)
