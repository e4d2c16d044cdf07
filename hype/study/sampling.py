"""From a study and an evaluator to a session's plan: which images, in which order, under what."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Final, TypeVar

from hype.errors import InputError
from hype.protocol.plan import BlockPlan, Pay, SessionPlan
from hype.protocol.steps import Stimulus, Task
from hype.study.assignment import Assignment, Cell
from hype.study.catch_trials import Obvious, require_obvious, with_catch_trials
from hype.study.draws import Draws, Purpose, seed_sequence
from hype.study.settings import StudyFile, TimeSettings

Thing = TypeVar("Thing")

READING_S: Final = 120.0
"""Seconds a session is expected to spend on screens that are read."""
DECIDING_S: Final = 6.0
"""Seconds a trial is expected to take beside what the study fixes: Zhou et al. 2019 report 10
minutes for 100 untimed trials, and 60 minutes for 450 trials with 2.1 s of countdown and image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """What a study draws from: real images, fakes per condition, and masks by their paths.

    ``catch`` are obvious images, by what they are.
    """

    real: tuple[Stimulus, ...]
    fake: Mapping[str, tuple[Stimulus, ...]]
    masks: tuple[str, ...]
    catch: Obvious = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockShape:
    """A block before its images are drawn; ``catch`` trials come beside its ``trials``."""

    task: Task
    number: int
    trials: int
    timed: bool
    catch: int = 0

    @property
    def size(self) -> int:
        """How many trials it has in all."""
        return self.trials + self.catch

    @property
    def mixed(self) -> bool:
        """Whether its fakes come equally from all conditions, not from the evaluator's own."""
        return not self.task.scored


def shapes(settings: StudyFile, cell: Cell, *, qualified: bool) -> list[BlockShape]:
    """List the blocks of a session in order.

    Practice comes before the first untimed and before the first timed block. An evaluator who is
    ``qualified`` already is not asked to qualify again.
    """
    main: list[BlockShape] = []
    if settings.qualification.enabled and not qualified:
        main.append(block_shape(Task.QUALIFICATION, 1, settings.qualification.trials))
    for method in cell.methods:
        task, table = Task(method), getattr(settings, method)
        main.extend(
            block_shape(task, number, table.trials, settings.catch.trials)
            for number in range(1, table.blocks + 1)
        )
    result: list[BlockShape] = []
    for shape in main:
        practised = {done.timed for done in result}
        if settings.practice.trials and shape.timed not in practised:
            result.append(
                BlockShape(
                    task=Task.PRACTICE,
                    number=len(practised) + 1,
                    trials=settings.practice.trials,
                    timed=shape.timed,
                )
            )
        result.append(shape)
    return result


def block_shape(task: Task, number: int, trials: int, catch: int = 0) -> BlockShape:
    """Shape of a block that is not practice."""
    timed = task is Task.TIME
    return BlockShape(task=task, number=number, trials=trials, timed=timed, catch=catch)


@dataclass(frozen=True, slots=True)
class Supply:
    """Images that one evaluator has not seen yet, in the order in which they will be taken."""

    real: Iterator[Stimulus]
    fake: Mapping[str, Iterator[Stimulus]]

    def take(self, shape: BlockShape, condition: str, lucky: Sequence[str]) -> list[Stimulus]:
        """Take the images of one block, reals first: half real, none ever taken again.

        Where fakes are mixed and do not divide equally, ``lucky`` conditions give one more.
        """
        half = shape.trials // 2
        sources = islice(cycle(lucky), half) if shape.mixed else [condition] * half
        return [*islice(self.real, half), *(next(self.fake[c]) for c in sources)]


def plan_session(
    settings: StudyFile, pools: Pools, assignment: Assignment, *, qualified: bool = False
) -> SessionPlan:
    """Draw the plan of one evaluator. The same arguments give the same plan on every machine.

    Raises
    ------
    InputError
        The stimulus or mask set is too small.
    """
    cell = assignment.cell
    require_enough(settings, pools, cell)
    blocks = shapes(settings, cell, qualified=qualified)
    draws = Draws(seed_sequence(settings.study.seed, assignment.evaluator, Purpose.PLAN))
    supply = draw_supply(pools, demand(blocks, cell, tuple(pools.fake)), draws)
    planned = [
        plan_block(settings, pools, shape, cell.condition, supply, draws) for shape in blocks
    ]
    return SessionPlan(
        evaluator=assignment.evaluator,
        condition=cell.condition,
        blocks=with_catch_trials(
            planned, settings, pools.catch, pools.masks, evaluator=assignment.evaluator
        ),
        pass_rate=settings.qualification.pass_rate,
        pay=Pay(**settings.pay.model_dump()),
        minutes=expected_minutes(settings.time, blocks),
        feedback_ms=settings.display.feedback_ms,
        consent=settings.study.consent,
        breaks=settings.study.breaks,
    )


