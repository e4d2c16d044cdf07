"""How fast simulated sessions are made: trials per second, and the paper's whole design.

    make bench        (or: .venv/bin/python benchmarks/simulation.py)

The design is that of Zhou et al. 2019: 31 runs of 30 evaluators, 6 of HYPE_time (450 trials) and
25 of HYPE_infinity (100 trials), each after a qualification of 100, drawn from 5000 real images
and 5000 of each model, with 1000 masks. Every judgement is committed to an SQLite file. The
images are entries of a manifest; nothing is shown, so nothing is decoded.
"""

from __future__ import annotations

import csv
import hashlib
import tempfile
import time
from pathlib import Path

from hype.masks.maskset import COLUMNS as MASK_COLUMNS
from hype.sessions.pools import read_pools
from hype.sessions.simulate import Simulation
from hype.stimuli.manifest import COLUMNS
from hype.store.record import RECORD_FILE, writing_record
from hype.study.load import load_study

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
    """Write a study whose images exist by name only."""
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


def simulate(folder: Path) -> tuple[int, float, float]:
    """Fill a study's cells; give judgements, seconds by the clock, and seconds of one core."""
    study = load_study(folder)
    wall, core = time.perf_counter(), time.process_time()
    pools = read_pools(study)
    with writing_record(folder / RECORD_FILE) as engine:
        results = Simulation(engine, study, pools, seed=1).fill(study.settings.study.evaluators)
        judgements = sum(result.trials for result in results)
    return judgements, time.perf_counter() - wall, time.process_time() - core


def main() -> None:
    """Measure and print."""
    total_judgements, total_wall = 0, 0.0
    with tempfile.TemporaryDirectory() as scratch:
        for method, conditions in (("time", 6), ("infinity", 25)):
            folder = Path(scratch) / method
            write_study(folder, method, conditions)
            judgements, wall, core = simulate(folder)
            total_judgements += judgements
            total_wall += wall
            print(
                f"{method:9} {conditions:2} runs of 30: {judgements:7,} judgements in {wall:5.1f} s, "
                f"{judgements / wall:7,.0f} a second by the clock, {judgements / core:7,.0f} a "
                "second of one core"
            )
    print(f"whole design: {total_judgements:,} judgements in {total_wall:.1f} s, manifests read")


if __name__ == "__main__":
    main()
