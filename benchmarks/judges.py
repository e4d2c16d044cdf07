"""What is said of judges, over simulated studies of ratings and judges whose truth is known.

    python benchmarks/judges.py [--studies 40] [--seed 24] [--only PART ...]

What is simulated is made by what the tests use, `made_judged`. Each line counts how often something
was said: a false alarm of judges that do not deserve it, and else a hit. `docs/benchmarks.md` has
a longer run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.stats import binomtest
from timing_tables import print_table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "made"))
from made_judged import (
    ComparedDesign,
    ComparedStudy,
    Design,
    DetectedDesign,
    DetectedStudy,
    RankedDesign,
    RankedStudy,
    Study,
)

Maker = Callable[[Any], np.ndarray]
Claim = Callable[[Any], bool]
ALLOWED: Final = 0.07
LESS: Final = 1.7
"""Times people's noise with which r is 0.11 to 0.12 below a second person's: beyond the margin."""


def praised(judge: Any) -> bool:
    return "as well as a second person does, within" in " ".join(judge.said)


def tells(*words: str) -> Claim:
    return lambda judge: any(each in " ".join(judge.said) for each in words)


def verdict(name: str) -> Claim:
    return lambda judge: judge.verdict.value == name


def dice(study: Study) -> np.ndarray:
    return study.rng.integers(1, 6, (study.design.items, study.design.axes)).astype(float)


def one_for_all(study: Study) -> np.ndarray:
    return np.repeat(study.person()[:, -1:], study.design.axes, axis=1)


def left_lover(study: ComparedStudy) -> np.ndarray:
    """Take what is shown first in nine of ten, in both orders of each pair."""
    first = np.where(study.rng.random((len(study.truth), 2)) < 0.9, 1.0, -1.0)
    return first * np.array([1.0, -1.0])


def leaning(study: ComparedStudy) -> np.ndarray:
    """Be like a person, but take what is shown first in three of ten, in both orders."""
    first = study.rng.random((len(study.truth), 2)) < 0.3
    return np.where(first, [1.0, -1.0], study.person()[:, None])


ALL: Final = Design(people=10, items=100, each=10)
MANY: Final = Design(people=20, items=300, each=3)
HONEST: Final[dict[str, Maker]] = {
    "like one more person": lambda study: study.person(),
    "less noise than people": lambda study: study.judge(0.3),
    "more noise than people": lambda study: study.judge(2.0),
    "throws dice": dice,
}
COMPARED: Final = (
    ComparedDesign(),
    ComparedDesign(people=30, prompts=20, each=10),
    ComparedDesign(people=30, prompts=50, each=3, careless=0.4),
)
DETECTED: Final = (
    DetectedDesign(),
    DetectedDesign(people=30, each=12, fakes=30, reals=60),
    DetectedDesign(d_prime=3, each=3),
)
DETECTORS: Final[dict[str, Maker]] = {
    **HONEST,
    "throws dice": DetectedStudy.dice,
    "no noise": lambda study: study.judge(0.0),
    "never wrong": DetectedStudy.detector,
    "wrong anywhere in 10%": lambda study: study.detector(0.1),
}
PARTS: Final[
    dict[
        str,
        tuple[
            tuple[Design | RankedDesign | ComparedDesign, ...], dict[str, Maker], Claim, set[str]
        ],
    ]
] = {
    "praise": (
        (Design(people=5, items=100, each=5), ALL, MANY, Design(people=40, items=400)),
        {
            "r lower by the margin": lambda study: study.judge(LESS),
            "r about half of a person's": lambda study: study.judge(3.0),
            "knows the models' names": Study.of_models_alone,
            "throws dice": dice,
            "people's quality": lambda study: study.judge(1.0),
            "less noise than people": lambda study: study.judge(0.3),
        },
        praised,
        {"people's quality", "less noise than people"},
    ),
    "axes": (
        (
            Design(people=10, items=100, each=10, axes=4),
            Design(items=150, each=2, axes=4),
            Design(items=150, each=1, axes=7),
        ),
        {**HONEST, "one answer for all axes": one_for_all},
        lambda judge: "how axes hang together" in " ".join(judge.said),
        {"one answer for all axes"},
    ),
    "comparison: praise": (
        COMPARED,
        {
            "knows the models' names": ComparedStudy.of_models_alone,
            "half of a person's weight": lambda study: study.judge(2.5),
            "throws dice": ComparedStudy.dice,
            **{name: HONEST[name] for name in ("like one more person", "less noise than people")},
        },
        tells("it tells what people prefer"),
        {"like one more person", "less noise than people"},
    ),
    "comparison: below": (
        COMPARED,
        {
            **{name: HONEST[name] for name in ("like one more person", "less noise than people")},
            "no noise": lambda study: study.judge(0.0),
            "knows the models' names": ComparedStudy.of_models_alone,
        },
        lambda judge: judge.verdict.value in ("below", "models-only", "fails-pairs", "inverted"),
        {"knows the models' names"},
    ),
    "comparison: places": (
        COMPARED,
        {
            "like one more person": lambda study: study.person(),
            "the same, asked twice": lambda study: np.column_stack(
                [study.person(), study.person()]
            ),
            "throws dice, asked twice": lambda study: np.column_stack([study.dice(), study.dice()]),
            "takes the first in 9 of 10": left_lover,
            "takes the first in 3 of 10": leaning,
        },
        tells("what is shown first"),
        {"takes the first in 9 of 10", "takes the first in 3 of 10"},
    ),
    "judgement: praise": (
        DETECTED,
        {
            "throws dice": DetectedStudy.dice,
            "agrees about models alone": DetectedStudy.of_models_alone,
            "wrong anywhere in 25%": lambda study: study.detector(0.25),
            "more noise than people": HONEST["more noise than people"],
            **{name: HONEST[name] for name in ("like one more person", "less noise than people")},
        },
        tells("it agrees with a person as well", "it agrees with a person more"),
        {"like one more person", "less noise than people"},
    ),
    "judgement: below": (
        DETECTED,
        {
            **{name: DETECTORS[name] for name in DETECTORS if name != "throws dice"},
            "agrees about models alone": DetectedStudy.of_models_alone,
        },
        lambda judge: judge.verdict.value in ("below", "models-only", "inverted"),
        {"agrees about models alone", "more noise than people", "wrong anywhere in 10%"},
    ),
    "judgement: dice": (
        DETECTED,
        DETECTORS,
        lambda judge: judge.verdict.value in ("random", "constant", "inverted"),
        {"throws dice"},
    ),
    "models": (
        (ALL, MANY, Design(people=10, items=100, each=10, axes=4)),
        {
            **HONEST,
            "4 times people's noise": lambda study: study.judge(4.0),
            "knows the models' names": Study.of_models_alone,
        },
        verdict("models-only"),
        {"knows the models' names"},
    ),
}
TITLES: Final = {
    "praise": "Said to agree as well as a second person does",
    "axes": "Said to mix axes up",
    "models": "Said to know models only",
    "comparison: praise": "Judges of comparisons said to do as well as a single person, or better",
    "comparison: below": "Said to be below a person, to know models only or to fail",
    "comparison: places": "Said to prefer what is shown first",
    "judgement: praise": "Judges of real or fake said to agree as well as a second person, or more",
    "judgement: below": "Said to agree less than a second person",
    "judgement: dice": "Said to throw dice",
}


STUDIES: Final = {
    Design: Study,
    RankedDesign: RankedStudy,
    ComparedDesign: ComparedStudy,
    DetectedDesign: DetectedStudy,
}


def said(parts: tuple[str, ...], design: Any, seed: int, number: int) -> list[list[bool]]:
    """Simulate one study, and tell of which judges each part's claim is made."""
    makers = {name: make for part in parts for name, make in PARTS[part][1].items()}
    rng = np.random.default_rng((seed, number))
    study = STUDIES[type(design)](design, rng)
    found = study.judged({name: make(study) for name, make in makers.items()})
    return [[PARTS[part][2](found[name]) for name in PARTS[part][1]] for part in parts]


