"""What the two roles of a central store may do: stations add, analysts look, and no more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import psycopg
import pytest
from central.union import same_as_union
from paper_comparer import compared_soundly
from postgres import HERE, STATIONS, Database, Server
from psycopg import sql
from sqlalchemy.exc import DBAPIError

from hype.store import schema
from hype.store.central import tables
from hype.store.central.engine import reading_central
from hype.store.central.push import push
from hype.store.central.tables import (
    ANALYSTS_AT_ONCE,
    OF_A_STATION_AT_ONCE,
    STATION_LIMITS,
    TEMPLATE,
    central_sql,
)
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import ANSWER_TABLES

ADDED = [table.name for table in tables.TABLES]
INTO = [name for name in ADDED if name != "store"]
NUMBERED = [table.name for table in tables.TABLES if "id" in table.c]
VIEWS = ["store", *(table.name for table in schema.TABLES)]
SELECT = "SELECT {} FROM {}"
NUMBERING = "INSERT INTO {} (id) OVERRIDING SYSTEM VALUE VALUES (99)"
STATION, ANALYST = f"hype_station_{HERE}", "hype_analyst"
OTHER = "lab-b"

REFUSED = {
    "change a row": "UPDATE {} SET {} = NULL",
    "delete rows": "DELETE FROM {}",
    "empty it": "TRUNCATE {} CASCADE",
    "drop it": "DROP TABLE {} CASCADE",
    "alter it": "ALTER TABLE {} ADD COLUMN more text",
    "own it": "ALTER TABLE {} OWNER TO CURRENT_USER",
    "make a rule for it": "CREATE RULE r AS ON INSERT TO {} DO INSTEAD NOTHING",
    "make a trigger for it": "CREATE TRIGGER t BEFORE INSERT ON {} EXECUTE FUNCTION pg_catalog.f()",
}
"""What nobody but the owner may do to a table, of which a column is named where one is changed."""
STRUCTURE = {
    "make a table beside ours": "CREATE TABLE hype_added.mine ()",
    "make a table beside the views": "CREATE TABLE hype.mine ()",
    "make a table elsewhere": "CREATE TABLE public.mine ()",
    "make a view": "CREATE VIEW hype.mine AS SELECT 1",
    "make a function": "CREATE FUNCTION hype_added.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "replace a function": "CREATE OR REPLACE FUNCTION hype_added.erase_removed() RETURNS bigint "
    "LANGUAGE sql AS 'SELECT 0::bigint'",
    "make a schema": "CREATE SCHEMA mine",
    "drop a schema": "DROP SCHEMA hype CASCADE",
    "make a role": "CREATE ROLE mine",
    "become somebody else": "SET ROLE postgres",
    "be more": "ALTER ROLE CURRENT_USER SUPERUSER",
    "make a database": "CREATE DATABASE mine",
    "erase who was removed": "SELECT hype_added.erase_removed()",
    "erase simulated evaluators": "SELECT hype_added.erase_simulated()",
    "erase anybody": "SELECT hype_added.erase(ARRAY[1::bigint])",
    "run a program": "COPY (SELECT 1) TO PROGRAM 'true'",
    "read a file": "SELECT pg_read_file('postgresql.conf')",
    "number rows as it likes": "SELECT setval('hype_added.evaluators_id_seq', 1)",
    "set the version": "INSERT INTO hype_added.store VALUES (99)",
}
TOLD = {
    "judgements": ("answer", "correct", "rt_ms", "key", "image"),
    "comparisons": ("answer", "rt_ms", "key", "left_image", "prompt"),
    "ratings": ("answer", "rt_ms", "truth", "item"),
    "placements": ("answer", "rt_ms", "image", "group"),
    "demographics": ("answer", "*"),
    "events": ("answer", "event", "unix_s"),
    "sessions": ("machine", "display", "mode"),
    "evaluators": ("seed", "condition", "assigned_unix_s"),
    "contradictions": ("task", "settled"),
    "ends": ("ended", "timing"),
    "parts": ("status",),
    "removals": ("condition", "removed_unix_s"),
}
"""Columns of what was added that a station may not read."""
UNREAD_VIEWS = {
    "judgements": ("id", "answer"),
    "comparisons": ("rt_ms", "key", "session_id", "onset_unix_s"),
    "ratings": ("answer",),
    "placements": ("rt_ms", "image", "condition"),
    "demographics": ("answer",),
    "events": ("event",),
    "sessions": ("machine",),
    "removals": ("uid",),
    "studies": ("resolved",),
}

CANNOT = psycopg.errors.ObjectNotInPrerequisiteState
"""Some views can be written to by nobody."""

Asking = Callable[[str], psycopg.Connection]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compared_soundly(tmp_path_factory.mktemp("recorded") / "study").folder / RECORD_FILE


@pytest.fixture
def record(recorded: Path, central: Database) -> Path:
    """A record that is in the store."""
    with reading_record(recorded) as engine:
        push(engine, central.station_url)
    return recorded


@pytest.fixture
def asking(central: Database, record: Path) -> Iterator[Asking]:
    """Connections as one of the roles, whose every statement is a transaction."""
    made = []

    def ask(role: str) -> psycopg.Connection:
        url = central.station_url.replace(STATION, role)
        made.append(psycopg.connect(url.replace("+psycopg", ""), autocommit=True))
        return made[-1]

    yield ask
    for connection in made:
        connection.close()


def refused(
    connection: psycopg.Connection,
    statement: str,
    also: type[psycopg.Error] = psycopg.errors.InsufficientPrivilege,
) -> str:
    """Require that a statement is refused for want of a right; gives what was said."""
    with pytest.raises((psycopg.errors.InsufficientPrivilege, also)) as error:
        connection.execute(statement)
    return str(error.value)


def selecting(column: str, where: str) -> str:
    quoted = column if column == "*" else f'"{column}"'
    return SELECT.format(quoted, where)


@pytest.mark.parametrize("role", [STATION, ANALYST])
def test_no_role_changes_anything(role: str, asking: Asking, record: Path, central: Database):
    connection, rights = asking(role), rights_in(central)
    for what, statement in REFUSED.items():
        for table in tables.TABLES:
            column = next(column.name for column in table.c if not column.identity)
            words = statement.format(f"hype_added.{table.name}", f'"{column}"')
            assert refused(connection, words), what
    for statement in STRUCTURE.values():
        assert refused(connection, statement)
    for view in VIEWS:
        for statement in ("DELETE FROM hype.{}", "INSERT INTO hype.{} SELECT", "DROP VIEW hype.{}"):
            refused(connection, statement.format(view), CANNOT)

    with suppress(psycopg.Error):  # where there is something to give on, it only warns
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA hype_added, hype TO PUBLIC")

    assert rights_in(central) == rights
    assert same_as_union(central.analyst_url, [record]).same


def test_not_even_its_owner_changes_what_is_read(central: Database):
    refusal = pytest.raises(DBAPIError, match="read-only transaction")
    with reading_central(central.admin_url) as engine, engine.connect() as connection, refusal:
        connection.exec_driver_sql("DELETE FROM hype_added.store")


def test_a_station_adds_and_reads_no_answers(asking: Asking):
    station = asking(STATION)
    for table, columns in TOLD.items():
        for column in columns:
            refused(station, selecting(column, f"hype_added.{table}"))
    for view, columns in UNREAD_VIEWS.items():
        for column in columns:
            refused(station, selecting(column, f"hype.{view}"))
    refused(station, "INSERT INTO hype_added.removals (simulated) VALUES (true) RETURNING *")
    with pytest.raises(psycopg.errors.NotNullViolation):
        station.execute("INSERT INTO hype_added.removals (simulated) VALUES (true)")


def test_a_station_may_add_to_every_table_and_only_numbers_are_given(asking: Asking):
    station = asking(STATION)
    for name in INTO:
        right = station.execute(
            "SELECT has_any_column_privilege(%s, 'INSERT'), has_table_privilege(%s, 'SELECT')",
            [f"hype_added.{name}"] * 2,
        ).fetchone()
        assert right == (True, name == "studies"), name
    for name in NUMBERED:
        refused(station, NUMBERING.format(f"hype_added.{name}"))


def test_a_store_of_before_numbers_its_rows_by_itself_once_the_sql_is_run_again(
    asking: Asking, central: Database, postgres: Server
):
    central.query("GRANT INSERT ON ALL TABLES IN SCHEMA hype_added TO hype_station")
    central.query("ALTER POLICY adding ON hype_added.studies WITH CHECK (true)")
    postgres.psql(central, central_sql())

    refused(asking(STATION), NUMBERING.format("hype_added.events"))
    refused(asking(STATION), "INSERT INTO hype_added.studies VALUES ('known before', 'no study')")


def test_no_study_is_added_under_the_checksum_of_another(asking: Asking):
    """All stations know a study's checksum before any of them brings it."""
    add = "INSERT INTO hype_added.studies VALUES ('{}', 'a text')"
    assert "row-level security" in refused(asking(STATION), add.format("0" * 64))
    asking(STATION).execute(add.format(sha256(b"a text").hexdigest()))


