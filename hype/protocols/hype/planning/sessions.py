"""Simulated sessions of a study that is being planned; nothing of them is written anywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hype.errors import SessionProblem
from hype.protocols.hype.conduct import observer_of
from hype.protocols.hype.observer import Population
from hype.protocols.hype.sampling import Pools, plan_session
from hype.protocols.hype.script import hype_session
from hype.protocols.hype.settings import Method, StudyFile
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.session.loop import Presentation
from hype.session.simulate import conduct
from hype.session.steps import Ending, Response, Step, Trial
from hype.stimuli.manifest import Truth
from hype.study.assignment import Assignment, Cell
from hype.workers import Call, WorkerPool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDesign:
    """What is simulated: a study, its images, its people, and the method that is asked about."""

    settings: StudyFile
    pools: Pools
    people: Population
    methods: tuple[Method, ...]  # all that one evaluator does, ``method`` among them
    method: Method
    seed: int  # of the simulated people and their answers
    # Where an evaluator serves several conditions, the places at which both of the pair are served
    shares: tuple[int, ...] = ()

    def cell(self, condition: str, number: int) -> Cell:
        """Give the place of somebody who is to serve a condition of the pair."""
        if not self.shares:
            return Cell(condition=condition, methods=self.methods)
        share = self.shares[number % len(self.shares)]
        return Cell(condition="", methods=self.methods, share=share)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedSession:
    """What one simulated evaluator did."""

    number: int  # who of those who came
    ending: Ending
    seconds: float  # how long the session took by its own clock
    correct: int  # correct judgements that are paid
    # judged, wrong: judgements of the method asked about, and how many were wrong
    judged: int
    wrong: int
    # Their requested exposures, block by block; empty where they have none
    exposures_ms: tuple[tuple[float, ...], ...]
    # The image of each such judgement, whether it is a fake, and whether it was judged wrongly
    answers: tuple[tuple[str, bool, bool], ...] = ()


class SimulationTally:
    """A recorder that keeps no more than scores, pay and plans need."""

    def __init__(self, method: Method, condition: str) -> None:
        self._task = Task(method)
        self._condition = condition
        self.correct = self.judged = self.wrong = 0
        self.answers: list[tuple[str, bool, bool]] = []
        self.exposures_ms: dict[int, list[float]] = {}

    def begin(self, step: Step) -> None:
        """Keep nothing."""

    def interrupt(self, trial: Trial) -> None:
        """Keep nothing: nobody pauses."""

    def record(self, step: Step, _shown: Presentation, response: Response) -> None:
        if not (isinstance(step, JudgementTrial) and step.task.paid):
            return
        correct = step.correct(response.answer)
        self.correct += correct
        if step.task is not self._task or step.condition not in ("", self._condition):
            return
        fake = step.stimulus.truth is Truth.FAKE
        self.answers.append((step.stimulus.path, fake, not correct))
        self.judged += 1
        self.wrong += not correct
        if step.exposure_ms is not None:
            self.exposures_ms.setdefault(step.block, []).append(step.exposure_ms)


def sit(design: PlannedDesign, condition: str, number: int) -> SimulatedSession:
    """Simulate one session; the same arguments give the same one.

    Who comes as number so-and-so is the same person in every condition, with the same luck:
    two conditions then differ by what they are and not by who came. Where an evaluator serves
    several conditions, it is the same session, of which the other conditions are paid for only.
    """
    cell = design.cell(condition, number)
    # The mapping of the keys is nothing to someone who presses none.
    given = Assignment(evaluator=f"planned-{number:05d}", cell=cell, left_means="real")
    plan = plan_session(design.settings, design.pools, given)
    tally = SimulationTally(design.method, condition)
    timing = design.settings.time
    ending, seconds = conduct(
        hype_session(plan),
        observer_of(design.people, plan, seed=design.seed),
        tally,
        countdown_ms=timing.countdown_from * timing.countdown_ms,
        unix_s=0.0,
        monotonic_s=0.0,
    )
    return SimulatedSession(
        number=number,
        ending=ending,
        seconds=seconds,
        correct=tally.correct,
        judged=tally.judged,
        wrong=tally.wrong,
        exposures_ms=tuple(map(tuple, tally.exposures_ms.values())),
        answers=tuple(tally.answers),
    )


def sit_all(
    design: PlannedDesign, condition: str, numbers: Sequence[int]
) -> tuple[str, list[SimulatedSession]]:
    return condition, [sit(design, condition, number) for number in numbers]


CHUNK: Final = 50
"""Sessions handed to another process at a time."""
RAREST: Final = 20
"""Fewer than one in so many who pass, and a study would not come to its end."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many sessions of it are done, and how many there will be."""

