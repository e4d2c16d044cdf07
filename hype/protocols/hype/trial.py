"""Judgements: images shown one by one, real or fake."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from hype.session.steps import Trial, TrialName
from hype.stimuli.manifest import Stimulus


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
    ``block`` and ``number`` count from 1; with ``task`` they identify the trial in its session.
    ``repeats`` is the number of the trial of the block that is shown again here, if it is, and
    ``done`` the share of the block that is done with this trial.
    """

    task: Task
    block: int
    number: int
    stimulus: Stimulus
    exposure_ms: float | None
    masks: tuple[str, ...] = ()
    mask_ms: float = 0.0
    repeats: int | None = None
    done: float = 0.0

    def done_after(self, _answer: str, /) -> float:
        return self.done

    def correct(self, answer: str) -> bool:
        """Whether ``answer`` ("real" or "fake") is the truth."""
        return answer == self.stimulus.truth.value

    @property
    def name(self) -> TrialName:
        return TrialName(self.task.value, self.block, self.number)

    @property
    def fingerprint(self) -> str:
        return self.stimulus.sha256

    @property
    def shown_ms(self) -> float:
        """How long image and masks last; none where the image stays until the answer."""
        if self.exposure_ms is None:
            return 0.0
        return self.exposure_ms + len(self.masks) * self.mask_ms

    @property
    def fleeting(self) -> bool:
        """Whether it was flashed: after a pause it could only be answered from memory."""
        return self.exposure_ms is not None


SCORED_TASKS: Final = tuple(task.value for task in Task if task.scored)
"""The protocols that have a score, in the order in which they are reported."""

UNSCORED_TASKS: Final = tuple(task.value for task in Task if not task.scored)
