"""Measure how many participants a study's servers can serve: simulated evaluators over real HTTP.

    python benchmarks/web_load.py [--evaluators 300] [--pause 2.0]
    python benchmarks/web_load.py --store postgresql://USER@HOST/DATABASE [--servers 2]
    python benchmarks/web_load.py --evaluators 200 --coming 0 --places 100 --leave 0.3 --release 0.2

One server keeps the record in SQLite. With --store, several servers share the evaluators and a
record in a PostgreSQL database, which must be empty.

Each evaluator goes through a whole session of HYPE_∞ with a pause at every step, as people do; all
begin within half a minute, or at the same moment with --coming 0. With --leave, some evaluators
leave at a random step and never come back. Evaluators without a place try again, as the page asks.
It prints how long reports took until they were committed and answered, how long newcomers waited
from opening the page until they had a seat, how full the study is, and the server's memory. Then
`hype verify` checks the record.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from machine import Load, description

from hype.files import FOLDERS_VARIABLE
from hype.protocols.load import load_any
from hype.protocols.registry import course_of, protocol_of
from hype.status.looking import look
from hype.store.postgres import make_record
from hype.store.record import record_of
from hype.study.web_settings import WebTexts
from hype.web.desk import desk_of
from hype.web.simulated import Client, Visit, await_server, visit
from hype.web.tokens import ServerKey
from hype.web.wire import Json

ROOT: Final = Path(__file__).parent.parent
HYPE: Final = Path(sys.executable).with_name("hype")
AGAIN_S: Final = 1.0
"""Time after which an evaluator without a place tries again."""
STARTING_S: Final = 10.0
"""Time for the processes of the evaluators to start."""
CONDITIONS: Final = 4
CLIENTS: Final = 4
"""Number of processes for the evaluators: with several, evaluators hardly wait for each other."""
STUDY: Final = """
[study]
name = "web load"
methods = ["infinity"]
evaluators = {each}
consent = {consent}
breaks = false
[stimuli]
folder = "{root}/stimuli/fashion"
[infinity]
trials = {trials}
[qualification]
enabled = false
[practice]
trials = 0
[web]
release_minutes = {release}
"""


class Left(Exception):
    """A visitor has left, or is not needed any more."""


class Visitor(Client):
    """A browser that loads the page, takes a seat as soon as there is a place, and may leave.

    It pauses after it got a seat, so that this program does not delay newcomers.
    """

    def __init__(self, port: int, steps: float, pause_s: float) -> None:
        super().__init__("127.0.0.1", port)
        self._steps, self._pause_s = steps, pause_s
        self._begun_s = time.monotonic()
        self.seated_s: float | None = None

    def get(self, address: str) -> tuple[int, bytes]:
        super().get(address)
        return super().get("/session")

    def post(self, address: str, report: Json) -> Json:
        self._steps -= address == "/api/step"
        if self._steps < 0:
            raise Left
        answer = super().post(address, report)
        if address == "/api/sit" and self.seated_s is None:
            self.seated_s = time.monotonic() - self._begun_s
            time.sleep(self._pause_s)
        if "refused" not in answer:
            return answer
        if answer["refused"]["title"] == WebTexts().enough_people.partition("\n")[0]:
            raise Left
        time.sleep(AGAIN_S)
        return self.post(address, report)


def memory_mib(process: int) -> float:
    """Return a server's memory in MiB (PSS: each shared page is divided among its processes)."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


class Came(NamedTuple):
    """An evaluator's result: the time until they had a seat, and their session if they stayed."""

    seated_s: float
    visit: Visit | None


