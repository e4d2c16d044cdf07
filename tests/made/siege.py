"""A study's servers, their store and stations as programs, which are struck; and people at them."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from itertools import count
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from postgres_server import Server
from programs import missing
from public import free_port
from served import HOST
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from hype.store import people
from hype.study.studies import AnyStudy
from hype.web.simulated import DISPLAY, TRY_AGAIN, Client, await_server, callbacks_of
from hype.web.wire import Json

HYPE = str(Path(sys.executable).with_name("hype"))
PATIENCE_S = 240.0
CLOCKS_S = (-86_400, -90, 0, 90, 86_400)
AWAY_S = 1.0
STALLED_S = 3.0
LIFE_S = (4.0, 12.0)
"""How long a station or a browser lives before it is killed."""
OF_SERVERS = ("server killed", "clock moved")
OF_STORE = ("store killed", "store cut off", "store stalled", "disk full")
OF_PERSON = ("network cut", "tab killed", "answer sent twice")


class Cable:
    """Carries everything between ``port`` and another port; it can be cut, and can stall."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._ends: list[socket.socket] = []
        self._flows = Event()
        self._flows.set()
        self._door = socket.create_server((HOST, 0))
        self.port: int = self._door.getsockname()[1]
        Thread(target=self._join_all, daemon=True).start()

    def cut(self) -> None:
        """End every connection; new ones can be made."""
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def stall(self) -> None:
        """Keep all connections, and carry nothing for some time."""
        self._flows.clear()
        time.sleep(STALLED_S)
        self._flows.set()

    def _join_all(self) -> None:
        while True:
            near, _ = self._door.accept()
            try:
                far = socket.create_connection((HOST, self._to))
            except OSError:
                near.close()
                continue
            self._ends += [near, far]
            for ends in ((near, far), (far, near)):
                Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while content := one.recv(65_536):
                self._flows.wait()
                other.sendall(content)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class ServerProgram:
    """`hype serve` as a program of its own, with a wall clock of its own."""

    def __init__(self, study: AnyStudy, folder: Path, environment: dict[str, str]) -> None:
        self.port = free_port()
        self.said, self._clock = (folder / f"{what}-{self.port}" for what in ("said", "clock"))
        self._command = [HYPE, "serve", str(study.folder), "--port", str(self.port)]
        library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
        self._environment = environment | {
            "LD_PRELOAD": str(library or missing("faketime")),
            "FAKETIME_TIMESTAMP_FILE": str(self._clock),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }
        self.set_clock(0)
        self.begin()

    def begin(self) -> None:
        """Begin it as often as it takes until it listens: its store may be away."""
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            with self.said.open("ab") as said:
                before = said.tell()
                self._program = subprocess.Popen(
                    self._command, env=self._environment, stdout=said, stderr=said
                )
            while self._program.poll() is None:
                if b"Open to participants" in self.said.read_bytes()[before:]:
                    return await_server(HOST, self.port)
                time.sleep(0.05)
        raise TimeoutError(self.said.read_text())

    def kill(self) -> None:
        self._program.kill()
        self._program.wait()

    def set_clock(self, ahead_s: int) -> None:
        written = self._clock.with_suffix(".new")
        written.write_text(f"{ahead_s:+d}\n")
        written.replace(self._clock)


@dataclass(kw_only=True)
class Siege:
    """All programs of a study. ``faults`` are still to strike, ``struck`` counts those that did."""

    study: AnyStudy
    engine: Engine  # reads the record, whatever befalls the programs
    servers: list[ServerProgram]
    faults: list[str]
    store: Server | None = None
    cable: Cable | None = None
    struck: Counter[str] = field(default_factory=Counter)
    one_at_a_time: Lock = field(default_factory=Lock)

    def ask_record(self, code: str, *, simulated: bool) -> Any:
        """Return somebody's row, and that of their latest session; None as long as they have none.

        Waits while the store is away.
        """
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            with suppress(DBAPIError), self.engine.connect() as connection:
                who = people.find_evaluator(connection, code, simulated=simulated)
                return who and (who, people.latest_session(connection, who.id))
            time.sleep(0.1)
        raise TimeoutError("the store is away")

    def has_left(self, code: str) -> bool:
        found = self.ask_record(code, simulated=True)
        return bool(found) and found[0].status in people.PARTS_END

    def next_fault(self) -> str | None:
        with self.one_at_a_time:
            return self.faults.pop() if self.faults else None

    def strike(self, fault: str) -> None:
        """Do what befalls everybody."""
        with self.one_at_a_time:
            self.struck[fault] += 1
            server = random.choice(self.servers)
            if fault == "server killed":
                server.kill()
                server.begin()
            elif fault == "clock moved":
                server.set_clock(random.choice(CLOCKS_S))
            elif self.store and self.cable:
                if fault == "store cut off":
                    self.cable.cut()
                elif fault == "store stalled":
                    self.cable.stall()
                else:
                    self._strike_store(self.store, is_killed=fault == "store killed")

    def _strike_store(self, store: Server, *, is_killed: bool) -> None:
        """Kill the store, or fill its disk; it begins again if it has ended."""
        ballast = store.folder.parent / "ballast"
        if is_killed:
            store.kill()
        else:
            with suppress(OSError), ballast.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 16))
        time.sleep(AWAY_S)
        ballast.unlink(missing_ok=True)
        store.begin()

    def hold_session(
        self, code: str, kills: int, command: Sequence[str], environment: dict[str, str]
    ) -> None:
        """Run a program that holds a session until it is over; kill it some times before."""
        said = self.servers[0].said.with_name(f"said-{code}")
        for number in count():
            life_s = random.uniform(*LIFE_S) if number < kills else PATIENCE_S
            with (
                said.open("ab") as log,
                subprocess.Popen(
                    command, env=environment, stdout=log, stderr=log, start_new_session=True
                ) as shown,
            ):
                until_s = time.monotonic() + life_s
                while time.monotonic() < until_s and shown.poll() is None:
                    if self.has_left(code):
                        break
                    time.sleep(0.3)
                with suppress(ProcessLookupError):
                    os.killpg(shown.pid, signal.SIGKILL)
            if self.has_left(code):
                return
            self.struck["program killed" if number < kills else "program begun again"] += 1
            assert number < kills + 20, said.read_text()


