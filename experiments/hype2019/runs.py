"""Make the paper's runs as studies whose images are only names, and simulate them."""

from __future__ import annotations

import csv
import hashlib
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pandas as pd
from published import read_runs, rows, study_names

from hype.masks.maskset import COLUMNS as MASK_COLUMNS
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.record import KEPT
from hype.protocols.hype.sampling import Pools
from hype.protocols.hype.settings import ObserverSettings, Study
from hype.protocols.load import load_study
from hype.session.outgoing import declare_exports, read_answers
from hype.session.simulate import Simulation
from hype.stimuli.manifest import COLUMNS
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import writing_record

SEED: Final = 2019
IMAGES: Final = 5000
MASKS: Final = 1000
ON_AVERAGE: Final = "on_average.csv"

Observers = Mapping[str, ObserverSettings]


def write_names(folder: Path) -> None:
    """Write the manifests that the studies in ``folder`` name; the listed images do not exist."""
    named = folder / "named"
    models: dict[str, dict[str, None]] = {}
    for run in read_runs():
        models.setdefault(run.study, {})[run.condition] = None
    for study, conditions in models.items():
        write_manifest(named / study, conditions)
    (named / "masks").mkdir(parents=True, exist_ok=True)
    with (named / "masks" / "manifest.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(MASK_COLUMNS)
        writer.writerows([f"{n}.png", "named only", "none", 0, 64, 0] for n in range(MASKS))


def write_manifest(folder: Path, conditions: Iterable[str]) -> None:
    """Write the manifest of a stimulus set: 5000 real images and 5000 of each condition."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = [("real/named-only", "real", "")]
    sources += [(f"fake/{name}/named-only", "fake", name) for name in conditions]
    with (folder / "manifest.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for place, kind, condition in sources:
            for n in range(IMAGES):
                path = f"{place}-{n:04d}.png"
                digest = hashlib.sha256(f"{folder.name} {path}".encode()).hexdigest()
                writer.writerow([path, kind, condition, 64, 64, digest])


def read_study(folder: Path, name: str) -> tuple[Study, Pools]:
    """Read a study and its manifests, which `write_names` must have written."""
    study = load_study(folder / name)
    return study, read_pools(study)


def with_observers(study: Study, observers: Observers) -> Study:
    """Return the same study with other simulated evaluators."""
    return replace(study, settings=study.settings.model_copy(update={"observers": dict(observers)}))


def average_observers() -> dict[str, dict[str, ObserverSettings]]:
    """Read the observers that are right on average, by study and condition."""
    found: dict[str, dict[str, ObserverSettings]] = {}
    for row in rows(ON_AVERAGE):
        study, condition = row.pop("study"), row.pop("condition")
        numbers = {key: float(text) for key, text in row.items() if text}
        found.setdefault(study, {})[condition] = ObserverSettings(**numbers)
    return found


def seed_of(name: str, *, first: int = SEED) -> int:
    """Return a study's own seed: one seed for all would make the same people take part in each."""
    return first + study_names().index(name)


def simulate(study: Study, pools: Pools, *, seed: int) -> pd.DataFrame:
    """Fill every cell of a study with simulated evaluators, in a temporary record."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        writing_record(Path(scratch) / RECORD_FILE) as engine,
    ):
        for _ in Simulation(engine, HypeCourse(study, pools), seed=seed).fill(
            study.settings.study.evaluators
        ):
            pass
        judgements = list(read_answers(KEPT, engine, simulated=True))
    return pd.DataFrame(judgements, columns=list(declare_exports(KEPT)))
