"""Compare played exposures with the log of an independent witness, such as a photodiode."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, Final

import numpy as np

from hype.errors import InputError
from hype.session.timing import Exposed, Verdict, is_given, read_exposed
from hype.tables.table_files import read_text_table

Rgb = tuple[int, int, int]
Change = tuple[float, Rgb]
"""A row of a log: when the patch changed (in s, by the witness's clock), and its new colour."""
NEAR_S: Final = 0.05
"""A seen image belongs to a trial if it starts at most this long before or after its exposure."""
PASSED: Final = 0.25
"""A colour seen for less than this share of a frame is only a transition to the next colour."""


@dataclass(frozen=True, slots=True)
class Run:
    """A period with one level of the patch: 0 for the image, the last for no image or mask."""

    level: int
    begin_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class WitnessedTrial:
    """One flashed trial, and what the witness saw of it."""

    pictures: tuple[Exposed, ...]  # The image, then its masks.
    flips_s: tuple[float, ...]  # Times of the flips to each picture, and to the empty screen.
    verdict: Verdict
    times_seen: int = 0  # How many times the image was seen.
    onset_ms: float | None = None  # From the flip until the image was seen, if seen just once.
    durations_ms: tuple[float, ...] = ()  # As seen: the image and, if all were seen, its masks.

    @property
    def disagreement_ms(self) -> float:
        """The largest difference between a picture's durations by flips and by the witness."""
        seen = zip(self.pictures, self.durations_ms, strict=False)
        return max((abs(ms - picture.measured_ms) for picture, ms in seen), default=0.0)

    @property
    def off(self) -> bool:
        """Whether a picture was seen more than a frame longer or shorter than planned."""
        seen = zip(self.pictures, self.durations_ms, strict=False)
        frame_ms = self.pictures[0].nominal_ms / self.pictures[0].frames
        return any(abs(ms - picture.nominal_ms) > frame_ms for picture, ms in seen)

    @property
    def falsely_ok(self) -> bool:
        return self.off and self.verdict in (Verdict.OK, Verdict.SEEN)


@dataclass(frozen=True, slots=True)
class Witnessed:
    """The comparison of the witness's log with the played trials."""

    trials: tuple[WitnessedTrial, ...]
    clock_offset_s: float  # The witness's clock minus this program's; 0 if they are the same.
    unplayed: int  # The number of seen images that were not played.

    @property
    def confirmed(self) -> bool:
        """Whether each image was seen once, nothing else was seen, and each "ok" is true."""
        wrong = any(trial.times_seen != 1 or trial.falsely_ok for trial in self.trials)
        return not wrong and not self.unplayed

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"confirmed": self.confirmed}


def read_witness(path: Path) -> tuple[Change, ...]:
    """Read a log: a table that has the columns ``t_s`` and ``rgb``.

    Raises InputError: the file is not such a table, or a time is less than the one before.
    """
    table = read_text_table(path)
    if table.empty or not {"t_s", "rgb"} <= set(table.columns):
        raise InputError(path, "is not a log of a witness", "columns t_s and rgb, a row per change")
    changes: list[Change] = []
    for line, text, rgb in zip(table.index, table["t_s"], table["rgb"], strict=True):
        try:
            t_s, (red, green, blue) = float(text), bytes.fromhex(rgb)
        except ValueError:
            t_s = math.nan
        if not (changes[-1][0] if changes else -math.inf) <= t_s < math.inf:
            allowed = "t_s in seconds, not less than in the row before; rgb such as ff8000"
            raise InputError(f"{path}, row {line}", f"t_s = {text!r}, rgb = {rgb!r}", allowed)
        changes.append((t_s, (red, green, blue)))
    return tuple(changes)


