"""Measure how fast sessions are simulated: trials per second, and the paper's whole design.

    make bench        (or: .venv/bin/python benchmarks/simulation.py)

The design is that of Zhou et al. 2019: 31 runs of 30 evaluators, 6 of HYPE_time (450 trials) and 25
of HYPE_infinity (100 trials), each after a qualification of 100 trials. There are 5000 real images,
5000 of each model, and 1000 masks. Every judgement is committed to an SQLite file. The images are
entries of a manifest; nothing is shown, so nothing is decoded.
"""

from __future__ import annotations

import csv
import hashlib
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from hype.masks.maskset import COLUMNS as MASK_COLUMNS
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.pools import read_pools
from hype.protocols.load import load_study
from hype.session.simulate import Simulation
from hype.stimuli.manifest import COLUMNS
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import writing_record

IMAGES = 5000
MASKS = 1000
STUDY = """
[study]
name = "{method}"
methods = ["{method}"]
evaluators = 30
[stimuli]
folder = "stimuli"
[masks]
folder = "masks"
"""


def write_study(folder: Path, method: str, conditions: int) -> None:
    """Write a study whose images exist only in the manifest."""
    sources = [("real", "")] + [("fake", f"model-{number:02d}") for number in range(conditions)]
    (folder / "stimuli").mkdir(parents=True)
    with (folder / "stimuli" / "manifest.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for kind, condition in sources:
            for number in range(IMAGES):
                path = f"{kind}/{condition}/{number}.png".replace("//", "/")
                digest = hashlib.sha256(path.encode()).hexdigest()
                writer.writerow([path, kind, condition, 64, 64, digest])
    (folder / "masks").mkdir()
    with (folder / "masks" / "manifest.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(MASK_COLUMNS)
        writer.writerows([f"{n}.png", "none", "none", 0, 64, 0] for n in range(MASKS))
    (folder / "study.toml").write_text(STUDY.format(method=method))


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One study's judgements, seconds to read and to simulate it, and processor seconds."""

    judgements: int
    reading_s: float
    wall_s: float
    core_s: float


def simulate(folder: Path) -> Run:
    """Simulate sessions until a study has enough evaluators."""
    begin = time.perf_counter()
    study = load_study(folder)
    pools = read_pools(study)
    wall, core = time.perf_counter(), time.process_time()
    with writing_record(folder / RECORD_FILE) as engine:
        results = Simulation(engine, HypeCourse(study, pools), seed=1).fill(
            study.settings.study.evaluators
        )
        judgements = sum(result.trials for result in results)
    return Run(
        judgements=judgements,
        reading_s=wall - begin,
        wall_s=time.perf_counter() - wall,
        core_s=time.process_time() - core,
    )


def main() -> None:
    """Measure and print."""
    runs = []
    with tempfile.TemporaryDirectory() as scratch:
        for method, conditions in (("time", 6), ("infinity", 25)):
            folder = Path(scratch) / method
            write_study(folder, method, conditions)
            run = simulate(folder)
            runs.append(run)
            print(
                f"{method:9} {conditions:2} runs of 30: {run.judgements:7,} judgements in "
                f"{run.wall_s:4.1f} s, {run.judgements / run.wall_s:6,.0f} a second by the clock, "
                f"{run.judgements / run.core_s:6,.0f} a second of one core "
                f"(manifests: {run.reading_s:.1f} s)"
            )
    total_s = sum(run.reading_s + run.wall_s for run in runs)
    print(f"whole design: {sum(run.judgements for run in runs):,} judgements in {total_s:.1f} s")


if __name__ == "__main__":
    main()
