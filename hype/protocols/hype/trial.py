"""Judgements of single images, the plan of a session, and its script.

Everything random is drawn in the plan, before the session starts. The script goes from welcome to
debrief (Zhou et al. 2019, sections 2.1 to 2.3). The next step depends only on the outcomes so far,
so the same outcomes always lead to the same step, and a session can be resumed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from typing import Any, Final, NamedTuple

from hype.protocols.hype.staircase import QuestPlus, Staircase
from hype.session.loop import Answered, Script
from hype.session.plans import AnyPlan, follow_up, instruct, opening, stop_after_test
from hype.session.steps import (
    NO_ANSWER,
    Ending,
    Outcome,
    Page,
    PictureRequest,
    Response,
    Screen,
    Step,
    Trial,
    TrialName,
    checksum_of,
    images_at,
    skip_answered,
)
from hype.stimuli.manifest import Stimulus, Truth

UNTIMED_CORRECT: Final = 0.75
"""Expected share of correct judgements without a time limit: Zhou et al. 2019 found 72 and 81 % on
FFHQ."""


class Task(str, Enum):
    """The purpose of a judgement.

    Only ``time`` and ``infinity`` are scored. ``catch`` trials show obvious images in scored
    blocks, to check attention; they are also paid.
    """

    PRACTICE = "practice"
    QUALIFICATION = "qualification"
    TIME = "time"
    INFINITY = "infinity"
    CATCH = "catch"

    @property
    def paid(self) -> bool:
        return self.scored or self is Task.CATCH

    @property
    def scored(self) -> bool:
        """Whether answers are scored. All fakes of a scored block come from one condition."""
        return self in (Task.TIME, Task.INFINITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementTrial(Trial):
    """A trial: one image to be judged real or fake.

    ``exposure_ms`` is the nominal exposure, or None if the image stays until the answer.
    ``repeats``: the number of the trial that this one repeats, or None. ``condition``: the judged
    condition if the evaluator judges several. ``steps``: the number of confidence steps in
    responses such as "real 2", or 0. ``limit_ms``: the time limit of the answer, or None.
    """

    task: Task
    stimulus: Stimulus
    exposure_ms: float | None
    masks: tuple[str, ...] = ()
    mask_ms: float = 0.0
    repeats: int | None = None
    condition: str = ""
    limit_ms: float | None = None
    steps: int = 0

    def read(self, response: Response) -> Response:
        answer, _, step = response.answer.partition(" ")
        return replace(response, answer=answer, confidence=int(step)) if step else response

    def correct(self, answer: str) -> bool:
        return answer == self.stimulus.truth.value

    @property
    def fingerprint(self) -> str:
        return self.stimulus.sha256

    @property
    def answers(self) -> tuple[str, ...]:
        right = self.stimulus.truth
        none = (NO_ANSWER,) if self.limit_ms is not None else ()
        return (right.value, *(other.value for other in Truth if other is not right), *none)

    @property
    def shown_ms(self) -> float:
        """The duration of image and masks together; 0 if the image stays until the answer."""
        if self.exposure_ms is None:
            return 0.0
        return self.exposure_ms + len(self.masks) * self.mask_ms

    @property
    def pictures(self) -> tuple[PictureRequest, ...]:
        return pictures_of(self.stimulus, self.masks)

    @property
    def is_time_critical(self) -> bool:
        """Whether the image is flashed, so that people cannot see it again after a pause."""
        return self.exposure_ms is not None


def pictures_of(stimulus: Stimulus, masks: Sequence[str]) -> tuple[PictureRequest, ...]:
    return (*images_at(stimulus.path), *(PictureRequest(name, mask=True) for name in masks))


SCORED_TASKS: Final = tuple(task.value for task in Task if task.scored)
"""The protocols that have a score, in the order of the report."""


class PlannedTrial(NamedTuple):
    """A trial of a block before its exposure is known: its block, image and masks."""

    task: Task
    block: int
    stimulus: Stimulus
    masks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchPlan:
    """The catch trials of a block: obvious images, spread among the judged ones.

    ``number``: the number of the block among the session's scored blocks. ``places``: the numbers
    (from 1, ascending) of the block's trials that show ``stimuli``.
    """

    number: int
    places: tuple[int, ...]
    stimuli: tuple[Stimulus, ...]
    exposure_ms: float | None = None
    masks: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPlan:
    """One block of judgements, in order.

    ``staircase`` sets each exposure. Without it, all exposures are ``exposure_ms``; if that is
    None, images stay until the answer. ``masks``: one row for each trial of a timed block,
    otherwise empty. ``repeat_spoiled``: whether spoiled trials are repeated at the end of the
    block. After an answer faster than ``hasty_ms`` the evaluator waits for ``wait_ms``. ``catch``:
    trials between those of ``stimuli``, not scored and not used by the staircase. ``condition``:
    the judged condition if the evaluator judges several. ``limit_ms``: the time limit of an answer;
    a trial without an answer is repeated at the end of the block.
    """

    task: Task
    number: int
    stimuli: tuple[Stimulus, ...]
    feedback: bool
    staircase: Staircase | QuestPlus | None = None
    exposure_ms: float | None = None
    masks: tuple[tuple[str, ...], ...] = ()
    mask_ms: float = 0.0
    repeat_spoiled: bool = False
    hasty_ms: float = 0.0
    wait_ms: float = 0.0
    catch: CatchPlan | None = None
    condition: str = ""
    limit_ms: float | None = None

    def planned(self) -> tuple[PlannedTrial, ...]:
        own = zip(self.stimuli, self.masks or ((),) * len(self.stimuli), strict=True)
        trials = [PlannedTrial(self.task, self.number, *trial) for trial in own]
        if self.catch:
            masks = self.catch.masks or ((),) * len(self.catch.places)
            shown = zip(self.catch.stimuli, masks, strict=True)
            for place, catch in zip(self.catch.places, shown, strict=True):
                trials.insert(place - 1, PlannedTrial(Task.CATCH, self.catch.number, *catch))
        return tuple(trials)

    def rules(self) -> tuple[object, ...]:
        """Return what determines the block's trials, for the checksum of the plan."""
        catch = self.catch
        return (
            *(self.task, self.number, self.condition, self.staircase, self.exposure_ms),
            *(self.masks, self.mask_ms, self.repeat_spoiled),
            [image.sha256 for image in self.stimuli],
            catch and replace(catch, stimuli=()),
            [image.sha256 for image in catch.stimuli] if catch else [],
        )

    @property
    def size(self) -> int:
        return len(self.stimuli) + (len(self.catch.places) if self.catch else 0)

    @property
    def timed(self) -> bool:
        return self.staircase is not None or self.exposure_ms is not None

    @property
    def scored(self) -> bool:
        return self.task.scored


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan(AnyPlan):
    """The blocks of one evaluator, in order.

    ``pass_rate`` applies to reals and to fakes separately. ``steps``: as in `JudgementTrial`.
    """

    condition: str
    blocks: tuple[BlockPlan, ...]
    pass_rate: float
    feedback_ms: float
    steps: int = 0

    @property
    def paid(self) -> float:
        """Expected number of correct answers that are paid."""
        return sum(
            block.size * (block.staircase.settles_at if block.staircase else UNTIMED_CORRECT)
            for block in self.blocks
            if block.scored
        )

    def masks(self) -> frozenset[str]:
        trials = (planned for block in self.blocks for planned in block.planned())
        return frozenset(name for planned in trials for name in planned.masks)

    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
        """Yield the pictures of each trial, except repeats, which are not known in advance."""
        trials = (
            (TrialName(task.value, of_block, number), pictures_of(stimulus, masks))
            for block in self.blocks
            for number, (task, of_block, stimulus, masks) in enumerate(block.planned(), start=1)
        )
        return skip_answered(trials, answered)

    def checksum(self) -> str:
        asked = [question.rule for question in self.follow_ups]
        blocks = [block.rules() for block in self.blocks]
        return checksum_of(self.condition, self.pass_rate, blocks, *asked)


