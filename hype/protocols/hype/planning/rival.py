"""The rival: a condition like another one, but for the one thing that the method measures.

The baseline and the rival are simulated with the same people, the same luck and images in the same
order (common random numbers), so that a small difference is not lost in who happened to come.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from hype.errors import InputError
from hype.protocols.hype.observer import MOST_CERTAIN, Psychometric
from hype.protocols.hype.planning.sessions import (
    HardlyAnyonePasses,
    PlannedDesign,
    Progress,
    Scorer,
    SimulatedGroup,
    gather,
)
from hype.protocols.hype.quest_plus import QUEST_PLUS, QuestPlus
from hype.protocols.hype.settings import Method, StudyFile
from hype.protocols.hype.settling import settling
from hype.study.draws import STANDARD_NORMAL
from hype.study.table import LONGEST_MS
from hype.workers import WorkerPool

SHORTEST_MS: Final = 0.001
"""Any threshold far below the shortest exposure is as good as another."""
MEASURED: Final[Mapping[Method, str]] = {"time": "threshold_ms", "infinity": "ceiling"}
"""The parameter of an observer that a method measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the rival stands in the study."""

    # The study with room for the rival, who is in all like the baseline so far
    design: PlannedDesign
    # baseline, rival: names of the two conditions in ``design``
    baseline: str
    rival: str
    # Whether ``rival`` names a condition of the study, which gives up its place and images; else
    # the rival has the images of the baseline
    replaces: bool

    @property
    def typical(self) -> Psychometric:
        return self.design.people.typical[self.baseline]

    @property
    def measured(self) -> str:
        return MEASURED[self.design.method]

    def moved(self, by: float) -> PlannedDesign:
        """Give the study with a rival moved by so much; more is more convincing."""
        people = self.design.people
        typical = {**people.typical, self.rival: moved(self.typical, self.design.method, by)}
        return replace(self.design, people=replace(people, typical=typical))

    def room(self, direction: int) -> float:
        """Give by how much the rival can be moved at most; ``direction`` is 1 (up) or -1 (down)."""
        low, high = bounds(self.design, self.typical)
        at = position(self.typical, self.design.method)
        return max(0.0, high - at if direction > 0 else at - low)


def place_rival(design: PlannedDesign, baseline: str, replaced: str | None) -> Place:
    """Make room for a rival: in the place of another condition, or beside the only one (None)."""
    people, pools = design.people, design.pools
    rival = replaced or f"rival of {baseline}"
    if replaced is None:
        fake = {**pools.fake, rival: pools.fake[baseline]}
        pools = replace(
            pools,
            fake={
                name: tuple(replace(image, condition=name) for image in images)
                for name, images in fake.items()
            },
        )
    people = replace(
        people,
        typical={**people.typical, rival: people.typical[baseline]},
        own_spreads={**people.own_spreads, rival: people.spread(baseline)},
    )
    return Place(
        design=replace(design, pools=pools, people=people),
        baseline=baseline,
        rival=rival,
        replaces=replaced is not None,
    )


def position(typical: Psychometric, method: Method) -> float:
    """Give where an observer stands on the scale that a method measures; more convinces more.

    For time the logarithm of the threshold, for infinity the z of the ceiling, sign changed: on
    these scales people differ from one another (see `hype.protocols.hype.observer`).
    """
    if method == "time":
        return math.log(typical.threshold_ms)
    return -STANDARD_NORMAL.inv_cdf(max(1 - MOST_CERTAIN, min(typical.ceiling, MOST_CERTAIN)))


def bounds(design: PlannedDesign, typical: Psychometric) -> tuple[float, float]:
    """Give the ends of that scale: for time those of what the study's staircase can measure."""
    if design.method == "time":
        measured_ms, settles_ms = measured(design.settings), settling_ms(design, typical)
        if settles_ms is None:
            return math.log(SHORTEST_MS), math.log(LONGEST_MS)
        low, high = (ms * typical.threshold_ms / settles_ms for ms in measured_ms)
        return math.log(low), math.log(high)
    most = STANDARD_NORMAL.inv_cdf(MOST_CERTAIN)
    return -most, most


