"""A session of comparisons as a script: from welcome to debrief.

Like HYPE's (`hype.protocols.hype.script`) it decides what comes next from the outcomes alone, so
that a session can be resumed.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Final

from hype.protocols.comparison.trial import (
    Choice,
    ComparisonBlock,
    ComparisonPlan,
    ComparisonTrial,
    Planned,
)
from hype.protocols.prompted.script import course
from hype.session.loop import Script
from hype.session.steps import Outcome, Page, Screen, Step

FEEDBACK_MS: Final = 900.0
"""How long the word after a practice comparison stands."""


def comparison_session(plan: ComparisonPlan) -> Script:
    """Yield the steps of ``plan``; to be sent each step's outcome; return how it ended."""
    return course(plan, partial(compare, plan))


def compare(plan: ComparisonPlan, block: ComparisonBlock) -> Generator[Step, Outcome, int]:
    """Yield a block's comparisons, and a wait after an answer that was hasty or obviously wrong.

    Returns how many answers are paid.
    """
    given = 0
    for number, planned in enumerate(block.planned, start=1):
        trial = trial_of(plan, block, number, planned)
        outcome = yield trial
        right = trial.correct(outcome.answer)
        if block.practice:
            yield Screen(page=Page.CORRECT if right else Page.WRONG, duration_ms=FEEDBACK_MS)
            continue
        given += outcome.answer != Choice.NONE.value
        if trial.hasty(outcome.answer, outcome.response.rt_ms):
            yield Screen(page=Page.HASTY, duration_ms=plan.wait_ms)
        elif right is False:
            yield Screen(page=Page.MISSED, duration_ms=plan.wait_ms)
    return given


def trial_of(
    plan: ComparisonPlan, block: ComparisonBlock, number: int, planned: Planned
) -> ComparisonTrial:
    """Make a trial of what is planned."""
    return ComparisonTrial(
        task=planned.task,
        block=block.number,
        number=number,
        prompt=planned.prompt,
        left=planned.left,
        right=planned.right,
        obvious=planned.obvious,
        words_ms=plan.word_ms * len(planned.prompt.split()),
        limit_ms=plan.limit_ms,
        hasty_ms=plan.hasty_ms,
        done=number / block.size,
    )