def test_an_analyst_reads_the_views_and_nothing_else(asking: Asking):
    analyst = asking(ANALYST)
    for view in VIEWS:
        analyst.execute(SELECT.format("*", f"hype.{view}")).fetchall()
    found = analyst.execute("SELECT answer, rt_ms FROM hype.comparisons").fetchall()
    assert len(found) > 50
    for name in (*ADDED, "removed"):
        refused(analyst, SELECT.format(1, f"hype_added.{name}"))
        refused(analyst, f"INSERT INTO hype_added.{name} SELECT")


def test_who_made_it_may_run_the_sql_again_and_what_is_there_stays(
    record: Path, central: Database, postgres: Server
):
    rights = rights_in(central)
    for _ in range(2):
        postgres.psql(central, central_sql())

    assert same_as_union(central.analyst_url, [record]).same
    assert rights_in(central) == rights
    with reading_record(record) as engine:
        assert push(engine, central.station_url).rows == {}


def rights_in(store: Database) -> list[tuple[object, ...]]:
    return store.query(
        "SELECT relname, relacl::text FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace "
        "WHERE nspname IN ('hype', 'hype_added') ORDER BY 1, 2"
    )


def test_nobody_else_comes_in(record: Path, central: Database):
    """What the tests' administrator makes has the rights that everybody has."""
    with central.connect() as connection:
        connection.execute("CREATE ROLE stranger")
        try:
            connection.execute("SET ROLE stranger")
            for name in ADDED:
                refused(connection, SELECT.format(1, f"hype_added.{name}"))
            for view in VIEWS:
                refused(connection, SELECT.format(1, f"hype.{view}"))
            refused(connection, "SELECT hype_added.erase_removed()")
        finally:
            connection.execute("RESET ROLE")
            connection.execute("DROP ROLE stranger")