def measured(parts: tuple[str, ...], studies: int, seed: int, pool: ProcessPoolExecutor) -> None:
    """Count the claims of parts over the same studies, and print a table for each."""
    designs = PARTS[parts[0]][0]
    counts = [
        list(pool.map(partial(said, parts, design, seed), range(studies), chunksize=4))
        for design in designs
    ]
    for place, part in enumerate(parts):
        columns = [np.sum([each[place] for each in of_design], axis=0) for of_design in counts]
        print_claims(part, columns, studies)


def print_claims(part: str, columns: list[np.ndarray], studies: int) -> None:
    designs, makers, _, deserving = PARTS[part]
    rows = []
    for place, name in enumerate(makers):
        cells = []
        for column in columns:
            times = int(column[place])
            sure = binomtest(times, studies, ALLOWED, alternative="greater").pvalue < 0.05
            over = " (!)" if sure and name not in deserving else ""
            cells.append(f"{times / studies:.1%}{over}")
        rows.append([f"**{name}**" if name in deserving else name, *cells])
    print_table(f"{TITLES[part]}, {studies} studies", ["judge", *map(str, designs)], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=40)
    parser.add_argument("--seed", type=int, default=24)
    whole = tuple(dict.fromkeys(part.split(":")[0] for part in PARTS))
    parser.add_argument("--only", nargs="+", choices=whole, default=whole)
    chosen = parser.parse_args()
    print(f"In bold judges that deserve it; (!): surely more than {ALLOWED:.0%} of the others.")
    with ProcessPoolExecutor(max_workers=2) as pool:
        for name in chosen.only:
            parts = tuple(part for part in PARTS if part.split(":")[0] == name)
            measured(parts, chosen.studies, chosen.seed, pool)


if __name__ == "__main__":
    main()