@dataclass(slots=True)
class AnswerTally:
    """Numbers of answers and of correct answers so far, to real and to fake images."""

    shown_real: int = 0
    shown_fake: int = 0
    correct_real: int = 0
    correct_fake: int = 0

    def add(self, trial: JudgementTrial, correct: bool) -> None:
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
        """Return whether accuracy reached ``rate`` on real images and on fakes (section 2.3)."""
        slack = 1e-9  # 0.55 * 100 is 55.000000000000007
        return (
            self.correct_real >= rate * self.shown_real - slack
            and self.correct_fake >= rate * self.shown_fake - slack
        )


def hype_session(plan: SessionPlan) -> Script:
    """Yield each step of ``plan`` and receive its outcome; return how the session ended."""
    ended = yield from opening(plan)
    if ended is not None:
        return ended
    scored = tally = AnswerTally()
    for position, block in enumerate(plan.blocks):
        ended = yield from introduce(plan, position)
        if ended is not None:
            return ended
        tally = yield from judge(block, plan, scored)
        if block.task is Task.QUALIFICATION:
            passed = tally.passes(plan.pass_rate)
            ended = yield from stop_after_test(plan, plan.pay.values(0), passed=passed)
            if ended is not None:
                return ended
    # If no block is scored, the last page shows the qualification's tally.
    shown_tally = scored if scored.shown else tally
    yield Screen(page=Page.DEBRIEF, values=debrief_values(plan, shown_tally, paid=scored.correct))
    return Ending.COMPLETE


