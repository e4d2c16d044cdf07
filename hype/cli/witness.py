"""The log of a witness: it may be there before what it tells of is played, or a while after."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.errors import InputError

if TYPE_CHECKING:
    from hype.witness.comparison import Played, Witnessed
    from hype.witness.log import Change, Levels

PATIENCE_S: Final = 60.0
"""How long after the last exposure its log may be on its way."""
SETTLED_S: Final = 2.0
"""A log that did not change for so long is finished."""
LOOK_S: Final = 0.25
"""Pause between two looks whether it is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was played, by its own account, and how the log of its witness is to be read.

    Attributes
    ----------
    played
        The trials in order, at least one.
    levels
        What the patch's colours mean.
    since_unix_s
        When, by the wall clock, the last image came on.
    kept_in
        Where the trials are kept.
    """

    played: tuple[Played, ...]
    levels: Levels
    since_unix_s: float
    kept_in: Path

    def against(self, changes: tuple[Change, ...]) -> Witnessed:
        from hype.witness.comparison import compare

        return compare(self.played, changes, self.levels)


def log_of(path: Path, evidence: Evidence, *, dark: bool) -> tuple[Change, ...] | None:
    """Read a witness's log, if it is there and tells of what was played.

    A log by another clock, with fewer images than were played, tells of it once it is finished.
    One without any image does only if ``dark``: it may just as well have been begun for what is
    yet to be played.

    Raises
    ------
    InputError
        It was finished after what was played, and is no log.
    """
    from hype.witness.comparison import covers, times_shown
    from hype.witness.log import read_witness

    try:
        written_unix_s = path.stat().st_mtime
    except OSError:
        return None
    since = written_unix_s > evidence.since_unix_s
    finished = since and time.time() - written_unix_s > SETTLED_S
    try:
        changes = read_witness(path)
    except InputError:
        if finished:
            raise
        return None  # it is being written
    if covers(evidence.played, changes, evidence.levels, written_since=since):
        return changes
    shows_any = dark or times_shown(changes, evidence.levels) > 0
    return changes if finished and shows_any else None


def await_log(
    path: Path, evidence: Evidence, *, waiting: Callable[[str], None]
) -> tuple[Change, ...]:
    """Give a witness's log of what was just played; say so if that has to be waited for.

    Raises
    ------
    InputError
        It did not come within `PATIENCE_S`, or is no log.
    """
    end_s = time.monotonic() + PATIENCE_S
    changes = log_of(path, evidence, dark=True)
    if changes is None:
        waiting(f"Waiting for {path} (at most {PATIENCE_S:.0f} s)")
    while changes is None and time.monotonic() < end_s:
        time.sleep(LOOK_S)
        changes = log_of(path, evidence, dark=True)
    if changes is not None:
        return changes
    problem = "does not tell of the last exposures" if path.exists() else "there is no such log"
    raise InputError(
        path,
        problem,
        f"what was played is kept in {evidence.kept_in}; once the log is there, the same command "
        "compares the two without playing again",
    )
