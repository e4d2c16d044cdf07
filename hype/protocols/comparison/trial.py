"""Comparisons: the trial, the plan, and the course of a session.

A trial shows two images of one prompt side by side, with one question and a forced choice. See
Christodoulou and Kuhlmann-Jørgensen (2024), "Finding the subjective truth", sections 2.1 to 2.3 and
3.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal

from hype.protocols.prompted.trial import (
    BlockResult,
    Candidate,
    Choice,
    PlannedBlock,
    PromptedPlan,
    add_reference,
)
from hype.session.loop import Answered
from hype.session.plans import follow_up
from hype.session.steps import (
    Outcome,
    Page,
    PictureRequest,
    Screen,
    Step,
    Trial,
    TrialName,
    checksum_of,
    images_at,
    skip_answered,
)

PromptShown = Literal["hidden", "shown", "words"]
FEEDBACK_MS: Final = 900.0
"""How long the feedback after a practice comparison or a missed time limit is shown."""


class ComparisonTask(str, Enum):
    """The purpose of a comparison. Only answers in ``comparison`` are scored."""

    PRACTICE = "practice"
    COMPARISON = "comparison"
    VALIDATION = "validation"
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonTrial(Trial):
    """Two images of one prompt. ``number`` counts the trials of all tasks in the block."""

    task: ComparisonTask
    prompt: str  # what both images should show; it may appear above them
    left: Candidate
    right: Candidate
    obvious: Choice | None = None  # the obviously right side, in practice and validation
    words_ms: float = 0.0  # time until the whole prompt is visible and people can answer
    limit_ms: float | None = None  # time limit of the answer; None if there is none
    hasty_ms: float = 0.0  # a faster answer is hasty
    neither: tuple[Choice, ...] = ()  # the answers that choose neither image: a tie, both are bad
    # The reference image above or between the two images, if the study shows one
    reference: Candidate | None = None
    criterion: str  # what is asked
    pair: int = 0  # the pair's number in the block; its images stay for all questions

    @property
    def answers(self) -> tuple[str, ...]:
        """The possible answers: the obvious side first; also "none" if there is a time limit."""
        right = Choice.RIGHT if self.obvious is Choice.RIGHT else Choice.LEFT
        other = Choice.LEFT if right is Choice.RIGHT else Choice.RIGHT
        none = (Choice.NONE,) if self.limit_ms is not None else ()
        return tuple(choice.value for choice in (right, other, *self.neither, *none))

    @property
    def fingerprint(self) -> str:
        """The criterion, and the checksums of the left and the right image."""
        return f"{self.criterion} {self.left.sha256} {self.right.sha256}"

    @property
    def shown_ms(self) -> float:
        return self.words_ms

    @property
    def pictures(self) -> tuple[PictureRequest, ...]:
        images = add_reference((self.left, self.right), self.reference)
        return images_at(*(image.path for image in images))

    @property
    def is_time_critical(self) -> bool:
        """Whether the trial has a time limit, so that a pause would give extra time to answer."""
        return self.limit_ms is not None

    def correct(self, answer: str) -> bool | None:
        return None if self.obvious is None else answer == self.obvious.value

    def hasty(self, answer: str, rt_ms: float) -> bool:
        return answer != Choice.NONE.value and rt_ms < self.hasty_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A planned comparison: the prompt and the image on each side."""

    task: ComparisonTask
    prompt: str
    left: Candidate
    right: Candidate
    obvious: Choice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonBlock(PlannedBlock[Planned, ComparisonTask]):
    """The comparisons between two rests, in order."""

    criteria: Mapping[str, str]  # criteria asked about each pair, in order, with their questions


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPlan(PromptedPlan):
    """The comparisons of one evaluator, in order."""

    blocks: tuple[ComparisonBlock, ...]
    neither: tuple[Choice, ...]  # the answers that choose neither image: a tie, both are bad
    word_ms: float  # time for each word of a prompt; 0 if it is shown at once, or hidden
    # After an answer faster than ``hasty_ms``, or an obviously wrong one, people have to wait for
    # ``wait_ms``
    hasty_ms: float
    wait_ms: float
    limit_ms: float | None  # time limit of an answer; None if there is none
    checked: str  # the criterion asked about pairs with an obvious answer

    def trials(self, block: ComparisonBlock) -> Iterator[ComparisonTrial]:
        questions = [
            (of, pair, place, criterion)
            for of, pair in enumerate(block.items)
            for place, criterion in enumerate([self.checked] if pair.obvious else block.criteria)
        ]
        for number, (of, pair, place, criterion) in enumerate(questions, start=1):
            yield ComparisonTrial(
                task=pair.task,
                block=block.number,
                number=number,
                prompt=pair.prompt,
                left=pair.left,
                right=pair.right,
                obvious=pair.obvious,
                words_ms=0.0 if place else self.word_ms * len(pair.prompt.split()),
                limit_ms=self.limit_ms,
                hasty_ms=self.hasty_ms,
                neither=self.neither,
                reference=self.references.get(pair.prompt),
                criterion=criterion,
                pair=of,
                done=number / len(questions),
            )

    def ask(self, block: ComparisonBlock) -> Generator[Step, Outcome, BlockResult]:
        """Yield a block's comparisons, and a wait after a hasty or obviously wrong answer.

        A screen reports a missed time limit. A test does not show whether answers are right.
        """
        given = correct = 0
        for trial in self.trials(block):
            outcome = yield trial
            if outcome.answer == Choice.NONE.value:
                yield Screen(page=Page.LATE, duration_ms=FEEDBACK_MS)
                continue
            scored = trial.task is ComparisonTask.COMPARISON
            yield from follow_up(self.follow_ups, trial, scored=scored)
            right = trial.correct(outcome.answer)
            if block.task is ComparisonTask.PRACTICE:
                yield Screen(page=Page.CORRECT if right else Page.WRONG, duration_ms=FEEDBACK_MS)
                continue
            given += 1
            correct += right is True
            if trial.hasty(outcome.answer, outcome.response.rt_ms):
                yield Screen(page=Page.HASTY, duration_ms=self.wait_ms)
            elif right is False and trial.task is not ComparisonTask.TEST:
                yield Screen(page=Page.MISSED, duration_ms=self.wait_ms)
        return BlockResult(paid=given, right=correct, known=len(block.items))

    def shown(self) -> Iterator[tuple[TrialName, tuple[Candidate, ...]]]:
        for block in self.blocks:
            for trial in self.trials(block):
                yield trial.name, add_reference((trial.left, trial.right), trial.reference)

    def words_of(self, block: ComparisonBlock) -> Mapping[str, Any]:
        return {"question": "\n".join(block.criteria.values())}

    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
        """Yield the pictures of each pair once, with its last trial, since they stay until then."""
        trials = (trial for block in self.blocks for trial in self.trials(block))
        last = {(trial.task, trial.block, trial.pair): trial for trial in trials}
        return skip_answered(((trial.name, trial.pictures) for trial in last.values()), answered)

    def checksum(self) -> str:
        ties, *bad = (choice in self.neither for choice in (Choice.TIE, Choice.BOTH_BAD))
        rules = (ties, self.word_ms, self.hasty_ms, self.wait_ms, self.limit_ms)
        blocks = [(b.number, b.items, b.task is ComparisonTask.PRACTICE) for b in self.blocks]
        criteria = [[*block.criteria] for block in self.blocks]
        is_one = len({name for names in criteria for name in names}) == 1
        shown = (*rules, *filter(None, bad)), blocks, *([] if is_one else criteria)
        beside = filter(None, [self.references])
        return checksum_of(*shown, *beside, *(one.rule for one in self.follow_ups))
