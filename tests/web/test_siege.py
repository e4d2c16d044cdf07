"""People, browsers and stations while all programs are struck: nothing is lost, nothing is twice.

What a person answers follows from the trial alone, so that it is the same as without faults,
however often a trial comes. Simulated evaluators in a real browser or at a window answer as they do
in a course without faults in which the same flashes were spoiled. `hype verify` compares the trials
with each plan.
"""

import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from builders import merged
from disk_records import mounted
from known import verify_record
from postgres_server import server_in
from programs import own_display, program
from served import HOST
from siege import HYPE, OF_PERSON, OF_SERVERS, OF_STORE, Cable, Person, ServerProgram, Siege
from small_studies import SMALLER, STUDIES, TABLES
from sqlalchemy import create_engine, select

from hype.cli.demo import FLAGS
from hype.protocols.registry import course_of
from hype.session.enrol import as_left
from hype.session.loop import advance
from hype.session.steps import NO_ANSWER, Ending, Outcome, Response, Trial
from hype.store.people import list_evaluators
from hype.store.postgres import checked_url, make_record
from hype.store.record import RECORD_FILE, record_of
from hype.store.schema import demographics, sessions
from hype.web.desk import desk_of

DISK_KIB = 192 << 10
OF_EACH = 8
"""How often each kind of fault strikes one study."""
STATIONS, AT_ONCE = 6, 2
BROWSER = "sim-browser"
EACH = {
    "hype": lambda number: {"study": {"evaluators": number}},
    "comparison": lambda number: {"comparison": {"votes": number}},
    "rating": lambda number: {"rating": {"ratings": number}},
    "ranking": lambda number: {"ranking": {"rankings": number}},
}
"""What makes a study want a number of people at each place."""


@pytest.fixture
def study_of(tmp_path):
    def one(protocol, number):
        changes = merged(SMALLER[protocol], EACH[protocol](number))
        window = {"display": {"fullscreen": False, "size_px": 96}}
        return STUDIES[protocol](tmp_path / "study", **merged(changes, window))

    return one


@contextmanager
def besieged(study, folder, faults, *, has_store) -> Iterator[Siege]:
    """Begin the servers of a study: two that share a store, or one whose record is a file."""
    with ExitStack() as stack:
        environment, parts = {**os.environ}, {}
        record = f"sqlite:///{study.folder / RECORD_FILE}"
        if has_store:
            # pytest's own folder is closed to the user of the store
            home = Path(stack.enter_context(TemporaryDirectory()))
            disk = stack.enter_context(mounted(home / "disk", size_kib=DISK_KIB))
            store = stack.enter_context(server_in(disk))
            cable = Cable(store.port)
            study = replace(study, store=store.database("siege"))
            make_record(study.store)
            record, parts = checked_url(study.store), {"store": store, "cable": cable}
            url = study.store.replace(f":{store.port}/", f":{cable.port}/")
            environment["HYPE_STORE"] = url
        servers = []
        for _ in range(1 + has_store):
            servers.append(ServerProgram(study, folder, environment))
            stack.callback(servers[-1].kill)
        engine = create_engine(record, pool_pre_ping=True)
        stack.callback(engine.dispose)
        yield Siege(study=study, engine=engine, servers=servers, faults=faults, **parts)


@pytest.mark.long
@pytest.mark.parametrize("protocol", STUDIES)
def test_a_server_and_the_people_at_it_are_struck(protocol, study_of, tmp_path, figures):
    withstand(study_of(protocol, 3), protocol, (), tmp_path, figures)


@pytest.mark.long
@pytest.mark.parametrize("protocol", STUDIES)
def test_a_store_and_all_who_write_to_it_are_struck(protocol, study_of, tmp_path, figures):
    """Fifty sessions of each protocol, in browsers and at stations."""
    stations = [f"sim-w{number}" for number in range(STATIONS)]
    withstand(study_of(protocol, 21), protocol, stations, tmp_path, figures)


