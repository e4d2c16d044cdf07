"""The plan of a session: which images an evaluator sees, and in which order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import Final

from hype.errors import InputError
from hype.masks.maskset import write_command
from hype.protocols.hype.counterbalancing import conditions_of_cell, first_conditions
from hype.protocols.hype.settings import StudyFile
from hype.protocols.hype.trial import BlockPlan, CatchPlan, SessionPlan, Task
from hype.session.plans import session_members
from hype.stimuli.manifest import Stimulus, Truth
from hype.study.assignment import Assignment, Cell
from hype.study.draws import Draws, Purpose, seed_sequence

Obvious = Mapping[Truth, Sequence[Stimulus]]
"""Images that every attentive person recognises as real or fake."""

READING_S: Final = 120.0
"""Expected time, in seconds, that an evaluator spends on reading."""
DECIDING_S: Final = 6.0
"""Expected time for an answer, in seconds: Zhou et al. 2019 report 6 s per untimed trial (100 in 10
minutes), and 8 s per trial with 2.1 s of countdown and image (450 in an hour)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Images:
    """The images of a stimulus set: real ones, and the fakes of each condition."""

    real: tuple[Stimulus, ...]
    fake: Mapping[str, tuple[Stimulus, ...]]

    def sources(self) -> dict[str, tuple[Stimulus, ...]]:
        return {"": self.real, **self.fake}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools(Images):
    """The images of a study, and the paths of its masks.

    ``catch``: the obvious images, real and fake. ``test``: the qualification's own images, if any.
    """

    masks: tuple[str, ...]
    catch: Obvious = field(default_factory=dict)
    test: Images | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockShape:
    """A block before its images are drawn; its ``catch`` trials are added to its ``trials``.

    ``sources``: the conditions of its fakes, which all give equally many. ``apart``: whether its
    images come from the qualification's own set. ``condition``: the judged condition if the
    evaluator judges several; in blocks that are not scored, the first condition.
    """

    task: Task
    number: int
    trials: int
    timed: bool
    sources: tuple[str, ...]
    apart: bool = False
    catch: int = 0
    condition: str = ""

    @property
    def size(self) -> int:
        return self.trials + self.catch


def sources_of_test(settings: StudyFile, pools: Pools, served: Collection[str]) -> tuple[str, ...]:
    """Return the conditions whose fakes the qualification shows; empty without a qualification.

    ``served``: the conditions that the evaluator judges later. The test omits these conditions
    unless the study asks for them, since the test would otherwise select people who can detect the
    judged fakes. Zhou et al. 2019, section 2.3, draw fakes "equally from multiple different GANs".
    Models that joined later are also left out, so that the test stays the same.
    """
    test = settings.qualification
    if not test.enabled:
        return ()
    if pools.test:
        return tuple(pools.test.fake)
    began = first_conditions(settings, tuple(pools.fake))
    if test.on_own_condition:
        return began
    if len(began) <= settings.study.conditions_each and any(n in settings.added for n in served):
        return ()  # earlier evaluators judged every condition, so they had no test
    return tuple(name for name in began if name not in served)


def shapes(settings: StudyFile, pools: Pools, cell: Cell, *, qualified: bool) -> list[BlockShape]:
    """List the blocks of a session in order.

    Practice comes before the first untimed and the first timed block; its fakes come from all
    conditions that the study started with. A ``qualified`` evaluator takes no second test.
    """
    main: list[BlockShape] = []
    served = conditions_of_cell(settings, tuple(pools.fake), cell)
    if not qualified and (sources := sources_of_test(settings, pools, served)):
        main.append(
            BlockShape(
                task=Task.QUALIFICATION,
                number=1,
                trials=settings.qualification.trials,
                timed=False,
                sources=sources,
                apart=pools.test is not None,
            )
        )
    for task in (Task(method) for method in cell.methods if Task(method).scored):
        table = getattr(settings, task.value)
        conditions = (condition for condition in served for _ in range(table.blocks))
        main.extend(
            BlockShape(
                task=task,
                number=number,
                trials=table.trials,
                timed=task is Task.TIME,
                sources=(condition,),
                catch=settings.catch.trials,
                condition=condition if settings.within else "",
            )
            for number, condition in enumerate(conditions, start=1)
        )
    if settings.within:
        main = [shape if shape.condition else replace(shape, condition=served[0]) for shape in main]
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
                    sources=first_conditions(settings, tuple(pools.fake)),
                    condition=served[0] if settings.within else "",
                )
            )
        result.append(shape)
    return result


class Supply:
    """Images that one evaluator has not seen yet, in the order in which they will be used."""

    def __init__(self, drawn: Mapping[str, Sequence[Stimulus]]) -> None:
        self.pictures = {image.sha256 for images in drawn.values() for image in images}
        self._left = {source: iter(images) for source, images in drawn.items()}

    def take(self, shape: BlockShape, lucky: Sequence[str]) -> list[Stimulus]:
        """Take the images of one block: first reals (half of them), then fakes; none is used again.

        If fakes cannot be divided equally, the first conditions in ``lucky`` give one more.
        """
        half = shape.trials // 2
        sources = islice(cycle(name for name in lucky if name in shape.sources), half)
        return [*islice(self._left[""], half), *(next(self._left[name]) for name in sources)]


