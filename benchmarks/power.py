"""Check whether `hype power` predicts how often two conditions are separable.

For each design, power is computed as in `hype power`, from one pool of simulated people. Then whole
studies are simulated, each with new people and a separate record, and scored as in `hype score`.
Both figures are shares of studies in which the two conditions are separable.

    python benchmarks/power.py --fresh 60 --designs infinity,comparisons
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hype.answers.choices import Choices
from hype.planning.people import people_in
from hype.planning.planned import Asked, PlannedScore
from hype.planning.power import Plan, plan_power
from hype.protocols.comparison.settings import ArenaSettings
from hype.protocols.load import load_any
from hype.protocols.registry import course_of, protocol_of
from hype.session.simulate import simulate_study
from hype.workers import limit_workers

HERE = Path(__file__).parent.parent
FASHION, COMPARED = HERE / "experiments/fashion", HERE / "experiments/fashion-comparisons"
RATED, RANKED = HERE / "experiments/fashion-ratings", HERE / "experiments/fashion-rankings"


@dataclass(frozen=True, kw_only=True)
class Design:
    """A study with some changed settings, its number of evaluators, and the assumed difference."""

    folder: Path
    method: str | None
    evaluators: int
    difference: float | None
    changes: dict[str, dict[str, Any]]


DESIGNS = {
    "infinity": Design(
        folder=FASHION,
        method="infinity",
        evaluators=18,
        difference=5,
        changes={"study": {"methods": ("infinity",)}},
    ),
    "infinity-within": Design(
        folder=FASHION,
        method="infinity",
        evaluators=12,
        difference=4,
        changes={
            "study": {"methods": ("infinity",), "conditions_each": 4, "evaluators": 12},
            "infinity": {"trials": 40},
        },
    ),
    "time": Design(
        folder=FASHION,
        method="time",
        evaluators=25,
        difference=80,
        changes={"study": {"methods": ("time",)}},
    ),
    "comparisons": Design(folder=COMPARED, method=None, evaluators=20, difference=70, changes={}),
    "comparisons-unlike-people": Design(
        folder=COMPARED,
        method=None,
        evaluators=30,
        difference=80,
        changes={"people": {"taste_spread": 0.8}},
    ),
    "arena": Design(
        folder=COMPARED,
        method=None,
        evaluators=25,
        difference=80,
        changes={"comparison": {"arena": ArenaSettings(pairs="random", goal="ranking")}},
    ),
    "ratings": Design(folder=RATED, method="overall", evaluators=30, difference=100, changes={}),
    "rankings": Design(folder=RANKED, method=None, evaluators=20, difference=65, changes={}),
    "infinity-images": Design(
        folder=FASHION,
        method="infinity",
        evaluators=18,
        difference=6,
        changes={"study": {"methods": ("infinity",)}, "people": {"image_spread": 0.4}},
    ),
}


def changed(design: Design) -> Any:
    """Read a design's study with its changed settings, and with absolute folders."""
    study: Any = load_any(design.folder)
    settings = study.settings
    changes = {**design.changes, "stimuli": {"folder": str(study.stimuli_folder.resolve())}}
    if study.masks_folder:
        changes["masks"] = {"folder": str(study.masks_folder.resolve())}
    for name, update in changes.items():
        part = getattr(settings, name).model_copy(update=update)
        settings = settings.model_copy(update={name: part})
    return replace(study, settings=settings)


def fresh_verdicts(
    planned: PlannedScore, plan: Plan, design: Design, numbers: range
) -> Iterator[tuple[float, bool]]:
    """Simulate fresh studies; yield the pair's difference in each, and whether it is separable."""
    study = replace(planned.course.study, settings=plan.settings)
    protocol = protocol_of(study)
    people = people_in(planned, design.evaluators)
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            own = replace(study, path=Path(folder) / "study.toml")
            own.path.write_text("")
            simulate_study(course_of(own), people, seed=number)
            frame = protocol.scoring.read(own, Choices(simulated=True)).frame
            told = planned.find_verdict(frame, *plan.pair)
            yield told.difference, told.separable


def hold(name: str, design: Design, fresh: int, studies: int) -> None:
    study = changed(design)
    planned = protocol_of(study).planned(study, design.method)
    start = time.perf_counter()
    asked = Asked(
        difference=design.difference, numbers=(design.evaluators,), studies=studies, seed=1
    )
    plan = plan_power(planned, asked, lambda *_: None)
    seconds, cpu = time.perf_counter() - start, sum(os.times()[:4])
    (row,) = plan.rows
    separable = row.power + row.wrong_way
    found = list(fresh_verdicts(planned, plan, design, range(100, 100 + fresh)))
    told = sum(separable for _, separable in found) / fresh
    error = math.sqrt(max(told * (1 - told), 0.25 / fresh) / fresh)
    mean = sum(difference for difference, _ in found) / fresh
    print(
        f"| {name} | {design.evaluators} | {100 * separable:.1f} ± {100 * row.power_se:.1f} | "
        f"{100 * told:.1f} ± {100 * error:.1f} | {plan.difference:+.2f} | {mean:+.2f} | "
        f"{seconds:.0f} s, {cpu:.0f} s of the processor |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--designs", default=",".join(DESIGNS))
    parser.add_argument("--fresh", type=int, default=200)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    print("| design | evaluators | planned, % | fresh, % | difference | fresh | took |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with limit_workers(given.workers):
        for name in given.designs.split(","):
            hold(name, DESIGNS[name], given.fresh, given.studies)


if __name__ == "__main__":
    main()
