"""Measure time and memory of `hype score`, `hype report` and `hype --help` from the shell.

    python benchmarks/scoring.py                             everything: about fifteen minutes
    python benchmarks/scoring.py --runs 2 --only score       the paper's 174,000 judgements only
    python benchmarks/scoring.py --only joined               two million votes on 100 models

`paper_table.py` writes the tables of judgements: one of the paper's size, and one with ten times
the evaluators. The other tables have published sizes. Rankings (Wu et al., 2023): 107,515 groups of
four images, and 400 groups that ten people rank: in all 798,090 comparisons; 100 preference models
scored the 3,700 images of the 400. Ratings (Parthasarathy et al., 2025): 8,400 by 40 people on
seven axes; 100 judges answered all of them. The two million votes are in four files.

Every command runs as a separate process, right after the yardstick: a Python process that only
imports numpy, scipy.stats and pandas. Each command runs once before it is timed, so that files are
in memory and bytecode is written. Processor seconds hardly depend on other programs. GB are
billions of bytes; memory is the largest resident memory, as the kernel reports it. Fixed seeds.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

from machine import Load, description

HYPE: Final = Path(sys.executable).with_name("hype")
YARDSTICK: Final = (sys.executable, "-c", "import numpy, scipy.stats, pandas")
SEED: Final = 20190
MOST_GB: Final = 1.0
JUDGES: Final = 100
AXES: Final = ("aesthetics", "composition", "style", "artifacts", "anatomy", "objects", "overall")
TESTED: Final = ((300, 9), (100, 10))
"""Numbers of groups that ten people rank, and of images in each group."""
TRAINED: Final = (107_515, 4)

Written = list[Path]
"""The files to score: one or more tables and, if there are judges, their folder last."""


# The tables


def write_paper(folder: Path, times: int = 1) -> Written:
    from paper_table import write_table

    write_table(folder / "table.csv", times)
    return [folder / "table.csv"]


def write_large(folder: Path) -> Written:
    return write_paper(folder, times=10)


def write_votes(folder: Path, *, votes: int, conditions: int, people: int, files: int) -> Written:
    """Write comparisons on 282 prompts, the number of Christodoulou & Kuhlmann-Jørgensen."""
    import numpy as np
    import pandas as pd

    rng, strengths = np.random.default_rng(SEED), np.linspace(-1, 1, conditions)
    tables = [folder / f"t{number}.csv" for number in range(files)]
    for table in tables:
        left = rng.integers(conditions, size=votes // files)
        right = (left + rng.integers(1, conditions, size=len(left))) % conditions
        won = rng.random(len(left)) < 1 / (1 + np.exp(strengths[right] - strengths[left]))
        numbers = {
            "evaluator": (f"{table.stem}p", rng.integers(people // files, size=len(left))),
            "prompt": ("x", rng.integers(282, size=len(left))),
            "left": ("m", left),
            "right": ("m", right),
        }
        cells = {c: np.char.add(name, n.astype(str)) for c, (name, n) in numbers.items()}
        pd.DataFrame(cells | {"answer": np.where(won, "left", "right")}).to_csv(table, index=False)
    return tables


def write_some_votes(folder: Path) -> Written:
    return write_votes(folder, votes=200_000, conditions=31, people=500, files=1)


def write_joined(folder: Path) -> Written:
    return write_votes(folder, votes=2_000_000, conditions=100, people=20_000, files=4)


def write_rankings(folder: Path) -> Written:
    """Write rankings of the published size, and the scores of preference models."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    strengths = np.linspace(1.0, -1.0, 10)
    tests = [(f"t{size}-{at}", size) for groups, size in TESTED for at in range(groups)]

    def ranked(group: str, conditions: Sequence[int]) -> Iterator[tuple[str, str, str, int]]:
        """Rank the images of a group in an order drawn by Plackett and Luce's model."""
        utility = strengths[list(conditions)] + rng.gumbel(size=len(conditions))
        for rank, at in enumerate((-utility).argsort(), start=1):
            yield group, f"{group}/{conditions[at]}", f"m{conditions[at]}", rank

    def rows() -> Iterator[tuple[object, ...]]:
        """Yield a row for each image of each ranking."""
        groups, size = TRAINED
        for number in range(groups):
            for image in ranked(f"g{number}", rng.permutation(10)[:size].tolist()):
                yield f"e{number % 50:02d}", *image, "train"
        for (group, size), person in product(tests, range(10)):
            for image in ranked(group, range(size)):
                yield f"a{person}", *image, "test"

    columns = ("evaluator", "group", "image", "condition", "rank", "split")
    table = write_csv(folder / "rankings.csv", columns, rows())
    tested = [(f"{group}/{at}", at) for group, size in tests for at in range(size)]
    for number in range(JUDGES):
        noise = (0.2 + 0.02 * number) * rng.standard_normal(len(tested))
        scores = [
            (name, strengths[at] + off) for (name, at), off in zip(tested, noise, strict=True)
        ]
        write_csv(folder / "models" / f"model{number:03d}.csv", ("image", "score"), scores)
    return [table, folder / "models"]


