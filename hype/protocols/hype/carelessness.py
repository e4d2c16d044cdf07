"""When an evaluator's answers are careless, by rules that a study states before anybody comes.

Somebody who guesses drives a staircase up, so that one careless evaluator makes a condition look
better. A rule looks at all answers of the blocks that are scored, catch trials among them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from hype.protocols.hype.trial import Task


class Rule(str, Enum):
    """What an evaluator's answers may break; the values are words of the export."""

    SPEED = "speed"
    ONE_KEY = "one-key"
    CATCH = "catch"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The most that an evaluator's answers may come to; a rule that is None is not asked."""

    # fast_share, fast_ms: share, 0 to 1, of answers that come faster than ``fast_ms``
    fast_ms: float = 300.0
    fast_share: float | None = None
    # Share of the answer that is given more often: of one key, since keys keep their meaning
    one_key_share: float | None = None
    catch_error: float | None = None  # share of catch trials that are judged wrongly
    longest_run: int | None = None  # most equal answers in a row, within a block

    @property
    def asked(self) -> bool:
        return bool(self.said)

    @property
    def said(self) -> tuple[str, ...]:
        """The rules in words: what makes an evaluator careless."""
        limits = (
            (self.fast_share, f"of their answers came faster than {self.fast_ms:g} ms"),
            (self.one_key_share, "of their answers were the same"),
            (self.catch_error, "of their catch trials were wrong"),
        )
        shares = [f"more than {most:.0%} {what}" for most, what in limits if most is not None]
        if self.longest_run is None:
            return tuple(shares)
        return (*shares, f"the same answer came more than {self.longest_run} times in a row")


class GivenAnswer(NamedTuple):
    """One answer of a block that is scored, or of a catch trial in it."""

    task: str
    trial: int
    answer: str
    correct: bool
    rt_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What is counted of one evaluator's answers; `Rules` says of each what it is held against."""

    answers: int
    fast: int
    commonest: int
    run: int
    caught: int
    missed: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that an evaluator's answers break, and how, in words."""

    rule: Rule
    said: str


def habits_of(given: Iterable[GivenAnswer], fast_ms: float) -> Habits:
    """Count one evaluator's answers, which come in the order in which they were given."""
    rows = list(given)
    reals = sum(row.answer == "real" for row in rows)
    catch = [row for row in rows if row.task == Task.CATCH.value]
    return Habits(
        answers=len(rows),
        fast=sum(row.rt_ms < fast_ms for row in rows),
        commonest=max(reals, len(rows) - reals),
        run=longest_run(rows),
        caught=len(catch),
        missed=sum(not row.correct for row in catch),
    )


def longest_run(rows: Iterable[GivenAnswer]) -> int:
    """Give how often at most one answer came in a row; trials are numbered anew in each block."""
    longest = run = 0
    before: GivenAnswer | None = None
    for row in rows:
        goes_on = before is not None and row.trial > before.trial and row.answer == before.answer
        run = run + 1 if goes_on else 1
        longest, before = max(longest, run), row
    return longest


def broken_rules(habits: Habits, rules: Rules) -> tuple[Broken, ...]:
    broken = []
    shares = (
        (
            Rule.SPEED,
            habits.fast,
            habits.answers,
            rules.fast_share,
            f"answers are faster than {rules.fast_ms:g} ms",
        ),
        (
            Rule.ONE_KEY,
            habits.commonest,
            habits.answers,
            rules.one_key_share,
            "answers are the same",
        ),
        (Rule.CATCH, habits.missed, habits.caught, rules.catch_error, "catch trials are wrong"),
    )
    for rule, number, of, most, what in shares:
        if most is not None and of and number / of > most:
            broken.append(
                Broken(rule, f"{number} of {of} {what} ({number / of:.0%}; at most {most:.0%})")
            )
    if rules.longest_run is not None and habits.run > rules.longest_run:
        sentence = f"{habits.run} equal answers in a row (at most {rules.longest_run})"
        broken.append(Broken(Rule.RUN, sentence))
    return tuple(broken)
