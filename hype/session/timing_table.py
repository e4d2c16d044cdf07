"""How long things were on the screen, summed up: a row for each duration that was asked for."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any, Final, Literal

from hype.session.timing import Shown, Timing, Verdict, frames_off

Kind = Literal["image", "mask"]
Cells = Mapping[Any, Any]
"""A row of a table, by column: of a record, or of a frame."""
PREFIXES: Final[Mapping[Kind, str]] = {"image": "exposure", "mask": "mask"}
CELLS: Final = ("ms", "frames", "nominal_ms", "measured_ms")
TIMING_COLUMNS: Final = (
    "verdict",
    *(f"{prefix}_{rest}" for prefix in PREFIXES.values() for rest in CELLS),
)
"""The columns of a recorded judgement that tell of its timing; durations of masks are a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed:
    """One picture that was shown."""

    kind: Kind  # what it was
    # requested_ms, frames, nominal_ms: what was asked for, in how many frames, and what these last
    # at the refresh rate
    requested_ms: float
    frames: int
    nominal_ms: float
    measured_ms: float  # from the flip that showed it to the flip that replaced it

    @property
    def refresh_hz(self) -> float:
        return 1000 * self.frames / self.nominal_ms

    @property
    def deviation_ms(self) -> float:
        return self.measured_ms - self.nominal_ms

    @property
    def frames_off(self) -> int:
        return frames_off(self.deviation_ms, self.nominal_ms / self.frames)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingRow:
    """All pictures of one kind and one requested duration, on displays of one rate (to the Hz)."""

    # kind, requested_ms, frames, nominal_ms: as in `Exposed`; ``nominal_ms`` is a mean, since rates
    # differ by a little
    kind: Kind
    requested_ms: float
    frames: int
    nominal_ms: float
    n: int  # how many there were
    # mean_ms, sd_ms: of the measured durations; no standard deviation of one
    mean_ms: float
    sd_ms: float | None
    # The measured duration farthest from its nominal one, less that: negative if too short
    worst_ms: float
    off_share: float  # share, 0 to 1, off their nominal duration by a whole frame or more


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingTable:
    """The rows, images before masks and short before long, and the trials of each verdict."""

    rows: tuple[TimingRow, ...]
    verdicts: Mapping[Verdict, int]

    @property
    def trials(self) -> int:
        return sum(self.verdicts.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": [asdict(row) for row in self.rows],
            "verdicts": {verdict.value: number for verdict, number in self.verdicts.items()},
        }


def timing_table(
    exposed: Iterable[Exposed], verdicts: Iterable[Verdict | str | None]
) -> TimingTable:
    """Sum up pictures and verdicts.

    ``exposed``: every picture, in any order.
    ``verdicts``: one for each trial; an empty one stands for a trial that was not measured.

    Raises ValueError: a verdict is none.
    """
    counted = Counter(Verdict(verdict) for verdict in verdicts if verdict)
    alike: dict[tuple[Kind, float, int, int], list[Exposed]] = {}
    for picture in exposed:
        # To the Hz: a rate that is measured anew for each session is never quite the same.
        key = (picture.kind, picture.requested_ms, picture.frames, round(picture.refresh_hz))
        alike.setdefault(key, []).append(picture)
    rows = map(timing_row, alike.values())
    return TimingTable(
        rows=tuple(sorted(rows, key=attrgetter("kind", "requested_ms", "nominal_ms"))),
        verdicts={verdict: counted[verdict] for verdict in Verdict},
    )


def timing_row(pictures: Sequence[Exposed]) -> TimingRow:
    measured_ms = [picture.measured_ms for picture in pictures]
    deviations_ms = map(attrgetter("deviation_ms"), pictures)
    first = pictures[0]
    return TimingRow(
        kind=first.kind,
        requested_ms=first.requested_ms,
        frames=first.frames,
        nominal_ms=round(statistics.fmean(picture.nominal_ms for picture in pictures), 3),
        n=len(pictures),
        mean_ms=statistics.fmean(measured_ms),
        sd_ms=statistics.stdev(measured_ms) if len(pictures) > 1 else None,
        worst_ms=max(deviations_ms, key=abs),
        off_share=sum(picture.frames_off > 0 for picture in pictures) / len(pictures),
    )


def table_of_timings(timings: Iterable[Timing]) -> TimingTable:
    timings_known = tuple(timings)
    pictures = (picture for timing in timings_known for picture in exposed_of(timing))
    return timing_table(pictures, (timing.verdict for timing in timings_known))


def exposed_of(timing: Timing) -> tuple[Exposed, ...]:
    """Give the pictures of one trial: the image, then its masks."""
    masks = (exposed_as("mask", mask) for mask in timing.masks)
    return (exposed_as("image", timing.image), *masks)


def exposed_as(kind: Kind, shown: Shown) -> Exposed:
    return Exposed(
        kind=kind,
        requested_ms=shown.requested_ms,
        frames=shown.frames,
        nominal_ms=shown.nominal_ms,
        measured_ms=shown.measured_ms,
    )


def table_of_rows(rows: Iterable[Cells]) -> TimingTable:
    rows_timed = [row for row in rows if is_given(row.get("verdict"))]
    pictures = (picture for row in rows_timed for picture in exposed_of_row(row))
    return timing_table(pictures, (row["verdict"] for row in rows_timed))


def exposed_of_row(row: Cells) -> tuple[Exposed, ...]:
    """Give the pictures of one recorded judgement; none if it has no verdict.

    A cell that is missing, None, NaN or blank says nothing, and its picture is left out.
    """
    if not is_given(row.get("verdict")):
        return ()
    return tuple(picture for kind in PREFIXES for picture in pictures_in(row, kind))


def pictures_in(row: Cells, kind: Kind) -> Iterator[Exposed]:
    cells: dict[str, Any] = {rest: row.get(f"{PREFIXES[kind]}_{rest}") for rest in CELLS}
    if not all(map(is_given, cells.values())):
        return
    for measured_ms in str(cells["measured_ms"]).split():
        yield Exposed(
            kind=kind,
            requested_ms=float(cells["ms"]),
            frames=int(float(cells["frames"])),
            nominal_ms=float(cells["nominal_ms"]),
            measured_ms=float(measured_ms),
        )


def is_given(cell: Any) -> bool:
    missing = cell is None or (isinstance(cell, float) and math.isnan(cell))
    return not missing and bool(str(cell).strip())