def template() -> str:
    return files("hype.store.central").joinpath(TEMPLATE).read_text(encoding="utf-8")


def part_of(text: str, start: str, end: str) -> str:
    """Give what stands between two words."""
    return text.split(start, 1)[1].split(end, 1)[0]


def test_the_template_forgets_no_table():
    """Tables are made of the schema; what is granted, erased and shown is there for each."""
    text = central_sql()
    inserted = re.findall(r"GRANT INSERT \(.+\) ON hype_added\.(\w+) TO", text)
    assert sorted(inserted) == sorted(INTO)
    selected = {name for grant in re.findall(r"GRANT SELECT[^;]+;", text) for name in named(grant)}
    assert selected == {*ADDED} - {"contradictions"}, "which it reads as everybody does"
    owned = {t.name for t in tables.TABLES if {"evaluator_id", "session_id"} & set(t.c.keys())}
    assert sorted(re.findall(r"^        \('(\w+)', '", text, re.MULTILINE)) == sorted(INTO)
    erased = set(re.findall(r"DELETE FROM hype_added\.(\w+)", text))
    assert erased == owned | {"evaluators"}
    views = set(re.findall(r"CREATE OR REPLACE VIEW hype\.(\w+)", text))
    assert views == {*VIEWS, "impossible"}
    assert {table.name for table in ANSWER_TABLES} < owned


def named(grant: str) -> list[str]:
    return re.findall(r"hype_added\.(\w+)", grant)


def test_who_is_removed_is_in_no_view_that_shows_anybody():
    """Each of them is but what is left without them."""
    for name, body in re.findall(r"VIEW hype_added\.all_(\w+) AS(.*?);", template(), re.DOTALL):
        if name not in ("studies", "removals"):
            assert "NOT EXISTS (SELECT FROM hype_added.removed r" in body, name