def plan_session(settings: StudyFile, pools: Pools, assignment: Assignment) -> SessionPlan:
    """Draw the plan of one evaluator. The same arguments give the same plan on every machine.

    InputError if the stimulus or mask set is too small.
    """
    cell = assignment.cell
    require_enough(settings, pools, cell)
    blocks = shapes(settings, pools, cell, qualified=assignment.is_exempt)
    draws = Draws(seed_sequence(settings.study.seed, assignment.evaluator, Purpose.PLAN))
    supply = draw_supply(pools, demand(b for b in blocks if not b.apart), draws)
    test = draw_test(pools, [b for b in blocks if b.apart], supply, draws)
    planned = [
        plan_block(settings, pools, shape, test if shape.apart else supply, draws)
        for shape in blocks
    ]
    return SessionPlan(
        **session_members(settings, assignment, estimate_minutes(settings, blocks)),
        pass_rate=settings.qualification.pass_rate,
        condition=cell.condition,
        blocks=add_catch_trials(
            planned, settings, pools.catch, pools.masks, evaluator=assignment.evaluator
        ),
        feedback_ms=settings.display.feedback_ms,
        steps=settings.follow_up.steps_with,
    )


def plan_block(
    settings: StudyFile, pools: Pools, shape: BlockShape, supply: Supply, draws: Draws
) -> BlockPlan:
    """Draw one block: its images in random order, and their masks if it is timed."""
    names = shape.sources if shape.apart else tuple(pools.fake)
    images = supply.take(shape, lucky=[names[i] for i in draws.permutation(len(names))])
    order = draws.permutation(len(images))
    practice, scored_and_timed = shape.task is Task.PRACTICE, shape.task is Task.TIME
    haste = settings.time if shape.timed else settings.infinity
    return BlockPlan(
        task=shape.task,
        number=shape.number,
        stimuli=tuple(images[i] for i in order),
        feedback=practice or getattr(settings, shape.task.value).feedback,
        staircase=settings.rule if scored_and_timed else None,
        exposure_ms=settings.rule.start_ms if shape.timed and practice else None,
        masks=draw_masks(settings, pools.masks, shape.trials, draws) if shape.timed else (),
        mask_ms=settings.time.mask_ms if shape.timed else 0.0,
        repeat_spoiled=scored_and_timed and settings.timing.spoiled_trials == "repeat",
        # practice is for learning the keys, so no answer counts as hasty
        hasty_ms=0.0 if practice else haste.min_ms,
        wait_ms=haste.wait_ms,
        limit_ms=settings.time.limit_ms if shape.timed else None,
        condition=shape.condition,
    )


def draw_masks(
    settings: StudyFile, masks: Sequence[str], trials: int, draws: Draws
) -> tuple[tuple[str, ...], ...]:
    """Draw the masks of each trial: no repeats within a trial, and all masks equally often."""
    if not settings.time.masks:
        return ()
    rows = draws.rounds(len(masks), trials, settings.time.masks).tolist()
    return tuple(tuple(masks[i] for i in row) for row in rows)


def draw_supply(images: Images, wanted: Mapping[str, int], draws: Draws) -> Supply:
    """Draw the images of a whole session: from each source, as many as the session can need."""
    return Supply(
        {
            source: [pool[i] for i in draws.sample(len(pool), wanted.get(source, 0))]
            for source, pool in images.sources().items()
        }
    )


def draw_test(pools: Pools, blocks: Sequence[BlockShape], others: Supply, draws: Draws) -> Supply:
    """Draw images from the qualification's own set, without pictures that other blocks show."""
    if not pools.test or not blocks:
        return Supply({})
    shown = others.pictures | {image.sha256 for some in pools.catch.values() for image in some}
    unseen = {
        source: tuple(image for image in pool if image.sha256 not in shown)
        for source, pool in pools.test.sources().items()
    }
    real = unseen.pop("")
    return draw_supply(Images(real=real, fake=unseen), demand(blocks), draws)


def demand(blocks: Iterable[BlockShape]) -> Counter[str]:
    """Count how many images a session needs at most from each source; "" means real images."""
    wanted: Counter[str] = Counter()
    for shape in blocks:
        half = shape.trials // 2
        wanted[""] += half
        for name in shape.sources:
            wanted[name] += math.ceil(half / len(shape.sources))
    return wanted


def estimate_minutes(settings: StudyFile, blocks: Sequence[BlockShape]) -> int:
    """Estimate the duration of a session in whole minutes, for the welcome screen."""
    timed = settings.time
    timed_s = (
        sum(cue.ms for cue in timed.cues) + timed.staircase.start_ms + timed.masks * timed.mask_ms
    ) / 1000
    after_s = settings.follow_up.seconds
    seconds = READING_S + sum(
        shape.size * (DECIDING_S + (timed_s if shape.timed else 0.0))
        + shape.size * (0.0 if shape.task is Task.QUALIFICATION else after_s)
        for shape in blocks
    )
    return max(1, round(seconds / 60))


