"""A station of a fleet: a process whose evaluators come and go, and which pushes in between.

It is run as ``python -m central.fleet ORDERS`` and says on its standard output what it does, so
that whoever reads it can kill it, or the server, while it pushes.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from faults.sitter import FACTS, QuickStation, Sitting
from sqlalchemy import Engine

from central.program import HYPE
from hype.protocols.base import Conduct
from hype.protocols.load import load_any
from hype.protocols.registry import conduct_of
from hype.session.admitting import admit
from hype.session.live import close_session, conduct, open_session, simulated_evaluator_of
from hype.session.loop import SessionStopped
from hype.session.simulate import Simulation, WindowlessStation
from hype.session.stage import Seating
from hype.session.steps import Response, Screen, Step
from hype.store.central import push as pushing
from hype.store.central.problems import CentralAway, Pushed
from hype.store.central.push import push
from hype.store.people import list_evaluators
from hype.store.record import RECORD_FILE, reading_record, writing_record
from hype.store.recorder import DurableRecorder
from hype.store.seats import evaluator_seat, seated

PUSHES, PROGRAM, TWICE, HALF, WEEK = "pushes", "hype sync", "twice at once", "half", "at the end"
WAYS = (PUSHES, PROGRAM, TWICE, HALF, WEEK)
PAUSE_S = 0.5
TRIES = 3
"""At pushing what there is, before the next evaluator comes all the same."""
GONE_AWAY = -int(signal.SIGKILL)

Tell = Callable[..., None]


@dataclass(frozen=True, kw_only=True)
class Orders:
    """What a station does.

    ``evaluators`` come in all, every ``durable``-th to sessions that are written trial by trial.
    The station pushes in one of the `WAYS`; ``starts`` says how often its process was begun before.
    """

    folder: str
    url: str
    way: str
    evaluators: int
    durable: int
    seed: int
    starts: int = 0

    @property
    def text(self) -> str:
        return json.dumps(asdict(self))


class Leaving(QuickStation):
    """Somebody who leaves after some trials, if ``stops_at`` says so."""

    def __init__(self, *things: Any, stops_at: int | None) -> None:
        super().__init__(*things)
        self.left = stops_at

    def respond(self, step: Step) -> Response:
        if self.left is not None and not isinstance(step, Screen):
            if not self.left:
                raise SessionStopped
            self.left -= 1
        return super().respond(step)


class Station:
    """A station at its record."""

    def __init__(self, orders: Orders, engine: Engine, tell: Tell) -> None:
        self.orders = orders
        self.engine = engine
        self.tell = tell
        self.study = load_any(Path(orders.folder))
        self.protocol: Conduct[Any] = conduct_of(self.study)
        self.record = self.study.folder / RECORD_FILE
        self.chance = random.Random(f"{orders.seed} {orders.starts}")

    def work(self) -> None:
        """Let evaluators come as long as any are to, and push after each; at last push for good."""
        for number in self.to_come():
            self.attend(number)
            any(self.push(final=False) for _ in range(TRIES))
        while not self.push(final=True):
            pass
        self.tell("done")

    def to_come(self) -> Iterator[int]:
        """Give the number of each evaluator who has not come to the end, from 1."""
        for number in range(1, self.orders.evaluators + 1):
            with self.engine.connect() as connection:
                known = {who.evaluator: who for who in list_evaluators(connection, simulated=True)}
            durable = number % self.orders.durable == 0
            if durable and (
                code_of(number) not in known or known[code_of(number)].status == "active"
            ):
                yield number
            windowless = number - number // self.orders.durable
            if not durable and sum(code.startswith("sim-") for code in known) < windowless:
                yield number

    def attend(self, number: int) -> None:
        """Let an evaluator come and go through a session; some leave, and come back."""
        if number % self.orders.durable:
            list(Simulation(self.engine, self.protocol, seed=self.orders.seed).come(1))
        elif self.visit(code_of(number), stops_at=self.chance.randint(1, 12)) == "quit":
            self.push(final=False)
            self.visit(code_of(number))
        self.tell("came", number)

    def visit(self, code: str, *, stops_at: int | None = None) -> str:
        """Hold a session in the order of `hype.session.live.hold_session`; say how it ended."""
        seat = evaluator_seat(code, simulated=True)
        seating = Seating(simulated=True, observer_seed=self.orders.seed)
        with seated(self.record, seat, f"the session of {code!r}"):
            enrolled = admit(self.engine, self.protocol, code, simulated=True)
            mind = simulated_evaluator_of(self.protocol, enrolled, self.orders.seed)
            now, since = time.time(), time.monotonic()
            windowless = WindowlessStation(mind, unix_s=now, monotonic_s=since, countdown_ms=0.0)
            sitting = Sitting(folder=self.orders.folder, evaluator=code)
            station: Any = Leaving(windowless, sitting, lambda *_: None, stops_at=stops_at)
            session = open_session(self.engine, self.study, enrolled, seating, FACTS)
            recorder = DurableRecorder(self.engine, enrolled.owner(session))
            ended = conduct(station, recorder, self.protocol, enrolled)
            close_session(self.engine, session, ended, recorder.answers)
        return ended

    def push(self, *, final: bool) -> bool:
        """Push in this station's way; say whether the store now has what was recorded before."""
        way, first = self.orders.way, not self.orders.starts
        if not final and (way == WEEK or (way == HALF and first)):
            return True
        if way == PROGRAM:
            return (not final and self.chance.random() < 0.5) or self.sync()
        if way == TWICE:
            other = threading.Thread(target=self.push_here)
            other.start()
            done = self.push_here()
            other.join()
            return done
        return self.push_here(dies=way == HALF and first)

    def push_here(self, *, dies: bool = False) -> bool:
        """Push in this process, which ``dies`` after the first part of it."""
        self.tell("pushing")
        try:
            with reading_record(self.record) as record:
                pushed = push(record, self.orders.url, progress=self.dying if dies else nothing)
        except CentralAway as away:
            self.tell("away", away)
            time.sleep(PAUSE_S)
            return False
        return self.pushed(pushed)

    def pushed(self, pushed: Pushed) -> bool:
        """Tell of a push that came to its end."""
        if pushed.contradicted:
            self.tell("trouble contradicted", dict(pushed.contradicted))
        self.tell("pushed", sum(pushed.rows.values()))
        return True

    def dying(self, done: int, of: int) -> None:
        """Die once a part of a push is there."""
        if done < of:
            os.kill(os.getpid(), signal.SIGKILL)

    def sync(self) -> bool:
        """Run the program, and now and then kill it somewhere on its way."""
        command = [HYPE, "sync", self.orders.folder, "--to", self.orders.url]
        self.tell("running")
        program = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if self.chance.random() < 0.3:
            try:
                program.wait(self.chance.uniform(0.5, 2.5))
            except subprocess.TimeoutExpired:
                program.kill()
        said, _ = program.communicate()
        away = program.returncode == 1 and "the central store cannot be reached" in said
        if (program.returncode not in (0, GONE_AWAY) and not away) or "Traceback" in said:
            self.tell("trouble", program.returncode, said)
        self.tell("away" if away else "ran", program.returncode, said if away else "")
        return program.returncode == 0


def nothing(_done: int, _of: int) -> None:
    """Do nothing once a part of a push is there."""


def code_of(number: int) -> str:
    """Give the code of an evaluator whose session is written trial by trial."""
    return f"e{number}"


def tell(*words: object) -> None:
    """Say something to whoever started the process, in one line."""
    line = " ".join(map(str, words)).replace("\n", " | ")
    os.write(1, f"{line}\n".encode())


def main() -> None:
    """Be a station."""
    orders = Orders(**json.loads(sys.argv[1]))
    if orders.way == HALF:
        pushing.MOST_ANSWERS = 1  # so that each evaluator is a part
    tell("up")
    with writing_record(Path(orders.folder) / RECORD_FILE) as engine:
        Station(orders, engine, tell).work()


if __name__ == "__main__":
    main()
