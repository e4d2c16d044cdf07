"""Comparisons: how long strengths, win rates and tests take, and how much memory.

    python benchmarks/comparisons.py --runs 3

Time is from a checked table of comparisons to strengths, win rates and the tests of every pair, for
other people and other prompts. Every run is a process of its own, right after the yardstick, a
Python that only imports what any such program needs; its memory is the most that was ever resident,
the table's making included. GB are billions of bytes. Beside it: one fit by evalica, without
intervals. ``--joined``: two million votes on 100 models, from four files to one score, in seconds
of the processor. How often verdicts are wrong and intervals cover: `verdicts.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from machine import Load, description

YARDSTICK: Final = (sys.executable, "-c", "import numpy, scipy.stats, pandas")
MOST_S: Final = 10.0
MOST_GB: Final = 1.0
SEED: Final = 20190


@dataclass(frozen=True, kw_only=True)
class Size:
    """A table of comparisons.

    Attributes
    ----------
    tied
        The share of ties.
    prompts
        How many images belong to.
    aimed
        Whether `MOST_S` is aimed at.
    """

    comparisons: int
    conditions: int
    evaluators: int
    prompts: int
    tied: float = 0.0
    aimed: bool = True

    @property
    def name(self) -> str:
        """What was measured."""
        ties = f", {self.tied:.0%} ties" if self.tied else ""
        return (
            f"{self.comparisons:,} comparisons, {self.conditions} conditions{ties}, "
            f"{self.evaluators:,} evaluators, {self.prompts:,} prompts"
        )


SIZES: Final = (
    Size(comparisons=200_000, conditions=31, evaluators=500, prompts=200),
    Size(comparisons=703_872, conditions=4, evaluators=5_000, prompts=282),
    Size(comparisons=703_872, conditions=4, evaluators=144_292, prompts=282),
    Size(
        comparisons=2_111_616,
        conditions=200,
        evaluators=30_000,
        prompts=1_000,
        tied=0.1,
        aimed=False,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one process took: all of it, the strengths in it, evalica's one fit, and memory."""

    wall_s: float
    strengths_s: float
    evalica_s: float
    resident_gb: float


def measure_here(size: Size) -> None:
    """Make a table, find its strengths, and print how long that took; in a process of its own."""
    import numpy as np
    import pandas as pd

    from hype.statistics.paired_counts import answers_of, count, pair_rates, win_rates
    from hype.statistics.strength_table import strength_table

    rng = np.random.default_rng(SEED)
    names = [f"m{place}" for place in range(size.conditions)]
    left = rng.integers(size.conditions, size=size.comparisons, dtype=np.int16)
    right = (left + rng.integers(1, size.conditions, size=len(left))) % size.conditions
    strengths = np.linspace(-1, 1, size.conditions)
    answer = (rng.random(len(left)) > 1 / (1 + np.exp(strengths[right] - strengths[left]))) * 1
    answer[rng.random(len(left)) < size.tied] = 2
    people = rng.integers(size.evaluators, size=len(left), dtype=np.int32)
    votes = pd.DataFrame(
        {
            "left": pd.Categorical.from_codes(left, names),
            "right": pd.Categorical.from_codes(right, names),
            "answer": pd.Categorical.from_codes(answer, ["left", "right", "tie", "none"]),
            "evaluator": pd.Categorical.from_codes(
                people, [f"p{number:06}" for number in range(size.evaluators)]
            ),
            "prompt": pd.Categorical.from_codes(
                rng.integers(size.prompts, size=len(left)), [f"x{n}" for n in range(size.prompts)]
            ),
        }
    )
    begin = time.perf_counter()
    counts, (answers, _) = count(votes), answers_of(votes, "sample")
    found = strength_table(counts, answers, ties="davidson")
    win_rates(counts, answers, ties="davidson")
    pair_rates(counts, answers, ties="davidson")
    seconds = time.perf_counter() - begin
    if len(found.conditions) != size.conditions:
        raise SystemExit("not all strengths were found")
    print(json.dumps(seconds), flush=True)


def evalica_here(size: Size) -> None:
    """Time evalica's maximum-likelihood fit of a table of the same size, without intervals."""
    import evalica
    import numpy as np

    rng = np.random.default_rng(SEED)
    left = rng.integers(size.conditions, size=size.comparisons)
    right = (left + rng.integers(1, size.conditions, size=len(left))) % size.conditions
    strengths = np.linspace(-1, 1, size.conditions)
    won = rng.random(len(left)) < 1 / (1 + np.exp(strengths[right] - strengths[left]))
    winners = [evalica.Winner.X if each else evalica.Winner.Y for each in won.tolist()]
    begin = time.perf_counter()
    evalica.bradley_terry(left.tolist(), right.tolist(), winners, tolerance=1e-8, limit=10_000)
    print(json.dumps(time.perf_counter() - begin), flush=True)


