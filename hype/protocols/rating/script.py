"""A session of ratings as a script: every item on all axes, one after the other."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from hype.protocols.prompted.script import course
from hype.protocols.rating.trial import RatingBlock, RatingPlan
from hype.session.loop import Script
from hype.session.steps import Outcome, Step


def rating_session(plan: RatingPlan) -> Script:
    """Yield the steps of ``plan``; to be sent each step's outcome; return how it ended."""
    return course(plan, partial(rate, plan))


def rate(plan: RatingPlan, block: RatingBlock) -> Generator[Step, Outcome, int]:
    """Yield a block's ratings; returns how many answers are paid."""
    given = 0
    for trial in plan.trials(block):
        yield trial
        given += not block.practice
    return given