Scorer = Callable[[SimulatedSession], float]
"""Gives the score of one evaluator, as the analysis has it."""

Answer = tuple[str, list[SimulatedSession]]


class HardlyAnyonePasses(SessionProblem):
    """The qualification turns away nearly everyone who is simulated."""

    def __init__(self) -> None:
        super().__init__(
            "simulated evaluators hardly ever pass the qualification; the study's [observers] "
            "are too weak for its pass_rate"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedGroup:
    """Simulated evaluators of one condition: those who came to the end, and those turned away."""

    complete: tuple[SimulatedSession, ...]
    turned_away: tuple[SimulatedSession, ...]

    @property
    def turned_away_each(self) -> float:
        return len(self.turned_away) / len(self.complete)

    def mean(self, score: Scorer) -> float:
        """Score of the condition: every evaluator judges equally many images, and counts alike."""
        return math.fsum(map(score, self.complete)) / len(self.complete)


def gather(
    crew: WorkerPool,
    design: PlannedDesign,
    conditions: Sequence[str],
    *,
    wanted: int,
    progress: Callable[[int, int], None],
) -> dict[str, SimulatedGroup]:
    """Simulate until each condition has as many complete sessions as are wanted.

    `HardlyAnyonePasses` where it never would have.
    """
    sat: dict[str, list[SimulatedSession]] = {condition: [] for condition in conditions}
    while calls := list(calls_for(design, sat, wanted)):
        for condition, sittings in crew.run(calls):
            sat[condition] += sittings
            done = sum(min(wanted, completed(each)) for each in sat.values())
            progress(done, wanted * len(sat))
    return {condition: group_of(sittings, wanted) for condition, sittings in sat.items()}


def calls_for(
    design: PlannedDesign, sat: Mapping[str, Sequence[SimulatedSession]], wanted: int
) -> Iterator[Call[Answer]]:
    """Yield the calls that simulate those who should come next, some at a time."""
    for condition, sittings in sat.items():
        first, more = len(sittings), still_to_come(sittings, wanted)
        for start in range(first, first + more, CHUNK):
            numbers = range(start, min(start + CHUNK, first + more))
            yield sit_all, (design, condition, numbers)


def still_to_come(sittings: Sequence[SimulatedSession], wanted: int) -> int:
    """Give how many more should come, judging by how many of those who came were turned away."""
    passed, came = completed(sittings), len(sittings)
    if not came:
        return wanted
    if passed * RAREST < came:
        raise HardlyAnyonePasses
    return math.ceil((wanted - passed) * came / passed) if passed < wanted else 0


def completed(sittings: Iterable[SimulatedSession]) -> int:
    return sum(sitting.ending is Ending.COMPLETE for sitting in sittings)


def group_of(sittings: Iterable[SimulatedSession], wanted: int) -> SimulatedGroup:
    """Take those who came first, up to the last one who is wanted."""
    complete: list[SimulatedSession] = []
    turned_away: list[SimulatedSession] = []
    for sitting in sorted(sittings, key=lambda each: each.number):
        (complete if sitting.ending is Ending.COMPLETE else turned_away).append(sitting)
        if len(complete) == wanted:
            break
    return SimulatedGroup(complete=tuple(complete), turned_away=tuple(turned_away))
