"""Picking the best of a row: the trial, the plan of a session, and its course."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from hype.protocols.prompted.trial import Candidate, PromptedPlan, course, each_once
from hype.session.loop import Answered, Script
from hype.session.steps import (
    Outcome,
    Page,
    PictureRequest,
    Step,
    Trial,
    checksum_of,
    images_at,
    unanswered,
)


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
class Row:
    """A row that is planned: its prompt, and the images from the left."""

    prompt: str
    images: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingBlock:
    rows: tuple[Row, ...]
    page: Page = Page.BLOCK

    @property
    def size(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingPlan(PromptedPlan):
    """What one evaluator will pick from, in order."""

    blocks: tuple[PickingBlock]

    @property
    def trials(self) -> tuple[PickingTrial, ...]:
        (block,) = self.blocks
        return tuple(
            PickingTrial(number=n, prompt=row.prompt, images=row.images, done=n / block.size)
            for n, row in enumerate(block.rows, start=1)
        )

    def images(self) -> tuple[Candidate, ...]:
        return each_once(image for trial in self.trials for image in trial.images)

    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
        return unanswered(((one.name, one.pictures) for one in self.trials), answered)

    def checksum(self) -> str:
        return checksum_of(self.blocks)


def picking_session(plan: PickingPlan) -> Script:
    def ask(_block: PickingBlock) -> Generator[Step, Outcome, int]:
        for trial in plan.trials:
            _picked = yield trial  # not `yield from`: a tuple cannot be sent anything
        return len(plan.trials)

    return course(plan, ask)
