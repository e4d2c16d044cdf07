"""How surely a study tells two conditions apart: verdicts counted over simulated studies.

The rival is as the baseline but for one parameter of its observers, moved until its score differs
by the wanted amount on the pool itself; without such an amount it is the condition as the study's
observers have it. Studies of each size are then drawn from the pool, and the verdict of `hype
score` is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import special, stats

from hype.errors import InputError
from hype.planning.people import (
    FEW_ANSWERS,
    PeopleSimulator,
    Pool,
    Progress,
    numbers_of_groups,
    people_in,
    people_wanted,
)
from hype.statistics.arrays import BoolArray, FloatArray
from hype.workers import worker_pool

if TYPE_CHECKING:
    from hype.planning.planned import PlannedScore
    from hype.workers import Call

ENOUGH: Final = 0.8
"""The power that is usually asked for (Cohen 1988)."""
STUDIES: Final = 200
FEWEST_STUDIES, MOST_STUDIES = 20, 100_000
MOST_EVALUATORS: Final = 10_000
MOST_ANSWERS: Final = 2_000_000
"""Of a drawn study while a number is looked for."""
FIRST: Final = 20
"""Evaluators of each condition with whom a search for a number begins."""
NEAR: Final = 0.03
"""So near to `ENOUGH` a search ends."""
ROUNDS: Final = 6
"""Numbers of evaluators that a search tries, at most."""
RIVALS: Final = 8
"""Rivals that one tries, at most."""
TOLERANCE: Final = 0.03
ACCEPTED: Final = 0.06
"""Parts of a difference by which a search for a rival may miss it, and by which its end may."""
STEP: Final = 0.3
"""Of a parameter, with which that search begins."""
AT_ONCE: Final = 20
"""Studies put to the test in one process at a time."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked.

    ``difference``: of the rival's score from the baseline's, 0 or more; None for the study's own
    observers. ``numbers``: evaluators of each condition; none to look for a power of 80 %.
    """

    difference: float | None = None
    numbers: tuple[int, ...] = ()
    condition: str | None = None
    studies: int = STUDIES
    seed: int = 0
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.difference is not None and not 0 <= self.difference < np.inf:
            raise InputError("--difference", f"{self.difference:g}", "a number from 0 on")
        if not FEWEST_STUDIES <= self.studies <= MOST_STUDIES:
            allowed = f"{FEWEST_STUDIES} to {MOST_STUDIES:,}"
            raise InputError("--studies", f"{self.studies} is out of range", allowed)
        for number in self.numbers:
            if not 2 <= number <= MOST_EVALUATORS:
                allowed = f"whole numbers from 2 to {MOST_EVALUATORS:,}, such as 10,20,30,60"
                raise InputError("--evaluators", f"{number} is out of range", allowed)


@dataclass(frozen=True, kw_only=True)
class PowerRow:
    """What one number of evaluators shows."""

    evaluators: int  # of each condition
    people: int  # in all
    # Share of studies in which the two are separable, the higher one above; and its standard
    # error, by the number of studies and by that of simulated people
    power: float
    power_se: float
    wrong_way: float  # share in which they are separable the other way round
    hours: float  # in all, as long as sessions are expected to take
    cost: float  # in all

    @property
    def separable(self) -> float:
        return self.power + self.wrong_way


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that was found."""

    study: str
    title: str
    unit: str
    asked: Asked
    baseline: str
    rival: str
    parameter: tuple[str, float, float]  # its name, and its value for the baseline and the rival
    difference: float  # the rival's score less the baseline's, over the whole pool
    conditions: tuple[str, ...]
    each: int
    pool: int  # people simulated of each group that serves one of the two
    rows: tuple[PowerRow, ...]
    needed: int | None  # the fewest evaluators tried with a power of 80 %; None if none has it
    currency: str


