"""Two servers of one record in PostgreSQL: each can continue any session, without loss."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from random import Random

import pytest
from known import verify_record
from postgres_server import run_postgres
from public import free_port
from served import HOST, KEY, rows_of, served
from small_studies import SMALLER, STUDIES, TABLES
from sqlalchemy import Engine, event

from hype.protocols.registry import course_of
from hype.store.postgres import make_record
from hype.store.record import record_of
from hype.store.schema import evaluators, events, sessions
from hype.web.desk import TableDesk
from hype.web.serving import LAST_S
from hype.web.simulated import PATIENCE_S, Client, await_server, sit_report, visit

HYPE = Path(sys.executable).with_name("hype")
PAUSE_S = 0.05


@pytest.fixture(scope="module")
def database():
    with run_postgres() as running:
        yield running


@pytest.fixture
def study_of(database, tmp_path):
    """Return a function that makes a study with its record in a database of its own."""

    def one(protocol, **changes):
        url = database.database(f"{protocol} {tmp_path.name}")
        make_record(url)
        folder = tmp_path / protocol
        folder.mkdir()
        return replace(STUDIES[protocol](folder, **SMALLER[protocol] | changes), store=url)

    return one


def require_sound(study):
    found = verify_record(study)
    assert found.sound, found.faults


# --- one participant whose page asks two servers


@pytest.mark.long
def test_two_servers_that_are_asked_at_random_come_to_the_end(study_of):
    """This is also true if the session changes servers at a feedback."""
    study = study_of("hype", time={"blocks": 2, "trials": 8})
    draws = Random(3)
    with served(study) as one, served(study) as other:
        tabs = one(), other()
        tabs[0].sit()
        seat, step, names = tabs[0].seat, tabs[0].step, []
        while step["kind"] != "end":
            assert step["id"] not in names
            names.append(step["id"])
            if step["kind"] != "verdict":
                told = {"seat": seat, "step": step["id"]}
                assert draws.choice(tabs).ask("/api/simulated", told)[0] == 200, step
            tab = draws.choice(tabs)
            tab.seat, tab.step = seat, step
            status, body = tab.answer()
            assert status == 200, body
            step = tab.step
    require_sound(study)


def test_a_page_that_asks_both_servers_for_a_seat_has_one(study_of):
    study, report = study_of("comparison"), sit_report()
    with served(study) as one, served(study) as other, ThreadPoolExecutor(6) as crowd:
        tab, again = one(), other()
        assert tab.sit()[0] == 200  # starts the part and reads its plan
        pages = [one(), other(), one(), other()]
        sent = [crowd.submit(page.ask, "/api/sit", report) for page in pages]
        bodies = [body for status, body in (one.result() for one in sent) if status == 200]
        assert len({body["seat"] for body in bodies}) == 1
        again.seat, again.step = bodies[0]["seat"], bodies[0]["step"]
        status, body = again.answer()
        assert status == 200, body
        status, seated = pages[0].ask("/api/sit", report)
        assert (status, seated["seat"], seated["step"]) == (200, again.seat, body["step"])
        assert tab.answer()[1]["error"] == "moved"
        again.go_to("end")
    assert [row["ended"] for row in rows_of(study, sessions)] == ["broke-off", "complete"]
    require_sound(study)


def test_an_answer_that_both_servers_get_at_once_counts_once(study_of):
    study = study_of("comparison")
    with served(study) as one, served(study) as other, ThreadPoolExecutor(6) as crowd:
        tabs = one(), other()
        tabs[0].sit()
        tabs[1].seat, tabs[1].step = tabs[0].seat, tabs[0].step
        while tabs[0].step["kind"] != "end":
            report = tabs[0].report()
            extra = [one(), other()]
            sent = [crowd.submit(tab.ask, "/api/step", report) for tab in (*tabs, *extra)]
            replies = [one.result() for one in sent]
            assert {status for status, _ in replies} == {200}, replies
            steps = [body["step"] for _, body in replies]
            # Feedback is not recorded, so the other server has passed it
            assert len({step["id"] for step in steps if step["kind"] != "verdict"}) <= 1
            tabs[0].step = tabs[1].step = steps[0]
            for tab in extra:
                tab.client.close()
        undisturbed = one("sim-2")
        undisturbed.sit()
        undisturbed.go_to("end")
    pages = pages_of(study)
    assert pages["sim-1"] == pages["sim-2"]
    require_sound(study)


def test_a_server_whose_clock_is_behind_loses_no_page_and_no_session(study_of, monkeypatch):
    """Sessions continue with the time of the server whose clock is ahead."""
    study, now = study_of("hype"), time.time
    with served(study) as ahead:
        monkeypatch.setattr(time, "time", lambda: now() - 60)
        with served(study) as behind:
            tabs = cycle((ahead(), behind()))
            tab = next(tabs)
            tab.sit()
            while tab.step["kind"] != "end":
                seat, step = tab.seat, tab.step
                tab = next(tabs)
                tab.seat, tab.step = seat, step
                status, body = tab.answer()
                assert status == 200, body
                assert tab.step["id"] != step["id"]
    onsets = [row["onset_monotonic_s"] for row in rows_of(study, TABLES["hype"])]
    assert onsets == sorted(onsets)
    assert [row["ended"] for row in rows_of(study, sessions)] == ["complete"]


def test_a_response_time_does_not_depend_on_the_clock_of_the_server(study_of, monkeypatch):
    study, now = study_of("comparison", comparison={"min_ms": 0, "votes": 1}), time.time
    with served(study) as ahead:
        monkeypatch.setattr(time, "time", lambda: now() - 60)
        with served(study) as behind:
            tab, other = (one("p1", simulated=False) for one in (ahead, behind))
            tab.sit()
            tab.go_to("scene")
            time.sleep(1.0)
            other.seat, other.step = tab.seat, tab.step
            status, body = other.answer(rt_ms=800.0)
            assert status == 200, body
    assert [row["rt_ms"] for row in rows_of(study, TABLES["comparison"])] == [800.0]


def test_a_page_that_is_opened_while_an_answer_is_committed_goes_on_after_it(study_of):
    study, sent, arrived = study_of("comparison"), threading.Event(), threading.Event()

    def delay(_):
        sent.set()
        assert arrived.wait(60)

    with served(study) as one, served(study) as other, ThreadPoolExecutor(2) as crowd:
        tab, anew = one(), other()
        tab.sit()
        tab.go_to("scene")
        event.listen(Engine, "commit", delay, once=True)
        crowd.submit(tab.answer)
        assert sent.wait(60)
        sat = crowd.submit(anew.sit)
        time.sleep(0.5)
        arrived.set()
        assert sat.result()[0] == 200
        anew.go_to("end")
    assert "interrupted" not in pages_of(study)["sim-1"]
    require_sound(study)


# --- a crowd, while programs are killed


class Alternating(Client):
    """A browser behind a proxy that sends each request to another server."""

    def __init__(self, *ports):
        super().__init__(HOST, ports[0])
        self._all = [HTTPConnection(HOST, port, timeout=PATIENCE_S) for port in ports]
        self._next = cycle(self._all)

    def _ask(self, *request):
        self._connection = next(self._next)
        return super()._ask(*request)

    def close(self):
        for connection in self._all:
            connection.close()


@contextmanager
def program(study, folder):
    """Run `hype serve` as a separate program."""
    port = free_port()
    command = [HYPE, "serve", study.folder, "--port", str(port), "--store", study.store]
    said = folder / f"said-{port}"
    with said.open("wb") as log:
        running = subprocess.Popen([*map(str, command)], stdout=log, stderr=log)
    try:
        await_server(HOST, port)
        yield port, running
    finally:
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) in (0, -signal.SIGKILL)
    assert "Traceback" not in said.read_text()


def pages_of(study):
    """Return the pages and pauses of each evaluator, in order."""
    codes = {row["id"]: row["evaluator"] for row in rows_of(study, evaluators)}
    whose = {row["id"]: codes[row["evaluator_id"]] for row in rows_of(study, sessions)}
    pages = {code: [] for code in whose.values()}
    for row in rows_of(study, events):
        pages[whose[row["session_id"]]].append(row["event"])
    return pages


def complete(study):
    return Counter(row["status"] for row in rows_of(study, evaluators))["complete"]


def come(study, key, clients, strike):
    """Let each client complete a session; call ``strike`` when all of them have started."""
    course = course_of(study)

    def one(numbered):
        number, client = numbered
        door = f"/simulated/sim-{number}/{key.name('simulated', f'sim-{number}')}"
        with closing(client):
            return visit(client, door, f"sim-{number}", course, seed=1, pause_s=PAUSE_S)

    with ThreadPoolExecutor(len(clients)) as crowd:
        came = [crowd.submit(one, numbered) for numbered in enumerate(clients)]
        until_s = time.monotonic() + 60
        while any(len(client.took_s) < 4 for client in clients) and time.monotonic() < until_s:
            if all(visitor.done() for visitor in came):
                break
            time.sleep(0.02)
        strike()
        return [visitor.result() for visitor in came]


def key_of(study):
    with record_of(study).writing() as engine:
        return TableDesk(engine).key()


def test_places_are_filled_exactly_where_a_server_is_killed(study_of, tmp_path):
    study = study_of("comparison", comparison={"min_ms": 0, "votes": 1})
    places = len((course := course_of(study)).cells) * course.evaluators_per_cell
    with program(study, tmp_path) as (one, _), program(study, tmp_path) as (other, second):
        clients = [Alternating(one, other) for _ in range(places + 3)]
        visits = come(study, key_of(study), clients, second.kill)
    assert sum(visitor.ended == "complete" for visitor in visits) == places
    assert complete(study) == places
    done = [visitor for visitor in visits if visitor.ended == "complete"]
    assert len(rows_of(study, TABLES["comparison"])) == sum(visitor.answers for visitor in done)
    require_sound(study)


def kill_thrice(database):
    for _ in range(3):
        database.kill()
        time.sleep(0.5)
        database.begin()
        time.sleep(0.7)


def stall(database, seconds=3):
    number = database.process.pid
    children = Path(f"/proc/{number}/task/{number}/children").read_text().split()

    def send_all(what):
        for process in (number, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(process, what)

    send_all(signal.SIGSTOP)
    time.sleep(seconds)
    send_all(signal.SIGCONT)


@pytest.mark.long
def test_a_server_ends_while_its_store_stalls(study_of, database, tmp_path):
    study = study_of("comparison")
    key = key_of(study)
    with program(study, tmp_path) as (port, running), closing(Client(HOST, port)) as client:
        client._cookie = f"hype={key.cookie('sim-1', simulated=True)}"
        with ThreadPoolExecutor(1) as beside:
            beside.submit(stall, database, LAST_S + 3)
            time.sleep(0.5)
            threading.Timer(0.5, running.terminate).start()
            status, _, _ = client._ask("POST", "/api/sit", json.dumps(sit_report()))
        running.wait(60)
    assert status == 503


@pytest.mark.parametrize(
    ("protocol", "befall"),
    [("hype", kill_thrice), pytest.param("comparison", stall, marks=pytest.mark.long)],
)
def test_a_store_that_is_killed_or_stalls_loses_nothing(study_of, database, protocol, befall):
    study = study_of(protocol)

    with served(study) as one, served(study) as other:
        ports = [open_tab().client._connection.port for open_tab in (one, other)]
        clients = [Alternating(*ports) for _ in range(4)]
        visits = come(study, KEY, clients, lambda: befall(database))
    assert {visitor.ended for visitor in visits} == {"complete"}
    answers = rows_of(study, TABLES[protocol])
    assert len(answers) == sum(visitor.answers for visitor in visits)
    assert len({tuple(pages) for pages in pages_of(study).values()}) == 1
    require_sound(study)
