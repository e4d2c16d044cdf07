"""People, browsers and stations while all programs have faults: nothing is lost or stored twice.

A person's answer depends only on the trial: it is the same as without faults, even if a trial is
repeated. Simulated evaluators in a real browser or at a window answer as in a session without
faults in which the same flashes are spoiled. `hype verify` compares the trials with each plan.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from http.client import HTTPException
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread

import pytest
from builders import merged
from disk_records import mounted
from known import verify_record
from postgres_server import run_postgres
from programs import own_display, program
from public import free_port
from served import HOST
from small_studies import SMALLER, STUDIES, TABLES
from sqlalchemy import create_engine, select
from sqlalchemy.exc import DBAPIError

from hype.cli.demo import FLAGS
from hype.protocols.registry import course_of
from hype.session.enrol import resume_any
from hype.session.loop import advance
from hype.session.steps import NO_ANSWER, Ending, Outcome, Response, Trial
from hype.store import people
from hype.store.postgres import check_url, make_record
from hype.store.record import RECORD_FILE, record_of
from hype.store.schema import demographics
from hype.web.desk import desk_of
from hype.web.simulated import TRY_AGAIN, Client, await_server, callbacks_of, sit_report

HYPE = str(Path(sys.executable).with_name("hype"))
OF_PERSON = ("network cut", "tab killed", "answer sent twice")
OF_STORE = ("store killed", "store cut off", "store stalled", "disk full")
OF_EACH = 8
"""The number of faults of each kind in one study."""
EACH = {
    "hype": lambda number: {"study": {"evaluators": number}},
    "comparison": lambda number: {"comparison": {"votes": number}},
    "rating": lambda number: {"rating": {"ratings": number}},
    "ranking": lambda number: {"ranking": {"rankings": number}},
}
"""Settings with which a study needs this number of people in each of its two cells."""
STATIONS = [f"sim-w{number}" for number in range(6)]
BROWSER = "sim-browser"
LIFE_S = (4.0, 12.0)
"""Limits of the time after which a station or a browser is killed."""
PATIENCE_S = 240.0
DISK_KIB = 192 << 10


class Cable:
    """Forwards connections from ``port`` to another port; it can be cut, and can stall."""

    def __init__(self, to):
        self._to, self._ends, self._flows = to, [], Event()
        self._flows.set()
        self._door = socket.create_server((HOST, 0))
        self.port = self._door.getsockname()[1]
        Thread(target=self._accept_all, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self.cut()

    def cut(self):
        """End every connection; new ones can be made."""
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def stall(self, seconds):
        """Keep all connections, but forward nothing for some time."""
        self._flows.clear()
        time.sleep(seconds)
        self._flows.set()

    def _accept_all(self):
        with suppress(OSError):  # the socket was closed
            while True:
                Thread(target=self._join, args=[self._door.accept()[0]], daemon=True).start()

    def _join(self, near):
        with near, suppress(OSError), socket.create_connection((HOST, self._to)) as far:
            self._ends += [near, far]
            back = Thread(target=self._carry, args=(far, near), daemon=True)
            back.start()
            self._carry(near, far)
            back.join()

    def _carry(self, one, other):
        with suppress(OSError):
            while content := one.recv(65_536):
                self._flows.wait()
                other.sendall(content)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Siege:
    """The servers of a study and their store, as a context manager.

    Either two servers share a store, or one server has its record in a file.
    """

    def __init__(self, study, folder, *, has_store):
        self.study, self.folder, self.environment = study, folder, {**os.environ}
        self.faults = [*OF_PERSON, "server killed", *OF_STORE[: len(OF_STORE) * has_store]]
        self.faults *= OF_EACH
        random.shuffle(self.faults)
        self.struck, self.striking, self.has_store = Counter(), Lock(), has_store

    def __enter__(self):
        with ExitStack() as stack:
            record = f"sqlite:///{self.study.folder / RECORD_FILE}"
            if self.has_store:
                # the store's user cannot read pytest's own folder
                home = Path(stack.enter_context(TemporaryDirectory()))
                disk = stack.enter_context(mounted(home, size_kib=DISK_KIB))
                self.store = stack.enter_context(run_postgres(disk=disk))
                self.cable = stack.enter_context(Cable(self.store.port))
                url = self.store.database("siege")
                make_record(url)
                self.study, record = replace(self.study, store=url), check_url(url)
                through = url.replace(f":{self.store.port}/", f":{self.cable.port}/")
                self.environment["HYPE_STORE"] = through
            self.engine = create_engine(record, pool_pre_ping=True)
            stack.callback(self.engine.dispose)
            self.servers = {}
            stack.callback(lambda: [self.kill_server(port) for port in self.servers])
            for port in [free_port() for _ in range(1 + self.has_store)]:
                self.begin_server(port)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()
        for said in self.folder.glob("said-*"):
            assert "Traceback" not in said.read_text(), said.read_text()

    def begin_server(self, port):
        """Start `hype serve` until it runs: its store may be away."""
        command = [HYPE, "serve", self.study.folder, "--port", str(port)]
        while True:
            with (self.folder / f"said-{port}").open("ab") as said:
                server = subprocess.Popen(command, env=self.environment, stdout=said, stderr=said)
            self.servers[port] = server
            while server.poll() is None:
                with suppress(OSError), socket.create_connection((HOST, port)):
                    return await_server(HOST, port)
                time.sleep(0.05)

    def kill_server(self, port):
        self.servers[port].kill()
        self.servers[port].wait()

    def find(self, code, *, simulated):
        """Find an evaluator and their latest session; wait while the store is away."""
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            with suppress(DBAPIError), self.engine.connect() as record:
                who = people.find_evaluator(record, code, simulated=simulated)
                return who, who and people.latest_session(record, who.id)
            time.sleep(0.1)
        raise TimeoutError("the store did not answer")

    def has_left(self, code):
        who, _ = self.find(code, simulated=True)
        return who is not None and who.status in people.PARTS_END

    def next_fault(self):
        with self.striking:
            return self.faults.pop() if self.faults else None

    def strike(self, fault):
        """Cause a fault that affects everybody."""
        with self.striking:
            self.struck[fault] += 1
            if fault == "server killed":
                port = random.choice([*self.servers])
                self.kill_server(port)
                self.begin_server(port)
            elif fault == "store cut off":
                self.cable.cut()
            elif fault == "store stalled":
                self.cable.stall(3.0)
            else:
                ballast = self.store.folder.parent / "ballast"
                if fault == "store killed":
                    self.store.kill()
                else:
                    with suppress(OSError), ballast.open("wb", buffering=0) as file:
                        while True:
                            file.write(bytes(1 << 16))
                time.sleep(1.0)
                ballast.unlink(missing_ok=True)
                self.store.begin()  # if it has stopped

    def open_browser(self):
        """Run the session of a simulated evaluator in Chromium."""
        with record_of(self.study).writing() as engine:
            proof = desk_of(self.study, engine).key().name("simulated", BROWSER)
        door = f"http://{HOST}:{next(iter(self.servers))}/simulated/{BROWSER}/{proof}"
        profile = f"--user-data-dir={self.folder / 'profile'}"
        self.hold_session(BROWSER, [program("chromium"), *FLAGS, profile, door], kills=2)

    def sit_at_window(self, code):
        """Run the session of a simulated evaluator at a window of its own display."""
        command = [HYPE, "run", self.study.folder, "--evaluator", code, "--simulate", "--windowed"]
        with own_display() as (_, display):
            self.hold_session(code, command, kills=int(code[-1]) % 3, DISPLAY=display)

    def hold_session(self, code, command, *, kills, **environment):
        """Run a program until a session is over, and kill it ``kills`` times meanwhile."""
        environment, said = self.environment | environment, self.folder / f"said-{code}"
        for number in count():
            until_s = time.monotonic() + random.uniform(*LIFE_S)
            until_s += 0 if number < kills else PATIENCE_S
            with said.open("ab") as log:
                shown = subprocess.Popen(
                    command, env=environment, stdout=log, stderr=log, start_new_session=True
                )
            while not (has_left := self.has_left(code)) and shown.poll() is None:
                if time.monotonic() > until_s:
                    break
                time.sleep(0.3)
            with suppress(ProcessLookupError):
                os.killpg(shown.pid, signal.SIGKILL)
            shown.wait()
            if has_left:
                return
            self.struck["program killed" if number < kills else "program begun again"] += 1
            assert number < kills + 20, said.read_text()


class Person:
    """A person with a browser, whose tabs are opened and closed."""

    def __init__(self, siege, number):
        self.siege, self.chance = siege, random.Random(number)
        self.clients = [Client(HOST, port) for port in siege.servers]
        self.given, self.said = {}, set()

    def know(self, cookie):
        for client in self.clients:
            client._cookie = cookie

    def take_part(self):
        door = self.clients[0]
        while not door._cookie:
            with suppress(OSError, HTTPException):
                door.get("/")
        self.know(door._cookie)
        self.code = door._cookie.partition("=")[2].partition(".")[0]
        self.sit()
        for number in count():
            if self.step["kind"] == "end":
                break
            report = self.report()
            fault = self.siege.next_fault() if number % 3 == 2 else None
            if fault:
                self.befall(fault, report)
            else:
                self.answer(report)
        self.close()
        return self

    def close(self):
        for client in self.clients:
            client.close()

    def ask(self, method, address, report=None):
        """Send a request to random servers until one answers."""
        until_s = time.monotonic() + PATIENCE_S
        while True:
            client = self.chance.choice(self.clients)
            try:
                status, _, body = client._ask(method, address, report and json.dumps(report))
            except (OSError, HTTPException) as error:
                client.close()
                status, body = 503, repr(error)
            if status not in TRY_AGAIN:
                return status, json.loads(body) if report else body
            assert time.monotonic() < until_s, (address, status, body)
            time.sleep(0.2)

    def sit(self):
        status, body = self.ask("POST", "/api/sit", sit_report())
        assert status == 200, body
        # The person is refused if the answer before the reload was the last one
        self.step = {"kind": "end"} if "refused" in body else body["step"]
        self.seat = body.get("seat")

    def report(self):
        """Return the report on a step, after some time."""
        step, rt_ms, answer = self.step, 200.0, ""
        answers = [button["answer"] for button in step.get("buttons", ())]
        answers = [answer for answer in answers if answer != step.get("pressed")]
        if step["kind"] in ("scene", "flash"):
            for picture in step["pictures"]:
                assert self.ask("GET", f"/picture/{picture['id']}")[0] == 200
            _, session = self.siege.find(self.code, simulated=False)
            chance = random.Random(f"{self.code} {session.showing}")
            answer, rt_ms = chance.choice(answers), float(chance.randrange(300, 900))
            self.given[session.showing] = answer, rt_ms
        elif step["kind"] == "question":
            answer = random.Random(f"{self.code} {step['question']}").choice(answers[:-1])
            self.said.add(answer)
        elif "yes" in answers:
            answer = "yes"
        time.sleep((rt_ms + step.get("for_ms", 0.0)) / 1000)
        report = {"seat": self.seat, "step": step["id"], "answer": answer, "rt_ms": rt_ms}
        if step["kind"] == "flash":
            report["callbacks"] = callbacks_of([one["frames"] for one in step["pictures"]])
        return report

    def answer(self, report):
        status, body = self.ask("POST", "/api/step", report)
        assert status == 200, body
        self.step = body["step"]

    def befall(self, fault, report):
        """Answer a step during a fault."""
        if fault in ("network cut", "tab killed"):
            self.siege.struck[fault] += 1
            self.send_some_of(report)
            if fault == "network cut":
                self.answer(report)
                return
            self.sit()
            if self.seat:  # the old page gets an error
                status, body = self.ask("POST", "/api/step", report)
                assert (status, body["error"]) == (409, "moved"), body
            return
        if fault == "answer sent twice":
            self.siege.struck[fault] += 1
            beside = Thread(target=self.send_again, args=(report,))
        else:
            beside = Thread(target=self.siege.strike, args=(fault,))
        beside.start()
        time.sleep(self.chance.choice((0.0, 0.01, 0.1)))
        self.answer(report)
        beside.join()

    def send_again(self, report):
        """Send a report again, over another connection: each carries one request at a time."""
        other = Person(self.siege, self.chance.random())
        other.know(self.clients[0]._cookie)
        other.ask("POST", "/api/step", report)
        other.close()

    def send_some_of(self, report):
        """Send a part of a request, or all of it, and disconnect before the answer."""
        body = json.dumps(report)
        head = f"POST /api/step HTTP/1.1\r\nHost: {HOST}\r\nCookie: {self.clients[0]._cookie}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        request = (head + body).encode()
        port = self.chance.choice([*self.siege.servers])
        with suppress(OSError), socket.create_connection((HOST, port)) as gone:
            gone.sendall(request[: round(self.chance.choice((0.5, 1, 1)) * len(request))])
            time.sleep(self.chance.choice((0.0, 0.002, 0.02)))


@pytest.mark.long
@pytest.mark.parametrize("protocol", STUDIES)
@pytest.mark.parametrize(("each", "stations"), [(3, []), (21, STATIONS)], ids=["file", "store"])
def test_nothing_is_lost_or_twice(protocol, each, stations, tmp_path, figures):
    """Each protocol has 7 sessions at a server with a file, and 49 sessions with a store."""
    changes = merged(SMALLER[protocol], EACH[protocol](each))
    window = {"display": {"fullscreen": False, "size_px": 96}}
    study = STUDIES[protocol](tmp_path / "study", **merged(changes, window))
    with (
        Siege(study, tmp_path, has_store=bool(stations)) as siege,
        ThreadPoolExecutor(2 * each + 1) as crowd,
        ThreadPoolExecutor(2) as room,
    ):
        came = [crowd.submit(Person(siege, number).take_part) for number in range(2 * each)]
        others = [room.submit(siege.sit_at_window, code) for code in stations]
        others += [crowd.submit(siege.open_browser)]
        persons = {person.code: person for person in (one.result() for one in came)}
        for one in others:
            one.result()
        see_same_answers(siege.study, TABLES[protocol], persons, {BROWSER, *stations})
        verified = verify_record(siege.study)
    assert verified.sound, verified.faults
    figure = figures(f"{protocol}, {dict(siege.struck)}")
    figure.faults, figure.sessions = siege.struck.total(), len(persons) + len(others)
    figure.kills = sum(number for kind, number in siege.struck.items() if "killed" in kind)


def see_same_answers(study, table, persons, programs):
    """Compare all answers with those of the same evaluators without faults."""
    course = course_of(study)
    with record_of(study).reading() as engine, engine.connect() as record:

        def rows_of(kind, who):
            query = select(kind).where(kind.c.evaluator_id == who.id)
            return record.execute(query.order_by(kind.c.id)).mappings().all()

        real, simulated = (people.list_evaluators(record, simulated=one) for one in (False, True))
        assert {who.evaluator for who in real} == set(persons)
        assert {who.evaluator for who in simulated} == programs
        assert {who.status for who in (*real, *simulated)} == {"complete"}
        for who in real:
            person = persons[who.evaluator]
            answers = {name_of(row): (row["answer"], row["rt_ms"]) for row in rows_of(table, who)}
            assert answers == person.given
            assert {row["answer"] for row in rows_of(demographics, who)} == person.said
        for who in simulated:
            rows = {name_of(row): row for row in rows_of(table, who)}
            answers = {name: row["answer"] for name, row in rows.items()}
            assert answers == answer_undisturbed(course, resume_any(record, course, who).plan, rows)


def answer_undisturbed(course, plan, rows):
    """Return a simulated evaluator's answers if the same flashes are spoiled.

    A trial that was not answered in time by the real clock is not answered here.
    """
    script, observer, answers = course.script(plan), course.observer(plan, seed=0), {}
    step = advance(script, None)
    while not isinstance(step, Ending):
        response, row = observer.respond_to(step), {}
        if isinstance(step, Trial):
            row = rows.get(name := " ".join(map(str, step.name)), {})
            response = Response(NO_ANSWER) if row.get("answer") == NO_ANSWER else response
            answers[name] = response.answer
        step = advance(script, Outcome(response, row.get("verdict") not in (None, "ok")))
    return answers


def name_of(row):
    return f"{row['task']} {row['block']} {row['trial']}"
