"""What somebody who watches a study has seen of it so far: pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from hype.cli.telling import Telling


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen last, and what is wrong since.

    Attributes
    ----------
    tell
        The last look that succeeded; None before one did.
    told
        What it tells programs.
    looked_unix_s
        When that was; 0 before.
    tried_unix_s
        When the last look ended, whether or not it succeeded; 0 before any did.
    problem
        Why a later look did not; empty where it did.
    since_unix_s
        When looks began to fail.
    """

    tell: Telling | None = None
    told: dict[str, object] | None = None
    looked_unix_s: float = 0.0
    tried_unix_s: float = 0.0
    problem: str = ""
    since_unix_s: float = 0.0

    def after(self, outcome: Telling | str, unix_s: float) -> Seen:
        """Give what is known after another look: what it told, or why it told nothing."""
        if isinstance(outcome, str):
            since = self.since_unix_s if self.problem else unix_s
            return replace(self, problem=outcome, since_unix_s=since, tried_unix_s=unix_s)
        told = self.told if outcome is self.tell else outcome.as_object()
        return Seen(tell=outcome, told=told, looked_unix_s=unix_s, tried_unix_s=unix_s)

    def differs(self, before: Seen) -> bool:
        """Whether there is anything new to be told."""
        return (self.told, self.problem) != (before.told, before.problem)

    def as_object(self) -> dict[str, object]:
        """Give everything for programs: what was told last, and what is wrong."""
        return (self.told or {}) | {
            "looked_unix_s": self.looked_unix_s or None,
            "problem": self.problem or None,
            "problem_since_unix_s": self.since_unix_s if self.problem else None,
        }

    def said_of_problem(self) -> str:
        """Say what is wrong, since when, and of when is what is shown; nothing if all is well."""
        if not self.problem:
            return ""
        said = f"since {clock(self.since_unix_s, self.tried_unix_s)}: {self.problem}"
        if self.tell is None:
            return said
        return f"{said}; what is shown is of {clock(self.looked_unix_s, self.tried_unix_s)}"


def clock(unix_s: float, now_unix_s: float) -> str:
    """Write a time of day, with the date where it is another day than now."""
    when, now = datetime.fromtimestamp(unix_s), datetime.fromtimestamp(now_unix_s)
    return f"{when:%H:%M:%S}" if when.date() == now.date() else f"{when:%Y-%m-%d %H:%M:%S}"


def rows_that_fit(room: int, rows: int) -> int:
    """Say how many rows of a table are shown where there is room for so many lines.

    Where they do not all fit, a line is left in which the others are counted.
    """
    return rows if rows <= room else max(0, room - 1)