def test_the_views_have_the_tables_and_columns_of_a_record(central: Database):
    for table in schema.TABLES:
        query = sql.SQL("SELECT * FROM {}").format(sql.Identifier("hype", table.name))
        with central.connect() as connection:
            found = connection.execute(query).description
        assert found is not None
        assert [column.name for column in found] == [column.name for column in table.c]


ADDING = {
    "evaluators": "INSERT INTO {} (uid, evaluator, station, simulated, condition, methods, "
    "left_means, qualified_in, seed, study, plan, assigned_unix_s) VALUES "
    "('{uid}', 'p77', '{station}', false, '', '', '', '', '1', 'x', 'x', 1)",
    "parts": "INSERT INTO {} VALUES ({evaluator}, 'complete')",
    "sessions": "INSERT INTO {} (evaluator_id, study, mode, versions, machine, display, "
    "started_unix_s, utc_offset_s) VALUES ({evaluator}, 'x', 'person', '', '', '', 7, 0)",
    "ends": "INSERT INTO {} VALUES ({session}, 1, 'quit', '')",
    "comparisons": "INSERT INTO {} (evaluator_id, session_id, simulated, task, block, trial, "
    'prompt, left_image, left_sha256, "left", right_image, right_sha256, "right", answer, '
    "hasty, rt_ms, key, onset_unix_s, onset_monotonic_s) VALUES ({evaluator}, {session}, false, "
    "'comparison', 9, 9, '', '', '', '', '', '', '', 'left', false, 1, '', 1, 1)",
    "demographics": "INSERT INTO {} (evaluator_id, question, answer, asked_unix_s) "
    "VALUES ({evaluator}, 'age', 'old', 5)",
    "events": "INSERT INTO {} (session_id, event, answer, unix_s, monotonic_s, rt_ms, number) "
    "VALUES ({session}, 'welcome', '', 1, 1, 1, 99)",
    "removals": "INSERT INTO {} (simulated, condition, methods, sessions, judgements, "
    "removed_unix_s, uid) VALUES (false, '', '', 1, 1, 1, '{uid}')",
    "contradictions": "INSERT INTO {} (evaluator_id, station, task, block, trial, onset_unix_s, "
    "settled) VALUES ({evaluator}, '{station}', 'comparison', 1, 1, 1, true)",
}
"""How a row is added of somebody, by a station that says which it is."""


@pytest.fixture
def of_two_stations(central: Database, record: Path) -> dict[str, dict[str, object]]:
    """Somebody who came here, and somebody who came to another station, by the store's numbers."""
    central.query("UPDATE hype_added.evaluators SET station = %s WHERE evaluator <> 'p01'", OTHER)
    found = central.query(
        "SELECT DISTINCT ON (e.station) e.station, e.id, s.id, e.uid FROM hype_added.evaluators e "
        "JOIN hype_added.sessions s ON s.evaluator_id = e.id WHERE NOT simulated"
    )
    return {
        station: {"station": station, "evaluator": who, "session": held, "uid": uid}
        for station, who, held, uid in found
    }


@pytest.mark.parametrize("table", ADDING)
def test_a_station_adds_to_those_who_came_there_and_to_nobody_else(
    table: str, asking: Asking, of_two_stations: dict[str, dict[str, object]]
):
    station, own, other = asking(STATION), of_two_stations[HERE], of_two_stations[OTHER]
    new = {"uid": "0" * 32} if table == "evaluators" else {}
    statement = ADDING[table]
    with suppress(psycopg.errors.UniqueViolation):
        station.execute(statement.format(f"hype_added.{table}", **(own | new)))
    for mixed in (other, own | {"session": other["session"]}, other | {"session": own["session"]}):
        words = statement.format(f"hype_added.{table}", **(mixed | new))
        if words != statement.format(f"hype_added.{table}", **(own | new)):
            assert "row-level security" in refused(station, words), words


