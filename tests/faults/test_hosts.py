"""Two servers and three stations share a store, and their hosts sometimes lose the network."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from http.client import HTTPConnection, HTTPException
from itertools import count, cycle
from pathlib import Path

import psycopg
import pytest
from builders import whole_study
from known import verify_record
from postgres_server import run_postgres
from sqlalchemy import select

from hype.protocols.registry import course_of
from hype.store.people import count_answers
from hype.store.postgres import make_record
from hype.store.record import record_of
from hype.store.schema import demographics, evaluators
from hype.web import simulated
from hype.web.desk import TableDesk
from hype.web.simulated import PATIENCE_S, TRY_AGAIN, Client, await_server, visit

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("ip"),
        reason="only root on Linux with `ip netns` can make hosts",
    ),
]

HYPE = str(Path(sys.executable).with_name("hype"))
NETWORK = "198.18.54"  # reserved for tests of networks (RFC 2544)
HOSTS = {"hype-store": 2, "hype-one": 3, "hype-other": 4}
"""Each host is a network namespace; the number is the last part of its address."""
SERVING = ("hype-one", "hype-other")
CUT_OFF = "hype-other"
PORT = 8000
AT_ONCE = 12
"""The number of visitors at the same time."""
ANSWERED_S = 5
"""A visitor who waits this long for an answer asks the other server."""
BETWEEN_CUTS_S = 3
CUTS_S = (4, 4, 35)
"""Connections survive the first two cuts, but not the third."""
STATION_PAUSE_S = 5
LIMIT_S = 900
SHORT = {
    "study": {"methods": ["infinity"]},
    "infinity": {"trials": 6},
    "qualification": {"enabled": False},
    "practice": {"trials": 0},
}


def ip(command: str) -> None:
    subprocess.run(["ip", *command.split()], check=True)


def within(host: str) -> list[str]:
    """Start a command on a host."""
    return ["ip", "netns", "exec", host]


def address_of(host: str) -> str:
    return f"{NETWORK}.{HOSTS[host]}"


@pytest.fixture
def network() -> Iterator[None]:
    """Connect the hosts and this program by a bridge."""
    with ExitStack() as undo:
        ip("link add hype type bridge")
        undo.callback(ip, "link del hype")
        ip(f"address add {NETWORK}.1/24 dev hype")
        ip("link set hype up")
        for host in HOSTS:
            ip(f"netns add {host}")
            undo.callback(ip, f"netns del {host}")
            ip(f"link add {host} type veth peer name eth0 netns {host}")
            ip(f"link set {host} master hype up")
            ip(f"-n {host} address add {address_of(host)}/24 dev eth0")
            ip(f"-n {host} link set eth0 up")
            ip(f"-n {host} link set lo up")
        yield


@contextmanager
def serving(host, study, folder):
    command = [*within(host), HYPE, "serve", str(study.folder), "--host", address_of(host)]
    said = folder / f"said by {host}"
    with said.open("wb") as log:
        running = subprocess.Popen(
            [*command, "--port", str(PORT), "--store", study.store], stdout=log, stderr=log
        )
    try:
        await_server(address_of(host), PORT)
        yield
    finally:
        running.send_signal(signal.SIGTERM)
        code = running.wait(60)
    assert (code, "Traceback" in said.read_text()) == (0, False), said.read_text()


class Roaming(Client):
    """A browser behind a proxy that asks the other server when one does not answer."""

    def __init__(self, first: int) -> None:
        hosts = (SERVING[first % 2], SERVING[(first + 1) % 2])
        super().__init__(address_of(hosts[0]), PORT)
        self._all = [HTTPConnection(address_of(host), PORT, timeout=ANSWERED_S) for host in hosts]
        self._next = cycle(self._all)
        self._connection = next(self._next)

    def get(self, address):
        until_s = time.monotonic() + PATIENCE_S
        while (answer := super().get(address))[0] in TRY_AGAIN and time.monotonic() < until_s:
            time.sleep(0.2)
        return answer

    def _ask(self, *request):
        until_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                return super()._ask(*request)
            except (OSError, HTTPException):
                self._connection.close()
                self._connection = next(self._next)
                if time.monotonic() > until_s:
                    raise

    def close(self):
        for connection in self._all:
            connection.close()


class Traffic:
    """Visitors, stations and network cuts at the same time, until every place is filled."""

    def __init__(self, study, places):
        self.study, self.places = study, places
        self.over = threading.Event()
        self.codes = count(1)
        self.visits = []
        self.simulations = Counter()
        self.cuts = 0
        self.done = 0

    def watch(self):
        """Count the evaluators who are done; when every place is filled, end everything else."""
        until_s = time.monotonic() + LIMIT_S
        query = "SELECT count(*) FROM evaluators WHERE status = 'complete'"
        with psycopg.connect(self.study.store, autocommit=True) as connection:
            while not self.over.wait(1):
                self.done = connection.execute(query).fetchone()[0]
                if self.done >= self.places or time.monotonic() > until_s:
                    self.over.set()

    def visit(self, key):
        """Let visitors come one after the other."""
        course = course_of(self.study)
        while not self.over.is_set():
            number = next(self.codes)
            code = f"web-{number:04d}"
            door = f"/simulated/{code}/{key.name('simulated', code)}"
            with closing(Roaming(number)) as client:
                self.visits.append(visit(client, door, code, course, seed=1))
            if self.visits[-1].turned_away:
                self.over.wait(1)

    def simulate(self, host):
        """Simulate a few evaluators at a time at a station; near the end, all that are missing.

        A simulation that is cut off fails with a message about the store; the others succeed.
        """
        command = [*within(host), HYPE, "simulate", str(self.study.folder)]
        command += ["--store", self.study.store]
        while not self.over.wait(STATION_PAUSE_S):
            few = ["--evaluators", "16"] if self.done < 0.6 * self.places else []
            ran = subprocess.run([*command, *few], capture_output=True, text=True, check=False)
            self.simulations[host, ran.returncode] += 1
            if ran.returncode:
                assert host == CUT_OFF, ran.stderr
                assert "does not answer" in ran.stderr or "cannot be reached" in ran.stderr
                assert "Traceback" not in ran.stderr

    def cut_off(self):
        for seconds in cycle(CUTS_S):
            if self.over.wait(BETWEEN_CUTS_S):
                return
            ip(f"link set {CUT_OFF} down")
            time.sleep(seconds)
            ip(f"link set {CUT_OFF} up")
            self.cuts += 1

    def run(self, key):
        with ThreadPoolExecutor(AT_ONCE + len(HOSTS) + 2) as crowd:
            parts = [crowd.submit(self.watch), crowd.submit(self.cut_off)]
            parts += [crowd.submit(self.simulate, host) for host in HOSTS]
            parts += [crowd.submit(self.visit, key) for _ in range(AT_ONCE)]
            try:
                for part in as_completed(parts):
                    part.result()
            finally:
                self.over.set()


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("places", [2004])
def test_places_are_filled_exactly(places, tmp_path, monkeypatch):
    monkeypatch.setattr(simulated, "PATIENCE_S", LIMIT_S)
    age = {"question": "How old are you?", "options": ["young", "old"]}
    quotas = {"age": dict.fromkeys(("young", "old", ""), places // 3)}
    study = whole_study(
        tmp_path / "study",
        **SHORT | {"study": SHORT["study"] | {"evaluators": places // 2, "quotas": quotas}},
        demographics={"age": age},
    )
    with ExitStack() as ending:
        database = ending.enter_context(
            run_postgres(address_of("hype-store"), within("hype-store"))
        )
        make_record(database.database("hosts"))
        study = replace(study, store=database.url("hosts"))
        with ExitStack() as servers:
            for host in SERVING:
                servers.enter_context(serving(host, study, tmp_path))
            with record_of(study).writing() as engine:
                key = TableDesk(engine).key()
            traffic = Traffic(study, places)
            begun_s = time.monotonic()
            traffic.run(key)
            lasted_s = time.monotonic() - begun_s
        with record_of(study).reading() as record, record.connect() as connection:
            complete = evaluators.c.status == "complete"
            conditions = select(evaluators.c.condition).where(complete)
            cells = Counter(connection.execute(conditions).scalars())
            said = select(demographics.c.answer).join(evaluators).where(complete)
            groups = Counter(connection.execute(said).scalars())
            kept = count_answers(connection, simulated=True)
        verified = verify_record(study)
    print(
        f"{kept.total()} answers, {len(traffic.visits)} visits in {lasted_s:.0f} s, cut off "
        f"{traffic.cuts} times; simulations {dict(traffic.simulations)}; "
        f"visits {dict(Counter(one.ended for one in traffic.visits))}"
    )
    assert set(cells.values()) == {places // 2}, cells
    assert groups == quotas["age"]
    assert [one for one in traffic.visits if one.answers != kept[one.evaluator]] == []
    assert verified.sound, verified.faults
    assert traffic.cuts > 1
    assert sum(one.ended == "complete" for one in traffic.visits) > places / 10
