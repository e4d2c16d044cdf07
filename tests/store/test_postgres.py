"""A record in PostgreSQL works like a file, and nothing is lost if the server fails."""

import itertools
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from builders import named_study
from long import long_but
from postgres_server import Server, run_postgres
from sqlalchemy import Connection, Engine, select
from sqlalchemy.event import listens_for

from hype.errors import InputError, SessionProblem
from hype.protocols.load import load_any
from hype.protocols.registry import course_of, protocol_of
from hype.session.loop import Presentation
from hype.session.simulate import simulate_study
from hype.store.backup import back_up
from hype.store.postgres import StoreAway, check_url, make_record
from hype.store.record import record_of
from hype.store.recorder import DurableRecorder
from hype.store.schema import evaluators, tables
from hype.study.studies import AnyStudy
from hype.verify.record import verify_record

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
SHORT = (
    "fashion-short",
    "fashion-comparisons-short",
    "fashion-rankings-short",
    "fashion-ratings-short",
)
EASY = {"qualification": {"enabled": False}}
names = (f"record_{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with run_postgres() as running:
        yield running


@pytest.fixture
def url(server: Server) -> str:
    """A database with an empty record."""
    address = server.database(next(names))
    make_record(address)
    return address


def in_store(study: AnyStudy, url: str) -> AnyStudy:
    return replace(study, store=url)


def rows_in(study: AnyStudy) -> dict[str, list[dict[str, object]]]:
    """Return all rows of a record, without times and other columns with "_s" in the name."""
    with record_of(study).reading() as engine, engine.connect() as connection:
        return {
            table.name: [
                {name: cell for name, cell in row.items() if "_s" not in name}
                for row in connection.execute(select(table)).mappings()
            ]
            for table in tables()
        }


def is_sound(study: AnyStudy) -> bool:
    return verify_record(study, protocol_of(study).row, course_of).sound


@pytest.mark.parametrize("name", long_but(SHORT[:2], SHORT))
def test_every_protocol_is_simulated_and_verified(name, url):
    study = load_any(EXPERIMENTS / name, url)
    results = simulate_study(course_of(study), 3, seed=1)

    verified = verify_record(study, protocol_of(study).row, course_of)
    assert verified.sound
    assert verified.simulated == len(results) >= 3
    assert verified.answers >= sum(result.trials for result in results)


def test_the_rows_are_those_of_a_file(tmp_path, url):
    study = named_study(tmp_path, **EASY)
    stored = in_store(study, url)
    for each in (study, stored):
        simulate_study(course_of(each), 4, seed=3)

    assert rows_in(stored) == rows_in(study)


def test_a_copy_of_it_goes_on_as_a_file(tmp_path, url):
    study = in_store(named_study(tmp_path, **EASY), url)
    simulate_study(course_of(study), 2, seed=3)

    made = back_up(record_of(study).reading(), tmp_path / "data.sqlite", tmp_path / "copy.sqlite")

    assert (made.simulated["evaluators"], made.people["evaluators"]) == (2, 0)
    made.path.rename(tmp_path / "data.sqlite")
    here = replace(study, store="")
    assert rows_in(here) == rows_in(study)
    simulate_study(course_of(here), 1, seed=3)
    assert is_sound(here)


SIMULATE = """
import sys
from pathlib import Path
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.session.loop import Presentation
from hype.session.simulate import simulate_study
study = load_any(Path(sys.argv[1]), sys.argv[2])
print(len(simulate_study(course_of(study), None, seed=0)))
"""


def test_many_stations_fill_places_exactly(tmp_path, url):
    """Each of three programs tries to fill the whole design."""
    study = named_study(tmp_path, study={"evaluators": 9}, **EASY)
    command = (sys.executable, "-c", SIMULATE, str(study.path), url)
    programs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    came = [int(program.communicate()[0]) for program in programs]

    stored = in_store(study, url)
    with record_of(stored).reading() as engine, engine.connect() as connection:
        places = Counter(row.condition for row in connection.execute(select(evaluators)))
    assert set(places.values()) == {9}
    assert sum(came) == places.total()
    assert is_sound(stored)


def test_a_role_that_may_add_and_read_can_do_no_more(server, tmp_path):
    address = server.database(next(names))
    lines = make_record(address)
    with psycopg.connect(address, autocommit=True) as connection:
        for line in lines:
            connection.execute(line)
    assert len(lines) == 3
    study = in_store(named_study(tmp_path, **EASY), address.replace("hype@", "station@"))

    simulate_study(course_of(study), 2, seed=0)

    assert is_sound(study)
    with pytest.raises(SessionProblem, match="permission denied for table"):
        simulate_study(course_of(study), 2, seed=0, fresh=True)
    assert len(rows_in(study)["evaluators"]) == 2


def test_a_seat_is_held_by_one_program_and_free_when_that_ends(tmp_path, url):
    record = record_of(in_store(named_study(tmp_path), url))
    with record.writing() as one, record.writing() as other:
        with record.hold_seat(one, "evaluator-p01", "the session of 'p01'"):
            with record.hold_seat(other, "evaluator-p02", "the session of 'p02'"):
                pass
            problem = r"the session of 'p01' is already in progress \(hype \d+ at .*, since 2"
            with (
                pytest.raises(SessionProblem, match=problem),
                record.hold_seat(other, "evaluator-p01", "the session of 'p01'"),
            ):
                pass
        with record.hold_seat(other, "evaluator-p01", "the session of 'p01'"):
            pass


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("sqlite:///x", "'sqlite' is not a kind of store"),
        ("nonsense", "is not an address"),
        ("postgresql://db.example/x?sslmode=prefer", "sslmode=prefer would send answers in clear"),
        (
            "postgresql://db.example/x?sslmode=disable",
            "sslmode=disable would send answers in clear",
        ),
    ],
)
def test_an_address_that_is_none_is_refused(address, problem):
    with pytest.raises(InputError, match=problem):
        check_url(address)


