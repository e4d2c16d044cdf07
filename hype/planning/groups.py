"""Simulated evaluators of each condition, as many as are wanted, and those who were turned away."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hype.errors import SessionProblem
from hype.planning.sittings import Design, Sitting, sit_all
from hype.session.steps import Ending
from hype.workers import Call, WorkerPool

CHUNK: Final = 50
"""Sessions handed to another process at a time."""
RAREST: Final = 20
"""Fewer than one in so many who pass, and a study would not come to its end."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many sessions of it are done, and how many there will be."""
Scorer = Callable[[Sitting], float]
"""Gives the score of one evaluator, as the analysis has it."""
Answer = tuple[str, list[Sitting]]


class HardlyAnyonePasses(SessionProblem):
    """The qualification turns away nearly everyone who is simulated."""

    def __init__(self) -> None:
        super().__init__(
            "simulated evaluators hardly ever pass the qualification; the study's [observers] "
            "are too weak for its pass_rate"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Simulated evaluators of one condition: those who came to the end, and those turned away."""

    complete: tuple[Sitting, ...]
    turned_away: tuple[Sitting, ...]

    @property
    def turned_away_each(self) -> float:
        return len(self.turned_away) / len(self.complete)

    def mean(self, score: Scorer) -> float:
        """Score of the condition: every evaluator judges equally many images, and counts alike."""
        return math.fsum(map(score, self.complete)) / len(self.complete)


def gather(
    worker_pool: WorkerPool,
    design: Design,
    conditions: Sequence[str],
    *,
    wanted: int,
    progress: Callable[[int, int], None],
) -> dict[str, Group]:
    """Simulate until each condition has as many complete sessions as are wanted.

    Raises
    ------
    HardlyAnyonePasses
        It never would have.
    """
    sat: dict[str, list[Sitting]] = {condition: [] for condition in conditions}
    while calls := list(calls_for(design, sat, wanted)):
        for condition, sittings in worker_pool.run(calls):
            sat[condition] += sittings
            done = sum(min(wanted, completed(each)) for each in sat.values())
            progress(done, wanted * len(sat))
    return {condition: group_of(sittings, wanted) for condition, sittings in sat.items()}


def calls_for(
    design: Design, sat: Mapping[str, Sequence[Sitting]], wanted: int
) -> Iterator[Call[Answer]]:
    """Yield the calls that simulate those who should come next, some at a time."""
    for condition, sittings in sat.items():
        first, more = len(sittings), still_to_come(sittings, wanted)
        for start in range(first, first + more, CHUNK):
            numbers = range(start, min(start + CHUNK, first + more))
            yield sit_all, (design, condition, numbers)


def still_to_come(sittings: Sequence[Sitting], wanted: int) -> int:
    """Give how many more should come, judging by how many of those who came were turned away."""
    passed, came = completed(sittings), len(sittings)
    if not came:
        return wanted
    if passed * RAREST < came:
        raise HardlyAnyonePasses
    return math.ceil((wanted - passed) * came / passed) if passed < wanted else 0


def completed(sittings: Iterable[Sitting]) -> int:
    return sum(sitting.ending is Ending.COMPLETE for sitting in sittings)


def group_of(sittings: Iterable[Sitting], wanted: int) -> Group:
    """Take those who came first, up to the last one who is wanted."""
    complete: list[Sitting] = []
    turned_away: list[Sitting] = []
    for sitting in sorted(sittings, key=lambda each: each.number):
        (complete if sitting.ending is Ending.COMPLETE else turned_away).append(sitting)
        if len(complete) == wanted:
            break
    return Group(complete=tuple(complete), turned_away=tuple(turned_away))