def come(
    folder: Path,
    ports: Sequence[int],
    key: ServerKey,
    options: argparse.Namespace,
    begin_s: float,
    numbers: Sequence[int],
) -> list[Came]:
    """Run the evaluators with these numbers, each from their starting time."""
    course = course_of(load_any(folder, options.store))

    def one(number: int) -> Came:
        draws = np.random.default_rng(number)
        leaves = draws.random() < options.leave
        time.sleep(max(0, begin_s - time.time()) + options.coming * number / options.evaluators)
        code = f"sim-{number:04d}"
        door = f"/simulated/{code}/{key.name('simulated', code)}"
        steps = draws.integers(options.trials + 3) if leaves else math.inf
        port = ports[number // CLIENTS % len(ports)]
        with closing(Visitor(port, steps, options.pause)) as client, suppress(Left):
            while (
                went := visit(client, door, code, course, seed=1, pause_s=options.pause)
            ).ended == "quit":
                time.sleep(AGAIN_S)  # somebody else took the place in the meantime
            return Came(client.seated_s or 0.0, went)
        return Came(client.seated_s or 0.0, None)

    with ThreadPoolExecutor(len(numbers)) as crowd:
        return list(crowd.map(one, numbers))


def begun_in(ending: ExitStack, folder: Path) -> tuple[subprocess.Popen[str], int]:
    """Start a server that ends with ``ending``; return it and its port."""
    command = [str(HYPE), "serve", str(folder), "--port", "0"]
    server = ending.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    ending.callback(server.terminate)  # also if an evaluator cannot finish
    said = server.stdout.readline() if server.stdout else ""
    port = int(said.rpartition("/")[0].rpartition(":")[2])
    await_server("127.0.0.1", port)
    return server, port


def print_load(came: Sequence[Came], where: str, lasted_s: float) -> None:
    """Print how long reports and newcomers waited."""
    visits = [one.visit for one in came if one.visit]
    sat_ms = 1000 * np.array([one.seated_s for one in came])
    took_ms = 1000 * np.concatenate([one.took_s[1:] for one in visits])
    answers = sum(one.answers for one in visits)
    print(
        f"{len(came)} evaluators at once, {where}, {lasted_s:.0f} s: "
        f"{answers:,} answers, {len(took_ms) / lasted_s:.0f} reports a second"
    )
    shares = {limit_ms: 100 * np.mean(took_ms <= limit_ms) for limit_ms in (150, 2000)}
    said = ", ".join(f"{share:.2f} % within {limit} ms" for limit, share in shares.items())
    print(f"committed and answered: {said}; the slowest within {took_ms.max():.0f} ms")
    for what, milliseconds in (
        ("committed and answered", took_ms),
        ("newcomers sat, or read why not,", sat_ms),
    ):
        half, most, worst = np.percentile(milliseconds, [50, 95, 99])
        print(f"{what} within {half:.0f} ms (50 %), {most:.0f} (95 %), {worst:.0f} (99 %)")


def main() -> None:
    """Serve the study, run the evaluators, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--evaluators", type=int, default=300)
    parser.add_argument("--store", default="", metavar="URL", help="an empty PostgreSQL database")
    parser.add_argument("--servers", type=int, default=2, help="with --store")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--pause", type=float, default=2.0, metavar="S", help="at each step")
    parser.add_argument("--coming", type=float, default=30.0, metavar="S", help="start within S")
    parser.add_argument("--places", type=int, default=4000, help="of the study, a multiple of 4")
    parser.add_argument("--leave", type=float, default=0.0, metavar="SHARE", help="who leave")
    parser.add_argument("--release", type=float, default=30.0, metavar="MIN", help="places after")
    options = parser.parse_args()
    os.environ[FOLDERS_VARIABLE] = str(ROOT)
    load = Load()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_STATE_HOME"] = scratch
        folder = Path(scratch) / "study"
        folder.mkdir()
        text = STUDY.format(
            root=ROOT,
            trials=options.trials,
            each=options.places // CONDITIONS,
            consent=str(options.leave > 0).lower(),
            release=options.release,
        )
        (folder / "study.toml").write_text(text)
        if options.store:
            make_record(options.store)
        os.environ["HYPE_STORE"] = options.store
        study = load_any(folder)
        with ExitStack() as ending:
            number = options.servers if options.store else 1
            servers, ports = zip(*(begun_in(ending, folder) for _ in range(number)), strict=True)
            with record_of(study).writing() as engine:
                key = desk_of(study, engine).key()
            shares = [range(n, options.evaluators, CLIENTS) for n in range(CLIENTS)]
            begun = time.perf_counter()
            begin_s = time.time() + STARTING_S
            with ProcessPoolExecutor(CLIENTS, multiprocessing.get_context("spawn")) as clients:
                crowd = partial(come, folder, ports, key, options, begin_s)
                came = list(chain.from_iterable(clients.map(crowd, shares)))
            lasted = time.perf_counter() - begun
            used = sum(memory_mib(server.pid) for server in servers)
        places = look(study, protocol_of(study).design.status, simulated=True).facts["whole"]
        verified = subprocess.run(
            [HYPE, "verify", folder], capture_output=True, text=True, check=False
        )
    print(description(["starlette", "uvicorn", "sqlalchemy"]))
    where = f"{options.servers} servers of PostgreSQL" if options.store else "a server of SQLite"
    print_load(came, where, lasted)
    print(f"{places['complete']} of {places['wanted']} places done, {places['active']} held")
    print(f"memory {used:.0f} MiB; {verified.stdout.strip()}")
    print(f"other programs, the evaluators among them, took {load.of_others():.2f} cores")


if __name__ == "__main__":
    main()
