"""Compare a witness's log with the program's trials, and find trials that it could not time."""

from __future__ import annotations

import csv
import statistics
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hype.study.table import PatchSettings
from hype.witness import WitnessedTrial, compare, read_witness, trials_of_rows

BLIND_MS: Final = 0.5
"""If the witness's looks are further apart than this, it cannot time a change between them."""
NEAR_S: Final = 0.05
Rows = Iterable[tuple[str, Mapping[str, Any]]]
"""Trials as the program recorded them: the place of each, and its columns as in the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPicture:
    """One picture, as the program played it and as the witness saw it."""

    kind: str
    requested_ms: float
    nominal_ms: float
    measured_ms: float  # as the program recorded it
    witnessed_ms: float

    @property
    def deviation_ms(self) -> float:
        return self.witnessed_ms - self.nominal_ms

    @property
    def disagreement_ms(self) -> float:
        return self.witnessed_ms - self.measured_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRow:
    """How much longer than planned the pictures of one kind and duration were seen.

    ``sd_ms`` is None for a single picture. ``worst_ms`` is the deviation farthest from 0.
    """

    kind: str
    requested_ms: float
    nominal_ms: float
    n: int
    mean_ms: float
    sd_ms: float | None
    worst_ms: float


def row_of(pictures: Sequence[SeenPicture]) -> SeenRow:
    """Summarise pictures of one kind and duration."""
    deviations_ms = [picture.deviation_ms for picture in pictures]
    first = pictures[0]
    return SeenRow(
        kind=first.kind,
        requested_ms=first.requested_ms,
        nominal_ms=first.nominal_ms,
        n=len(pictures),
        mean_ms=statistics.fmean(deviations_ms),
        sd_ms=statistics.stdev(deviations_ms) if len(pictures) > 1 else None,
        worst_ms=max(deviations_ms, key=abs),
    )


@dataclass(frozen=True, slots=True)
class SeenTrials:
    """A witness's observations of some trials."""

    trials: tuple[WitnessedTrial, ...]

    @property
    def by_trial(self) -> list[list[SeenPicture]]:
        """The pictures that were seen in each trial."""
        return [
            [
                SeenPicture(
                    kind=picture.kind,
                    requested_ms=picture.requested_ms,
                    nominal_ms=picture.nominal_ms,
                    measured_ms=picture.measured_ms,
                    witnessed_ms=ms,
                )
                for picture, ms in zip(trial.pictures, trial.durations_ms, strict=False)
            ]
            for trial in self.trials
        ]

    @property
    def pictures(self) -> list[SeenPicture]:
        return [picture for pictures in self.by_trial for picture in pictures]

    @property
    def rows(self) -> list[SeenRow]:
        """A row for each kind and duration; images before masks, short before long durations."""
        alike: defaultdict[tuple[str, float, float], list[SeenPicture]] = defaultdict(list)
        for picture in self.pictures:
            alike[picture.kind, picture.requested_ms, picture.nominal_ms].append(picture)
        return [row_of(alike[key]) for key in sorted(alike)]

    @property
    def disagreement_ms(self) -> float | None:
        return max((abs(picture.disagreement_ms) for picture in self.pictures), default=None)

    @property
    def seen_once(self) -> int:
        return sum(trial.times_seen == 1 for trial in self.trials)

    @property
    def off(self) -> int:
        return sum(trial.off for trial in self.trials)

    @property
    def falsely_ok(self) -> int:
        return sum(trial.falsely_ok for trial in self.trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A witness's observations of one program's trials, and which of these it could not time."""

    hz: float
    whole: SeenTrials
    blind: frozenset[int]
    unplayed: int  # images that were seen, but not played

    @property
    def clear(self) -> SeenTrials:
        """The observations of the trials that the witness could time."""
        return SeenTrials(tuple(t for n, t in enumerate(self.whole.trials) if n not in self.blind))

    @property
    def hide_picture(self) -> SeenTrials:
        """The observations of the other trials."""
        return SeenTrials(tuple(t for n, t in enumerate(self.whole.trials) if n in self.blind))


def witnessed(hz: float, rows: Rows, log: Path) -> Part:
    """Compare the rows of trials with a witness's log."""
    patch, played = PatchSettings(), trials_of_rows(rows)
    levels = (patch.on_rgb, *patch.masks_rgb, patch.off_rgb)
    found = compare(played, read_witness(log), levels)
    with log.open(newline="") as file:
        looks = [(float(row["t_s"]), float(row["gap_ms"])) for row in csv.DictReader(file)]
    blind = (n for n, trial in enumerate(found.trials) if longest_gap_ms(trial, looks) > BLIND_MS)
    whole = SeenTrials(found.trials)
    return Part(hz=hz, whole=whole, blind=frozenset(blind), unplayed=found.unplayed)


def longest_gap_ms(trial: WitnessedTrial, looks: Sequence[tuple[float, float]]) -> float:
    """Return the longest time between a change in a trial and the look before it."""
    first = bisect_left(looks, (trial.flips_s[0] - NEAR_S, 0.0))
    last = bisect_right(looks, (trial.flips_s[-1] + NEAR_S, 0.0))
    return max((gap_ms for _, gap_ms in looks[first:last]), default=0.0)
