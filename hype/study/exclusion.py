"""Careless evaluators: a study's rules of exclusion, and who breaks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, NamedTuple

from pydantic import Field

from hype.study.table import Milliseconds, Rate, Settings, Topic


class ExclusionSettings(Settings):
    """``[exclusion]``: careless evaluators.

    Guessing drives a staircase to longer exposures, so one careless evaluator makes a condition
    look better. A rule uses all answers except practice and tests. A rule that is not set is off.
    Evaluators who break a rule are named; with ``leave_out`` they are not scored.
    """

    topic = Topic.QUALITY
    fast_ms: Milliseconds = 300.0
    """Fast answers take less time than this, in ms. In rankings, the time for all images counts."""
    fast_share: Rate | None = None
    """Largest share of fast answers. Evaluators above it are careless. If empty: no rule."""
    one_key_share: Annotated[float, Field(ge=0.5, le=1)] | None = None
    """Largest share of one key. Evaluators above it are careless. If empty: no rule."""
    longest_run: Annotated[int, Field(ge=1)] | None = None
    """Longest run of equal answers. Evaluators above it are careless. If empty: no rule."""
    leave_out: bool = False
    """Leave careless evaluators out of the scores. If off, careless evaluators are only named."""

    @property
    def shares(self) -> dict[str, tuple[float | None, str]]:
        """For each rule's name: the largest share that the rule allows, and what it counts."""
        return {
            "speed": (self.fast_share, f"answers came faster than {self.fast_ms:g} ms"),
            "one-key": (self.one_key_share, "answers were the same"),
        }

    @property
    def in_words(self) -> tuple[str, ...]:
        """The rules in words; empty if the study has none."""
        stated = [(most, what) for most, what in self.shares.values() if most is not None]
        shares = [f"more than {most:.0%} of their {what}" for most, what in stated]
        if self.longest_run is None:
            return tuple(shares)
        return (*shares, f"the same answer came more than {self.longest_run} times in a row")


class GivenAnswer(NamedTuple):
    """Parts of an answer that the rules use; the same key always gives the same ``answer``."""

    trial: int
    answer: str
    rt_ms: float
    caught: bool | None = None  # whether the answer to a catch trial is right


def find_broken_rules(given: Iterable[GivenAnswer], rules: ExclusionSettings) -> dict[str, str]:
    """Return the rules that were broken, by their names in exports, each with what was found.

    ``given``: the answers, in the order in which the evaluator gave them.
    """
    rows = list(given)
    catch = [row.caught for row in rows if row.caught is not None]
    counts = {
        "speed": (sum(row.rt_ms < rules.fast_ms for row in rows), len(rows)),
        "one-key": (max(Counter(row.answer for row in rows).values(), default=0), len(rows)),
        "catch": (catch.count(False), len(catch)),
    }
    broken = {}
    for name, (most, what) in rules.shares.items():
        number, every = counts[name]
        if most is not None and every and (share := number / every) > most:
            broken[name] = f"{number} of {every} {what} ({share:.0%}; at most {most:.0%})"
    if rules.longest_run is not None and (run := longest_run(rows)) > rules.longest_run:
        broken["run"] = f"{run} equal answers in a row (at most {rules.longest_run})"
    return broken


def longest_run(rows: Iterable[GivenAnswer]) -> int:
    """Return the length of the longest run of equal answers in a block; blocks start at trial 1."""
    longest = run = 0
    before: GivenAnswer | None = None
    for row in rows:
        goes_on = before is not None and row.trial > before.trial and row.answer == before.answer
        run = run + 1 if goes_on else 1
        longest, before = max(longest, run), row
    return longest
