"""How long `hype score`, `hype report` and `hype --help` take from the shell, and how much memory.

    python benchmarks/scoring.py                         everything: about ten minutes
    python benchmarks/scoring.py --runs 2 --times 1      the paper's 174,000 judgements only
    python benchmarks/scoring.py --commands help two-way

`paper_table.py` writes the tables: one of the paper's size, and one with ten times the evaluators.
Every command runs as a process of its own, right after the yardstick, a Python that only imports
what any such program needs. Before anything is timed, all commands run once, so that files are in
memory and bytecode is written, as on a machine that is in use.

GB are billions of bytes; memory is the most that was ever resident, by the kernel's account.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from machine import Load, description

HYPE: Final = Path(sys.executable).with_name("hype")
TABLES: Final = Path(__file__).with_name("paper_table.py")
YARDSTICK: Final = (sys.executable, "-c", "import numpy, scipy.stats, pandas")
LARGE: Final = 4.0
"""A table larger than the paper's may take this many times as long."""
MOST_GB: Final = 1.0
MOST_PAGE_MB: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that is measured, and what is aimed at.

    Attributes
    ----------
    arguments
        Those of `hype`, without the table.
    scores
        Whether it is given a table.
    most_s, most_ratio
        Seconds, and times the yardstick, that it may take with a table of the paper's size.
    writes
        The page that it leaves beside the table, if any.
    """

    arguments: tuple[str, ...]
    scores: bool
    most_s: float
    most_ratio: float | None = None
    writes: str = ""


COMMANDS: Final = {
    "help": Command(arguments=("--help",), scores=False, most_s=0.3),
    "score": Command(arguments=("score", "--json"), scores=True, most_s=3, most_ratio=3.5),
    "two-way": Command(arguments=("score", "--json", "--two-way"), scores=True, most_s=10),
    "report": Command(arguments=("report",), scores=True, most_s=8, writes="report.html"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of judgements, with ``times`` as many evaluators as the paper's."""

    path: Path
    times: int
    judgements: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process took."""

    seconds: float
    resident_gb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the processes of one command took, and those of the yardstick beside them."""

    command: Command
    table: Table | None
    runs: tuple[Run, ...]
    beside: tuple[Run, ...]
    page_mb: float | None = None

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def yardstick_s(self) -> float:
        """The yardstick's median."""
        return statistics.median(run.seconds for run in self.beside)

    @property
    def ratio(self) -> float:
        """How many times as long as the yardstick."""
        return self.seconds / self.yardstick_s

    @property
    def resident_gb(self) -> float:
        """The most memory of any run."""
        return max(run.resident_gb for run in self.runs)

    @property
    def patience(self) -> float:
        """How many times the aimed seconds it may take, since its table is large."""
        return LARGE if self.table and self.table.times > 1 else 1.0

    @property
    def name(self) -> str:
        """What was measured."""
        return name_of(self.command, self.table)


def name_of(command: Command, table: Table | None) -> str:
    """Name a command and what it is given."""
    of = f", {table.judgements:,} judgements" if table else ""
    return f"`hype {' '.join(command.arguments)}`{of}"


def run(command: Sequence[str | Path]) -> Run:
    """Run a program to its end.

    What the kernel says of a child's memory starts from the size of its parent: this program
    imports nothing large before the last child has ended.
    """
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=variables)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return Run(seconds=seconds, resident_gb=usage.ru_maxrss * 1024 / 1e9)


def written(folder: Path, times: Iterable[int]) -> tuple[Table, ...]:
    """Write the tables, by another process."""
    tables = []
    for number in sorted(times):
        path = folder / f"{number}.csv"
        print(f"writing {path.name}", file=sys.stderr)
        command = [sys.executable, str(TABLES), str(path), "--times", str(number)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        tables.append(Table(path=path, times=number, judgements=int(said)))
    return tuple(tables)


def process_of(command: Command, table: Table | None) -> list[str | Path]:
    """Give what is run."""
    return [HYPE, *command.arguments, *([table.path] if table else [])]


def measure(commands: Sequence[Command], tables: Sequence[Table], runs: int) -> Iterator[Measured]:
    """Run each command, in turn with the yardstick."""
    for command in commands:
        run(process_of(command, tables[0] if command.scores else None))
    for command in commands:
        for table in tables if command.scores else (None,):
            taken = []
            for number in range(runs):
                print(f"{name_of(command, table)}: {number + 1} of {runs}", file=sys.stderr)
                taken.append((run(YARDSTICK), run(process_of(command, table))))
            beside, own = zip(*taken, strict=True)
            page_mb = page_size_mb(command, table) if table else None
            yield Measured(command=command, table=table, runs=own, beside=beside, page_mb=page_mb)


def page_size_mb(command: Command, table: Table) -> float | None:
    """Give the size of the page that a command left beside its table."""
    if not command.writes:
        return None
    return table.path.with_name(command.writes).stat().st_size / 1e6


def print_tables(found: Sequence[Measured]) -> None:
    """Print what was measured, and what was aimed at."""
    from timing_tables import aim_row, print_table  # large: see `run`

    number = len(found[0].runs)
    print_table(
        f"Whole processes from the shell, median of {number}, in turn with the yardstick",
        ("command", "s", "shortest", "longest", "yardstick, s", "times the yardstick", "GB"),
        (
            [
                *(m.name, f"{m.seconds:.2f}"),
                *(f"{pick(run.seconds for run in m.runs):.2f}" for pick in (min, max)),
                *(f"{m.yardstick_s:.2f}", f"{m.ratio:.2f}", f"{m.resident_gb:.3f}"),
            ]
            for m in found
        ),
    )
    print_table(
        "What was aimed at",
        ("aim", "at most", "found", "met"),
        (aim_row(*aim) for m in found for aim in aims(m)),
    )


def aims(found: Measured) -> Iterator[tuple[str, float, list[float | None]]]:
    """Yield what was aimed at, the most that it may be, and what it is."""
    command, patience = found.command, found.patience
    yield f"{found.name}: s", command.most_s * patience, [found.seconds]
    if command.most_ratio:
        most = command.most_ratio * patience
        yield f"{found.name}: times the yardstick", most, [found.ratio]
    if command.scores:
        yield f"{found.name}: GB", MOST_GB, [found.resident_gb]
    if found.page_mb is not None:
        yield f"{found.name}: MB of the page", MOST_PAGE_MB, [found.page_mb]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of each command")
    parser.add_argument(
        "--times",
        type=int,
        nargs="+",
        default=[1, 10],
        metavar="N",
        help="tables with so many times the paper's evaluators",
    )
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options, load = arguments(), Load()
    print(description(("numpy", "scipy", "pandas")))
    commands = [COMMANDS[name] for name in options.commands]
    with tempfile.TemporaryDirectory() as scratch:
        tables = written(Path(scratch), options.times)
        found = list(measure(commands, tables, options.runs))
    print_tables(found)
    print(f"\nOther programs took {load.of_others():.2f} cores on average during all this.")


if __name__ == "__main__":
    main()
