"""What an outside witness wrote down: a photodiode on the patch, or a program that watches a pixel.

The witness knows colours and times, nothing else. What a colour means is decided here, by the
nearest of the patch's levels, so that the grey of a real photodiode need not be the nominal one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.tables.table_files import read_text_table

Rgb = tuple[int, int, int]
Place = int | None
"""What the patch says is on the screen: the image (0), a mask of the first (1), second (2) …
level, or neither (None)."""
IMAGE: Final = 0
LOG_COLUMNS: Final = ("t_s", "rgb")
HEXADECIMAL: Final = re.compile(r"[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the log: from ``t_s`` on, by the witness's clock, the colour was ``rgb``."""

    t_s: float
    rgb: Rgb


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The patch's colours while the image, a mask (in turn), or neither is on the screen."""

    on_rgb: Rgb
    masks_rgb: tuple[Rgb, ...]
    off_rgb: Rgb

    def of(self, place: Place) -> Rgb:
        if place is None:
            return self.off_rgb
        return self.masks_rgb[place - 1] if place else self.on_rgb

    def nearest(self, rgb: Rgb) -> Place:
        places: list[Place] = [IMAGE, *range(1, len(self.masks_rgb) + 1), None]
        return min(places, key=lambda place: math.dist(rgb, self.of(place)))


@dataclass(frozen=True, slots=True)
class Run:
    """A time during which the patch kept its level. The end of the last one is not known."""

    begin_s: float
    end_s: float | None
    place: Place

    @property
    def lasted_ms(self) -> float:
        """How long it lasted, as far as that is known."""
        return math.nan if self.end_s is None else 1000 * (self.end_s - self.begin_s)


def read_witness(path: Path) -> tuple[Change, ...]:
    """Read the log of a witness: a table with the columns ``t_s`` and ``rgb``; others may follow.

    Raises InputError: it is no such table, a time is no number or goes back, or a colour is not six
    hexadecimal digits; names file and row.
    """
    table = read_text_table(path)
    if missing := [name for name in LOG_COLUMNS if name not in table.columns]:
        raise InputError(path, f"has no column {', '.join(missing)}", "needs t_s,rgb")
    if table.empty:
        raise InputError(path, "has no row", "one row for the start and one for each change")
    cells = zip(table.index, *(table[name] for name in LOG_COLUMNS), strict=True)
    changes = tuple(change_of(f"{path}, row {line}", t_s, rgb) for line, t_s, rgb in cells)
    for (before, after), line in zip(pairwise(changes), table.index[1:], strict=True):
        if after.t_s < before.t_s:
            problem = f"t_s {after.t_s:g} is before the row above it, {before.t_s:g}"
            raise InputError(f"{path}, row {line}", problem, "times in order")
    return changes


def change_of(where: str, t_s: str, rgb: str) -> Change:
    try:
        time_s = float(t_s)
    except ValueError:
        time_s = math.nan
    if not math.isfinite(time_s):
        raise InputError(where, f"t_s {t_s!r} is no number", "seconds")
    if not HEXADECIMAL.fullmatch(rgb):
        raise InputError(where, f"rgb {rgb!r} is no colour", "six hexadecimal digits")
    red, green, blue = bytes.fromhex(rgb)
    return Change(time_s, (red, green, blue))


def runs_of(
    changes: Sequence[Change], levels: Levels, *, shortest_ms: float = 0.0
) -> tuple[Run, ...]:
    """Give the runs of a log, each at the level of the patch that is nearest.

    A real screen takes its time between two levels. A run of less than ``shortest_ms`` whose level
    lies between those before and after it belongs to the one after it.
    """
    steps = list(settled(distinct(changes, levels), levels, shortest_ms / 1000))
    ends = [*(t_s for t_s, _ in steps[1:]), None]
    return tuple(
        Run(begin_s, end_s, place) for (begin_s, place), end_s in zip(steps, ends, strict=True)
    )


def distinct(changes: Sequence[Change], levels: Levels) -> list[tuple[float, Place]]:
    steps: list[tuple[float, Place]] = []
    for change in changes:
        place = levels.nearest(change.rgb)
        if not steps or steps[-1][1] != place:
            steps.append((change.t_s, place))
    return steps


def settled(
    steps: Sequence[tuple[float, Place]], levels: Levels, shortest_s: float
) -> Iterator[tuple[float, Place]]:
    """Yield the steps without those that were only passed on the way from one to another."""
    *passed, last = steps
    previous: Place = None
    begin_s: float | None = None
    for number, (step_s, place) in enumerate(passed):
        begin_s = step_s if begin_s is None else begin_s
        next_s, following = steps[number + 1]
        on_the_way = number and between(levels, previous, place, following)
        if not (on_the_way and next_s - begin_s < shortest_s):
            yield begin_s, place
            previous, begin_s = place, None
    yield last[0] if begin_s is None else begin_s, last[1]


def between(levels: Levels, before: Place, place: Place, after: Place) -> bool:
    """Whether the level of ``place`` is brighter than one of the two others, darker than one."""
    low, high = sorted(sum(levels.of(each)) for each in (before, after))
    return low < sum(levels.of(place)) < high
