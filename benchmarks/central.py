"""How fast stations push to a central store, beside a plain loop that inserts row by row.

    make bench        (or: .venv/bin/python benchmarks/central.py)
    .venv/bin/python benchmarks/central.py --evaluators 10 --rounds 1      a quick look

Each of eight stations has a record of 50 simulated evaluators of HYPE_time at the paper's length: 3
blocks of 150 trials after a qualification of 100. All is pushed into a fresh database of a server
on this machine, which has every commit on its disk (fsync). Measured by the clock, side by side:

- one station that pushes alone, and then once more, when there is nothing new;
- the same answers, inserted into the same table one by one over one connection by psycopg: each
  committed, and each evaluator's committed together;
- eight stations, each a process of its own, that push at once.

Every store is counted afterwards. Loops that commit each row are timed on some of the rows.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Final

import psycopg
from machine import Load, description
from psycopg import sql
from simulation import write_study

from hype.central_url import as_station
from hype.protocols.load import load_any
from hype.protocols.registry import conduct_of
from hype.session.simulate import Simulation
from hype.store.central.push import push
from hype.store.record import RECORD_FILE, reading_record, writing_record

sys.path.append(str(Path(__file__).parents[1] / "tests" / "made"))
from postgres import Database, Server

STATIONS: Final = 8
EVALUATORS: Final = 50
ROUNDS: Final = 3
AIMED: Final = 5_000
"""Trials a second."""
SINGLY: Final = 4_000
"""Rows of which each is committed by itself: enough to tell how long that takes."""
JUDGEMENTS: Final = sql.Identifier("hype_added", "judgements")


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How many trials came in, in how many seconds by the clock."""

    trials: int
    seconds: float

    @property
    def rate(self) -> float:
        """How many in a second."""
        return self.trials / self.seconds


@dataclass
class Paces:
    """What was measured, by what it was, in each round."""

    of: dict[str, list[Pace]] = field(default_factory=dict)

    def note(self, what: str, pace: Pace) -> None:
        """Keep one measurement, and say it to whoever waits."""
        self.of.setdefault(what, []).append(pace)
        print(f"  {what}: {pace.trials:,} in {pace.seconds:.2f} s", file=sys.stderr)

    def rate(self, what: str) -> float:
        """Give the median of the rounds."""
        return statistics.median(pace.rate for pace in self.of[what])


def make_record(folder: Path, number: int, evaluators: int) -> int:
    """Let simulated evaluators come to a station; returns how many trials they answered."""
    os.environ["HYPE_STATION"] = f"station-{number}"
    write_study(folder, "time", 1)
    study = load_any(folder)
    with writing_record(folder / RECORD_FILE) as engine:
        came = Simulation(engine, conduct_of(study), seed=number).come(evaluators)
        return sum(one.trials for one in came)


def pushed(folder: Path, url: str) -> Pace:
    """Push a station's record."""
    begin = time.perf_counter()
    with reading_record(folder / RECORD_FILE) as record:
        done = push(record, as_station(url, folder.name))
    return Pace(trials=done.trials, seconds=time.perf_counter() - begin)


def push_with_others(folder: Path, url: str, ready: Barrier) -> None:
    """Be one of several stations that push at once."""
    ready.wait()
    pushed(folder, url)
    ready.wait()


def together(folders: Sequence[Path], url: str) -> float:
    """Let all stations push at once; returns the seconds from the first to the last."""
    spawning = multiprocessing.get_context("spawn")
    ready = spawning.Barrier(len(folders) + 1)
    stations = [
        spawning.Process(target=push_with_others, args=(folder, url, ready)) for folder in folders
    ]
    for station in stations:
        station.start()
    ready.wait()
    begin = time.perf_counter()
    ready.wait()
    seconds = time.perf_counter() - begin
    for station in stations:
        station.join()
    return seconds


PLAIN: Final = "one INSERT a row, each committed"
ALONE: Final = "one station"
AGAIN: Final = "one station again, nothing new"
TOGETHER: Final = f"{STATIONS} stations at once"

Loop = Callable[[psycopg.Connection, sql.Composed, Sequence[tuple[Any, ...]]], None]