def add_catch_trials(
    blocks: Sequence[BlockPlan],
    settings: StudyFile,
    obvious: Obvious,
    masks: Sequence[str],
    *,
    evaluator: str,
) -> tuple[BlockPlan, ...]:
    """Add catch trials to the blocks of an evaluator, each with a different image.

    Catch trials have their own random stream, so the other trials are the same as without them.
    """
    half = settings.catch.trials // 2
    if not half:
        return tuple(blocks)
    draws = Draws(seed_sequence(settings.study.seed, evaluator, Purpose.CATCH))
    scored = sum(block.scored for block in blocks)
    drawn = {
        truth: [images[i] for i in draws.sample(len(images), half * scored)]
        for truth, images in obvious.items()
    }
    number, planned = 0, []
    for block in blocks:
        if not block.scored:
            planned.append(block)
            continue
        mine = slice(half * number, half * (number + 1))
        images = [image for some in drawn.values() for image in some[mine]]
        number += 1
        order = draws.permutation(len(images))
        masked = draw_masks(settings, masks, len(images), draws) if block.timed else ()
        catch = CatchPlan(
            number=number,
            places=spread(len(images), len(block.stimuli) + len(images), draws),
            stimuli=tuple(images[i] for i in order),
            exposure_ms=settings.catch.exposure_ms if block.timed else None,
            masks=masked,
        )
        planned.append(replace(block, catch=catch))
    return tuple(planned)


def spread(number: int, trials: int, draws: Draws) -> tuple[int, ...]:
    """Divide trials 1 to ``trials`` into ``number`` equal parts; draw a trial from each part."""
    bounds = [part * trials // number for part in range(number + 1)]
    return tuple(
        1 + bounds[part] + int(uniform * (bounds[part + 1] - bounds[part]))
        for part, uniform in enumerate(draws.uniform(number))
    )


def require_enough(settings: StudyFile, pools: Pools, cell: Cell) -> None:
    """Refuse a plan that needs more stimuli or masks than there are."""
    require_images(settings, pools, cell)
    if "time" in cell.methods:
        require_masks(settings, pools)


def require_masks(settings: StudyFile, pools: Pools) -> None:
    """Refuse a mask set with fewer masks than a trial shows."""
    folder, masks = settings.masks.folder, settings.time.masks
    if len(pools.masks) < masks:
        problem = f"has fewer masks ({len(pools.masks)}) than a trial shows ({masks})"
        command = write_command(folder, settings.stimuli.folder, masks)
        raise InputError(folder, problem, f"make more with: {command}")


def require_images(settings: StudyFile, pools: Pools, cell: Cell) -> None:
    """Refuse sets with too few images for all blocks that an evaluator may get."""
    blocks = shapes(settings, pools, cell, qualified=False)
    own = [shape for shape in blocks if not shape.apart]
    have = Counter({name: len(images) for name, images in pools.sources().items()})
    fewer = "trials, blocks or conditions_each" if settings.within else "trials or blocks"
    require_numbers(settings.stimuli.folder, have, own, fewer=fewer)
    if pools.test:
        have = count_left(pools, pools.test, demand(own))
        apart = [shape for shape in blocks if shape.apart]
        require_numbers(settings.qualification.stimuli, have, apart, fewer=fewer)
    obvious = settings.catch.trials // 2 * sum(shape.task.scored for shape in blocks)
    for truth, images in pools.catch.items():
        if len(images) < obvious:
            raise InputError(
                settings.catch.stimuli,
                f"has {len(images)} {truth.value} images, but one evaluator needs {obvious}",
                "add images, or ask for fewer catch trials or blocks",
            )


def count_left(pools: Pools, test: Images, own: Mapping[str, int]) -> Counter[str]:
    """Count the images that are left for the qualification in the worst case.

    In that case, the other blocks show as many pictures of the qualification's set as they can.
    Obvious images never count as left.
    """
    obvious = {image.sha256 for some in pools.catch.values() for image in some}
    known = {i.sha256: name for name, images in pools.sources().items() for i in images}
    left: Counter[str] = Counter()
    for source, pool in test.sources().items():
        images = [image for image in pool if image.sha256 not in obvious]
        shared = Counter(known[i.sha256] for i in images if i.sha256 in known)
        left[source] = len(images) - sum(min(n, own.get(name, 0)) for name, n in shared.items())
    return left


def require_numbers(
    folder: str, have: Mapping[str, int], blocks: Sequence[BlockShape], *, fewer: str
) -> None:
    """Refuse a set with fewer images of a source than one evaluator needs."""
    wanted = demand(blocks)
    if short := [name for name, number in wanted.items() if have[name] < number]:
        name = short[0]
        parts = sum((Counter({b.task.value: demand([b])[name]}) for b in blocks), Counter[str]())
        needs = f"{wanted[name]}: " + ", ".join(f"{n} for {task}" for task, n in parts.items())
        raise InputError(
            folder,
            f"has {have[name]} images of {name or 'real'!r}, but one evaluator needs {needs}",
            f"add images{' of all kinds' if short[1:] else ''}, or ask for fewer {fewer}",
        )