def plan_block(
    settings: StudyFile,
    pools: Pools,
    shape: BlockShape,
    condition: str,
    supply: Supply,
    draws: Draws,
) -> BlockPlan:
    """Draw one block: its images in random order, and the masks of each where it is timed."""
    lucky = tuple(shuffled(draws, tuple(pools.fake)))
    stimuli = shuffled(draws, supply.take(shape, condition, lucky))
    rule = settings.time.staircase.rule
    hasty_ms, wait_ms = haste(settings, shape)
    scored_and_timed = shape.task is Task.TIME
    return BlockPlan(
        task=shape.task,
        number=shape.number,
        stimuli=tuple(stimuli),
        feedback=feedback_of(settings, shape.task),
        staircase=rule if scored_and_timed else None,
        exposure_ms=rule.start_ms if shape.timed and not scored_and_timed else None,
        masks=draw_masks(settings.time, pools.masks, shape, draws),
        mask_ms=settings.time.mask_ms if shape.timed else 0.0,
        repeat_spoiled=scored_and_timed and settings.timing.spoiled_trials == "repeat",
        hasty_ms=hasty_ms,
        wait_ms=wait_ms,
    )


def haste(settings: StudyFile, shape: BlockShape) -> tuple[float, float]:
    """Say which answers are hasty, and what that costs; practice is there to find the keys."""
    table = settings.time if shape.timed else settings.infinity
    practice = shape.task is Task.PRACTICE
    return (0.0 if practice else table.min_ms), table.wait_ms


def feedback_of(settings: StudyFile, task: Task) -> bool:
    """Whether a task's answers are followed by feedback; practice always is."""
    if task is Task.PRACTICE:
        return True
    return bool(getattr(settings, task.value).feedback)


def draw_masks(
    settings: TimeSettings, masks: Sequence[str], shape: BlockShape, draws: Draws
) -> tuple[tuple[str, ...], ...]:
    """Draw the masks of each trial: different ones within a trial, all equally often."""
    if not shape.timed or not settings.masks:
        return ()
    rows = draws.rounds(len(masks), shape.trials, settings.masks).tolist()
    return tuple(tuple(masks[i] for i in row) for row in rows)


def shuffled(draws: Draws, things: Sequence[Thing]) -> Iterator[Thing]:
    """Draw an order of ``things`` now, and yield them in it as they are wanted."""
    order = draws.permutation(len(things))
    return (things[i] for i in order)


def draw_supply(pools: Pools, wanted: Mapping[str, int], draws: Draws) -> Supply:
    """Draw the images of a whole session, as many of each source as can be wanted."""

    def some(source: str, pool: Sequence[Stimulus]) -> Iterator[Stimulus]:
        return iter([pool[i] for i in draws.sample(len(pool), wanted[source])])

    return Supply(some("", pools.real), {c: some(c, pool) for c, pool in pools.fake.items()})


def demand(blocks: Sequence[BlockShape], cell: Cell, conditions: Sequence[str]) -> dict[str, int]:
    """Count the images of each source, the real ones under "", that a session can want at most."""
    halves = [(shape.mixed, shape.trials // 2) for shape in blocks]
    mixed = sum(math.ceil(n / len(conditions)) for is_mixed, n in halves if is_mixed)
    own = sum(n for is_mixed, n in halves if not is_mixed)
    wanted = {name: mixed + (own if name == cell.condition else 0) for name in conditions}
    return {"": sum(n for _, n in halves), **wanted}


def require_enough(settings: StudyFile, pools: Pools, cell: Cell) -> None:
    """Refuse a plan that the stimuli or masks cannot fill; all its blocks are counted."""
    require_images(settings, pools, cell)
    if "time" in cell.methods and len(pools.masks) < settings.time.masks:
        raise InputError(
            settings.masks.folder,
            f"has {len(pools.masks)} masks, and a trial shows {settings.time.masks}",
            "make more with: hype masks make",
        )


def require_images(settings: StudyFile, pools: Pools, cell: Cell) -> None:
    """Refuse a plan for which there are too few images."""
    blocks = shapes(settings, cell, qualified=False)
    have = {"": len(pools.real)} | {c: len(pool) for c, pool in pools.fake.items()}
    for name, wanted in demand(blocks, cell, tuple(pools.fake)).items():
        if have[name] < wanted:
            raise InputError(
                settings.stimuli.folder,
                f"has {have[name]} images of {name or 'real'!r}, and one evaluator needs {wanted}",
                "add images, or ask for fewer trials or blocks",
            )
    require_obvious(settings, pools.catch, sum(shape.task.scored for shape in blocks))


def expected_minutes(settings: TimeSettings, blocks: Sequence[BlockShape]) -> int:
    """Give what a session is expected to take, in whole minutes, for the welcome screen."""
    timed_s = (
        settings.countdown_from * settings.countdown_ms
        + settings.staircase.start_ms
        + settings.masks * settings.mask_ms
    ) / 1000
    seconds = READING_S + sum(
        shape.size * (DECIDING_S + (timed_s if shape.timed else 0.0)) for shape in blocks
    )
    return max(1, round(seconds / 60))
