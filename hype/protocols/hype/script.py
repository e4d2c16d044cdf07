"""The HYPE session as a script: from welcome to debrief (Zhou et al. 2019, sections 2.1 to 2.3).

Read it top-down: it is the protocol. It decides what comes next from the outcomes alone, so the
same outcomes always lead to the same place; that is what makes a session resumable.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from hype.protocols.about_you import opening
from hype.protocols.hype.trial import BlockPlan, JudgementTrial, PlannedTrial, SessionPlan, Task
from hype.session.loop import Script
from hype.session.steps import Ending, Outcome, Page, Screen, Step
from hype.stimuli.manifest import Truth


@dataclass(slots=True)
class AnswerTally:
    """Answers so far, by truth."""

    shown_real: int = 0
    shown_fake: int = 0
    correct_real: int = 0
    correct_fake: int = 0

    def add(self, trial: JudgementTrial, correct: bool) -> None:
        """Count one answer."""
        if trial.stimulus.truth is Truth.REAL:
            self.shown_real += 1
            self.correct_real += correct
        else:
            self.shown_fake += 1
            self.correct_fake += correct

    @property
    def shown(self) -> int:
        return self.shown_real + self.shown_fake

    @property
    def correct(self) -> int:
        return self.correct_real + self.correct_fake

    def passes(self, rate: float) -> bool:
        """Whether both reals and fakes were told at ``rate`` or better (section 2.3)."""
        slack = 1e-9  # 0.55 * 100 is 55.000000000000007
        return (
            self.correct_real >= rate * self.shown_real - slack
            and self.correct_fake >= rate * self.shown_fake - slack
        )


def hype_session(plan: SessionPlan) -> Script:
    """Yield the steps of ``plan``; to be sent each step's outcome; return how it ended."""
    ended = yield from opening(plan.minutes, plan.questions, consent=plan.consent)
    if ended is not None:
        return ended
    scored = tally = AnswerTally()
    for position, block in enumerate(plan.blocks):
        yield from introduce(plan, position)
        tally = yield from judge(block, plan, scored)
        if block.task is Task.QUALIFICATION and not tally.passes(plan.pass_rate):
            yield Screen(page=Page.UNQUALIFIED, values=pay_values(plan, 0))
            return Ending.UNQUALIFIED
    shown_tally = scored if scored.shown else tally  # of a session that ends with its qualification
    yield Screen(page=Page.DEBRIEF, values=debrief_values(plan, shown_tally, paid=scored.correct))
    return Ending.COMPLETE


def introduce(plan: SessionPlan, position: int) -> Iterator[Screen]:
    """Yield the screens before the block at ``position``: result, rest, instructions, start."""
    block = plan.blocks[position]
    before = plan.blocks[position - 1] if position else None
    trials = {"trials": block.size}
    if before is not None and before.task is Task.QUALIFICATION:
        yield Screen(page=Page.QUALIFIED)
    if before is not None and before.scored and plan.breaks:
        yield Screen(page=Page.REST, values=progress_values(plan, position))
    if before is None or before.timed != block.timed:
        page = Page.INSTRUCTIONS_TIMED if block.timed else Page.INSTRUCTIONS_UNTIMED
        yield Screen(page=page, values={"minutes": plan.minutes, **trials})
    if block.task is Task.PRACTICE:
        yield Screen(page=Page.PRACTICE, values=trials)
    elif block.task is Task.QUALIFICATION:
        percent = round(100 * plan.pass_rate)
        yield Screen(page=Page.QUALIFICATION, values={"percent": percent, **trials})
    else:
        yield Screen(page=Page.BLOCK, values=progress_values(plan, position))


def judge(
    block: BlockPlan, plan: SessionPlan, scored: AnswerTally
) -> Generator[Step, Outcome, AnswerTally]:
    """Yield a block's trials, what is told after each, and a wait after a hasty answer.

    Returns the block's tally.

    Where spoiled trials are repeated, the staircase hears of the repetition and not of the spoiled
    trial, whose exposure was not the one it asked for. Nothing is repeated twice, so that a block
    ends on any screen. A catch trial is none of the staircase's, and not repeated.
    """
    rule = block.staircase
    state: Any = rule.start() if rule else None
    tally = AnswerTally()
    again: list[int] = []
    planned = block.planned()
    for number in count(1):
        if number > len(planned) + len(again):
            break
        original = number if number <= len(planned) else again[number - len(planned) - 1]
        exposure_ms = state.exposure_ms if state else block.exposure_ms
        trial = make_trial(block, number, original, planned[original - 1], exposure_ms)
        caught = trial.task is Task.CATCH
        outcome = yield trial
        correct = trial.correct(outcome.answer)
        tally.add(trial, correct)
        if block.scored:  # the evaluator's work is paid whatever the screen did
            scored.add(trial, correct)
        if block.repeat_spoiled and outcome.spoiled and trial.repeats is None and not caught:
            again.append(number)
            verdict_page = Page.AGAIN  # and not the truth, since the image comes back
        else:
            verdict_page = Page.CORRECT if correct else Page.WRONG
            if rule and state and not caught:
                state = rule.step(state, correct)
        if block.feedback:
            yield Screen(page=verdict_page, duration_ms=plan.feedback_ms)
        if outcome.response.rt_ms < block.hasty_ms:
            yield Screen(page=Page.HASTY, duration_ms=block.wait_ms)
    return tally


def make_trial(
    block: BlockPlan, number: int, original: int, planned: PlannedTrial, exposure_ms: float | None
) -> JudgementTrial:
    """Make trial ``number`` of a block, which shows what is planned for trial ``original``."""
    caught = block.catch if planned.task is Task.CATCH else None
    return JudgementTrial(
        task=planned.task,
        block=planned.block,
        number=number,
        stimulus=planned.stimulus,
        exposure_ms=caught.exposure_ms if caught else exposure_ms,
        masks=planned.masks,
        mask_ms=block.mask_ms,
        repeats=None if original == number else original,
        done=min(1.0, number / block.size),
        condition=block.condition,
    )


def progress_values(plan: SessionPlan, position: int) -> dict[str, object]:
    """Where the evaluator stands among the blocks that are scored."""
    scored = [block.scored for block in plan.blocks]
    return {
        "block": sum(scored[: position + 1]),
        "blocks": sum(scored),
        "done": sum(scored[:position]),
        "trials": plan.blocks[position].size,
    }


def pay_values(plan: SessionPlan, correct: int) -> dict[str, object]:
    return {"pay": f"{plan.pay.due(correct):.2f}", "currency": plan.pay.currency}


def debrief_values(plan: SessionPlan, shown_tally: AnswerTally, *, paid: int) -> dict[str, object]:
    """How well the evaluator did, and what is owed for ``paid`` correct answers."""
    accuracy = round(100 * shown_tally.correct / shown_tally.shown) if shown_tally.shown else 0
    return {
        "correct": shown_tally.correct,
        "shown": shown_tally.shown,
        "accuracy": accuracy,
        **pay_values(plan, paid),
    }