def write_ratings(folder: Path) -> Written:
    """Write ratings like the published ones, and the answers of judges to all of them."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    items = [(f"i{n:04d}", *rng.permutation(14)[:2].tolist()) for n in range(1_200)]
    seen: dict[tuple[str, str], int] = {}
    rows: list[tuple[object, ...]] = []
    for number, (item, first, second) in enumerate(items):
        common = 0.15 * (second - first) + 0.7 * rng.standard_normal()
        for axis in AXES:
            level = 3 + round(common + 0.7 * rng.standard_normal())
            seen[item, axis] = min(max(level, 1), 5)
            who = (f"e{number % 40:02d}", item, axis, f"m{first}", f"m{second}")
            rows.append((*who, seen[item, axis]))
    columns = ("evaluator", "item", "axis", "first", "second", "answer")
    table = write_csv(folder / "ratings.csv", columns, rows)
    people = np.array(list(seen.values()))
    for number in range(JUDGES):
        answers = np.clip(np.rint(people + 0.02 * number * rng.standard_normal(len(people))), 1, 5)
        said = ((*key, int(answer)) for key, answer in zip(seen, answers, strict=True))
        write_csv(folder / "judges" / f"judge{number:03d}.csv", ("item", "axis", "answer"), said)
    return [table, folder / "judges"]


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write a table; make its folder if it is missing."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows(rows)
    return path


# The commands


@dataclass(frozen=True, kw_only=True)
class Command:
    """A measured command, and its targets."""

    table: Callable[[Path], Written] | None  # writes the files to score
    arguments: tuple[str, ...]  # of `hype`; the judges' folder comes last
    what: str = ""  # how large the table is
    most_s: float | None = None
    most_ratio: float | None = None  # times the yardstick
    most_processor_s: float | None = None
    page: bool = False  # whether it writes a page beside the table

    @property
    def name(self) -> str:
        return f"`hype {' '.join(self.arguments)}`" + (f", {self.what}" if self.what else "")


PAPER, LARGE = "174,000 judgements", "1,740,000 judgements"
SCORE: Final = ("score", "--json")
COMMANDS: Final = {
    "help": Command(table=None, arguments=("--help",), most_s=0.3),
    "score": Command(table=write_paper, arguments=SCORE, what=PAPER, most_s=3, most_ratio=3.5),
    "score-large": Command(
        table=write_large, arguments=SCORE, what=LARGE, most_s=12, most_ratio=14
    ),
    "two-way": Command(table=write_paper, arguments=(*SCORE, "--two-way"), what=PAPER, most_s=10),
    "report": Command(table=write_paper, arguments=("report",), what=PAPER, most_s=8, page=True),
    "report-large": Command(
        table=write_large, arguments=("report",), what=LARGE, most_s=32, page=True
    ),
    "comparisons": Command(
        table=write_some_votes,
        arguments=SCORE,
        what="200,000 comparisons of 31 conditions",
        most_s=10,
    ),
    "joined": Command(
        table=write_joined,
        arguments=SCORE,
        what="2,000,000 comparisons of 100 conditions in four tables",
        most_processor_s=20,
    ),
    "rankings": Command(
        table=write_rankings,
        arguments=(*SCORE, "--judges"),
        what="rankings: 798,090 comparisons, 100 preference models",
        most_s=10,
    ),
    "ratings": Command(
        table=write_ratings,
        arguments=(*SCORE, "--judges"),
        what="8,400 ratings, 100 judges of 8,400 answers each",
        most_s=10,
    ),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """Time and memory of one process."""

    seconds: float
    processor_s: float
    resident_gb: float


def run(command: Sequence[str | Path]) -> Run:
    """Run a program to its end.

    The memory that the kernel reports for a child starts at its parent's. So this program imports
    nothing large before the last child has ended.
    """
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=variables)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return Run(
        seconds=seconds,
        processor_s=usage.ru_utime + usage.ru_stime,
        resident_gb=usage.ru_maxrss * 1024 / 1e9,
    )


def written(command: str, folder: Path) -> Written:
    """Write a command's input in another process, and return its files."""
    print(f"writing {folder.name}", file=sys.stderr)
    folder.mkdir()
    argv = [sys.executable, __file__, "--write", command, str(folder)]
    said = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [Path(path) for path in json.loads(said)]


