"""One simulated session of a study that is being planned; nothing of it is written anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hype.protocols.hype.conduct import observer_of
from hype.protocols.hype.observer import Population
from hype.protocols.hype.sampling import Pools, plan_session
from hype.protocols.hype.script import hype_session
from hype.protocols.hype.settings import Method, StudyFile
from hype.session.loop import Presentation
from hype.session.simulate import conduct
from hype.session.steps import Ending, JudgementTrial, Response, Step, Task, Trial
from hype.study.assignment import Assignment, Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What is simulated: a study, its images, its people, and the method that is asked about.

    Attributes
    ----------
    methods
        All that one evaluator does, ``method`` among them.
    seed
        Of the simulated people and their answers.
    """

    settings: StudyFile
    pools: Pools
    people: Population
    methods: tuple[Method, ...]
    method: Method
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """What one simulated evaluator did.

    Attributes
    ----------
    number
        Who of those who came.
    seconds
        How long the session took by its own clock.
    correct
        Correct judgements that are paid.
    judged, wrong
        Judgements of the method asked about, and how many were wrong.
    exposures_ms
        Their requested exposures, block by block; empty where they have none.
    """

    number: int
    ending: Ending
    seconds: float
    correct: int
    judged: int
    wrong: int
    exposures_ms: tuple[tuple[float, ...], ...]


class Tally:
    """A recorder that keeps no more than scores, pay and plans need."""

    def __init__(self, method: Method) -> None:
        self._task = Task(method)
        self.correct = self.judged = self.wrong = 0
        self.exposures_ms: dict[int, list[float]] = {}

    def begin(self, step: Step) -> None:
        """Keep nothing."""

    def interrupt(self, trial: Trial) -> None:
        """Keep nothing: nobody pauses."""

    def record(self, step: Step, _shown: Presentation, response: Response) -> None:
        """Count one trial."""
        if not (isinstance(step, JudgementTrial) and step.task.paid):
            return
        correct = step.correct(response.answer)
        self.correct += correct
        if step.task is not self._task:
            return
        self.judged += 1
        self.wrong += not correct
        if step.exposure_ms is not None:
            self.exposures_ms.setdefault(step.block, []).append(step.exposure_ms)


def sit(design: Design, condition: str, number: int) -> Sitting:
    """Simulate one session; the same arguments give the same one.

    Who comes as number so-and-so is the same person in every condition, with the same luck:
    two conditions then differ by what they are and not by who came.
    """
    cell = Cell(condition=condition, methods=design.methods)
    # The mapping of the keys is nothing to someone who presses none.
    given = Assignment(evaluator=f"planned-{number:05d}", cell=cell, left_means="real")
    plan = plan_session(design.settings, design.pools, given)
    tally = Tally(design.method)
    timing = design.settings.time
    ending, seconds = conduct(
        hype_session(plan),
        observer_of(design.people, plan, seed=design.seed),
        tally,
        countdown_ms=timing.countdown_from * timing.countdown_ms,
        unix_s=0.0,
        monotonic_s=0.0,
    )
    return Sitting(
        number=number,
        ending=ending,
        seconds=seconds,
        correct=tally.correct,
        judged=tally.judged,
        wrong=tally.wrong,
        exposures_ms=tuple(map(tuple, tally.exposures_ms.values())),
    )


def sit_all(design: Design, condition: str, numbers: Sequence[int]) -> tuple[str, list[Sitting]]:
    return condition, [sit(design, condition, number) for number in numbers]
