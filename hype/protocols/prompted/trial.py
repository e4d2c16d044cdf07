"""Trials with images of prompts, and the course of a session."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations, product
from typing import Any, Final, Generic, NamedTuple, TypeVar

from hype.session.loop import Script
from hype.session.plans import AnyPlan, instruct, opening, stop_after_test
from hype.session.steps import Ending, Outcome, Page, Pay, Screen, Step, TrialName


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An image that can be shown: its path in the set, its condition and its checksum."""

    path: str
    condition: str
    sha256: str


def add_reference(
    images: Sequence[Candidate], reference: Candidate | None
) -> tuple[Candidate, ...]:
    """Return the images, followed by the reference if there is one."""
    return (*images, *([reference] if reference else ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt, and each condition's images of it."""

    text: str
    images: Mapping[str, tuple[Candidate, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Two images of one prompt to compare; their sides are not decided yet."""

    prompt: str
    one: Candidate
    other: Candidate


def meetings(
    conditions: Sequence[str], prompts: Sequence[Prompt]
) -> dict[tuple[str, str], list[Meeting]]:
    return {
        (one, other): [
            Meeting(prompt=prompt.text, one=first, other=second)
            for prompt in prompts
            for first, second in product(prompt.images.get(one, ()), prompt.images.get(other, ()))
        ]
        for one, other in combinations(conditions, 2)
    }


ROUNDING: Final = 1e-9
"""Tolerance for shares: 0.7 has no exact float, but 0.7 of 10 must be 7."""
PRACTICE: Final = Page.PRACTICE.value
"""The task of practice trials, in each protocol."""


ItemT = TypeVar("ItemT")
TaskT = TypeVar("TaskT", bound=Enum)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBlock(Generic[ItemT, TaskT]):
    """The items that people judge between two rests, in order."""

    number: int
    items: tuple[ItemT, ...]
    task: TaskT

    @property
    def page(self) -> Page:
        """The page before the block; practice and the test have their own pages."""
        own = {page.value: page for page in (Page.PRACTICE, Page.TEST)}
        return own.get(self.task.value, Page.BLOCK)


class BlockResult(NamedTuple):
    """Counts of a block: paid answers, right answers, and answers that can be right or wrong."""

    paid: int = 0
    right: int = 0
    known: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedPlan(AnyPlan):
    """The plan of a session that asks about images of prompts.

    ``references``: the reference image of each prompt, if the study shows one.
    """

    blocks: Sequence[PlannedBlock[Any, Any]]
    references: Mapping[str, Candidate] = field(default_factory=dict)

    @abstractmethod
    def shown(self) -> Iterator[tuple[TrialName, tuple[Candidate, ...]]]:
        """Yield the trials in order, each with its images."""

    @abstractmethod
    def ask(self, block: Any) -> Generator[Step, Outcome, BlockResult]:
        """Yield the trials of a block."""

    def words_of(self, _block: Any) -> Mapping[str, Any]:
        """Return the values that fill in the texts before a block, except the progress."""
        return {}

    def images(self) -> tuple[Candidate, ...]:
        """Return the images that the plan shows, without repeats."""
        every = (image for _, images in self.shown() for image in images)
        return tuple({image.path: image for image in every}.values())

    @property
    def paid(self) -> int:
        """Number of paid answers: all except practice."""
        return sum(name.task != PRACTICE for name, _ in self.shown())


def course(plan: PromptedPlan) -> Script:
    """Yield each step of a session and receive its outcome; return how the session ended."""
    ended = yield from opening(plan)
    if ended is not None:
        return ended
    instructions = Screen(page=Page.INSTRUCTIONS, values={"minutes": plan.minutes})
    ended = yield from instruct(instructions, plan.comprehension, plan.pay)
    if ended is not None:
        return ended
    given = 0
    for position, block in enumerate(plan.blocks):
        yield from introduce(plan, position)
        tally = yield from plan.ask(block)
        given += tally.paid
        if plan.gate and block.page is Page.TEST:
            passed = tally.right >= plan.gate.pass_rate * tally.known - ROUNDING
            ended = yield from stop_after_test(plan, debrief_values(plan.pay, given), passed=passed)
            if ended is not None:
                return ended
            yield Screen(page=Page.QUALIFIED)
    yield Screen(page=Page.DEBRIEF, values=debrief_values(plan.pay, given))
    return Ending.COMPLETE


def introduce(plan: PromptedPlan, position: int) -> Iterator[Screen]:
    block = plan.blocks[position]
    if block.page is not Page.BLOCK:
        page, values = block.page, {"trials": len(block.items)}
        if plan.gate and page is Page.TEST:
            page = Page.QUALIFICATION
            values["percent"] = round(100 * plan.gate.pass_rate)
        yield Screen(page=page, values=values)
        return
    counted = [part.page is Page.BLOCK for part in plan.blocks]
    progress = {
        "block": sum(counted[: position + 1]),
        "blocks": sum(counted),
        "done": sum(counted[:position]),
        "trials": len(block.items),
        **plan.words_of(block),
    }
    if progress["done"] and plan.breaks:
        yield Screen(page=Page.REST, values=progress)
    yield Screen(page=Page.BLOCK, values=progress)


def debrief_values(pay: Pay, given: int) -> dict[str, Any]:
    return {"answers": given, **pay.values(given)}


class Choice(str, Enum):
    """The possible outcomes of a comparison. ``none``: the time limit passed."""

    LEFT = "left"
    RIGHT = "right"
    TIE = "tie"
    BOTH_BAD = "both-bad"
    NONE = "none"

    @property
    def text(self) -> str:
        """The name of the answer's key and of its text on the screen."""
        return self.value.replace("-", "_")


SIDE_LEVELS: Final = {
    Choice.LEFT.value: "the image on the left",
    Choice.RIGHT.value: "the image on the right",
}

ITEM_DIGITS: Final = 12
"""The names of items and groups are this many digits of a checksum."""


def name_of(prompt: str, *sums: str) -> str:
    """Name a prompt's images by their content and order, so that all plans use the same name."""
    digest = hashlib.sha256("\n".join((prompt, *sums)).encode())
    return digest.hexdigest()[:ITEM_DIGITS]
