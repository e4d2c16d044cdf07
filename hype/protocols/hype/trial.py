"""Judgements, of images shown one by one, and the plan of a session: all that is drawn before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, NamedTuple

from hype.protocols.hype.staircase import QuestPlus, Staircase
from hype.session.loop import Answered
from hype.session.steps import (
    Pay,
    PictureRequest,
    Question,
    Trial,
    TrialName,
    checksum_of,
    images_at,
    unanswered,
)
from hype.stimuli.manifest import Stimulus, Truth


class Task(str, Enum):
    """What a judgement is for. Only ``time`` and ``infinity`` are scored.

    ``catch`` are obvious images among these, which show whether somebody looks; they are paid too.
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
        """Whether its answers make the score; its fakes are then of one condition."""
        return self in (Task.TIME, Task.INFINITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementTrial(Trial):
    """One image to be judged real or fake.

    ``exposure_ms`` is the nominal exposure, or None where the image stays until the answer.
    ``repeats`` is the number of the trial of the block that is shown again here, if it is.
    ``condition`` is what is judged, where the evaluator serves several.
    """

    task: Task
    stimulus: Stimulus
    exposure_ms: float | None
    masks: tuple[str, ...] = ()
    mask_ms: float = 0.0
    repeats: int | None = None
    condition: str = ""

    def correct(self, answer: str) -> bool:
        """Whether ``answer`` ("real" or "fake") is the truth."""
        return answer == self.stimulus.truth.value

    @property
    def fingerprint(self) -> str:
        return self.stimulus.sha256

    @property
    def answers(self) -> tuple[str, ...]:
        right = self.stimulus.truth
        return (right.value, *(other.value for other in Truth if other is not right))

    @property
    def shown_ms(self) -> float:
        """How long image and masks last; none where the image stays until the answer."""
        if self.exposure_ms is None:
            return 0.0
        return self.exposure_ms + len(self.masks) * self.mask_ms

    @property
    def pictures(self) -> tuple[PictureRequest, ...]:
        return pictures_of(self.stimulus, self.masks)

    @property
    def fleeting(self) -> bool:
        """Whether it was flashed: after a pause it could only be answered from memory."""
        return self.exposure_ms is not None


def pictures_of(stimulus: Stimulus, masks: Sequence[str]) -> tuple[PictureRequest, ...]:
    return (*images_at(stimulus.path), *(PictureRequest(name, mask=True) for name in masks))


SCORED_TASKS: Final = tuple(task.value for task in Task if task.scored)
"""The protocols that have a score, in the order in which they are reported."""


class PlannedTrial(NamedTuple):
    """A trial of a block before its exposure is known: what is shown, and under which name."""

    task: Task
    block: int
    stimulus: Stimulus
    masks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchPlan:
    """The catch trials of a block: obvious images, spread among those that are judged.

    ``number`` is the block's among the session's scored blocks, by which they are named. ``places``
    are the trials of the block, from 1 and ascending, at which ``stimuli`` are shown.
    """

    number: int
    places: tuple[int, ...]
    stimuli: tuple[Stimulus, ...]
    exposure_ms: float | None = None
    masks: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPlan:
    """One block of judgements in its order.

    ``staircase`` sets each exposure; without one, ``exposure_ms`` does (None: until the answer).
    ``masks`` has one row per trial where the block is timed, and is empty otherwise.
    ``repeat_spoiled``: trials that the screen spoiled are shown again at the end of the block.
    An answer faster than ``hasty_ms`` costs a wait of ``wait_ms``. ``catch`` are trials among
    those of ``stimuli``, which neither the staircase nor the score hears of. ``condition`` is what
    is judged, where the evaluator serves several.
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

    def planned(self) -> tuple[PlannedTrial, ...]:
        """Give all of its trials in their order."""
        own = zip(self.stimuli, self.masks or ((),) * len(self.stimuli), strict=True)
        trials = [PlannedTrial(self.task, self.number, *trial) for trial in own]
        if self.catch:
            masks = self.catch.masks or ((),) * len(self.catch.places)
            shown = zip(self.catch.stimuli, masks, strict=True)
            for place, catch in zip(self.catch.places, shown, strict=True):
                trials.insert(place - 1, PlannedTrial(Task.CATCH, self.catch.number, *catch))
        return tuple(trials)

    def rules(self) -> tuple[object, ...]:
        """Give what decides which trials there are."""
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
class SessionPlan:
    """What one evaluator will do, in order.

    ``pass_rate`` is the share of reals and of fakes, each, that passes the qualification.
    ``minutes`` is what the session is expected to take; ``questions`` are about the evaluator.
    """

    evaluator: str
    condition: str
    blocks: tuple[BlockPlan, ...]
    pass_rate: float
    pay: Pay
    minutes: int
    feedback_ms: float
    consent: bool
    breaks: bool
    questions: tuple[Question, ...] = ()

    def masks(self) -> frozenset[str]:
        trials = (planned for block in self.blocks for planned in block.planned())
        return frozenset(name for planned in trials for name in planned.masks)

    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
        return unanswered(self._pictures(), answered)

    def _pictures(self) -> Iterator[tuple[TrialName, tuple[PictureRequest, ...]]]:
        """Yield what each trial needs; what a spoiled one repeats is not foreseen."""
        for block in self.blocks:
            for number, (task, of_block, stimulus, masks) in enumerate(block.planned(), start=1):
                yield TrialName(task.value, of_block, number), pictures_of(stimulus, masks)

    def checksum(self) -> str:
        """SHA-256 (hex) over all that decides which trials there are: equal plans, equal sums."""
        return checksum_of(self.condition, self.pass_rate, [block.rules() for block in self.blocks])