def test_a_station_cannot_be_another(asking: Asking, of_two_stations: dict[str, dict[str, object]]):
    """Whatever it calls itself in a session, the store knows as whom it logged in."""
    station, other = asking(STATION), of_two_stations[OTHER]
    for become in ("SET ROLE hype_station", "SET application_name = 'hype_station_lab-b'"):
        station.execute(become)
        refused(station, ADDING["demographics"].format("hype_added.demographics", **other))
    for become in (
        'SET ROLE "hype_station_lab-b"',
        'SET SESSION AUTHORIZATION "hype_station_lab-b"',
    ):
        refused(station, become)


CALLED_TEXT = """
    CREATE TYPE pg_temp.text AS (v pg_catalog.text);
    CREATE FUNCTION pg_temp.lie(name) RETURNS pg_temp.text LANGUAGE sql IMMUTABLE
        AS $$ SELECT row('hype_station_lab-b'::pg_catalog.text)::pg_temp.text $$;
    CREATE FUNCTION pg_temp.back(pg_temp.text) RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE
        AS $$ SELECT ($1).v $$;
    CREATE CAST (name AS pg_temp.text) WITH FUNCTION pg_temp.lie(name);
    CREATE CAST (pg_temp.text AS pg_catalog.text) WITH FUNCTION pg_temp.back(pg_temp.text)
        AS IMPLICIT;
"""
"""A type of a station's own, by which ``session_user::text`` says what the station likes."""


def test_a_station_cannot_lie_to_the_store_about_types(
    asking: Asking, of_two_stations: dict[str, dict[str, object]]
):
    station, other = asking(STATION), of_two_stations[OTHER]
    station.execute(CALLED_TEXT)

    assert station.execute("SELECT session_user::text::pg_catalog.text").fetchone() == (
        f"hype_station_{OTHER}",
    )
    assert station.execute("SELECT hype_added.station()").fetchone() == (HERE,)
    refused(station, ADDING["demographics"].format("hype_added.demographics", **other))


def test_what_a_station_changes_of_itself_harms_itself_and_is_put_back(
    asking: Asking, central: Database, postgres: Server
):
    """PostgreSQL lets every role change its own password and settings."""
    broken = asking("hype_station_lab-c")
    role = '"hype_station_lab-c"'
    broken.execute(f"ALTER ROLE {role} PASSWORD 'mine'")
    broken.execute(f"ALTER ROLE {role} SET statement_timeout = 0")
    broken.execute(f"ALTER ROLE {role} IN DATABASE {central.name} SET search_path = nowhere")
    for more in ("CONNECTION LIMIT -1", "SUPERUSER", "CREATEROLE", "NOLOGIN", "BYPASSRLS"):
        refused(broken, f"ALTER ROLE {role} {more}")
    for role_of_another in ("hype_station", '"hype_station_lab-b"', "hype_analyst"):
        refused(broken, f"ALTER ROLE {role_of_another} PASSWORD 'mine'")
        refused(broken, f"ALTER ROLE {role_of_another} SET search_path = nowhere")

    for other in (STATION, "hype_station_lab-b", ANALYST):
        assert asking(other).execute("SELECT count(*) FROM hype.store").fetchone() == (1,)
    try:
        postgres.psql(central, central_sql())
        settings = central.query(
            "SELECT r.rolname, s.setconfig FROM pg_db_role_setting s "
            "JOIN pg_roles r ON r.oid = s.setrole WHERE rolname = 'hype_station_lab-c'"
        )
        assert settings == [
            ("hype_station_lab-c", [f"{name}={value}" for name, value in STATION_LIMITS.items()])
        ]
    finally:
        postgres.prepare()


def test_a_station_takes_no_more_connections_than_its_share(asking: Asking, central: Database):
    for _ in range(OF_A_STATION_AT_ONCE):
        asking(STATION)
    with pytest.raises(psycopg.OperationalError, match="too many connections for role"):
        asking(STATION)

    assert asking("hype_station_lab-b").execute("SELECT 1").fetchone() == (1,)
    assert asking(ANALYST).execute("SELECT 1").fetchone() == (1,)
    central.query("SELECT 1")


def test_all_stations_and_analysts_at_their_limits_leave_room_for_the_owner():
    most = 97  # of a server that nobody has told otherwise; three more are its administrator's
    assert most > 7 * OF_A_STATION_AT_ONCE + ANALYSTS_AT_ONCE
    assert len(STATIONS) > 7
