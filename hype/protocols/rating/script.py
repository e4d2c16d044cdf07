"""A session of ratings as a script: every item on all axes, one after the other."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial

from hype.protocols.prompted.script import course
from hype.protocols.rating.trial import RatingBlock, RatingPlan, RatingTrial
from hype.session.loop import Script
from hype.session.steps import Outcome, Step


def rating_session(plan: RatingPlan) -> Script:
    """Yield the steps of ``plan``; to be sent each step's outcome; return how it ended."""
    return course(plan, partial(rate, plan))


def rate(plan: RatingPlan, block: RatingBlock) -> Generator[Step, Outcome, int]:
    """Yield a block's ratings; returns how many answers are paid."""
    given = 0
    for trial in trials_of(plan, block):
        yield trial
        given += not block.practice
    return given


def trials_of(plan: RatingPlan, block: RatingBlock) -> Iterator[RatingTrial]:
    """Yield the trials of a block: each of its items on every axis."""
    pairs = ((planned, axis) for planned in block.items for axis in plan.axes)
    trials = len(block.items) * len(plan.axes)
    for number, (planned, axis) in enumerate(pairs, start=1):
        yield RatingTrial(
            task=block.task,
            block=block.number,
            number=number,
            planned=planned,
            axis=axis,
            done=number / trials,
        )
