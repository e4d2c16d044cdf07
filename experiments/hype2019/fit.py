"""Fit simulated evaluators to the published tables, in two steps.

    python experiments/hype2019/fit.py         both steps, about two minutes; writes the results
    python experiments/hype2019/fit.py --shown also prints the rounds of the second step

1. On average: observers whose *expected* figures are the published ones. Ceiling, bias and
   ceiling_spread of each HYPE_infinity run follow from its errors on fakes and on reals and its
   Std.; threshold_ms and threshold_spread of a HYPE_time run from its score and Std. These go into
   on_average.csv.
2. For these seeds: thirty people are a small sample, so their figures are about one Std. off the
   published ones. The observers are then changed until the people of these seeds give the published
   figures. They go into the study files.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from average import on_average
from landing import land
from published import HERE, read_runs, study_names
from runs import ON_AVERAGE, Observers, write_names

from hype.protocols.hype.settings import ObserverSettings

MARK: Final = "# Fitted, not measured, by fit.py, which writes what follows.\n"
KEYS: Final = (
    *("threshold_ms", "slope", "ceiling", "timed_ceiling", "lapse", "bias"),
    *("threshold_spread", "ceiling_spread"),
)


def write_average(observers: Mapping[str, Observers]) -> None:
    """Write the results of the first step."""
    with (HERE / ON_AVERAGE).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["study", "condition", *KEYS])
        for study, of_study in observers.items():
            for condition, observer in of_study.items():
                numbers = observer.model_dump()
                writer.writerow([study, condition, *(numbers[key] for key in KEYS)])


def write_study(folder: Path, observers: Observers) -> None:
    """Write the results of the second step after the mark in a study file."""
    path = folder / "study.toml"
    head, mark, _ = path.read_text(encoding="utf-8").partition(MARK)
    tables = [
        f"\n[observers.{condition}]\n"
        + "".join(f"{key} = {value}\n" for key, value in numbers_of(observer).items())
        for condition, observer in observers.items()
    ]
    path.write_text(head + mark + "".join(tables), encoding="utf-8")


def numbers_of(observer: ObserverSettings) -> dict[str, float]:
    """Return the fitted numbers, in the order of `KEYS`."""
    unused = set() if observer.timed_ceiling else {"threshold_ms", "slope"}
    numbers = observer.model_dump(exclude_none=True, exclude=unused)
    return {key: numbers[key] for key in KEYS if key in numbers}


def fit(name: str, *, shown: bool) -> tuple[Observers, Observers]:
    """Fit one study: first on average, then for its seed."""
    runs = [run for run in read_runs() if run.study == name]
    average = on_average(runs)

    def say(text: str) -> None:
        if shown:
            print(f"{name}: {text}", flush=True)

    return average, land(name, runs, average, say)


def main() -> None:
    """Fit all studies and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shown", action="store_true", help="print each round of the second step")
    options = parser.parse_args()
    write_names(HERE)
    names = study_names()
    with ProcessPoolExecutor() as crew:
        found = dict(zip(names, crew.map(partial(fit, shown=options.shown), names), strict=True))
    write_average({name: average for name, (average, _) in found.items()})
    for name, (_, landed) in found.items():
        write_study(HERE / name, landed)


if __name__ == "__main__":
    main()
