"""Picking the best of a row: the trial, the plan of a session, and its course."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import Enum

from hype.protocols.prompted.trial import Candidate, PromptedPlan
from hype.session.steps import (
    Outcome,
    Page,
    PictureRequest,
    Step,
    Trial,
    TrialName,
    checksum_of,
    images_at,
)

MOST_IMAGES = 9
"""In a row: each has a number key."""


class PickingTask(str, Enum):
    PICK = "pick"


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingTrial(Trial):
    """A row of images; the answer is the place of the best one, from 1 at the left."""

    task: PickingTask = PickingTask.PICK
    block: int = 1
    prompt: str
    images: tuple[Candidate, ...]

    @property
    def fingerprint(self) -> str:
        return " ".join(image.sha256 for image in self.images)

    @property
    def pictures(self) -> tuple[PictureRequest, ...]:
        return images_at(*(image.path for image in self.images))

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(str(place) for place in range(1, len(self.images) + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingBlock:
    trials: tuple[PickingTrial, ...]
    page: Page = Page.BLOCK

    @property
    def size(self) -> int:
        return len(self.trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingPlan(PromptedPlan):
    """What one evaluator will pick from, in order."""

    blocks: tuple[PickingBlock]

    @property
    def trials(self) -> tuple[PickingTrial, ...]:
        return self.blocks[0].trials

    def shown(self) -> Iterator[tuple[TrialName, tuple[Candidate, ...]]]:
        return ((trial.name, trial.images) for trial in self.trials)

    def checksum(self) -> str:
        return checksum_of(self.blocks)


def ask(block: PickingBlock) -> Generator[Step, Outcome, int]:
    for trial in block.trials:
        _picked = yield trial  # not `yield from`: a tuple cannot be sent anything
    return block.size
