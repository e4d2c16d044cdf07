"""The pre-flight of the qualification: on which fakes people are tested, and whom that selects."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from hype.errors import InputError
from hype.observers.selection import Crowd
from hype.sessions.findings import Preflight
from hype.sessions.pools import population
from hype.sessions.qualified import TESTED_HERE, passed_in, still_valid
from hype.store.central.problems import CentralAway, CentralRefused
from hype.study.phrases import percent
from hype.study.sampling import Pools, sources_of_test
from hype.study.studies import Study

HALF: Final = 0.5
POOL: Final = (
    "test people on images of other models: [qualification] stimuli = FOLDER, or valid_from with a "
    "study made by: hype new DIR --template qualification"
)


def check_selection(flight: Preflight, study: Study, pools: Pools) -> None:
    """Say whom the qualification will select, by simulated people, and who has passed elsewhere."""
    if not study.settings.qualification.enabled:
        return
    flight.facts["selection"] = list(selections(study, pools))
    for one in flight.facts["selection"]:
        check_one(flight, study, one)
    for source in study.settings.qualification.valid_from:
        check_source(flight, study, source)


def selections(study: Study, pools: Pools) -> Iterator[dict[str, Any]]:
    """Yield for each condition on what people are tested before it, and whom that selects."""
    settings, test = study.settings, study.settings.qualification
    crowd = Crowd(population(study, pools), seed=settings.study.seed)
    for condition in settings.evaluated(tuple(pools.fake)):
        found: dict[str, Any] = {"condition": condition}
        sources = sources_of_test(settings, pools, condition)
        if sources:
            selected = crowd.selected(
                condition, sources, trials=test.trials, pass_rate=test.pass_rate
            )
            found |= asdict(selected)
        own = own_images(pools, condition)
        yield {"tested_on": list(sources), "own_images": own, **found}


def own_images(pools: Pools, condition: str) -> int:
    """Count the fakes of the test's own set that are images of a condition, whatever their name."""
    evaluated = {image.sha256 for image in pools.fake.get(condition, ())}
    tested = pools.test.fake.values() if pools.test else ()
    return sum(image.sha256 in evaluated for fakes in tested for image in fakes)


def check_one(flight: Preflight, study: Study, one: dict[str, Any]) -> None:
    """Warn of a test that is not held, that selects by what is evaluated, or that few pass."""
    condition, sources = one["condition"], one["tested_on"]
    if not sources:
        if not study.settings.qualification.valid_from:
            flight.warn(
                "qualification-not-held",
                f"{study.path}: no qualification is held: {condition!r} is the only condition, and "
                "who passed a test on its fakes would be who can tell them",
                f"{POOL}; or say [qualification] enabled = false",
            )
        return
    if condition in sources or one["own_images"]:
        number = f"{one['own_images']} " if one["own_images"] else ""
        flight.warn(
            "qualification-on-own-condition",
            f"{study.path}: the qualification before {condition!r} has {number}fakes of "
            f"{condition!r}, so that it selects people who can tell them{shift(one)}",
            POOL,
        )
    if one["passing"] < HALF:
        before = f" before {condition!r}" if condition else ""
        flight.warn(
            "few-qualify",
            f"{study.path}: {percent(one['passing'])} of simulated evaluators pass the "
            f"qualification{before}, and the others are turned away: scores will be of a few",
            "test on images that are easier to tell, or lower qualification.pass_rate",
        )


def shift(one: dict[str, Any]) -> str:
    """Say by how much an error rate changes when only those who pass are asked."""
    if one["error"] is None or one["error_passing"] is None:
        return ""
    return (
        f": simulated, {percent(one['passing'])} pass, and the error rate without a time limit is "
        f"{percent(one['error_passing'])} instead of {percent(one['error'])}"
    )


def check_source(flight: Preflight, study: Study, source: str) -> None:
    """Ask a study of ``qualification.valid_from`` who passed there."""
    days = study.settings.qualification.valid_days
    try:
        passed = passed_in(study, source, simulated=False)
    except (CentralAway, CentralRefused) as error:
        code, remedy = "qualified-elsewhere-unknown", "see that it can be asked before people come"
        flight.warn(code, f"{error}; until it can be asked, {TESTED_HERE}", remedy)
        return
    except InputError as error:
        flight.add("qualified-elsewhere-missing", error)
        return
    valid = still_valid(passed, days, now_unix_s=time.time())
    found = {"passed": len(passed), "valid": len(valid)}
    flight.facts.setdefault("qualified_elsewhere", {})[source] = found