def measured(settings: StudyFile) -> tuple[float, float]:
    """Give the true scores that the rule measures; all, if it is QUEST+ or need not settle."""
    rule, time = settings.rule, settings.time
    if isinstance(rule, QuestPlus) or time.staircase.allow_unsettled:
        return rule.min_ms, rule.max_ms
    played = settling(rule, time.trials)
    if played and played.from_ms and played.to_ms:
        return played.from_ms, played.to_ms
    return rule.min_ms, rule.max_ms


def settling_ms(design: PlannedDesign, typical: Psychometric) -> float | None:
    """Give the exposure that the rule seeks of these observers, if there is one."""
    return typical.settling_ms(design.settings.rule.settles_at)


def moved(typical: Psychometric, method: Method, by: float) -> Psychometric:
    at = position(typical, method) + by
    if method == "time":
        return replace(typical, threshold_ms=math.exp(at))
    return replace(typical, ceiling=STANDARD_NORMAL.cdf(-at))


MOST_HALVINGS: Final = 4
"""Tries to come nearer to the place from which on the function is not defined."""


class NotDefined(Exception):
    """Raised by a function for an argument beyond those for which it has a value."""


@dataclass(frozen=True, slots=True)
class Point:
    """An argument, and the value there."""

    at: float
    value: float


def expand(
    function: Callable[[float], float], target: float, *, first: float, limit: float, grow: float
) -> list[Point]:
    """Evaluate a function ever further from 0, where it is 0, until it reaches ``target``.

    The function grows, by and large, and may be undefined from some argument on. ``first`` is where
    to begin, above 0, ``limit`` the largest argument, ``grow`` the factor, above 1, from one to the
    next. Points come in the order of the arguments, from 0. The last is the only one at ``target``
    or above, or none is, and the function does not reach it.
    """
    points, at, ended, halvings = [Point(0.0, 0.0)], min(first, limit), False, 0
    while True:
        try:
            points.append(Point(at, function(at)))
        except NotDefined:
            limit, ended = at, True
        halvings += ended
        last = points[-1]
        if last.value >= target or last.at >= limit or halvings > MOST_HALVINGS:
            return points
        at = (last.at + limit) / 2 if ended else min(last.at * grow, limit)


def narrow(
    function: Callable[[float], float],
    target: float,
    low: Point,
    high: Point,
    *,
    tolerance: float,
    rounds: int,
) -> Point:
    """Find where a function has the value ``target``, between a point below it and one above.

    The Illinois variant of the false position (Dowell & Jarratt 1971): it needs few evaluations,
    and never leaves the bracket, however uneven the function. The point nearest to ``target`` of
    all evaluated may miss it by more than ``tolerance`` where the function jumps, or where
    ``rounds`` evaluations were not enough.
    """
    best = min(low, high, key=lambda point: abs(point.value - target))
    below, above = low.value - target, high.value - target
    side = 0
    for _ in range(rounds):
        if abs(best.value - target) <= tolerance:
            break
        at = low.at + (high.at - low.at) * below / (below - above)
        point = Point(at, function(at))
        best = min(best, point, key=lambda point: abs(point.value - target))
        if point.value < target:
            low, below = point, point.value - target
            above = above / 2 if side < 0 else above
            side = -1
        else:
            high, above = point, point.value - target
            below = below / 2 if side > 0 else below
            side = 1
    return best


