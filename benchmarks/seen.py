"""What the witness of a benchmark saw, and what it was blind to."""

from __future__ import annotations

import csv
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hype.study.station_settings import PatchSettings
from hype.witness.comparison import Witnessed, WitnessedTrial, compare, played_of_rows
from hype.witness.log import Levels, read_witness

BLIND_MS: Final = 0.5
"""A witness who did not look for longer than this cannot say when a change was."""
NEAR_S: Final = 0.05
Rows = Iterable[tuple[str, Mapping[str, Any]]]
"""Trials by their own account: columns as in the record, each with where it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a witness saw of one thing that was played, and of which trials it was blind."""

    hz: float
    whole: Witnessed
    blind: frozenset[int]

    @property
    def clear(self) -> Witnessed:
        """What it saw of the trials during which it looked."""
        kept = (t for n, t in enumerate(self.whole.trials) if n not in self.blind)
        return replace(self.whole, trials=tuple(kept))

    @property
    def hidden(self) -> Witnessed:
        """What it says of the others."""
        kept = (t for n, t in enumerate(self.whole.trials) if n in self.blind)
        return replace(self.whole, trials=tuple(kept))


def witnessed(hz: float, rows: Rows, log: Path) -> Part:
    """Set the rows of trials against a witness's log."""
    patch, played = PatchSettings(), played_of_rows(rows)
    levels = Levels(on_rgb=patch.on_rgb, masks_rgb=patch.masks_rgb, off_rgb=patch.off_rgb)
    found = compare(played, read_witness(log), levels)
    with log.open(newline="") as file:
        looks = [(float(row["t_s"]), float(row["gap_ms"])) for row in csv.DictReader(file)]
    blind = (n for n, trial in enumerate(found.trials) if longest_gap_ms(trial, looks) > BLIND_MS)
    return Part(hz=hz, whole=found, blind=frozenset(blind))


def longest_gap_ms(trial: WitnessedTrial, looks: Sequence[tuple[float, float]]) -> float:
    """Give for how long at most the witness had not looked when something changed in a trial."""
    first = bisect_left(looks, (trial.played.onset_s - NEAR_S, 0.0))
    last = bisect_right(looks, (trial.played.end_s + NEAR_S, 0.0))
    return max((gap_ms for _, gap_ms in looks[first:last]), default=0.0)