def each_committed(
    connection: psycopg.Connection, insert: sql.Composed, rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert row by row, as somebody would who begins."""
    for row in rows:
        connection.execute(insert, row)
        connection.commit()


def evaluators_committed(
    connection: psycopg.Connection, insert: sql.Composed, rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert row by row, and commit each evaluator's together."""
    for _, theirs in groupby(rows, key=lambda row: row[0]):
        for row in theirs:
            connection.execute(insert, row)
        connection.commit()


LOOPS: Final[dict[str, tuple[Loop, int | None]]] = {
    "one INSERT a row, a commit for each evaluator": (evaluators_committed, None),
    PLAIN: (each_committed, SINGLY),
}
"""Each begins with what the one before has left in the table."""


def looped(database: Database, loop: Loop, most: int | None) -> Pace:
    """Take the answers out of a store, and insert them by a loop into the table they came from."""
    with database.connect() as owner:
        columns = columns_of(owner)
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        selected = sql.SQL("SELECT {} FROM {} ORDER BY id").format(names, JUDGEMENTS)
        rows = owner.execute(selected).fetchall()[:most]
        owner.execute(sql.SQL("TRUNCATE {}").format(JUDGEMENTS))
    values = sql.SQL(", ").join(sql.Placeholder() * len(columns))
    insert = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(JUDGEMENTS, names, values)
    with psycopg.connect(database.url_of("station-1").replace("+psycopg", "")) as connection:
        begin = time.perf_counter()
        loop(connection, insert, rows)
        seconds = time.perf_counter() - begin
    require(database, len(rows))
    return Pace(trials=len(rows), seconds=seconds)


def columns_of(owner: psycopg.Connection) -> list[str]:
    """Name the columns of the table of judgements that are added; whose a row is comes first."""
    query = sql.SQL("SELECT * FROM {} LIMIT 0").format(JUDGEMENTS)
    return [column.name for column in owner.execute(query).description or () if column.name != "id"]


def require(database: Database, trials: int) -> None:
    """End where a store does not hold what it should."""
    ((found,),) = database.query("SELECT count(*) FROM hype.judgements")
    if found != trials:
        raise SystemExit(f"the store holds {found:,} trials instead of {trials:,}")


def fresh(server: Server) -> Iterator[Database]:
    """Yield new databases one after the other; each is thrown away when the next is asked for."""
    number = 0
    while True:
        number += 1
        database = server.database(f"bench_{number}")
        yield database
        server.drop(database)


def measure(server: Server, records: dict[Path, int], rounds: int) -> Paces:
    """Measure everything, side by side, in each round; ``records`` say how many trials each has."""
    paces, databases = Paces(), fresh(server)
    first, *_ = records
    for _ in range(rounds):
        database = next(databases)
        paces.note(ALONE, pushed(first, database.stations_url))
        require(database, records[first])
        again = pushed(first, database.stations_url)
        paces.note(AGAIN, Pace(trials=records[first], seconds=again.seconds))
        for what, (loop, most) in LOOPS.items():
            paces.note(what, looped(database, loop, most))
        database = next(databases)
        trials = sum(records.values())
        seconds = together(list(records), database.stations_url)
        require(database, trials)
        paces.note(TOGETHER, Pace(trials=trials, seconds=seconds))
    databases.close()
    return paces


def made_records(home: Path, evaluators: int) -> dict[Path, int]:
    """Make the stations' records; returns how many trials each has."""
    folders = [home / f"station-{number}" for number in range(1, STATIONS + 1)]
    orders = [(folder, number, evaluators) for number, folder in enumerate(folders, 1)]
    with multiprocessing.get_context("spawn").Pool() as pool:
        trials = pool.starmap(make_record, orders)
    return dict(zip(folders, trials, strict=True))


def tell(paces: Paces, evaluators: int, busy: float) -> None:
    """Print the table."""
    print(f"On {description(('psycopg', 'sqlalchemy'))}; the server and others took {busy:.1f}.")
    print(f"{STATIONS} stations of {evaluators} evaluators; medians of rounds, trials a second.\n")
    for what in (PLAIN, *(each for each in LOOPS if each != PLAIN), ALONE, TOGETHER):
        found = paces.of[what]
        times = paces.rate(what) / paces.rate(PLAIN)
        each = ", ".join(f"{pace.rate:,.0f}" for pace in found)
        print(f"{what:46} {paces.rate(what):9,.0f} {times:7.1f} ×   ({each})")
    seconds = statistics.median(pace.seconds for pace in paces.of[AGAIN])
    print(f"\nA push that finds nothing new takes {1000 * seconds:.0f} ms.")
    reached = "reached" if paces.rate(TOGETHER) >= AIMED else "NOT reached"
    print(f"Aimed at: {AIMED:,} trials a second by {TOGETHER}; {reached}.")


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--evaluators", type=int, default=EVALUATORS)
    options.add_argument("--rounds", type=int, default=ROUNDS)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Server() as server:
        records = made_records(Path(scratch), asked.evaluators)
        server.database("bench_0")  # the first one makes what others are copies of
        os.environ["PGPASSFILE"] = str(server.there("bench_0").passwords(Path(scratch)))
        load = Load()
        paces = measure(server, records, asked.rounds)
        tell(paces, asked.evaluators, load.of_others())


if __name__ == "__main__":
    main()