def withstand(study, protocol, stations, folder, figures):
    course = course_of(study)
    number = len(course.cells) * course.evaluators_per_cell
    faults = [*OF_PERSON, *OF_SERVERS, *OF_STORE[: len(OF_STORE) * bool(stations)]] * OF_EACH
    random.shuffle(faults)
    with besieged(study, folder, faults, has_store=bool(stations)) as siege:
        with ThreadPoolExecutor(number + 1) as crowd, ThreadPoolExecutor(AT_ONCE) as room:
            came = [crowd.submit(Person(siege, one).take_part) for one in range(number)]
            others = [crowd.submit(open_browser, siege, folder)]
            others += [room.submit(sit_at_window, siege, code) for code in stations]
            persons = {person.code: person for person in (one.result() for one in came)}
            for one in others:
                one.result()
        figure = figures(f"{protocol}, {dict(siege.struck)}")
        figure.faults = siege.struck.total()
        figure.sessions = number + len(others)
        see_same_answers(siege.study, course, TABLES[protocol], persons, {BROWSER, *stations})
        verified = verify_record(siege.study)
        assert verified.sound, verified.faults
        for said in folder.glob("said-*"):
            assert "Traceback" not in said.read_text(), said.read_text()


def open_browser(siege, folder):
    """Let a simulated evaluator go through a session in Chromium, which is killed twice."""
    with record_of(siege.study).writing() as engine:
        proof = desk_of(siege.study, engine).key().name("simulated", BROWSER)
    door = f"http://{HOST}:{siege.servers[0].port}/simulated/{BROWSER}/{proof}"
    command = [program("chromium"), *FLAGS, f"--user-data-dir={folder / 'profile'}", door]
    siege.hold_session(BROWSER, 2, command, {**os.environ})


def sit_at_window(siege, code):
    """Hold a session at a window of its own display; two of three stations are killed."""
    with own_display() as (_, display):
        environment = {**os.environ, "DISPLAY": display, "HYPE_STORE": siege.study.store}
        if siege.cable and siege.store:
            old, new = (f":{one.port}/" for one in (siege.store, siege.cable))
            environment["HYPE_STORE"] = siege.study.store.replace(old, new)
        command = [HYPE, "run", str(siege.study.folder), "--evaluator", code]
        command += ["--simulate", "--windowed"]
        siege.hold_session(code, int(code[-1]) % 3, command, environment)


def see_same_answers(study, course, table, persons, programs):
    """Compare everybody's answers with those of the same evaluator without faults."""
    with record_of(study).reading() as engine, engine.connect() as record:

        def rows_of(kind, who):
            query = select(kind).where(kind.c.evaluator_id == who.id)
            return record.execute(query.order_by(kind.c.id)).mappings().all()

        real = list_evaluators(record, simulated=False)
        assert {who.evaluator for who in real} == set(persons)
        for who in real:
            rows, person = rows_of(table, who), persons[who.evaluator]
            assert {name_of(row): (row["answer"], row["rt_ms"]) for row in rows} == person.given
            said = {row["answer"] for row in rows_of(demographics, who)}
            assert said == set(person.said)
        simulated = list_evaluators(record, simulated=True)
        assert {who.evaluator for who in simulated} == programs
        for who in simulated:
            rows = {name_of(row): row for row in rows_of(table, who)}
            enrolled = as_left(record, course, who)
            assert {name: row["answer"] for name, row in rows.items()} == undisturbed(
                course, enrolled.plan, rows
            )
        assert set(record.execute(select(sessions.c.ended)).scalars()) <= {"complete", "broke-off"}


def undisturbed(course, plan, rows):
    """Return a simulated evaluator's answers by trial, where the same flashes are spoiled.

    Who was too late in real time was so by the real clock.
    """
    script, observer, answers = course.script(plan), course.observer(plan, seed=0), {}
    step = advance(script, None)
    while not isinstance(step, Ending):
        response, is_spoiled = observer.respond_to(step), False
        if isinstance(step, Trial):
            name = " ".join(map(str, step.name))
            row = rows.get(name, {})
            is_spoiled = row.get("verdict") not in (None, "ok")
            if row.get("answer") == NO_ANSWER:
                response = Response(NO_ANSWER)
            answers[name] = response.answer
        step = advance(script, Outcome(response, is_spoiled))
    return answers


def name_of(row):
    return f"{row['task']} {row['block']} {row['trial']}"
