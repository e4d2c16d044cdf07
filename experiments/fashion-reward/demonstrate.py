"""Show a reward model from start to end: votes, training, scores, best of N, and new votes.

    .venv/bin/python experiments/fashion-reward/demonstrate.py FOLDER

All people are simulated. They like large and dark things, whichever model made the image. So we
know what a reward model should learn from their votes, and how good its chosen images are.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image

from hype.protocols.comparison.course import ComparisonCourse, Tastes
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.load import load_any
from hype.session.simulate import Simulation
from hype.stimuli.manifest import MANIFEST, read_manifest
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import writing_record

ROOT: Final = Path(__file__).parents[2]
SET: Final = Path("stimuli", "fashion")
LIKED: Final = 16.0
"""Log-odds of a vote per unit of (area − grey value); both are from 0 to 1."""
BACKGROUND: Final = 1 / 8
"""The highest grey value of the background."""
CONDITION: Final = "flow"
SIDE_PX: Final = 16
"""Size of the small images whose pixels are the features."""


@cache
def largeness_and_darkness(path: Path) -> float:
    with Image.open(path) as image:
        grey = np.asarray(image.convert("L"), dtype=float) / 255
    thing = grey > BACKGROUND
    return float(thing.mean() - grey[thing].mean())


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTaste(Tastes):
    """The taste of simulated people who look at the images of a folder."""

    folder: Path

    def looks(self, path: str) -> float:
        return LIKED * largeness_and_darkness(self.folder / path)


class PeopleWhoLook(ComparisonCourse):
    """Simulated people who look at the images of a study of comparisons."""

    @cached_property
    def tastes(self) -> Tastes:
        usual = super().tastes
        shared = {field.name: getattr(usual, field.name) for field in fields(usual)}
        return SeenTaste(**shared, folder=self.study.stimuli_folder)


def vote(folder: Path) -> None:
    """Simulate `PeopleWhoLook` until the study has all its evaluators."""
    study = load_any(folder)
    if not isinstance(study, ComparisonStudy):
        raise TypeError(f"{folder} is not a study of comparisons")
    course = PeopleWhoLook(study)
    with writing_record(study.folder / RECORD_FILE) as engine:
        came = list(Simulation(engine, course, seed=0).fill(course.evaluators_per_cell))
    print(f"{len(came)} simulated people made {sum(one.trials for one in came):,} comparisons")


def lay_out(workspace: Path, labels: int, images: int) -> Path:
    """Copy the study and some images of each model and label, and return the study's folder."""
    with (ROOT / SET / MANIFEST).open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    shown = sorted({row[-1] for row in rows})[:labels]
    counts: Counter[tuple[str, str]] = Counter()
    chosen = []
    for row in rows:
        path, kind, condition, *_, label = row
        counts[condition, label] += 1
        if kind == "fake" and label in shown and counts[condition, label] <= images:
            chosen.append(row)
            (workspace / SET / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / SET / path, workspace / SET / path)
    with (workspace / SET / MANIFEST).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *chosen])
    study = workspace / "experiments" / "voted"
    study.mkdir(parents=True)
    shutil.copyfile(Path(__file__).with_name("study.toml"), study / "study.toml")
    return study


def write_features(study: Path, file: Path) -> None:
    """Write the grey values of each image at a small size, as a file for --features."""
    folder = study.parents[1] / SET
    names = [stimulus.path for stimulus in read_manifest(folder).stimuli]
    rows = []
    for name in names:
        with Image.open(folder / name) as image:
            small = image.convert("L").resize((SIDE_PX, SIDE_PX), Image.Resampling.BOX)
        rows.append(np.asarray(small, dtype=np.float32).ravel() / 255)
    np.savez(file, names=names, values=rows, source=f"{SIDE_PX} x {SIDE_PX} grey values")


def typed(*arguments: object) -> None:
    """Print a command as a user would type it, and run it."""
    words = [str(argument) for argument in arguments]
    print(f"\n$ hype {' '.join(words)}", flush=True)
    subprocess.run([sys.executable, "-m", "hype", *words], check=True)


def demonstrate(
    workspace: Path,
    *,
    labels: int = 10,
    images: int = 40,
    best_of: int = 8,
    hype: Callable[..., object] = typed,
) -> None:
    """Run all steps with the given numbers of labels, and of images of each model and label."""
    study = lay_out(workspace, labels, images)
    again, model = study.with_name("voted-again"), workspace / "model"
    seen = "--features", workspace / "features.npz"
    vote(study)
    write_features(study, seen[1])
    hype("reward", "train", study, *seen, "--simulated", "-o", model)
    hype("reward", "score", model, study, *seen, "--part", "test", "-o", workspace / "scores.csv")
    picked = "--condition", CONDITION, "--n", best_of, "-o", again
    hype("reward", "pick", study, model, *seen, *picked)
    vote(again)
    hype("score", again, "--simulated")
    hype("report", again, "--simulated", "-o", workspace / "report.html")


if __name__ == "__main__":
    began = time.monotonic()
    demonstrate(Path(sys.argv[1]).resolve())
    print(f"\nall in {time.monotonic() - began:.0f} s")