ACCEPTED: Final = 0.05
"""The share of the difference by which the one reached may miss it."""
NEARLY: Final = 0.9
"""The share of the difference from which on few people leave open whether it can be reached."""
FIRST_STEP: Final = 0.1
"""Of the search, on the scale of `hype.protocols.hype.planning.rival.position`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How carefully to search."""

    people: int  # simulated evaluators of each of the two conditions
    tolerance: float  # the share of the difference that need not be met
    rounds: int  # simulations, at most, once the rival stands between two that were tried
    grow: float  # factor from one step to the next until it does

    @classmethod
    def rough(cls, people: int) -> Effort:
        return cls(people=people, tolerance=0.05, rounds=8, grow=2.0)

    @classmethod
    def fine(cls, people: int) -> Effort:
        return cls(people=people, tolerance=0.01, rounds=6, grow=1.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulator:
    """What it takes to simulate the baseline and a rival."""

    worker_pool: WorkerPool
    place: Place
    score: Scorer
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedRivals:
    """The rivals that were tried, by how far they were moved, and how they came out."""

    simulator: Simulator
    people: int
    groups: dict[float, Mapping[str, SimulatedGroup]] = field(default_factory=dict)

    def difference(self, by: float) -> float:
        simulator, place = self.simulator, self.simulator.place
        stage = f"Placing the rival ({self.people} people, try {len(self.groups) + 1})"
        try:
            self.groups[by] = gather(
                simulator.worker_pool,
                place.moved(by),
                (place.baseline, place.rival),
                wanted=self.people,
                progress=partial(simulator.progress, stage),
            )
        except HardlyAnyonePasses:
            raise NotDefined from None
        return difference_between(self.groups[by], place, simulator.score)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """The rival that came nearest to what was asked for."""

    moved_by: float  # on the scale of `hype.protocols.hype.planning.rival.position`
    difference: float  # score of the rival less that of the baseline
    furthest: float  # the largest difference, of the sign that was asked for, of all rivals tried
    groups: Mapping[str, SimulatedGroup]  # baseline and rival as they were simulated


def difference_between(groups: Mapping[str, SimulatedGroup], place: Place, score: Scorer) -> float:
    return groups[place.rival].mean(score) - groups[place.baseline].mean(score)


def calibrate(simulator: Simulator, target: float, *, people: int, unit: str) -> Calibrated:
    """Find a rival whose score differs by ``target``: a more convincing one, or else a less.

    A search with a quarter of the ``people`` says about where; one with all of them says where.
    InputError where there is none.
    """
    tried: list[Calibrated] = []
    for sign in (1, -1):
        point = approach(simulator, sign * target, Effort.rough(max(2, people // 4)), FIRST_STEP)
        if sign * point.furthest >= NEARLY * target:
            first = abs(point.moved_by) or FIRST_STEP
            point = approach(simulator, sign * target, Effort.fine(people), first)
        if abs(point.difference - sign * target) <= ACCEPTED * target:
            return point
        tried.append(point)
    raise unreachable(simulator.place, target, tried, unit)


def unreachable(place: Place, target: float, tried: Sequence[Calibrated], unit: str) -> InputError:
    """Say that no rival differs by so much, and what rivals do: one above, one below."""
    above, below = tried
    problem = (
        f"{target:g} {unit}: by its {place.measured} alone, no rival of {place.baseline!r} has a "
        f"score so far from its own{within(place)}"
    )
    if max(above.furthest, -below.furthest) < target:
        up, down = max(0.0, above.furthest), max(0.0, -below.furthest)
        return InputError("--difference", problem, f"at most {up:.3g} above, or {down:.3g} below")
    nearest = f"the nearest found are {above.difference:+.3g} and {below.difference:+.3g}"
    return InputError("--difference", problem, nearest)


def within(place: Place) -> str:
    if place.design.method != "time":
        return ""
    rule = QUEST_PLUS if place.design.settings.time.staircase.is_quest_plus else "the staircase"
    low_ms, high_ms = measured(place.design.settings)
    return f", of those that {rule} can measure ({low_ms:.0f} to {high_ms:.0f} ms)"


def approach(simulator: Simulator, target: float, effort: Effort, first: float) -> Calibrated:
    """Search for a rival whose score differs by ``target``, above 0 or below; give the nearest."""
    place = simulator.place
    trials = TriedRivals(simulator=simulator, people=effort.people)
    # Where images differ, the rival's may look more or less fake than the baseline's as they are.
    start = trials.difference(0.0) if place.design.people.image_spread else 0.0
    direction, gap = (1 if target > start else -1), abs(target - start)

    def gained(by: float) -> float:
        return direction * (trials.difference(direction * by) - start)

    points = expand(gained, gap, first=first, limit=place.room(direction), grow=effort.grow)
    best = points[-1]
    if best.value >= gap:
        tolerance = effort.tolerance * abs(target)
        best = narrow(gained, gap, *points[-2:], tolerance=tolerance, rounds=effort.rounds)
    moved_by, difference = direction * best.at, start + direction * best.value
    reached = [start + direction * point.value for point in points]
    return Calibrated(
        moved_by=moved_by,
        difference=difference,
        furthest=max(reached) if target > 0 else min(reached),
        groups=trials.groups.get(moved_by, {}),
    )