class Person:
    """Somebody with a browser, whose tabs come and go. What they answer follows from the trial."""

    def __init__(self, siege: Siege, number: int) -> None:
        self.siege = siege
        self.chance = random.Random(number)
        self.clients = [Client(HOST, server.port) for server in siege.servers]
        self.given: dict[str, tuple[str, float]] = {}
        self.said: list[str] = []
        self.step: Json = {}
        self.code = self.seat = ""

    def take_part(self) -> "Person":
        while not self.clients[0]._cookie:
            self.ask("GET", "/", self.clients[0])
        for client in self.clients:
            client._cookie = self.clients[0]._cookie
        self.code = self.clients[0]._cookie.partition("=")[2].partition(".")[0]
        self.sit()
        for number in count():
            if self.step["kind"] == "end":
                break
            report = self.report()
            fault = self.siege.next_fault() if number % 3 == 2 else None
            self.befall(fault, report) if fault else self.answer(report)
        for client in self.clients:
            client.close()
        return self

    def ask(self, method: str, address: str, client: Client | None = None, report: Any = None):
        """Send a request to one server or the other until it is answered."""
        until_s = time.monotonic() + PATIENCE_S
        content = None if report is None else json.dumps(report)
        while True:
            chosen = client or self.chance.choice(self.clients)
            try:
                status, headers, body = chosen._ask(method, address, content)
                if status not in TRY_AGAIN:
                    break
            except (OSError, HTTPException) as error:
                status, body = 0, repr(error).encode()
                chosen.close()
            assert time.monotonic() < until_s, (address, status, body)
            time.sleep(0.2)
        if cookie := headers.get("set-cookie"):
            chosen._cookie = cookie.partition(";")[0]
        return status, json.loads(body) if report is not None else body

    def sit(self) -> None:
        """Open the page."""
        status, body = self.ask("POST", "/api/sit", report={"display": DISPLAY})
        assert status == 200, body
        if "refused" in body:  # the answer before the page was opened anew was the last one
            self.step = {"kind": "end"}
        else:
            self.seat, self.step = body["seat"], body["step"]

    def report(self) -> Json:
        """Take some time over a step, and make the report of it."""
        step, rt_ms, answer = self.step, 200.0, ""
        answers = [button["answer"] for button in step.get("buttons", ())]
        if step["kind"] in ("scene", "flash"):
            for picture in step["pictures"]:
                assert self.ask("GET", f"/picture/{picture['id']}")[0] == 200
            _, session = self.siege.ask_record(self.code, simulated=False)
            chance = random.Random(f"{self.code} {session.showing}")
            answer, rt_ms = chance.choice(answers), float(chance.randrange(300, 900))
            self.given[session.showing] = answer, rt_ms
        elif step["kind"] == "question":
            *options, _ = step["options"]
            answer = random.Random(f"{self.code} {step['asked']}").choice(options)
            self.said.append(answer)
        elif "yes" in answers:
            answer = "yes"
        time.sleep((rt_ms + step.get("for_ms", 0.0)) / 1000)
        report = {"seat": self.seat, "step": step["id"], "answer": answer, "rt_ms": rt_ms}
        if step["kind"] == "flash":
            report["callbacks"] = callbacks_of([one["frames"] for one in step["pictures"]])
        return report

    def answer(self, report: Json) -> None:
        status, body = self.ask("POST", "/api/step", report=report)
        assert status == 200, body
        self.step = body["step"]

    def befall(self, fault: str, report: Json) -> None:
        """Answer a step while something befalls."""
        if fault not in OF_PERSON:
            struck = Thread(target=self.siege.strike, args=(fault,))
            struck.start()
            time.sleep(self.chance.choice((0.0, 0.01, 0.1, 1.0)))
            self.answer(report)
            struck.join()
            return
        self.siege.struck[fault] += 1
        if fault == "answer sent twice":
            twin = Thread(target=self.ask, args=("POST", "/api/step"), kwargs={"report": report})
            twin.start()
            self.answer(report)
            twin.join()
            return
        self.send_some_of(report)
        if fault == "network cut":
            self.answer(report)
            return
        self.sit()
        if self.step["kind"] != "end":
            status, body = self.ask("POST", "/api/step", report=report)
            assert (status, body["error"]) == (409, "moved"), body

    def send_some_of(self, report: Json) -> None:
        """Send some of a request, or all of it, and be gone before it is answered."""
        client = self.chance.choice(self.clients)
        with closing(Client(HOST, client._connection.port)) as gone, suppress(OSError):
            gone._connection.putrequest("POST", "/api/step")
            body = json.dumps(report).encode()
            length = str(len(body))
            for name, value in (("Content-Type", "application/json"), ("Content-Length", length)):
                gone._connection.putheader(name, value)
            gone._connection.putheader("Cookie", client._cookie)
            gone._connection.endheaders(body[: round(self.chance.choice((0.5, 1, 1)) * len(body))])
            time.sleep(self.chance.choice((0.0, 0.002, 0.02)))
