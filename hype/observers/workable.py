"""Blocks, trials and steps with which a staircase settles, where those that are given do not.

Steps up and down that grow by the same factor settle at the same accuracy (Kaernbach 1991), and
come sooner from the start to there; so do fewer blocks of more trials, of as many images in all.
What large steps cost is found by playing them (García-Pérez 1998): of all that settle, that is
taken whose evaluators score nearest to their true scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from hype.observers.settling import MANY_TRIALS, Settling, settling
from hype.protocol.staircase import Staircase

MOST_TIMES: Final = 6
"""Steps are enlarged by no more than this, whatever the shortest exposure."""
TENTHS: Final = 10
"""Numbers of trials are looked for in steps of so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedDesign:
    """So many blocks of what a staircase does in its trials."""

    blocks: int
    played: Settling

    @property
    def rule(self) -> Staircase:
        """The staircase."""
        return self.played.rule

    @property
    def trials(self) -> int:
        """Trials of a block."""
        return self.played.trials


def workable(rule: Staircase, blocks: int, trials: int) -> TimedDesign | None:
    """Give a design of as many trials in all that settles: this one, if it does.

    Returns
    -------
    TimedDesign or None
        The one of least error, in hundredths of a doubling; of equal ones that which departs least
        from what is given, first in blocks, then in steps. None where none settles.
    """
    given = settling(rule, trials)
    if given is None or given.settles:
        return TimedDesign(blocks=blocks, played=given) if given else None
    settled = [design for design in designs(rule, blocks, trials) if design.played.settles]
    return min(settled, key=lambda each: round(each.played.error(each.blocks), 2), default=None)


def designs(rule: Staircase, blocks: int, trials: int) -> Iterator[TimedDesign]:
    """Yield what as many trials in all can be made into."""
    for fewer in range(blocks, 0, -1):
        for times in enlargements(rule):
            larger = replace(rule, down_ms=times * rule.down_ms, up_ms=times * rule.up_ms)
            played = settling(larger, blocks * trials // fewer // 2 * 2)
            if played:
                yield TimedDesign(blocks=fewer, played=played)


def enlargements(rule: Staircase) -> Iterator[int]:
    """Yield factors of the steps; one step of more than ``min_ms`` at the floor is a doubling."""
    largest = int(rule.min_ms / max(rule.down_ms, rule.up_ms))
    yield from range(1, max(1, min(largest, MOST_TIMES)) + 1)


def trials_needed(rule: Staircase, trials: int) -> int | None:
    """Give the number of trials, in tens, in which a block of a rule settles that does not so far.

    None where even `MANY_TRIALS` are too few.
    """
    for more in range((trials // TENTHS + 1) * TENTHS, MANY_TRIALS + 1, TENTHS):
        played = settling(rule, more)
        if played and played.settles:
            return more
    return None
