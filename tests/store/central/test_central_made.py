"""A central store is made by its owner: by the SQL that is printed, or by the first push."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from builders import named_study
from postgres import STATION_PASSWORD, Database, Server

from hype.protocols.registry import conduct_of
from hype.session.simulate import Simulation
from hype.store.central.engine import for_server, reading_central
from hype.store.central.problems import CentralRefused, Pushed
from hype.store.central.push import push
from hype.store.central.tables import central_sql
from hype.store.record import RECORD_FILE, reading_record, writing_record
from hype.store.schema import VERSION

Bare = Callable[[], Database]


@pytest.fixture
def bare(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A fresh database in which nothing is yet."""
    postgres.start()
    postgres.prepare()  # the roles and their passwords, which all databases have in common
    database = postgres.database(f"bare_{uuid4().hex}", prepared=False)
    monkeypatch.setenv("PGPASSWORD", STATION_PASSWORD)
    yield database
    postgres.drop(database)


def record_at(folder: Path, *, seed: int = 1) -> Path:
    """Make a study with a record."""
    study = named_study(folder)
    with writing_record(folder / RECORD_FILE) as engine:
        list(Simulation(engine, conduct_of(study), seed=seed).come(2))
    return folder / RECORD_FILE


def pushed(record: Path, url: str) -> Pushed:
    with reading_record(record) as engine:
        return push(engine, url)


def test_the_owner_of_an_empty_database_makes_it_a_store_by_pushing(
    bare: Database, tmp_path: Path
) -> None:
    pushed(record_at(tmp_path / "a"), bare.admin_url)
    again = pushed(record_at(tmp_path / "b", seed=2), bare.station_url)

    assert again.rows["evaluators"] == 2
    assert bare.query("SELECT count(*) FROM evaluators") == [(4,)], "hype is looked in first"


def test_several_who_make_it_at_once_make_one(bare: Database, tmp_path: Path) -> None:
    records = [record_at(tmp_path / str(n), seed=n) for n in range(4)]
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda record: pushed(record, bare.admin_url), records))

    assert [one.rows["evaluators"] for one in found] == [2] * 4
    assert bare.query("SELECT version FROM hype.store") != []
    assert bare.query("SELECT count(DISTINCT uid) FROM evaluators") == [(8,)]


def test_a_station_makes_none(bare: Database, tmp_path: Path) -> None:
    with pytest.raises(CentralRefused, match=r"make it one: hype central \| psql"):
        pushed(record_at(tmp_path), bare.station_url)

    assert bare.query("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'hype%'") == [(0,)]


def test_an_owner_who_may_make_no_roles_has_a_store_of_their_own(
    postgres: Server, bare: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The roles are there from other databases of the server; theirs to make or not."""
    owner = f"owner_of_{bare.name}"
    postgres.administer("CREATE ROLE {} LOGIN PASSWORD 'pw'", owner)
    postgres.administer("ALTER DATABASE {} OWNER TO {}", bare.name, owner)
    monkeypatch.setenv("PGPASSWORD", "pw")
    theirs = bare.stations_url.replace("hype_station@", f"{owner}@")
    done = pushed(record_at(tmp_path), theirs)

    assert done.rows["evaluators"] == 2


def test_the_sql_may_be_run_again_and_leaves_what_is_there(
    postgres: Server, bare: Database, tmp_path: Path
) -> None:
    pushed(record_at(tmp_path), bare.admin_url)
    before = bare.query("SELECT * FROM hype.judgements ORDER BY id")
    postgres.psql(bare, central_sql())

    assert before
    assert bare.query("SELECT * FROM hype.judgements ORDER BY id") == before


OF_SCHEMA_8 = (
    "ALTER TABLE hype_added.judgements DROP COLUMN condition CASCADE",
    "CREATE VIEW hype_added.all_judgements AS SELECT t.* FROM hype_added.judgements t",
    "CREATE VIEW hype.judgements AS SELECT t.* FROM hype_added.all_judgements t",
    "UPDATE hype_added.store SET version = 8",
)
"""What makes of a store one that the program made before judgements knew their condition."""


def test_a_store_of_before_gets_the_columns_that_it_lacks(
    postgres: Server, bare: Database, tmp_path: Path
) -> None:
    pushed(record_at(tmp_path / "one"), bare.admin_url)
    before = bare.query("SELECT * FROM hype.judgements ORDER BY id")
    for statement in OF_SCHEMA_8:
        bare.query(statement)
    with pytest.raises(CentralRefused, match="has schema version 8"):
        pushed(record_at(tmp_path / "two", seed=2), bare.station_url)
    postgres.psql(bare, central_sql())

    assert before
    assert bare.query("SELECT * FROM hype.judgements ORDER BY id") == before
    assert pushed(tmp_path / "two" / RECORD_FILE, bare.station_url).rows["judgements"]
    may_read = "SELECT has_table_privilege('hype_analyst', 'hype.judgements', 'SELECT')"
    assert bare.query(may_read) == [(True,)]


def test_nothing_is_done_to_a_store_of_before_whose_views_others_are_made_of(
    postgres: Server, bare: Database, tmp_path: Path
) -> None:
    pushed(record_at(tmp_path), bare.admin_url)
    for statement in (*OF_SCHEMA_8, "CREATE VIEW public.mine AS SELECT task FROM hype.judgements"):
        bare.query(statement)
    with pytest.raises(AssertionError, match=r"view mine depends on view judgements"):
        postgres.psql(bare, central_sql())

    assert bare.query("SELECT version FROM hype.store") == [(8,)]
    assert bare.query("SELECT task FROM mine")


def test_what_goes_to_the_server_has_nothing_for_psql() -> None:
    assert "\\set" in central_sql()
    assert "\\" not in for_server(central_sql())


def test_a_store_of_another_version_is_neither_read_nor_added_to(
    central: Database, tmp_path: Path
) -> None:
    record = record_at(tmp_path)
    central.query("INSERT INTO hype_added.store VALUES (%s)", VERSION + 1)
    newer = f"has schema version {VERSION + 1}; this program knows {VERSION}"
    with pytest.raises(CentralRefused, match=newer), reading_central(central.analyst_url):
        pass
    with pytest.raises(CentralRefused, match=newer):
        pushed(record, central.station_url)
    assert central.query("SELECT count(*) FROM hype_added.evaluators") == [(0,)]


def test_nobody_else_may_come_in(bare: Database, postgres: Server, tmp_path: Path) -> None:
    pushed(record_at(tmp_path), bare.admin_url)
    stranger = f"stranger_to_{bare.name}"
    postgres.administer("CREATE ROLE {} LOGIN PASSWORD 'pw'", stranger)
    theirs = bare.stations_url.replace("hype_station@", f"{stranger}:pw@").replace("+psycopg", "")
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(theirs)
