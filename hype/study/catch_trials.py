"""Catch trials: obvious images, spread among those of each scored block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hype.errors import InputError
from hype.protocol.plan import BlockPlan, CatchPlan
from hype.protocol.steps import Stimulus, Truth
from hype.study.draws import Draws, Purpose, seed_sequence
from hype.study.settings import StudyFile

Obvious = Mapping[Truth, Sequence[Stimulus]]
"""Images of which everybody who looks can say what they are."""


def with_catch_trials(
    blocks: Sequence[BlockPlan],
    settings: StudyFile,
    obvious: Obvious,
    masks: Sequence[str],
    *,
    evaluator: str,
) -> tuple[BlockPlan, ...]:
    """Give blocks of an evaluator with their catch trials, each on an image of its own.

    What is drawn for them comes from a stream of their own: the other trials are those of a study
    without.
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
    planned, number = [], 0
    for block in blocks:
        if not block.scored:
            planned.append(block)
            continue
        images = [
            image for of in drawn.values() for image in of[half * number : half * (number + 1)]
        ]
        number += 1
        catch = catch_plan(settings, block, images, masks, draws, number=number)
        planned.append(replace(block, catch=catch))
    return tuple(planned)


def catch_plan(
    settings: StudyFile,
    block: BlockPlan,
    images: Sequence[Stimulus],
    masks: Sequence[str],
    draws: Draws,
    *,
    number: int,
) -> CatchPlan:
    """Draw in which order a block's obvious images come, where, and under which masks."""
    order = draws.permutation(len(images))
    covered = block.timed and settings.time.masks
    rows = draws.rounds(len(masks), len(images), settings.time.masks).tolist() if covered else []
    return CatchPlan(
        number=number,
        places=spread(len(images), len(block.stimuli) + len(images), draws),
        stimuli=tuple(images[i] for i in order),
        exposure_ms=settings.catch.exposure_ms if block.timed else None,
        masks=tuple(tuple(masks[i] for i in row) for row in rows),
    )


def spread(number: int, trials: int, draws: Draws) -> tuple[int, ...]:
    """Draw ``number`` different ones of ``trials``, from 1: one in each of as many equal parts."""
    bounds = [part * trials // number for part in range(number + 1)]
    return tuple(
        1 + bounds[part] + int(uniform * (bounds[part + 1] - bounds[part]))
        for part, uniform in enumerate(draws.uniform(number))
    )


def require_obvious(settings: StudyFile, obvious: Obvious, blocks: int) -> None:
    """Refuse a plan of so many scored blocks for which there are too few obvious images.

    Raises
    ------
    InputError
        Names the set, and of what it has too few.
    """
    wanted = settings.catch.trials // 2 * blocks
    for truth in Truth if wanted else ():
        have = len(obvious.get(truth, ()))
        if have < wanted:
            raise InputError(
                settings.catch.stimuli,
                f"has {have} {truth.value} images, and one evaluator needs {wanted}",
                "add images, or ask for fewer catch trials or blocks",
            )
