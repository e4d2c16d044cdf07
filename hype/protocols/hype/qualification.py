"""The qualification: who passed it in another study, its fakes, whom it selects."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
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


def find_passed_elsewhere(study: Study, *, simulated: bool, now_unix_s: float) -> dict[str, str]:
    """Give who passed in a study of ``qualification.valid_from``: code, and the first such study.

    Raises InputError: a study named there has no record.
    """
    test = study.settings.qualification
    sources: dict[str, str] = {}
    for source in test.valid_from if test.enabled else ():
        passed = find_passed(study, source, simulated=simulated)
        fresh = drop_expired(passed, test.valid_days, now_unix_s=now_unix_s)
        sources = dict.fromkeys(fresh, source) | sources
    return sources


def find_passed(study: Study, source: str, *, simulated: bool) -> dict[str, float]:
    """Give who passed in one study: code, and when.

    Raises InputError: it has no record.
    """
    path = study.folder / source / RECORD_FILE
    with reading_record(path) as engine, engine.connect() as connection:
        return read_passed(connection, simulated=simulated)


def read_passed(connection: Connection, *, simulated: bool) -> dict[str, float]:
    """Return who passed a qualification in this record: code, and when it ended.

    An evaluator passed who ended the study, or answered trials that come after the test.
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


def drop_expired(
    passed: Mapping[str, float], valid_days: int | None, *, now_unix_s: float
) -> dict[str, float]:
    """Leave out evaluators who passed longer ago than ``valid_days`` (None: nobody)."""
    if valid_days is None:
        return dict(passed)
    since = now_unix_s - valid_days * DAY_S
    return {code: when for code, when in passed.items() if when >= since}


PEOPLE: Final = 1000
"""Simulated people whose chances are averaged: the standard error of a share is at most 1.6%."""


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

    def select(
        self, served: Sequence[str], sources: Sequence[str], *, trials: int, pass_rate: float
    ) -> dict[str, float | None]:
        """Let everybody take a test whose fakes come equally from ``sources``.

        Images of one kind are taken to look alike.

        Gives ``passing``, the share of them who pass; and ``error`` and ``error_passing``, the
        share of wrong judgements without a time limit, of everybody and of those who pass, of
        half real images and half images of the conditions ``served``. None if these are
        none, or nobody passes.
        """
        half = trials // 2
        false_alarms = np.mean([self._false_alarms[name] for name in sources], axis=0)
        reals = self._rng.binomial(half, 1 - false_alarms)
        fakes = sum(
            self._rng.binomial(len(range(place, half, len(sources))), self._hits[name])
            for place, name in enumerate(sources)
        )
        passes = np.minimum(reals, fakes) >= pass_rate * half - 1e-9
        found: dict[str, float | None] = {
            "passing": float(passes.mean()),
            "error": None,
            "error_passing": None,
        }
        if served:
            each = [(1 - self._hits[name] + self._false_alarms[name]) / 2 for name in served]
            wrong = np.mean(each, axis=0)
            found["error"] = float(wrong.mean())
            found["error_passing"] = float(wrong[passes].mean()) if passes.any() else None
        return found


HALF: Final = 0.5
POOL: Final = (
    "test people on images of other models: [qualification] stimuli = FOLDER, or valid_from with a "
    "study made by: hype new DIR --template qualification"
)


def check_selection(flight: Preflight, study: Study, pools: Pools) -> None:
    """Report whom the qualification will select, by simulation, and who has passed elsewhere."""
    test = study.settings.qualification
    if not test.enabled:
        return
    flight.facts["selection"] = list(selections(study, pools))
    for selection in flight.facts["selection"]:
        warn_of_selection(flight, study, selection)
    for source in test.valid_from:
        try:
            passed = find_passed(study, source, simulated=False)
        except InputError as error:
            flight.add("qualified-elsewhere-missing", error)
            continue
        valid = drop_expired(passed, test.valid_days, now_unix_s=time.time())
        facts = {"passed": len(passed), "valid": len(valid)}
        flight.facts.setdefault("qualified_elsewhere", {})[source] = facts


def selections(study: Study, pools: Pools) -> Iterator[dict[str, Any]]:
    """Yield for each condition on what people are tested before it, and whom that selects.

    ``own_images``: fakes of the test's own set that are images of the condition, whatever their
    name.
    """
    settings, test = study.settings, study.settings.qualification
    crowd = Crowd(population(study, pools), seed=settings.study.seed)
    names = tuple(pools.fake)
    tested = [
        image for fakes in (pools.test.fake.values() if pools.test else ()) for image in fakes
    ]
    different = {served_by(settings, names, cell) for cell in different_places(settings, names)}
    for served in sorted(different, key=lambda some: [*map(names.index, some)]):
        sources = sources_of_test(settings, pools, served)
        evaluated = {image.sha256 for name in served for image in pools.fake[name]}
        own = sum(image.sha256 in evaluated for image in tested)
        selected = (
            crowd.select(served, sources, trials=test.trials, pass_rate=test.pass_rate)
            if sources
            else {}
        )
        yield {
            "tested_on": list(sources),
            "on_own": bool(own or not {*served}.isdisjoint(sources)),
            "own_images": own,
            "condition": " + ".join(served),
            **selected,
        }


def warn_of_selection(flight: Preflight, study: Study, facts: Mapping[str, Any]) -> None:
    """Warn if there is no test, if it selects by what is evaluated, or if few pass."""
    condition = facts["condition"]
    if not facts["tested_on"]:
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
        shift = (
            f": simulated, {percent(facts['passing'])} pass, and the error rate without a time "
            f"limit is {percent(facts['error_passing'])} instead of {percent(facts['error'])}"
            if facts["error_passing"] is not None
            else ""
        )
        flight.warn(
            "qualification-on-own-condition",
            f"{study.path}: the qualification before {condition!r} has {number}fakes of "
            f"{condition!r}, so that it selects people who can tell them{shift}",
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
