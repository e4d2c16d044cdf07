"""How many participants a study's server carries: simulated evaluators at once over real HTTP.

    python benchmarks/web_load.py [--evaluators 300] [--workers 2] [--pause 2.0]

Each goes through a whole session of HYPE_∞ with a pause at every step, as people make one; all
begin within half a minute. Prints how long reports took until they were committed and answered, and
how much memory the server had; then `hype verify` looks at the record.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
from machine import Load, description

from hype.confine import FOLDERS_VARIABLE
from hype.protocols.load import load_any
from hype.protocols.registry import conduct_of
from hype.web.simulated import Client, Visit, await_server, visit
from hype.web.tokens import key_at, key_file

ROOT: Final = Path(__file__).parent.parent
HYPE: Final = Path(sys.executable).with_name("hype")
COMING_S: Final = 30.0
CLIENTS: Final = 4
"""Processes in which the evaluators are, so that they wait little for each other."""
STUDY: Final = """
[study]
name = "web load"
methods = ["infinity"]
evaluators = 1000
consent = false
breaks = false
[stimuli]
folder = "{root}/stimuli/fashion"
[infinity]
trials = {trials}
[qualification]
enabled = false
[practice]
trials = 0
"""


def memory_mib(server: int) -> float:
    """Give what a server and its workers have of memory, shared parts counted once (PSS)."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    total = 0
    for process in (str(server), *children):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def come(
    folder: Path, port: int, evaluators: int, pause_s: float, numbers: Sequence[int]
) -> list[Visit]:
    """Let a share of the evaluators come, each at their time."""
    conduct, key = conduct_of(load_any(folder)), key_at(key_file(folder))

    def one(number: int) -> Visit:
        time.sleep(COMING_S * number / evaluators)
        code = f"sim-{number:04d}"
        door = f"/simulated/{code}/{key.name('simulated', code)}"
        with closing(Client("127.0.0.1", port)) as client:
            return visit(client, door, code, conduct, seed=1, pause_s=pause_s)

    with ThreadPoolExecutor(len(numbers)) as crowd:
        return list(crowd.map(one, numbers))


def main() -> None:
    """Serve, come, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--evaluators", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--pause", type=float, default=2.0, metavar="S", help="at each step")
    options = parser.parse_args()
    os.environ[FOLDERS_VARIABLE] = str(ROOT)
    load = Load()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_STATE_HOME"] = scratch
        folder = Path(scratch) / "study"
        folder.mkdir()
        text = STUDY.format(root=ROOT, trials=options.trials)
        (folder / "study.toml").write_text(text)
        command = [
            str(HYPE),
            "serve",
            str(folder),
            "--port",
            "0",
            "--workers",
            str(options.workers),
        ]
        with ExitStack() as ending:
            server = ending.enter_context(
                subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            )
            ending.callback(server.terminate)  # also where somebody could not go through
            said = server.stdout.readline() if server.stdout else ""
            port = int(said.rpartition("/")[0].rpartition(":")[2])
            await_server("127.0.0.1", port)
            shares = [range(n, options.evaluators, CLIENTS) for n in range(CLIENTS)]
            begun = time.perf_counter()
            with ProcessPoolExecutor(CLIENTS, multiprocessing.get_context("spawn")) as clients:
                crowd = partial(come, folder, port, options.evaluators, options.pause)
                visits = list(chain.from_iterable(clients.map(crowd, shares)))
            lasted, used = time.perf_counter() - begun, memory_mib(server.pid)
            server.terminate()
        verified = subprocess.run(
            [HYPE, "verify", folder], capture_output=True, text=True, check=False
        )
    sat_ms = 1000 * np.array([one.took_s[0] for one in visits])
    took_ms = 1000 * np.concatenate([one.took_s[1:] for one in visits])
    answers = sum(one.answers for one in visits)
    print(description(["starlette", "uvicorn", "sqlalchemy"]))
    print(
        f"{len(visits)} evaluators at once, {options.workers} workers, {lasted:.0f} s: "
        f"{answers:,} answers, {len(took_ms) / lasted:.0f} reports a second"
    )
    for what, milliseconds in (("committed and answered", took_ms), ("sat down", sat_ms)):
        half, most, worst = np.percentile(milliseconds, [50, 95, 99])
        print(f"{what} within {half:.0f} ms (50 %), {most:.0f} (95 %), {worst:.0f} (99 %)")
    print(f"memory {used:.0f} MiB; {verified.stdout.strip()}")
    print(f"other programs, the evaluators among them, took {load.of_others():.2f} cores")


if __name__ == "__main__":
    main()
