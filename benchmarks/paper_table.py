"""Write a table of judgements as large as the paper's, or several times as large.

    python benchmarks/paper_table.py OUT.csv             174,000 judgements
    python benchmarks/paper_table.py OUT.csv --times 10  ten times as many evaluators

The design is that of Zhou et al. 2019: 31 runs of 30 simulated evaluators, 6 of HYPE_time (a
qualification of 100 trials, then three staircases of 150) and 25 of HYPE_infinity (100 trials).
Each evaluator's images are drawn from 5000 real ones and 5000 of the condition, none twice.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hype.protocols.hype.observer import Population, Psychometric
from hype.protocols.hype.staircase import PRESETS, Staircase, StaircaseState

EVALUATORS: Final = 30
IMAGES: Final = 5000
RT_MEDIAN_MS: Final = 700.0
RT_SPREAD: Final = 0.35
COLUMNS: Final = (
    *("evaluator", "condition", "task", "block", "trial"),
    *("truth", "answer", "exposure_ms", "image", "rt_ms"),
)
KINDS: Final = np.array(["real", "fake"], dtype=object)
Columns = Mapping[str, NDArray[Any]]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Consecutive blocks of one task in a session, with staircases or untimed."""

    task: str
    blocks: int
    trials: int
    staircase: Staircase | None = None


QUALIFICATION: Final = Part(task="qualification", blocks=1, trials=100)
TIME: Final = Part(task="time", blocks=3, trials=150, staircase=PRESETS["hype"])
INFINITY: Final = Part(task="infinity", blocks=1, trials=100)
RUNS: Final = (
    *((threshold_ms, 0.98, (QUALIFICATION, TIME)) for threshold_ms in np.geomspace(60, 800, 6)),
    *((150.0, ceiling, (INFINITY,)) for ceiling in np.linspace(0.49, 0.98, 25)),
)
"""For each run: its typical evaluator's threshold and ceiling, and the parts of a session."""


def chances(
    people: Sequence[Psychometric], exposures_ms: Sequence[float | None]
) -> NDArray[np.float64]:
    """Return probabilities of the answer "fake": (people, exposures, 2), for reals, then fakes."""
    return np.array(
        [
            [[person.says_fake(ms, fake=fake) for fake in (False, True)] for ms in exposures_ms]
            for person in people
        ]
    )


def transitions(rule: Staircase) -> tuple[list[StaircaseState], NDArray[np.intp]]:
    """Return a staircase's states, and for each the states after an error and a correct answer."""
    streaks = range(rule.correct_to_descend)
    states = [StaircaseState(ms, streak) for ms in rule.levels() for streak in streaks]
    place = {state: i for i, state in enumerate(states)}
    after = [[place[rule.step(state, correct)] for correct in (False, True)] for state in states]
    return states, np.array(after)


def judged_untimed(
    people: Sequence[Psychometric], fake: Flags, rng: np.random.Generator
) -> tuple[Flags, NDArray[Any]]:
    """Return which answers are "fake" in untimed blocks, and empty exposures."""
    evaluator = np.arange(len(people))[:, None, None]
    chance = chances(people, [None])[evaluator, 0, fake.astype(int)]
    return rng.random(fake.shape) < chance, np.full(fake.shape, "", dtype=object)


def judged_on(
    rule: Staircase, people: Sequence[Psychometric], fake: Flags, rng: np.random.Generator
) -> tuple[Flags, NDArray[Any]]:
    """Run a staircase in each block; return which answers are "fake", and the exposures."""
    states, after = transitions(rule)
    chance = chances(people, [state.exposure_ms for state in states])
    evaluator = np.arange(len(people))[:, None]
    here = np.full(fake.shape[:2], states.index(rule.start()))
    visited, answers = np.empty(fake.shape, dtype=int), np.empty(fake.shape, dtype=bool)
    for trial in range(fake.shape[2]):
        truth = fake[:, :, trial]
        visited[:, :, trial] = here
        answer = rng.random(here.shape) < chance[evaluator, here, truth.astype(int)]
        answers[:, :, trial] = answer
        here = after[here, (answer == truth).astype(int)]
    return answers, np.array([state.exposure_ms for state in states], dtype=object)[visited]


def done(part: Part, people: Sequence[Psychometric], rng: np.random.Generator) -> Columns:
    """Simulate a part of all sessions; return its columns, shape (evaluators, trials)."""
    shape = len(people), part.blocks, part.trials
    half = np.arange(part.trials) < part.trials // 2
    fake = rng.permuted(np.broadcast_to(half, shape), axis=2)
    rule = part.staircase
    said = judged_on(rule, people, fake, rng) if rule else judged_untimed(people, fake, rng)
    columns = {
        "task": np.full(shape, part.task, dtype=object),
        "block": np.broadcast_to(np.arange(part.blocks)[:, None] + 1, shape),
        "trial": np.broadcast_to(np.arange(part.trials) + 1, shape),
        "truth": fake,
        "answer": said[0],
        "exposure_ms": said[1],
        "rt_ms": RT_MEDIAN_MS * np.exp(RT_SPREAD * rng.standard_normal(shape)),
    }
    return {name: values.reshape(len(people), -1) for name, values in columns.items()}


def images(fake: Flags, condition: str, rng: np.random.Generator) -> NDArray[Any]:
    """Draw each evaluator's images; ``fake``, shape (evaluators, trials), tells which are fakes."""
    paths = np.empty(fake.shape, dtype=object)
    for kind, folder in ((fake, f"fake/{condition}"), (~fake, "real")):
        names = np.array([f"{folder}/{number:04d}.png" for number in range(IMAGES)], dtype=object)
        for row, wanted in zip(paths, kind, strict=True):
            row[wanted] = names[rng.choice(IMAGES, wanted.sum(), replace=False)]
    return paths


def run_of(number: int, evaluators: int, rng: np.random.Generator) -> Iterator[tuple[object, ...]]:
    """Yield the rows of one run, evaluator by evaluator."""
    threshold_ms, ceiling, parts = RUNS[number]
    condition = f"model-{number:02d}"
    typical = Psychometric(threshold_ms=threshold_ms, ceiling=ceiling)
    population = Population(typical={condition: typical})
    people = [population.draw(rng)[condition] for _ in range(evaluators)]
    every = [done(part, people, rng) for part in parts]
    columns = {name: np.concatenate([p[name] for p in every], axis=1) for name in every[0]}
    fake, shape = columns["truth"], columns["truth"].shape
    first = number * evaluators
    names = np.array([f"e{first + i:05d}" for i in range(evaluators)], dtype=object)
    columns |= {
        "evaluator": np.broadcast_to(names[:, None], shape),
        "condition": np.full(shape, condition, dtype=object),
        "truth": KINDS[fake.astype(int)],
        "answer": KINDS[columns["answer"].astype(int)],
        "image": images(fake, condition, rng),
    }
    yield from zip(*(columns[name].ravel().tolist() for name in COLUMNS), strict=True)


def write_table(path: Path, times: int) -> int:
    """Write a table with ``times`` times the paper's evaluators; count its judgements."""
    rng, judgements = np.random.default_rng(2019), 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number in range(len(RUNS)):
            rows = list(run_of(number, times * EVALUATORS, rng))
            writer.writerows(rows)
            judgements += len(rows)
    return judgements


def main() -> None:
    """Write a table, and print its number of judgements."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("path", type=Path, metavar="OUT.csv")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="as many evaluators")
    options = parser.parse_args()
    print(write_table(options.path, options.times))


if __name__ == "__main__":
    main()