def process_of(command: Command, paths: Written) -> list[str | Path]:
    if "--judges" in command.arguments:
        return [HYPE, "score", *paths[:-1], *command.arguments[1:], paths[-1]]
    return [HYPE, *command.arguments, *paths]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Time and memory of the processes of one command, and of the yardstick."""

    command: Command
    runs: tuple[Run, ...]
    beside: tuple[Run, ...]
    page_mb: float | None

    def median(self, figure: str, runs: tuple[Run, ...] | None = None) -> float:
        return statistics.median(getattr(run, figure) for run in runs or self.runs)

    @property
    def ratio(self) -> float:
        """Processor seconds, divided by the yardstick's."""
        return self.median("processor_s") / self.median("processor_s", self.beside)

    @property
    def resident_gb(self) -> float:
        return max(run.resident_gb for run in self.runs)

    def row(self) -> list[str]:
        seconds = [run.seconds for run in self.runs]
        figures = (
            *(self.median("seconds"), min(seconds), max(seconds)),
            *(self.median("processor_s"), self.ratio, self.resident_gb),
        )
        return [self.command.name, *(f"{figure:.2f}" for figure in figures)]

    def aims(self) -> Iterator[tuple[str, float, list[float | None]]]:
        """Yield each target: its name, its limit, and its value."""
        own = self.command
        for what, most, found in (
            ("s", own.most_s, self.median("seconds")),
            ("times the yardstick", own.most_ratio, self.ratio),
            ("s of the processor", own.most_processor_s, self.median("processor_s")),
            ("GB", MOST_GB, self.resident_gb),
            ("MB of the page", 5.0 if own.page else None, self.page_mb),
        ):
            if most is not None:
                yield f"{own.name}: {what}", most, [found]


def measure(names: Sequence[str], runs: int, folder: Path) -> Iterator[Measured]:
    """Run each command, alternating with the yardstick."""
    tables: dict[Any, Written] = {None: []}
    for name in names:
        command = COMMANDS[name]
        if command.table not in tables:
            tables[command.table] = written(name, folder / name)
        argv, taken = process_of(command, tables[command.table]), []
        run(argv)
        for number in range(runs):
            print(f"{command.name}: {number + 1} of {runs}", file=sys.stderr)
            taken.append((run(YARDSTICK), run(argv)))
        beside, own = zip(*taken, strict=True)
        page = Path(argv[-1]).with_name("report.html") if command.page else None
        size_mb = page.stat().st_size / 1e6 if page else None
        yield Measured(command=command, runs=own, beside=beside, page_mb=size_mb)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each command")
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    options, load = parser.parse_args(), Load()
    if options.write:
        name, folder = options.write
        write = COMMANDS[name].table
        print(json.dumps([str(path) for path in write(Path(folder))] if write else []))
        return
    print(description(("numpy", "scipy", "pandas")))
    with tempfile.TemporaryDirectory() as scratch:
        found = list(measure(options.only, options.runs, Path(scratch)))
    from timing_tables import aim_row, print_table  # loads large libraries: see `run`

    print_table(
        f"Whole processes from the shell, median of {options.runs}, in turn with the yardstick",
        ("command", "s", "shortest", "longest", "s of the processor", "times the yardstick", "GB"),
        (one.row() for one in found),
    )
    aims = (aim_row(*aim) for one in found for aim in one.aims())
    print_table("What was aimed at", ("aim", "at most", "found", "met"), aims)
    print(f"\nOther programs took {load.of_others():.2f} cores on average during all this.")


if __name__ == "__main__":
    main()