def plan_power(planned: PlannedScore, asked: Asked, progress: Progress) -> Plan:
    """Simulate the pool, place the rival, and count verdicts.

    Raises InputError: no such condition, or no rival differs by so much. Raises SessionProblem:
    hardly anyone passes the qualification.
    """
    baseline, rival = pair_of(planned, asked.condition)
    wanted, answers = people_wanted(planned, baseline, asked.seed)
    with worker_pool(1 if answers < FEW_ANSWERS else None, asked.scheduler) as workers:
        people = PeopleSimulator(
            workers=workers,
            planned=planned,
            baseline=baseline,
            rival=rival,
            seed=asked.seed,
            progress=progress,
        )
        placed = placed_rival(people, asked.difference, wanted)
        drawn = DrawnStudies(people=people, pool=placed.pool, asked=asked)
        rows = drawn.asked_about() if asked.numbers else drawn.search()
    enough = [row.evaluators for row in rows if row.power >= ENOUGH - NEAR * (not asked.numbers)]
    name, read = planned.parameter.name, planned.parameter.value
    return Plan(
        study=str(planned.conduct.study.path),
        title=planned.title,
        unit=planned.unit,
        asked=asked,
        baseline=baseline,
        rival=rival,
        parameter=(
            name,
            read(placed.settings, baseline),
            read(placed.settings, rival),
        ),
        difference=placed.difference,
        conditions=planned.conditions,
        each=planned.each,
        pool=max(map(len, placed.pool.groups)),
        rows=tuple(sorted(rows, key=lambda row: row.evaluators)),
        needed=min(enough, default=None),
        currency=planned.pay.currency,
    )


