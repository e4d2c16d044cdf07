"""A session of comparisons as a script: from welcome to debrief.

Like HYPE's (`hype.protocol.script`) it decides what comes next from the outcomes alone, so that a
session can be resumed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, Final

from hype.protocol.comparison import (
    Choice,
    ComparisonBlock,
    ComparisonPlan,
    ComparisonTrial,
    Planned,
)
from hype.protocol.loop import Script
from hype.protocol.steps import Ending, Outcome, Page, Screen, Step

FEEDBACK_MS: Final = 900.0
"""How long the word after a practice comparison stands."""


def comparison_session(plan: ComparisonPlan) -> Script:
    """Yield the steps of ``plan``; to be sent each step's outcome; return how it ended."""
    yield Screen(page=Page.WELCOME, values={"minutes": plan.minutes})
    if plan.consent:
        consent = yield Screen(page=Page.CONSENT, choice=True)
        if consent.answer != "yes":
            yield Screen(page=Page.DECLINED)
            return Ending.DECLINED
    for question in plan.questions:
        _told = yield question  # not `yield from`: the iterator of a tuple cannot be sent anything
    yield Screen(page=Page.INSTRUCTIONS, values={"minutes": plan.minutes})
    given = 0
    for position, block in enumerate(plan.blocks):
        yield from introduce(plan, position)
        given += yield from compare(plan, block)
    yield Screen(page=Page.DEBRIEF, values=debrief_values(plan, given))
    return Ending.COMPLETE


def introduce(plan: ComparisonPlan, position: int) -> Iterator[Screen]:
    """Yield the screens before the block at ``position``."""
    block = plan.blocks[position]
    if block.practice:
        yield Screen(page=Page.PRACTICE, values={"trials": len(block.planned)})
        return
    counted = [not one.practice for one in plan.blocks]
    progress = {
        "block": sum(counted[: position + 1]),
        "blocks": sum(counted),
        "done": sum(counted[:position]),
        "trials": len(block.planned),
    }
    if progress["done"] and plan.breaks:
        yield Screen(page=Page.REST, values=progress)
    yield Screen(page=Page.BLOCK, values=progress)


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
    )


def debrief_values(plan: ComparisonPlan, given: int) -> dict[str, Any]:
    """How much the evaluator did, and what is owed."""
    due = f"{plan.pay.due(given):.2f}"
    return {"answers": given, "pay": due, "currency": plan.pay.currency}