def test_answers_are_encrypted_unless_they_stay_on_the_machine():
    assert check_url("postgresql://a:b@db.example/x").query["sslmode"] == "require"
    verified = "postgresql://db.example/x?sslmode=verify-full"
    assert check_url(verified).query["sslmode"] == "verify-full"
    assert "sslmode" not in check_url("postgresql://127.0.0.1/x").query


def test_messages_name_a_store_without_its_password(tmp_path, server):
    address = f"postgresql://hype:secret@127.0.0.1:{server.port}/nowhere"
    record = record_of(in_store(named_study(tmp_path), address))
    with pytest.raises(InputError, match="cannot be reached") as refused, record.writing():
        pass
    assert "secret" not in str(refused.value)
    assert f"hype:***@127.0.0.1:{server.port}/nowhere" in str(refused.value)


def test_a_database_without_a_record_or_with_that_of_another_study_is_refused(
    tmp_path, server, url
):
    study = named_study(tmp_path / "one", **EASY)
    empty = record_of(in_store(study, server.database(next(names))))
    with pytest.raises(InputError, match="hype store init URL makes its tables"), empty.writing():
        pass
    simulate_study(course_of(in_store(study, url)), 1, seed=0)
    other = named_study(tmp_path / "two", study={"name": "other"})
    with (
        pytest.raises(InputError, match="contains the study 'tiny', but this study is 'other'"),
        record_of(in_store(other, url)).writing(),
    ):
        pass


SHOWN = Presentation(1.7e9, 12.5)
NUMBER = "SELECT CAST(pg_current_xact_id() AS text)"


@pytest.fixture
def own_server() -> Iterator[Server]:
    with run_postgres() as running:
        yield running


@contextmanager
def recording(folder: Path, server: Server) -> Iterator[tuple[AnyStudy, Engine, DurableRecorder]]:
    """Yield a study, its engine and a recorder, with the seat of the session's evaluator."""
    address = server.database("killed")
    make_record(address)
    study = in_store(named_study(folder, **EASY), address)
    simulate_study(course_of(study), 1, seed=0)
    record = record_of(study)
    with record.writing() as engine, record.hold_seat(engine, "evaluator-p01", "a session"):
        yield study, engine, DurableRecorder(engine, {"evaluator_id": 1, "session_id": 1})


def count_rests(study: AnyStudy) -> int:
    return sum(row["event"] == "rest" for row in rows_in(study)["events"])


def test_what_is_written_while_the_server_is_killed_is_there_once(tmp_path, own_server):
    written, waited = 0, 0

    def kill_often() -> None:
        for _ in range(4):
            time.sleep(0.3)
            own_server.kill()
            own_server.begin()

    def wait(_seconds: float) -> None:
        nonlocal waited
        waited += 1
        time.sleep(0.1)
        if killing.done():
            killing.result()

    with ThreadPoolExecutor() as pool, recording(tmp_path, own_server) as (study, _, recorder):
        recorder.wait = wait
        killing = pool.submit(kill_often)
        while not killing.done():
            recorder.note("rest", SHOWN)
            written += 1
        killing.result()
        with (
            record_of(study).writing() as other,
            pytest.raises(SessionProblem, match="is already in progress"),
            record_of(study).hold_seat(other, "evaluator-p01", "the session of 'p01'"),
        ):
            pass
    assert waited
    assert count_rests(study) == written


def test_a_commit_that_was_lost_is_repeated_although_others_got_its_number(tmp_path, own_server):
    with recording(tmp_path, own_server) as (study, engine, recorder):
        numbers = []

        @listens_for(engine, "commit")
        def kill(connection: Connection) -> None:
            if not numbers:
                numbers.append(connection.exec_driver_sql(NUMBER).scalar_one())
                own_server.kill()
                with suppress(psycopg.Error):  # its server process ends some time later
                    while True:
                        connection.connection.cursor().execute("SELECT pg_sleep(0.1)")

        def wait(_seconds: float) -> None:
            own_server.begin()
            with psycopg.connect(own_server.url("killed"), autocommit=True) as other:
                for _ in range(50):
                    numbers.extend(other.execute(NUMBER).fetchone())

        recorder.wait = wait
        recorder.note("rest", SHOWN)
    assert numbers[0] in numbers[1:]
    assert count_rests(study) == 1


def test_a_commit_that_arrived_is_not_repeated_although_nobody_confirmed_it(tmp_path, own_server):
    waited = []
    with recording(tmp_path, own_server) as (study, engine, recorder):

        @listens_for(engine, "commit")
        def cut(connection: Connection) -> None:
            if not waited:
                connection.connection.commit()
                connection.connection.driver_connection.close()

        recorder.wait = waited.append
        recorder.note("rest", SHOWN)
    assert waited
    assert count_rests(study) == 1


def test_a_server_that_goes_away_while_it_is_read_is_a_message(tmp_path, own_server):
    address = own_server.database("read")
    make_record(address)
    study = in_store(named_study(tmp_path, **EASY), address)

    def read() -> None:
        with record_of(study).writing() as engine, engine.connect() as connection:
            own_server.kill()
            connection.exec_driver_sql("SELECT * FROM studies")

    with pytest.raises(StoreAway, match=r"the store does not answer \([^\n]+\); every answer"):
        read()
