"""The course of a session that is made of blocks: from welcome to debrief, whatever is asked."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Protocol

from hype.session.loop import Script
from hype.session.steps import Ending, Outcome, Page, Pay, Question, Screen, Step


class AnyBlock(Protocol):
    """What is asked between two rests."""

    @property
    def page(self) -> Page:
        """What introduces it; `Page.BLOCK` where its answers are the study's."""

    @property
    def size(self) -> int:
        """How many things it asks about."""


Asking = Callable[[Any], Generator[Step, Outcome, int]]
"""Yields what a block asks, and returns how many answers are paid."""


class BlocksPlan(Protocol):
    """The plan of such a session."""

    @property
    def blocks(self) -> Sequence[AnyBlock]:
        """What is asked, in order."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """What evaluators are asked about themselves first."""

    @property
    def pay(self) -> Pay:
        """What the work is worth."""

    @property
    def minutes(self) -> int:
        """What the session is expected to take."""

    @property
    def consent(self) -> bool:
        """Whether evaluators are asked for it."""

    @property
    def breaks(self) -> bool:
        """Whether they rest between blocks."""


def course(plan: BlocksPlan, ask: Asking) -> Script:
    """Yield the steps of a session; to be sent each step's outcome; return how it ended."""
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
        given += yield from ask(block)
    yield Screen(page=Page.DEBRIEF, values=debrief_values(plan.pay, given))
    return Ending.COMPLETE


def introduce(plan: BlocksPlan, position: int) -> Iterator[Screen]:
    """Yield the screens before the block at ``position``."""
    block = plan.blocks[position]
    if block.page is not Page.BLOCK:
        yield Screen(page=block.page, values={"trials": block.size})
        return
    counted = [one.page is Page.BLOCK for one in plan.blocks]
    progress = {
        "block": sum(counted[: position + 1]),
        "blocks": sum(counted),
        "done": sum(counted[:position]),
        "trials": block.size,
    }
    if progress["done"] and plan.breaks:
        yield Screen(page=Page.REST, values=progress)
    yield Screen(page=Page.BLOCK, values=progress)


def debrief_values(pay: Pay, given: int) -> dict[str, Any]:
    """How much the evaluator did, and what is owed."""
    return {"answers": given, "pay": f"{pay.due(given):.2f}", "currency": pay.currency}
