"""The qualification: who passed it in another study, on which fakes it tests, whom it selects."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, case, func, select

from hype.check.findings import Preflight
from hype.errors import InputError
from hype.protocols.hype.counterbalancing import different_places, served_by
from hype.protocols.hype.observer import Population
from hype.protocols.hype.pools import population
from hype.protocols.hype.record import judgements
from hype.protocols.hype.sampling import Pools, sources_of_test
from hype.protocols.hype.settings import Study
from hype.store.record import RECORD_FILE
from hype.store.schema import evaluators
from hype.store.sqlite_record import reading_record
from hype.study.phrases import percent

DAY_S: Final = 86_400.0


def passed_elsewhere(study: Study, *, simulated: bool, now_unix_s: float) -> dict[str, str]:
    """Give who passed in a study of ``qualification.valid_from``: code, and the first such study.

    Raises InputError: a study named there has no record.
    """
    test = study.settings.qualification
    if not test.enabled:
        return {}
    sources: dict[str, str] = {}
    for source in test.valid_from:
        passed = passed_in(study, source, simulated=simulated)
        fresh = still_valid(passed, test.valid_days, now_unix_s=now_unix_s)
        sources = dict.fromkeys(fresh, source) | sources
    return sources


def still_valid(
    passed: Mapping[str, float], valid_days: int | None, *, now_unix_s: float
) -> dict[str, float]:
    """Leave out those who passed longer ago than ``valid_days`` (None: nobody)."""
    if valid_days is None:
        return dict(passed)
    since = now_unix_s - valid_days * DAY_S
    return {code: when for code, when in passed.items() if when >= since}


def passed_in(study: Study, source: str, *, simulated: bool) -> dict[str, float]:
    """Give who passed in one study: code, and when.

    Raises InputError: it has no record.
    """
    path = study.folder / source / RECORD_FILE
    with reading_record(path) as engine, engine.connect() as connection:
        return passed_in_record(connection, simulated=simulated)


PEOPLE: Final = 1000
"""Simulated people whose chances are averaged: the standard error of a share is at most 1.6%."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """What a qualification does to the simulated people who come to one condition."""

    passing: float  # share of them, 0 to 1, who pass
    # error, error_passing: share of judgements of the condition's images, half of them real and
    # without a time limit, that are wrong: of everybody, and of those who pass. None where they
    # judge no condition; the latter also where nobody passes.
    error: float | None
    error_passing: float | None


class Crowd:
    """Simulated people, and how often each takes an image of each condition for a fake.

    All are drawn once, so that conditions are compared on the same people.
    """

    def __init__(self, population: Population, *, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        drawn = [population.draw(self._rng) for _ in range(PEOPLE)]
        self._hits, self._false_alarms = (
            {
                name: np.array([observer[name].says_fake(None, fake=fake) for observer in drawn])
                for name in population.typical
            }
            for fake in (True, False)
        )

    def selected(
        self, served: Sequence[str], sources: Sequence[str], *, trials: int, pass_rate: float
    ) -> Selected:
        """Let everybody take a test whose fakes come equally from ``sources``.

        Images of one kind are taken to look alike. ``served`` is empty where nothing follows.
        """
        half = trials // 2
        false_alarms = np.mean([self._false_alarms[name] for name in sources], axis=0)
        reals = self._rng.binomial(half, 1 - false_alarms)
        fakes = sum(
            self._rng.binomial(len(range(place, half, len(sources))), self._hits[name])
            for place, name in enumerate(sources)
        )
        passes = np.minimum(reals, fakes) >= pass_rate * half - 1e-9
        wrong = (
            np.mean([self._error(condition) for condition in served], axis=0) if served else None
        )
        return Selected(
            passing=float(passes.mean()),
            error=None if wrong is None else float(wrong.mean()),
            error_passing=(
                None if wrong is None or not passes.any() else float(wrong[passes].mean())
            ),
        )

    def _error(self, condition: str) -> NDArray[np.float64]:
        wrong: NDArray[np.float64] = 1 - self._hits[condition] + self._false_alarms[condition]
        return wrong / 2


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
    for selection in flight.facts["selection"]:
        check_one(flight, study, selection)
    for source in study.settings.qualification.valid_from:
        check_source(flight, study, source)


def selections(study: Study, pools: Pools) -> Iterator[dict[str, Any]]:
    """Yield for each condition on what people are tested before it, and whom that selects."""
    settings, test = study.settings, study.settings.qualification
    crowd = Crowd(population(study, pools), seed=settings.study.seed)
    names = tuple(pools.fake)
    different = {served_by(settings, names, cell) for cell in different_places(settings, names)}
    for served in sorted(different, key=lambda some: [*map(names.index, some)]):
        facts: dict[str, Any] = {"condition": " + ".join(served)}
        sources = sources_of_test(settings, pools, served)
        if sources:
            selected = crowd.selected(served, sources, trials=test.trials, pass_rate=test.pass_rate)
            facts |= asdict(selected)
        own = own_images(pools, served)
        yield {
            "tested_on": list(sources),
            "on_own": bool(own or not {*served}.isdisjoint(sources)),
            "own_images": own,
            **facts,
        }


def own_images(pools: Pools, served: Sequence[str]) -> int:
    """Count the fakes of the test's own set that are images of conditions, whatever their name."""
    evaluated = {image.sha256 for name in served for image in pools.fake[name]}
    tested = pools.test.fake.values() if pools.test else ()
    return sum(image.sha256 in evaluated for fakes in tested for image in fakes)


