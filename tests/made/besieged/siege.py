"""What befalls a study's server and its clock, and a browser at it."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock

from postgres_server import Server
from programs import own_display, program

from besieged.cable import Cable
from besieged.server import HOST, SERVE, WITH_US, RealServer
from hype.cli.demo import FLAGS, at_their_end
from hype.errors import InputError, SessionProblem

CLOCKS_S = (-86_400, -3_600, -90, 90, 3_600, 86_400)
STORE = ("store killed", "store cut off", "store stalled")
"""What befalls a store that is a server of its own."""
WORLD = ("server killed", "clock moved", *STORE)
"""What befalls everybody at once; the rest befalls one."""
KINDS = (
    "server killed",
    "clock moved",
    "network cut",
    "tab killed",
    "answer sent twice",
    "two tabs",
)
AWAY_S = 0.5
STALLED_S = 3.0
AWAY = "hype: postgresql://"
STATION_S = (3.0, 9.0)
"""How long a station lives before it is killed."""
IN_BROWSER = "sim-c"
BROWSER_S = 120.0
"""How long a browser may take for what is left of a session, before it is opened anew."""


@dataclass
class Siege:
    """A study's server, struck when asked to.

    ``faults`` are what is still to befall somebody; ``struck`` counts what did.
    """

    server: RealServer
    faults: list[str]
    chance: random.Random
    asked: SimpleQueue[tuple[str, Future[None]]] = field(default_factory=SimpleQueue)
    struck: Counter[str] = field(default_factory=Counter)
    lock: Lock = field(default_factory=Lock)
    ahead_s: int = 0
    store: Server | None = None
    cable: Cable | None = None

    def next_fault(self) -> str | None:
        """Say what befalls who asks next."""
        with self.lock:
            if not self.faults:
                return None
            self.struck[self.faults[-1]] += 1
            return self.faults.pop()

    def strike(self, fault: str) -> Future[None]:
        """Ask for something that befalls all; the main thread does it."""
        done: Future[None] = Future()
        self.asked.put((fault, done))
        return done

    def rage_until(self, over: Callable[[], bool]) -> None:
        """Do what is asked for until it is over."""
        does: dict[str, Callable[[], None]] = {
            "server killed": self.kill_server,
            "clock moved": self.move_clock,
        }
        if self.store and self.cable:
            stalled = partial(self.cable.stall, STALLED_S)
            killed = partial(self.kill_store, self.store)
            does |= dict(zip(STORE, (killed, self.cable.cut, stalled), strict=True))
        while not over():
            with suppress(Empty):
                fault, done = self.asked.get(timeout=0.05)
                does[fault]()
                done.set_result(None)

    def kill_server(self) -> None:
        self.server.kill()
        self.server.start()

    def kill_store(self, store: Server) -> None:
        store.kill()
        time.sleep(AWAY_S)
        store.begin()

    def move_clock(self) -> None:
        """Set the clock, which is wrong by as much from now on."""
        self.ahead_s = self.chance.choice([by_s for by_s in CLOCKS_S if by_s != self.ahead_s])
        self.server.set_clock(self.ahead_s)

    def in_browser(self, profiles: Path, kills: int) -> None:
        """Let a simulated evaluator go through a session in Chromium, which is killed so often."""
        proof = self.server.key.name("simulated", IN_BROWSER)
        door = f"http://{HOST}:{self.server.port}/simulated/{IN_BROWSER}/{proof}"
        chance = random.Random(IN_BROWSER)
        for number in count():
            profile = f"--user-data-dir={profiles / str(number)}"
            command = [*WITH_US, program("chromium"), *FLAGS, profile, door]
            lasts_s = chance.uniform(6, 12) if number < kills else BROWSER_S
            with subprocess.Popen(
                command, stderr=subprocess.DEVNULL, start_new_session=True
            ) as shown:
                until_s = time.monotonic() + lasts_s
                try:
                    while time.monotonic() < until_s and not self.has_left():
                        time.sleep(0.2)
                finally:
                    with suppress(ProcessLookupError):
                        os.killpg(shown.pid, signal.SIGKILL)
            if self.has_left():
                return
            with self.lock:
                self.struck["tab killed"] += 1
            assert number < kills + 3, "Chromium does not come to the end of a session"

    def at_station(self, code: str, kills: int) -> None:
        """Hold a session at a window of its own, which is killed so often and begun again."""
        command = [*WITH_US, SERVE[0], "run", self.server.study.folder, "--evaluator", code]
        chance = random.Random(code)
        for number in count():
            said = self.server.said.with_name(f"said-{code}")
            with (
                own_display() as (_, display),
                said.open("ab") as log,
                subprocess.Popen(
                    [*command, "--simulate", "--windowed"],
                    env=self.server.environment | {"LD_PRELOAD": "", "DISPLAY": display},
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                ) as station,
            ):
                try:
                    lasts_s = chance.uniform(*STATION_S) if number < kills else BROWSER_S
                    if station.wait(lasts_s) == 0:
                        return
                    # A store that is away before a session begins is a message
                    assert said.read_text().splitlines()[-1].startswith(AWAY), said.read_text()
                except subprocess.TimeoutExpired:
                    os.killpg(station.pid, signal.SIGKILL)
            with self.lock:
                self.struck["station killed"] += 1
            assert number < kills + 9, "a station does not come to the end of a session"

    def has_left(self) -> bool:
        with suppress(InputError, SessionProblem):  # a store that is away
            return IN_BROWSER in at_their_end(self.server.study)
        return False
