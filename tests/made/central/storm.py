"""What befalls a fleet: its server and its stations are killed while they push, and begin anew."""

from __future__ import annotations

import os
import random
import selectors
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from postgres import Server

from central.fleet import Orders

MADE = Path(__file__).parents[1]
REFUSED = ("refused", "not yet accepting", "starting up", "recovery mode", "shutting down")
"""What is said of a server that was away before there was anything to cut off."""
LONGEST_PUSH_S = 0.04
LONGEST_AWAY_S = 0.4
PATIENCE_S = 120.0
END = "(its end)"
NICELY = ("nice", "-n", "10")
"""So that a server that was killed is soon there again."""


@dataclass
class Ship:
    """The process of a station, and what it has said."""

    orders: Orders
    name: str
    process: subprocess.Popen[bytes] = field(init=False)
    rest: bytes = b""
    last: str = ""
    done: bool = False

    def start(self) -> None:
        """Begin, or begin anew where it was killed."""
        path = os.pathsep.join([str(MADE), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [*NICELY, sys.executable, "-W", "error", "-m", "central.fleet", self.orders.text],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ
            | {"HYPE_STATION": self.name, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,  # what it runs is killed with it
        )
        self.orders = replace(self.orders, starts=self.orders.starts + 1)
        self.rest, self.last = b"", ""

    def read(self) -> list[str]:
        """Read what it says next; nothing once it is dead."""
        assert self.process.stdout is not None
        told = os.read(self.process.stdout.fileno(), 65_536)
        *whole, self.rest = (self.rest + told).split(b"\n")
        lines = [line.decode() for line in whole]
        if not told and self.rest:
            lines.append(f"trouble {self.rest.decode()}")
        for line in lines:
            word = line.partition(" ")[0]
            self.last = word if word in ("pushing", "pushed", "away") else self.last
        return lines if told else [*lines, END]

    def kill(self) -> None:
        """Kill it, with whatever it runs."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@dataclass
class Storm:
    """A fleet at work, whose server is killed in a push once so many pushes came to their end.

    So are stations in the middle of their pushes. ``told`` counts what stations said, ``cut_off``
    the pushes that lost the server on the way, ``killed_pushing`` those whose station was killed;
    ``trouble`` is what should never be said.
    """

    server: Server
    ships: Sequence[Ship]
    server_every: int
    station_every: int
    chance: random.Random
    told: Counter[str] = field(default_factory=Counter)
    trouble: list[str] = field(default_factory=list)
    struck: Counter[str] = field(default_factory=Counter)
    server_kills: int = 0
    station_kills: int = 0
    cut_off: int = 0
    killed_pushing: int = 0

    @property
    def pushes(self) -> int:
        """How many pushes were begun."""
        return self.told["pushing"] + self.told["running"]

    def rage(self) -> None:
        """Go on until every station has done its work."""
        with selectors.DefaultSelector() as selector:
            for ship in self.ships:
                self.begin(ship, selector)
            try:
                while selector.get_map():
                    for ship, line in self.lines(selector):
                        self.hear(ship, line, selector)
            finally:
                for ship in self.ships:
                    ship.kill()

    def begin(self, ship: Ship, selector: selectors.BaseSelector) -> None:
        """Start a station and listen to it."""
        ship.start()
        assert ship.process.stdout is not None
        selector.register(ship.process.stdout, selectors.EVENT_READ, ship)

    def lines(self, selector: selectors.BaseSelector) -> Iterator[tuple[Ship, str]]:
        """Yield what the stations say next."""
        ready = selector.select(PATIENCE_S)
        if not ready:
            raise TimeoutError([(ship.name, ship.last) for ship in self.ships if not ship.done])
        for key, _ in ready:
            for line in key.data.read():
                yield key.data, line

    def hear(self, ship: Ship, line: str, selector: selectors.BaseSelector) -> None:
        """Do what follows from one line of a station."""
        word, _, rest = line.partition(" ")
        self.told[word] += 1
        if line == END:
            self.end(ship, selector)
        elif word == "done":
            ship.done = True
        elif word == "away":
            self.cut_off += not any(reason in rest for reason in REFUSED)
        elif word in ("pushing", "running"):
            self.strike(ship, word)
        elif word not in ("up", "came", "pushed", "ran"):
            self.trouble.append(f"{ship.name}: {line}")

    def strike(self, ship: Ship, word: str) -> None:
        """Kill, if it is time to, while a push goes on."""
        if self.done_since("server") >= self.server_every:
            time.sleep(self.chance.uniform(0, LONGEST_PUSH_S))
            self.server.kill()
            self.server_kills += 1
            time.sleep(self.chance.uniform(0, LONGEST_AWAY_S))
            self.server.restart()
            self.struck["server"] = self.told["pushed"]
        elif word == "pushing" and self.may_strike_station():
            time.sleep(self.chance.uniform(0, LONGEST_PUSH_S))
            ship.kill()
            self.struck["station"] = self.told["pushed"]

    def may_strike_station(self) -> bool:
        """Whether it is time to, and what is said is not from before the server came back."""
        return self.done_since("station") >= self.station_every and self.done_since("server") > 0

    def done_since(self, what: str) -> int:
        """Count the pushes that came to their end since something was killed."""
        return self.told["pushed"] - self.struck[what]

    def end(self, ship: Ship, selector: selectors.BaseSelector) -> None:
        """Begin a station anew that was killed; or let it be."""
        assert ship.process.stdout is not None
        selector.unregister(ship.process.stdout)
        ship.process.stdout.close()
        code = ship.process.wait()
        if ship.done:
            return
        if code != -signal.SIGKILL:
            self.trouble.append(f"{ship.name} ended with {code}")
            return
        self.station_kills += 1
        self.killed_pushing += ship.last == "pushing"
        self.begin(ship, selector)
