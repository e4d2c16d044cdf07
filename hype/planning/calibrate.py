"""Moving the rival until its true score differs from the baseline's by what was asked for.

The baseline and the rival are simulated with the same people, the same luck and images in the same
order (common random numbers), so that a small difference is not lost in who happened to come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from hype.errors import InputError
from hype.planning.groups import Group, HardlyAnyonePasses, Progress, Scorer, gather
from hype.planning.rival import Place, measured
from hype.workers import WorkerPool

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

    Parameters
    ----------
    function
        Grows, by and large; may be undefined from some argument on.
    first
        Where to begin; above 0.
    limit
        The largest argument.
    grow
        Factor from one argument to the next; above 1.

    Returns
    -------
    list of Point
        In the order of the arguments, from 0. The last is the only one at ``target`` or above, or
        none is, and the function does not reach it.
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
    and never leaves the bracket, however uneven the function.

    Returns
    -------
    Point
        The nearest to ``target`` of all evaluated. It may miss it by more than ``tolerance`` where
        the function jumps, or where ``rounds`` evaluations were not enough.
    """
    best = min(low, high, key=lambda point: abs(point.value - target))
    below, above = low.value - target, high.value - target
    side = 0
    for _ in range(rounds):
        if abs(best.value - target) <= tolerance:
            break
        at = low.at + (high.at - low.at) * below / (below - above)
        found = Point(at, function(at))
        best = min(best, found, key=lambda point: abs(point.value - target))
        if found.value < target:
            low, below = found, found.value - target
            above = above / 2 if side < 0 else above
            side = -1
        else:
            high, above = found, found.value - target
            below = below / 2 if side > 0 else below
            side = 1
    return best


ACCEPTED: Final = 0.05

"""The share of the difference by which the one reached may miss it."""

NEARLY: Final = 0.9

"""The share of the difference from which on few people leave open whether it can be reached."""

FIRST_STEP: Final = 0.1

"""Of the search, on the scale of `hype.planning.rival.position`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How carefully to search.

    Attributes
    ----------
    people
        Simulated evaluators of each of the two conditions.
    tolerance
        The share of the difference that need not be met.
    rounds
        Simulations, at most, once the rival stands between two that were tried.
    grow
        Factor from one step to the next until it does.
    """

    people: int
    tolerance: float
    rounds: int
    grow: float

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
class Trials:
    """The rivals that were tried, by how far they were moved, and how they came out."""

    simulator: Simulator
    people: int
    groups: dict[float, Mapping[str, Group]] = field(default_factory=dict)

    def difference(self, by: float) -> float:
        """Give the score of a rival moved by so much, less that of the baseline."""
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
    """The rival that came nearest to what was asked for.

    Attributes
    ----------
    moved_by
        On the scale of `hype.planning.rival.position`.
    difference
        Score of the rival less that of the baseline.
    furthest
        The largest difference, of the sign that was asked for, of all rivals tried.
    groups
        Baseline and rival as they were simulated.
    """

    moved_by: float
    difference: float
    furthest: float
    groups: Mapping[str, Group]


def difference_between(groups: Mapping[str, Group], place: Place, score: Scorer) -> float:
    return groups[place.rival].mean(score) - groups[place.baseline].mean(score)


def calibrate(simulator: Simulator, target: float, *, people: int, unit: str) -> Calibrated:
    """Find a rival whose score differs by ``target``: a more convincing one, or else a less.

    A search with a quarter of the ``people`` says about where; one with all of them says where.

    Raises
    ------
    InputError
        There is none.
    """
    tried: list[Calibrated] = []
    for sign in (1, -1):
        found = approach(simulator, sign * target, Effort.rough(max(2, people // 4)), FIRST_STEP)
        if sign * found.furthest >= NEARLY * target:
            first = abs(found.moved_by) or FIRST_STEP
            found = approach(simulator, sign * target, Effort.fine(people), first)
        if abs(found.difference - sign * target) <= ACCEPTED * target:
            return found
        tried.append(found)
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
    """Say which rivals there are, of staircases."""
    if place.design.method != "time":
        return ""
    low_ms, high_ms = measured(place.design.settings.time)
    return f", of those that the staircase can measure ({low_ms:.0f} to {high_ms:.0f} ms)"


def approach(simulator: Simulator, target: float, effort: Effort, first: float) -> Calibrated:
    """Search for a rival whose score differs by ``target``, above 0 or below; give the nearest."""
    place = simulator.place
    trials = Trials(simulator=simulator, people=effort.people)
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
