"""Ratings: the trial, the plan, and the course of a session.

A pair of images of one prompt is rated on several axes, from "the first is much better" to "the
second is much better", or as "not relevant". Single images are rated with yes or no or on a scale.
Source: Parthasarathy, Collins and Stephenson (2025), "What makes a good generated image?", sections
3 and 5. Each axis of each item is a separate trial, so that earlier answers are kept if later ones
are missing.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Final

from hype.protocols.prompted.trial import (
    ROUNDING,
    BlockResult,
    Candidate,
    PlannedBlock,
    PromptedPlan,
    add_reference,
    name_of,
)
from hype.session.loop import Answered
from hype.session.plans import follow_up
from hype.session.steps import (
    Outcome,
    PictureRequest,
    Step,
    Trial,
    TrialName,
    checksum_of,
    images_at,
    skip_answered,
)

NOT_RELEVANT: Final = "not-relevant"
"""The answer that an axis does not apply. "Not relevant" is a missing value, not the middle."""
YES_NO: Final = ("yes", "no")
MOST_STEPS: Final = 10
"""The maximum number of levels that have keys: there is one key per digit."""


class RatingTask(str, Enum):
    """The purpose of a rating. Only ratings with the purpose ``rating`` are scored."""

    PRACTICE = "practice"
    TEST = "test"
    RATING = "rating"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis (aspect) on which images are rated."""

    # name, question: as in the study file
    name: str
    question: str
    # The answers in order. Pairs: from "1" (the first image is much better) to the highest level
    # (the second is). Single images: the numbers of a scale or slider, or yes and no
    levels: tuple[str, ...]
    optional: bool  # whether "not relevant" is allowed

    @property
    def answers(self) -> tuple[str, ...]:
        return (*self.levels, *([NOT_RELEVANT] if self.optional else []))

    @property
    def is_slider(self) -> bool:
        """Whether the axis needs a slider, since it has more levels than there are keys."""
        return len(self.levels) > MOST_STEPS


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedItem:
    """A pair of images, or a single image.

    ``truths``: pairs (axis, right answer) from the manifest, for single images and pairs of a test.
    """

    prompt: str
    images: tuple[Candidate, ...]
    truths: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The item's name: 12 hexadecimal digits of a checksum of the prompt and the images."""
        return name_of(self.prompt, *(image.sha256 for image in self.images))

    def truth(self, axis: str) -> str | None:
        """Return the right answer on an axis, if known."""
        return dict(self.truths).get(axis)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedItem:
    """A planned item, and whether its second image is on the left."""

    item: RatedItem
    swapped: bool = False


def agrees(answer: str, truth: str, levels: Sequence[str], *, pair: bool) -> bool:
    """Return whether an answer on an axis with these levels is right.

    For a pair, the answer must favour the better image. On a scale, the answer may be off by one
    step or by a tenth of the scale, whichever is more.
    """
    if levels == YES_NO or answer not in levels:
        return answer == truth
    given, right, lowest, highest = map(float, (answer, truth, levels[0], levels[-1]))
    if pair:
        middle = (lowest + highest) / 2
        return (given - middle) * (right - middle) > 0
    allowed = max(float(levels[1]) - lowest, (highest - lowest) / 10)
    return abs(given - right) <= allowed + ROUNDING


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingTrial(Trial):
    """An item on one axis. Answers are about the item's first image, even if it is on the right."""

    task: RatingTask
    planned: PlannedItem
    axis: Axis
    reference: Candidate | None = None

    @property
    def item(self) -> RatedItem:
        return self.planned.item

    @property
    def shown(self) -> tuple[Candidate, ...]:
        return self.item.images[::-1] if self.planned.swapped else self.item.images

    @property
    def answers(self) -> tuple[str, ...]:
        return self.axis.answers

    def is_right(self, answer: str) -> bool | None:
        truth, pair = self.item.truth(self.axis.name), len(self.item.images) > 1
        return None if truth is None else agrees(answer, truth, self.axis.levels, pair=pair)

    @property
    def levels(self) -> tuple[str, ...]:
        """The answers from left to right; answers in favour of the left image come first."""
        return self.axis.levels[::-1] if self.planned.swapped else self.axis.levels

    @property
    def fingerprint(self) -> str:
        """The axis, and the images' checksums from left to right."""
        return fingerprint_of(self.axis.name, *(image.sha256 for image in self.shown))

    @property
    def pictures(self) -> tuple[PictureRequest, ...]:
        images = add_reference(self.shown, self.reference)
        return images_at(*(image.path for image in images))


def fingerprint_of(axis: str, *sums: str) -> str:
    """Return what is shown: an axis, and the checksums of images from left to right."""
    return " ".join((axis, *sums))


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPlan(PromptedPlan):
    """The items of one evaluator, in order; each item is rated on all axes in turn."""

    blocks: tuple[PlannedBlock[PlannedItem, RatingTask], ...]
    axes: tuple[Axis, ...]

    def shown(self) -> Iterator[tuple[TrialName, tuple[Candidate, ...]]]:
        for block in self.blocks:
            for trial in self.trials(block):
                yield trial.name, add_reference(trial.shown, trial.reference)

    def trials(self, block: PlannedBlock[PlannedItem, RatingTask]) -> Iterator[RatingTrial]:
        """Yield the trials of a block: each of its items on every axis."""
        pairs = ((planned, axis) for planned in block.items for axis in self.axes)
        trials = len(block.items) * len(self.axes)
        for number, (planned, axis) in enumerate(pairs, start=1):
            yield RatingTrial(
                task=block.task,
                block=block.number,
                number=number,
                planned=planned,
                axis=axis,
                reference=self.references.get(planned.item.prompt),
                done=number / trials,
            )

    def ask(
        self, block: PlannedBlock[PlannedItem, RatingTask]
    ) -> Generator[Step, Outcome, BlockResult]:
        paid = right = known = 0
        for trial in self.trials(block):
            outcome = yield trial
            yield from follow_up(self.follow_ups, trial, scored=block.task is RatingTask.RATING)
            is_right = trial.is_right(outcome.answer)
            paid += block.task is not RatingTask.PRACTICE
            right += is_right is True
            known += is_right is not None
        return BlockResult(paid=paid, right=right, known=known)

    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
        """Yield each item's pictures once, with its last trial; they are shown until then."""
        trials = (trial for block in self.blocks for trial in self.trials(block))
        last = islice(trials, len(self.axes) - 1, None, len(self.axes))
        return skip_answered(((trial.name, trial.pictures) for trial in last), answered)

    def checksum(self) -> str:
        beside = filter(None, [self.references])
        blocks = [(b.number, b.items, b.task is RatingTask.PRACTICE) for b in self.blocks]
        return checksum_of(self.axes, blocks, *beside, *(o.rule for o in self.follow_ups))
