"""Ratings, rankings and judges: how long scoring takes, and how much memory.

How often intervals cover is `verdicts.py`'s.

Time is that of a whole `hype score FILE --judges FOLDER --json`, right after the yardstick, a
Python that only imports what any such program needs. The tables have the shape of the sources': the
rankings 107,515 groups of four, and 400 groups ranked by ten people each (Wu et al., 2023), 798,090
comparisons, with 100 preference models that scored the 3,700 images of the 400; and 8,400 ratings
by 40 people on seven axes (Parthasarathy et al., 2025), with 100 judges that answered all of them.
Memory is the most that was ever resident; GB are billions of bytes. Fixed seeds.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from comparisons import YARDSTICK, run
from machine import Load, description

MOST_S: Final = 10.0
MOST_GB: Final = 1.0
SEED: Final = 20230
JUDGES: Final = 100
AXES: Final = ("aesthetics", "composition", "style", "artifacts", "anatomy", "objects", "overall")
TESTED: Final = ((300, 9), (100, 10))
"""Groups, and images of each, that ten people rank."""
TRAINED: Final = (107_515, 4)

Written = dict[str, Path]
"""The table, and the folder of the judges' files."""


def write_rankings(folder: Path) -> Written:
    """Write rankings of the published size, and the scores of preference models."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    strengths = np.linspace(1.0, -1.0, 10)

    def ranked(group: str, conditions: Sequence[int]) -> Iterator[tuple[str, int]]:
        """Yield the images of a group in an order drawn by Plackett and Luce's model."""
        utility = strengths[list(conditions)] + rng.gumbel(size=len(conditions))
        for rank, at in enumerate((-utility).argsort(), start=1):
            yield f"{group}/{conditions[at]}", rank

    def rows() -> Iterator[tuple[object, ...]]:
        """Yield each image of each ranking: who, where, what, its rank, and what it is for."""
        groups, size = TRAINED
        for number in range(groups):
            group = f"g{number}"
            for image, rank in ranked(group, rng.permutation(10)[:size].tolist()):
                yield f"e{number % 50:02d}", group, image, made_by(image), rank, "train"
        for (group, size), person in product(tests(), range(10)):
            for image, rank in ranked(group, range(size)):
                yield f"a{person}", group, image, made_by(image), rank, "test"

    table = folder / "rankings.csv"
    write_csv(table, ("evaluator", "group", "image", "condition", "rank", "split"), rows())
    tested = [f"{group}/{condition}" for group, size in tests() for condition in range(size)]
    quality = strengths[[int(image.rpartition("/")[2]) for image in tested]]
    for number in range(JUDGES):
        noisy = quality + (0.2 + 0.02 * number) * rng.standard_normal(len(tested))
        path = folder / "models" / f"model{number:03d}.csv"
        write_csv(path, ("image", "score"), zip(tested, noisy, strict=True))
    return {"table": table, "judges": folder / "models"}


def made_by(image: str) -> str:
    """Give the condition of an image."""
    return f"m{image.rpartition('/')[2]}"


def tests() -> Iterator[tuple[str, int]]:
    """Yield the groups that ten people rank, and how many images each has."""
    for groups, size in TESTED:
        for number in range(groups):
            yield f"t{size}-{number}", size


def write_ratings(folder: Path) -> Written:
    """Write ratings of the published kind, and the answers of judges to all of them."""
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
    table = folder / "ratings.csv"
    write_csv(table, ("evaluator", "item", "axis", "first", "second", "answer"), rows)
    people = np.array(list(seen.values()))
    for number in range(JUDGES):
        answers = np.clip(np.rint(people + 0.02 * number * rng.standard_normal(len(people))), 1, 5)
        said = ((*key, int(answer)) for key, answer in zip(seen, answers, strict=True))
        path = folder / "judges" / f"judge{number:03d}.csv"
        write_csv(path, ("item", "axis", "answer"), said)
    return {"table": table, "judges": folder / "judges"}


def write_csv(path: Path, columns: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    """Write a table, and the folder for it."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows(rows)


TABLES: Final = {
    "rankings: 798,090 comparisons, 100 models": write_rankings,
    "ratings: 8,400, 100 judges of 8,400 answers": write_ratings,
}


def write_here(name: str, folder: str) -> None:
    """Write a table; in a process of its own, since that of the measurement is to stay small."""
    written = TABLES[name](Path(folder))
    print(json.dumps({key: str(path) for key, path in written.items()}))


def print_times(runs: int) -> None:
    """Measure whole processes, and print what was measured beside what was aimed at."""
    rows, aims = [], []
    with tempfile.TemporaryDirectory() as aside:
        for name in TABLES:
            folder = Path(aside) / name.partition(":")[0]
            folder.mkdir()
            paths = json.loads(run([sys.executable, __file__, "--write", name, str(folder)])[1])
            command = [sys.executable, "-m", "hype", "score", paths["table"]]
            command += ["--judges", paths["judges"], "--json"]
            found = [(run(YARDSTICK)[0], run(command)) for _ in range(runs)]
            seconds = [wall for _, (wall, _, _) in found]
            most_gb = max(gb for _, (_, _, gb) in found)
            yardstick_s = statistics.median(beside for beside, _ in found)
            median = statistics.median(seconds)
            rows.append(
                [
                    *(name, f"{median:.2f}", f"{min(seconds):.2f}", f"{max(seconds):.2f}"),
                    *(f"{yardstick_s:.2f}", f"{median / yardstick_s:.2f}", f"{most_gb:.3f}"),
                ]
            )
            aims += [(f"{name}: s", MOST_S, [median]), (f"{name}: GB", MOST_GB, [most_gb])]
    from timing_tables import aim_row, print_table  # large: see `comparisons.run`

    header = ("table", "s", "shortest", "longest", "yardstick, s", "times the yardstick", "GB")
    print_table("hype score FILE --judges FOLDER", header, rows)
    aimed = [aim_row(*aim) for aim in aims]
    print_table("What was aimed at", ("aim", "at most", "found", "met"), aimed)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each table")
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options, load = arguments(), Load()
    if options.write:
        write_here(*options.write)
        return
    print(description(("numpy", "scipy", "pandas")))
    print_times(options.runs)
    print(f"\nOther programs took {load.of_others():.2f} cores on average during all this.")


if __name__ == "__main__":
    main()