def introduce(plan: SessionPlan, position: int) -> Generator[Step, Outcome, Ending | None]:
    """Yield the screens before the block at ``position``: result, rest, instructions, start.

    Returns an ending if the question about the instructions ended the session, otherwise None.
    """
    block = plan.blocks[position]
    before = plan.blocks[position - 1] if position else None
    trials = {"trials": block.size}
    if before is not None and before.task is Task.QUALIFICATION:
        yield Screen(page=Page.QUALIFIED)
    if before is not None and before.scored and plan.breaks:
        yield Screen(page=Page.REST, values=progress_values(plan, position))
    if before is None or before.timed != block.timed:
        page = Page.INSTRUCTIONS_TIMED if block.timed else Page.INSTRUCTIONS_UNTIMED
        instructions = Screen(page=page, values={"minutes": plan.minutes, **trials})
        asked = None if before else plan.comprehension
        ended = yield from instruct(instructions, asked, plan.pay)
        if ended is not None:
            return ended
    if block.task is Task.PRACTICE:
        yield Screen(page=Page.PRACTICE, values=trials)
    elif block.task is Task.QUALIFICATION:
        percent = round(100 * plan.pass_rate)
        yield Screen(page=Page.QUALIFICATION, values={"percent": percent, **trials})
    else:
        yield Screen(page=Page.BLOCK, values=progress_values(plan, position))
    return None


def judge(
    block: BlockPlan, plan: SessionPlan, scored: AnswerTally
) -> Generator[Step, Outcome, AnswerTally]:
    """Yield a block's trials, the feedback after each, and a wait after a hasty answer.

    Returns the block's tally. If spoiled trials are repeated, the staircase uses the repeat and not
    the spoiled trial, whose exposure was wrong. Repeats also replace trials not answered in time.
    Nothing is repeated twice, so that every block ends. The staircase ignores catch trials, and
    they are not repeated.
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
        trial = replace(trial, steps=plan.steps)
        caught = trial.task is Task.CATCH
        outcome = yield trial
        late = outcome.answer == NO_ANSWER
        if block.task is not Task.QUALIFICATION and not late:
            yield from follow_up(plan.follow_ups, trial, scored=trial.task.scored)
        correct = trial.correct(outcome.answer)
        if not late:
            tally.add(trial, correct)
            if block.scored:  # answers in spoiled trials are paid too
                scored.add(trial, correct)
        lost = late or (block.repeat_spoiled and outcome.spoiled)
        comes_again = lost and trial.repeats is None and not caught
        if comes_again:
            again.append(number)
        if late:
            verdict_page = Page.LATE
        elif comes_again:
            verdict_page = Page.AGAIN  # no verdict, since the image is shown again
        else:
            verdict_page = Page.CORRECT if correct else Page.WRONG
            if rule and state and not caught:
                state = rule.step(state, correct)
        if block.feedback or late:
            yield Screen(page=verdict_page, duration_ms=plan.feedback_ms)
        if not late and outcome.response.rt_ms < block.hasty_ms:
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
        limit_ms=block.limit_ms,
    )


def progress_values(plan: SessionPlan, position: int) -> dict[str, object]:
    """Return the evaluator's progress through the scored blocks."""
    scored = [block.scored for block in plan.blocks]
    return {
        "block": sum(scored[: position + 1]),
        "blocks": sum(scored),
        "done": sum(scored[:position]),
        "trials": plan.blocks[position].size,
    }


def debrief_values(plan: SessionPlan, shown_tally: AnswerTally, *, paid: int) -> dict[str, object]:
    """Return the evaluator's result, and the pay for ``paid`` correct answers."""
    accuracy = round(100 * shown_tally.correct / shown_tally.shown) if shown_tally.shown else 0
    return {
        "correct": shown_tally.correct,
        "shown": shown_tally.shown,
        "accuracy": accuracy,
        **plan.pay.values(paid),
    }
