"""Verdicts on judges within a margin, over simulated studies and judges whose truth is known.

    python benchmarks/judges.py [--studies 40] [--seed 24] [--only ratings comparisons judgements]

The studies are those of the tests (`made_judged`), the margins .1 of r and 5% of answers. Each cell
has the share of studies in which a judge is called as good as a second person, and worse; of "like
one more person" also how often the interval holds the difference. That is 0 on the average; in
comparisons a judge's tastes move it by 1 to 2 points, and it is that of these tastes.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from timing_tables import print_table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "made"))
from made_judged import (
    ComparedDesign,
    ComparedStudy,
    Design,
    DetectedDesign,
    DetectedStudy,
    Study,
)

Maker = Callable[[Any], np.ndarray]
PERSON: Final = "like one more person"


def throw_dice(study: Study) -> np.ndarray:
    return study.rng.integers(1, 6, (study.design.items, study.design.axes)).astype(float)


JUDGES: Final[dict[str, Maker]] = {
    PERSON: lambda study: study.person(),
    "less noise than people": lambda study: study.judge(0.3),
    "more noise than people": lambda study: study.judge(2.0),
}
PARTS: Final[dict[str, tuple[type, tuple[Any, ...], dict[str, Maker]]]] = {
    "ratings": (
        Study,
        (
            Design(people=5, items=100, each=5),
            Design(people=10, items=100, each=10),
            Design(people=20, items=300, each=3),
            Design(people=40, items=400),
        ),
        {**JUDGES, "throws dice": throw_dice},
    ),
    "comparisons": (
        ComparedStudy,
        (
            ComparedDesign(),
            ComparedDesign(people=30, prompts=20, each=10),
            ComparedDesign(people=30, prompts=50, each=3, careless=0.4),
        ),
        {**JUDGES, "throws dice": ComparedStudy.dice},
    ),
    "judgements": (
        DetectedStudy,
        (
            DetectedDesign(),
            DetectedDesign(people=30, each=12, fakes=30, reals=60),
            DetectedDesign(d_prime=3, each=3),
        ),
        {**JUDGES, "throws dice": DetectedStudy.dice, "never wrong": DetectedStudy.detector},
    ),
}


def judge_once(part: str, design: Any, seed: int, number: int) -> dict[str, tuple[str, bool]]:
    """Simulate one study; give each judge's verdict, and whether its interval holds the truth."""
    study_of, _, makers = PARTS[part]
    study = study_of(design, np.random.default_rng((seed, number)))
    judged = study.judged({name: make(study) for name, make in makers.items()})
    found = {}
    for name, judge in judged.items():
        row = judge.axis("overall") if part == "ratings" else judge
        truth = study.difference_of_person() if part == "comparisons" and name == PERSON else 0.0
        found[name] = row.verdict, row.difference.low <= truth <= row.difference.high
    return found


def measure(part: str, studies: int, seed: int, pool: ProcessPoolExecutor) -> None:
    _, designs, makers = PARTS[part]
    columns = [
        list(pool.map(partial(judge_once, part, design, seed), range(studies), chunksize=4))
        for design in designs
    ]
    rows = [
        [name, *(cell(name, [each[name] for each in column], studies) for column in columns)]
        for name in makers
    ]
    print_table(f"As good, worse: {part}, {studies} studies", ["judge", *map(str, designs)], rows)


def cell(name: str, found: list[tuple[str, bool]], studies: int) -> str:
    times = Counter(verdict for verdict, _ in found)
    shares = f"{times['as good'] / studies:.0%}, {times['worse'] / studies:.0%}"
    held = sum(holds for _, holds in found) / studies
    return f"{shares} (holds: {held:.0%})" if name == PERSON else shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=40)
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), default=tuple(PARTS))
    chosen = parser.parse_args()
    with ProcessPoolExecutor(max_workers=2) as pool:
        for part in chosen.only:
            measure(part, chosen.studies, chosen.seed, pool)


if __name__ == "__main__":
    main()
