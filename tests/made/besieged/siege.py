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
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock

from programs import program

from besieged.server import HOST, WITH_US, RealServer
from hype.cli.demo import FLAGS, at_their_end

CLOCKS_S = (-86_400, -3_600, -90, 90, 3_600, 86_400)
WORLD = ("server killed", "clock moved")
"""What befalls everybody at once; the rest befalls one."""
KINDS = (*WORLD, "network cut", "tab killed", "answer sent twice", "two tabs")
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
        does = {"server killed": self.kill_server, "clock moved": self.move_clock}
        while not over():
            with suppress(Empty):
                fault, done = self.asked.get(timeout=0.05)
                does[fault]()
                done.set_result(None)

    def kill_server(self) -> None:
        self.server.kill()
        self.server.start()

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
                while time.monotonic() < until_s and not self.has_left():
                    time.sleep(0.2)
                with suppress(ProcessLookupError):
                    os.killpg(shown.pid, signal.SIGKILL)
            if self.has_left():
                return
            with self.lock:
                self.struck["tab killed"] += 1
            assert number < kills + 3, "Chromium does not come to the end of a session"

    def has_left(self) -> bool:
        return IN_BROWSER in at_their_end(self.server.study)