def runs_of(changes: Iterable[Change], levels: Sequence[Rgb], shortest_s: float = 0.0) -> list[Run]:
    """Return the runs of a log, except the last, whose end is unknown; colours need not be exact.

    A run that is shorter than ``shortest_s`` is a transition and becomes part of the next run.
    """
    steps: list[tuple[float, int]] = []
    for t_s, rgb in changes:
        distances = [math.dist(rgb, level) for level in levels]
        passed = len(steps) > 1 and t_s - steps[-1][0] < shortest_s
        begin_s = steps.pop()[0] if passed else t_s
        steps.append((begin_s, distances.index(min(distances))))
        if len(steps) > 1 and steps[-2][1] == steps[-1][1]:
            steps.pop()
    return [Run(level, begin_s, end_s) for (begin_s, level), (end_s, _) in pairwise(steps)]


def trials_of_rows(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> list[WitnessedTrial]:
    """Read trials from rows, and sort them by onset; each row has a name, used in messages.

    Raises InputError: the cells of a row are not a valid timing.
    """
    trials = []
    for where, row in rows:
        if is_given(row.get("verdict")):
            try:
                flips_s = tuple(map(float, str(row.get("flips_s")).split()))
                trial = WitnessedTrial(read_exposed(row), flips_s, Verdict(row["verdict"]))
                if len(flips_s) != len(trial.pictures) + 1:
                    raise ValueError(f"{len(flips_s)} flips for {len(trial.pictures)} pictures")
            except ValueError as error:
                raise InputError(where, f"is not a timing of a trial: {error}") from None
            trials.append(trial)
    return sorted(trials, key=lambda trial: trial.flips_s)


def compare(
    played: Sequence[WitnessedTrial], changes: Sequence[Change], levels: Sequence[Rgb]
) -> Witnessed:
    """Match seen images to played trials by their times.

    ``levels``: the patch's colours for the image, for masks (in rotation), and for all other times.
    """
    frame_s = min(t.pictures[0].nominal_ms / t.pictures[0].frames for t in played) / 1000
    runs = runs_of(changes, levels, PASSED * frame_s)
    offset_s = clock_offset(played, [run for run in runs if run.level == 0])
    seen: list[list[int]] = [[] for _ in range(len(played) + 1)]  # the last: images of no trial
    for number, run in enumerate(runs):
        if run.level == 0:
            begin_s = run.begin_s - offset_s
            place = bisect_right(played, begin_s + NEAR_S, key=lambda trial: trial.flips_s[0]) - 1
            inside = place >= 0 and begin_s <= played[place].flips_s[-1] + NEAR_S
            between = 0 <= place < len(played) - 1
            seen[place if inside else -1] += [number] if inside or between else []
    trials = []
    for trial, numbers in zip(played, seen, strict=False):
        onset_ms, durations_ms = None, ()
        if len(numbers) == 1:
            image, *after = runs[numbers[0] :]
            masks = list(takewhile(lambda run: 0 < run.level < len(levels) - 1, after))
            shown = [image, *(masks if len(masks) == len(trial.pictures) - 1 else ())]
            onset_ms = 1000 * (image.begin_s - offset_s - trial.flips_s[0])
            durations_ms = tuple(1000 * (run.end_s - run.begin_s) for run in shown)
        trials.append(
            replace(trial, times_seen=len(numbers), onset_ms=onset_ms, durations_ms=durations_ms)
        )
    return Witnessed(tuple(trials), offset_s, len(seen[-1]))


def clock_offset(played: Sequence[WitnessedTrial], images: Sequence[Run]) -> float:
    """Return the witness's clock minus this program's; 0 if no other value fits most trials."""
    begins_s = np.subtract.outer([i.begin_s for i in images], [t.flips_s[0] for t in played])
    ends_s = np.subtract.outer([i.end_s for i in images], [t.flips_s[1] for t in played])

    def near_s(offset_s: float) -> Any:
        apart_s = np.maximum(np.abs(begins_s - offset_s), np.abs(ends_s - offset_s))
        return begins_s[apart_s <= NEAR_S]

    offsets_s = [0.0, *begins_s[:, :3].flat]  # the witness must have seen one of the first three
    best_s = max(offsets_s, key=lambda offset_s: near_s(offset_s).size)
    most = near_s(best_s).size > len(played) / 2
    return float(np.median(near_s(best_s))) if best_s and most else 0.0
