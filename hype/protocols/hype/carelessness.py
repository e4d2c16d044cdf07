"""When an evaluator's answers are careless, by rules that a study states before anybody comes.

Somebody who guesses drives a staircase up, so that one careless evaluator makes a condition look
better. A rule looks at all answers of the blocks that are scored, catch trials among them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hype.protocols.hype.settings import ExclusionSettings
from hype.protocols.hype.trial import Task


def rules_in_words(rules: ExclusionSettings) -> tuple[str, ...]:
    """Say what makes an evaluator careless; nothing where the study states no rule."""
    limits = (
        (rules.fast_share, f"of their answers came faster than {rules.fast_ms:g} ms"),
        (rules.one_key_share, "of their answers were the same"),
        (rules.catch_error, "of their catch trials were wrong"),
    )
    shares = [f"more than {most:.0%} {what}" for most, what in limits if most is not None]
    if rules.longest_run is None:
        return tuple(shares)
    return (*shares, f"the same answer came more than {rules.longest_run} times in a row")


class GivenAnswer(NamedTuple):
    """One answer of a block that is scored, or of a catch trial in it."""

    task: str
    trial: int
    answer: str
    correct: bool
    rt_ms: float


def broken_rules(given: Iterable[GivenAnswer], rules: ExclusionSettings) -> dict[str, str]:
    """Give the rules that one evaluator's answers break, by their names in exports, and how.

    The answers come in the order in which they were given. Keys keep their meaning in a session, so
    that the same answer is the same key.
    """
    rows = list(given)
    fast = sum(row.rt_ms < rules.fast_ms for row in rows)
    reals = sum(row.answer == "real" for row in rows)
    same = max(reals, len(rows) - reals)
    catch = [row.correct for row in rows if row.task == Task.CATCH.value]
    missed = catch.count(False)
    shares = (
        ("speed", fast, rows, rules.fast_share, f"answers are faster than {rules.fast_ms:g} ms"),
        ("one-key", same, rows, rules.one_key_share, "answers are the same"),
        ("catch", missed, catch, rules.catch_error, "catch trials are wrong"),
    )
    broken = {}
    for name, number, every, most, what in shares:
        if most is not None and every and (share := number / len(every)) > most:
            broken[name] = f"{number} of {len(every)} {what} ({share:.0%}; at most {most:.0%})"
    if rules.longest_run is not None and (run := longest_run(rows)) > rules.longest_run:
        broken["run"] = f"{run} equal answers in a row (at most {rules.longest_run})"
    return broken


def longest_run(rows: Iterable[GivenAnswer]) -> int:
    """Give how often at most one answer came in a row; trials are numbered anew in each block."""
    longest = run = 0
    before: GivenAnswer | None = None
    for row in rows:
        goes_on = before is not None and row.trial > before.trial and row.answer == before.answer
        run = run + 1 if goes_on else 1
        longest, before = max(longest, run), row
    return longest