def joined_here() -> None:
    """Write four tables, score them together, and print the seconds of the processor it took."""
    import tempfile
    from pathlib import Path

    import numpy as np
    import pandas as pd

    import hype

    rng, models, votes = np.random.default_rng(SEED), 100, 500_000
    strengths = np.linspace(-1, 1, models)
    with tempfile.TemporaryDirectory() as folder:
        tables = [Path(folder) / f"t{number}.csv" for number in range(4)]
        for table in tables:
            left = rng.integers(models, size=votes)
            right = (left + rng.integers(1, models, size=votes)) % models
            won = rng.random(votes) < 1 / (1 + np.exp(strengths[right] - strengths[left]))
            numbers = {
                "evaluator": (f"{table.stem}p", rng.integers(5_000, size=votes)),
                "prompt": ("x", rng.integers(282, size=votes)),
                "left": ("m", left),
                "right": ("m", right),
            }
            cells = {c: np.char.add(name, n.astype(str)) for c, (name, n) in numbers.items()}
            answers = {"answer": np.where(won, "left", "right")}
            pd.DataFrame({**cells, **answers}).to_csv(table, index=False)
        begin = time.process_time()
        score = hype.score(tables)
        seconds = time.process_time() - begin
    if score.comparisons != 4 * votes or len(score.conditions) != models:
        raise SystemExit("not all votes were scored")
    print(f"2,000,000 votes on 100 models in four tables: {seconds:.1f} s of the processor")


def run(command: Sequence[str]) -> tuple[float, str, float]:
    """Run a program to its end: seconds, what it printed, and GB.

    What the kernel says of a child's memory starts from the size of its parent: this program
    imports nothing large before the last child has ended.
    """
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    said = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return time.perf_counter() - begin, said, usage.ru_maxrss * 1024 / 1e9


def measure(size: Size, runs: int) -> Iterator[tuple[float, Run]]:
    """Run one size, in turn with the yardstick; yields the yardstick's seconds beside each."""
    one = [sys.executable, __file__, "--one", json.dumps(asdict(size))]
    for number in range(runs):
        print(f"{size.name}: {number + 1} of {runs}", file=sys.stderr)
        yardstick_s, _, _ = run(YARDSTICK)
        wall_s, said, resident_gb = run(one)
        evalica_s = float(json.loads(run([*one, "--evalica"])[1]))
        yield (
            yardstick_s,
            Run(
                wall_s=wall_s,
                strengths_s=float(json.loads(said)),
                evalica_s=evalica_s,
                resident_gb=resident_gb,
            ),
        )


def print_times(found: Sequence[tuple[Size, Sequence[tuple[float, Run]]]]) -> None:
    """Print what was measured, and what was aimed at."""
    from timing_tables import aim_row, print_table  # large: see `run`

    rows, aims = [], []
    for size, runs in found:
        seconds = [own.strengths_s for _, own in runs]
        most_gb = max(own.resident_gb for _, own in runs)
        yardstick_s = statistics.median(beside for beside, _ in runs)
        median = statistics.median(seconds)
        evalica_s = statistics.median(own.evalica_s for _, own in runs)
        rows.append(
            [
                *(size.name, f"{median:.2f}", f"{min(seconds):.2f}", f"{max(seconds):.2f}"),
                *(f"{yardstick_s:.2f}", f"{median / yardstick_s:.2f}", f"{most_gb:.3f}"),
                f"{evalica_s:.2f}",
            ]
        )
        if size.aimed:
            aims.append(aim_row(f"{size.name}: s", MOST_S, [median]))
            aims.append(aim_row(f"{size.name}: GB", MOST_GB, [most_gb]))
    header = ("table", "s", "shortest", "longest", "yardstick, s", "times the yardstick", "GB")
    title = "From a table to strengths, win rates and tests"
    print_table(title, (*header, "evalica, one fit without intervals, s"), rows)
    print_table("What was aimed at", ("aim", "at most", "found", "met"), aims)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each table")
    parser.add_argument("--joined", action="store_true", help="score four tables together")
    parser.add_argument("--one", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("--evalica", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options, load = arguments(), Load()
    if options.joined:
        joined_here()
        return
    if options.one is not None:
        (evalica_here if options.evalica else measure_here)(Size(**options.one))
        return
    print(description(("numpy", "scipy", "pandas", "evalica")))
    print_times([(size, list(measure(size, options.runs))) for size in SIZES])
    print(f"\nOther programs took {load.of_others():.2f} cores on average during all this.")


if __name__ == "__main__":
    main()