def check_one(flight: Preflight, study: Study, facts: dict[str, Any]) -> None:
    """Warn of a test that is not held, that selects by what is evaluated, or that few pass."""
    condition, sources = facts["condition"], facts["tested_on"]
    if not sources:
        whole = "is all that everybody judges" if study.settings.within else "is the only condition"
        if not study.settings.qualification.valid_from:
            flight.warn(
                "qualification-not-held",
                f"{study.path}: no qualification is held: {condition!r} {whole}, and "
                "who passed a test on these fakes would be who can tell them",
                f"{POOL}; or say [qualification] enabled = false",
            )
        return
    if facts["on_own"]:
        number = f"{facts['own_images']} " if facts["own_images"] else ""
        flight.warn(
            "qualification-on-own-condition",
            f"{study.path}: the qualification before {condition!r} has {number}fakes of "
            f"{condition!r}, so that it selects people who can tell them{shift(facts)}",
            POOL,
        )
    if facts["passing"] < HALF:
        before = f" before {condition!r}" if condition else ""
        flight.warn(
            "few-qualify",
            f"{study.path}: {percent(facts['passing'])} of simulated evaluators pass the "
            f"qualification{before}, and the others are turned away: scores will be of a few",
            "test on images that are easier to tell, or lower qualification.pass_rate",
        )


def shift(facts: dict[str, Any]) -> str:
    """Say by how much an error rate changes when only those who pass are asked."""
    if facts["error"] is None or facts["error_passing"] is None:
        return ""
    return (
        f": simulated, {percent(facts['passing'])} pass, and the error rate without a time limit "
        f"is {percent(facts['error_passing'])} instead of {percent(facts['error'])}"
    )


def check_source(flight: Preflight, study: Study, source: str) -> None:
    days = study.settings.qualification.valid_days
    try:
        passed = passed_in(study, source, simulated=False)
    except InputError as error:
        flight.add("qualified-elsewhere-missing", error)
        return
    valid = still_valid(passed, days, now_unix_s=time.time())
    facts = {"passed": len(passed), "valid": len(valid)}
    flight.facts.setdefault("qualified_elsewhere", {})[source] = facts


def passed_in_record(connection: Connection, *, simulated: bool) -> dict[str, float]:
    """Give who took a qualification in this record and passed it: code, and when it ended.

    Whoever passed has come to the end of the study, or answered trials that come after the test.
    """
    task = judgements.c.task
    ended = func.max(case((task == "qualification", judgements.c.onset_unix_s)))
    went_on = func.max(case((task.in_(("time", "infinity")), 1), else_=0))
    query = (
        select(evaluators.c.evaluator, ended)
        .join(judgements, judgements.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .group_by(evaluators.c.id, evaluators.c.evaluator, evaluators.c.status)
        .having(ended.is_not(None) & ((went_on == 1) | (evaluators.c.status == "complete")))
    )
    answers = connection.execute(query)
    return {code: float(when) for code, when in answers if isinstance(when, (int, float))}