def pair_of(planned: PlannedScore, condition: str | None) -> tuple[str, str]:
    """Choose the baseline, in the middle by its observers, and the condition nearest to it."""
    if len(planned.conditions) < 2:
        path = planned.conduct.study.path
        raise InputError(path, "has one condition, and nothing to tell it from", "two or more")
    if condition is not None and condition not in planned.conditions:
        known = ", ".join(planned.conditions)
        raise InputError("--condition", f"{condition!r} is no condition of the study", known)
    value = {
        name: planned.parameter.sign * planned.parameter.value(planned.settings, name)
        for name in planned.conditions
    }
    ordered = sorted(value, key=lambda name: (value[name], name))
    # Of two in the middle the higher: where scores are higher people differ more.
    baseline = condition or ordered[len(ordered) // 2]
    others = [name for name in ordered if name != baseline]
    return baseline, min(others, key=lambda name: abs(value[name] - value[baseline]))


@dataclass(frozen=True, kw_only=True)
class Rival:
    """A rival that was tried, and the pool of people who met it."""

    by: float  # how far its parameter was moved
    difference: float  # its score less the baseline's, over the whole pool
    settings: Any
    pool: Pool


def placed_rival(people: PeopleSimulator, difference: float | None, wanted: int) -> Rival:
    """Put the rival where its score differs by so much: above the baseline, or else below."""
    parameter = people.planned.parameter
    if difference is None:
        return tried(people, people.planned.settings, 0.0, wanted)

    def moved(by: float, number: int) -> Rival:
        base = people.planned.settings
        settings = parameter.moved(base, people.baseline, people.rival, by)
        return tried(people, settings, by, number)

    if difference == 0:
        return moved(0.0, wanted)
    reached = []
    for target in (difference, -difference):
        rival = find(lambda by: moved(by, max(2, wanted // 4)), target, STEP, parameter.room)
        if abs(rival.difference - target) <= ACCEPTED * difference:
            return find(lambda by: moved(by, wanted), target, abs(rival.by), parameter.room)
        reached.append(rival.difference)
    raise InputError(
        "--difference",
        f"{difference:g} {people.planned.unit}: by its {parameter.name} alone, no rival of "
        f"{people.baseline!r} has a score so far from its own",
        f"the nearest found are {reached[0]:+.3g} and {reached[1]:+.3g}",
    )


def tried(people: PeopleSimulator, settings: Any, by: float, number: int) -> Rival:
    stage = f"Placing the rival ({number} people)" if by else "Simulating people"
    pool = people.pool(settings, number, stage)
    told = people.planned.told(pool.frame, people.baseline, people.rival)
    return Rival(by=by, difference=told.difference, settings=settings, pool=pool)


def find(place: Callable[[float], Rival], target: float, step: float, limit: float) -> Rival:
    """Find the rival that differs by ``target``, above 0 or below; the nearest of those tried.

    Differences grow with how far the parameter is moved, by and large, and are about 0 without
    that. First ever further, beginning with ``step``, until the target lies between two; then
    between these by false position.
    """
    sign = 1 if target > 0 else -1
    low, high, at = (0.0, 0.0), None, min(step, limit)
    best = None
    for _ in range(RIVALS):
        rival = place(sign * at)
        value, off = sign * rival.difference, abs(rival.difference - target)
        if best is None or off < abs(best.difference - target):
            best = rival
        if off <= TOLERANCE * abs(target):
            break
        if value > abs(target):
            high = (at, value)
        elif at >= limit:
            break
        else:
            low = (at, value)
        if high is None:
            ahead = 1.1 * at * abs(target) / value if value > 0 else np.inf
            at = min(limit, max(1.2 * at, min(4 * at, ahead)))
        else:
            part = (abs(target) - low[1]) / (high[1] - low[1])
            at = low[0] + (high[0] - low[0]) * min(max(part, 0.1), 0.9)
    return best or rival


@dataclass(frozen=True, kw_only=True)
class DrawnStudies:
    """Draws studies of some sizes, and puts them to the test."""

    people: PeopleSimulator
    pool: Pool
    asked: Asked

    def asked_about(self) -> list[PowerRow]:
        return [self.row(number)[0] for number in sorted(set(self.asked.numbers))]

    def search(self) -> list[PowerRow]:
        """Look for the number with a power of 80 %, as if it grew with the root of the number."""
        planned = self.people.planned
        each = len(self.pool.frame) / len(self.pool.starts) * len(planned.conditions)
        most = min(MOST_EVALUATORS, max(FIRST, int(MOST_ANSWERS / each * planned.each)))
        number, rows = FIRST, dict[int, PowerRow]()
        low, high = 1, most + 1
        for _ in range(ROUNDS):
            rows[number], distance = self.row(number)
            power = rows[number].power
            if abs(power - ENOUGH) <= NEAR:
                break
            low, high = (number, high) if power < ENOUGH else (low, number)
            away = special.ndtri(ENOUGH) - special.ndtri(np.clip(power, 0.005, 0.995))
            times = 1 + away / distance if distance > 0 else 2.0
            ahead = number * min(max(times, 0.5), 2.0) ** 2
            number = round(min(max(ahead, low + 1), high - 1))
            if number in rows or not low < number < high:
                break
        return list(rows.values())

    def row(self, evaluators: int) -> tuple[PowerRow, float]:
        """Count the verdicts of studies; also say how many of its errors their difference is."""
        planned = self.people.planned
        differences, separable = map(np.concatenate, zip(*self._tested(evaluators), strict=True))
        sign = -1 if np.nanmean(differences) < 0 else 1
        share = float((separable & (sign * differences > 0)).mean())
        wrong = float((separable & (sign * differences < 0)).mean())
        people = people_in(planned, evaluators)
        pay = planned.pay
        distance = abs(float(np.nanmean(differences))) / max(float(np.nanstd(differences)), 1e-12)
        row = PowerRow(
            evaluators=evaluators,
            people=people,
            power=share,
            power_se=self.error(share, distance, evaluators),
            wrong_way=wrong,
            hours=people * self.pool.minutes / 60,
            cost=people * (pay.base * self.pool.came + pay.per_correct * self.pool.paid),
        )
        return row, distance

    def error(self, share: float, distance: float, evaluators: int) -> float:
        """Give the standard error of a power.

        Of the number of studies, and of who was simulated: their mean, unless the rival was placed
        by them, and their spread.
        """
        kept = (share * self.asked.studies + 1) / (self.asked.studies + 2)
        drawn = kept * (1 - kept) / self.asked.studies
        pool = max(map(len, self.pool.groups))
        shift = distance**2 / 2 / pool
        if self.asked.difference is None:
            shift += evaluators / pool
        return float(np.sqrt(drawn + stats.norm.pdf(special.ndtri(kept)) ** 2 * shift))

    def _tested(self, evaluators: int) -> Iterator[tuple[FloatArray, BoolArray]]:
        people, asked = self.people, self.asked
        pair = (people.baseline, people.rival)

        def calls() -> Iterator[Call[tuple[int, FloatArray, BoolArray]]]:
            for start in range(0, asked.studies, AT_ONCE):
                some = range(start, min(start + AT_ONCE, asked.studies))
                yield put_to_test, (people.planned, self.pool, pair, evaluators, some, asked.seed)

        done, parts = 0, {}
        for start, differences, separable in people.workers.run(calls()):
            parts[start] = differences, separable
            done += len(differences)
            people.progress(f"Studies of {evaluators}", done, asked.studies)
        yield from (parts[start] for start in sorted(parts))


def put_to_test(
    planned: PlannedScore,
    pool: Pool,
    pair: tuple[str, str],
    evaluators: int,
    studies: Sequence[int],
    seed: int,
) -> tuple[int, FloatArray, BoolArray]:
    """Draw some studies, and say what scoring says of each."""
    told = []
    for study in studies:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(evaluators, study)))
        numbers = numbers_of_groups(planned, pair, evaluators, rng)
        told.append(planned.told(pool.draw(numbers, rng), *pair))
    return (
        studies[0],
        np.array([one.difference for one in told]),
        np.array([one.separable for one in told]),
    )
