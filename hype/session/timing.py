"""How long pictures really were on the screen: verdicts on trials, and summary tables."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final, Literal

EXACT_MS: Final = 0.05
"""Maximum deviation of a duration that counts as exact."""

COMMON_RATES_HZ: Final = (
    *(50.0, 60.0, 72.0, 75.0, 85.0, 90.0, 100.0, 120.0, 144.0, 160.0, 165.0),
    *(170.0, 175.0, 180.0, 200.0, 240.0, 250.0, 280.0, 300.0, 360.0, 480.0, 500.0),
)
"""The usual refresh rates of displays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounding:
    """How durations are rounded to whole frames at a refresh rate."""

    # refresh_hz, durations_ms: the given refresh rate and the requested durations
    refresh_hz: float
    durations_ms: tuple[float, ...]
    # Durations that differ from whole frames by more than `EXACT_MS`, in the given order
    inexact_ms: tuple[float, ...]
    distinct: int  # how many different durations are left after rounding
    # worst_ms, worst_shown_ms: the duration with the largest deviation, as requested and as shown
    worst_ms: float
    worst_shown_ms: float
    exact_at_hz: tuple[float, ...]  # which of `COMMON_RATES_HZ` would show all durations exactly

    @property
    def deviation_ms(self) -> float:
        return abs(self.worst_shown_ms - self.worst_ms)

    def in_words(self, kind: str) -> str:
        """Describe in words how durations are rounded; ``kind``: what lasts, such as "exposure"."""
        if not self.inexact_ms:
            return f"{kind}s are exact"
        frames = frames_of(self.worst_ms, self.refresh_hz)
        worst = f"{self.worst_ms:g} ms lasts {self.worst_shown_ms:.1f} ms ({frames} frames)"
        if len(self.durations_ms) == 1:
            return f"a {kind} of {worst}"
        apart = f"{len(self.durations_ms)} {kind}s have {self.distinct} lengths on the screen"
        return f"{apart}; the largest deviation: {worst}"


def frames_of(duration_ms: float, refresh_hz: float) -> int:
    """Return the whole number of frames nearest to ``duration_ms``, at least one."""
    return max(1, round(duration_ms * refresh_hz / 1000))


def duration_of(frames: int, refresh_hz: float) -> float:
    return frames * 1000 / refresh_hz


def real_ms(duration_ms: float, refresh_hz: float) -> float:
    return duration_of(frames_of(duration_ms, refresh_hz), refresh_hz)


def is_exact(duration_ms: float, refresh_hz: float) -> bool:
    """Whether a whole number of frames is within `EXACT_MS` of a duration."""
    return abs(real_ms(duration_ms, refresh_hz) - duration_ms) <= EXACT_MS


def rounding_of(durations_ms: Sequence[float], refresh_hz: float) -> Rounding:
    """Compute how durations, one or more, are rounded to whole frames at a refresh rate."""

    def miss(duration_ms: float) -> float:
        # Rounded, since otherwise deviations that should be equal differ by floating-point errors.
        return round(abs(real_ms(duration_ms, refresh_hz) - duration_ms), 6)

    worst_ms = max(durations_ms, key=miss)
    return Rounding(
        refresh_hz=refresh_hz,
        durations_ms=tuple(durations_ms),
        inexact_ms=tuple(ms for ms in durations_ms if not is_exact(ms, refresh_hz)),
        distinct=len({frames_of(ms, refresh_hz) for ms in durations_ms}),
        worst_ms=worst_ms,
        worst_shown_ms=real_ms(worst_ms, refresh_hz),
        exact_at_hz=rates_exact_for(durations_ms),
    )


def rates_exact_for(durations_ms: Sequence[float]) -> tuple[float, ...]:
    """Return those of `COMMON_RATES_HZ` that show all of these durations exactly."""
    return tuple(hz for hz in COMMON_RATES_HZ if all(is_exact(ms, hz) for ms in durations_ms))


WHOLE: Final = 0.75
"""At least this share of a frame counts as a whole frame, since time stamps jitter."""
HALF: Final = 0.5
"""Tolerance, in frames, if the study gives none."""


class Verdict(str, Enum):
    """The verdict on a flashed trial.

    ``ok``: the image and all masks were shown for their number of frames, within the study's
    tolerance. ``late``: a duration was off by more than the tolerance, but by less than a frame.
    ``dropped``: one was off by a frame or more. ``seen``: ok, but shown before without an answer.
    """

    OK = "ok"
    LATE = "late"
    DROPPED = "dropped"
    SEEN = "seen"


@dataclass(frozen=True, slots=True)
class Flip:
    """One change of the screen; all times are in s, by the monotonic clock."""

    at_s: float  # the best estimate of the time
    # earliest_s, latest_s: the change happened between these times
    earliest_s: float
    latest_s: float


@dataclass(frozen=True, slots=True)
class Request:
    """The requested duration of one picture, and its number of frames."""

    duration_ms: float
    frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How long one picture was shown, from its own flip to the flip that replaced it."""

    # requested_ms, frames, nominal_ms: the requested duration, the number of its frames, and how
    # long these last at the refresh rate
    requested_ms: float
    frames: int
    nominal_ms: float
    measured_ms: float  # from flip to flip
    # The largest deviation from ``nominal_ms`` that the intervals of both flips allow
    worst_ms: float

    @property
    def deviation_ms(self) -> float:
        return self.measured_ms - self.requested_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The timing of one flashed trial.

    ``flips``: the onset of the image, of each mask, and of the next screen. ``missed_frames``: the
    largest possible deviation of the image or a mask, in whole frames.
    """

    flips: tuple[Flip, ...]
    image: Shown
    masks: tuple[Shown, ...]
    missed_frames: int
    verdict: Verdict

    @property
    def uncertainty_ms(self) -> float:
        return max(1000 * (flip.latest_s - flip.earliest_s) for flip in self.flips)


def judge_timing(
    requests: Sequence[Request],
    flips: Sequence[Flip],
    *,
    refresh_hz: float,
    tolerance_ms: float | None = None,
) -> Timing:
    """Compute how long image and masks were shown, and whether these durations are as requested.

    ``requests``: the image, then its masks.
    ``flips``: one more than ``requests``; the last flip hid the last picture.
    ``refresh_hz``: the rate that converts frames to durations.
    ``tolerance_ms``: the largest accepted deviation of a duration from its nominal duration;
        half a frame if None.

    """
    pairs = zip(requests, pairwise(flips), strict=True)
    image, *masks = (describe_shown(request, *pair, refresh_hz) for request, pair in pairs)
    frame_ms = duration_of(1, refresh_hz)
    worst_ms = max(picture.worst_ms for picture in (image, *masks))
    missed = frames_off(worst_ms, frame_ms)
    allowed_ms = HALF * frame_ms if tolerance_ms is None else tolerance_ms
    late = Verdict.LATE if worst_ms > allowed_ms else Verdict.OK
    return Timing(
        flips=tuple(flips),
        image=image,
        masks=tuple(masks),
        missed_frames=missed,
        verdict=Verdict.DROPPED if missed else late,
    )


def describe_shown(request: Request, on: Flip, off: Flip, refresh_hz: float) -> Shown:
    nominal_ms = duration_of(request.frames, refresh_hz)
    shortest_ms = 1000 * (off.earliest_s - on.latest_s)
    longest_ms = 1000 * (off.latest_s - on.earliest_s)
    return Shown(
        requested_ms=request.duration_ms,
        frames=request.frames,
        nominal_ms=nominal_ms,
        measured_ms=1000 * (off.at_s - on.at_s),
        worst_ms=max(abs(longest_ms - nominal_ms), abs(shortest_ms - nominal_ms)),
    )


def frames_off(deviation_ms: float, frame_ms: float) -> int:
    """Return a deviation in whole frames; a remainder of `WHOLE` or more counts as one frame."""
    return int(abs(deviation_ms) / frame_ms + 1 - WHOLE)


Kind = Literal["image", "mask"]

Cells = Mapping[Any, Any]
"""A row of a record's table or of a data frame, by column."""
PREFIXES: Final[Mapping[Kind, str]] = {"image": "exposure", "mask": "mask"}
CELLS: Final = ("ms", "frames", "nominal_ms", "measured_ms")

TIMING_COLUMNS: Final = (
    "verdict",
    *(f"{prefix}_{rest}" for prefix in PREFIXES.values() for rest in CELLS),
)
"""The columns on timing in a recorded judgement; ``mask_measured_ms`` is a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed:
    """One picture that was shown."""

    kind: Kind  # image or mask
    # requested_ms, frames, nominal_ms: the requested duration, the number of its frames, and how
    # long these last at the refresh rate
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
    """A summary of pictures with the same kind, requested duration, frames and rounded rate."""

    # kind, requested_ms, frames, nominal_ms: as in `Exposed`; ``nominal_ms`` is a mean, since rates
    # differ slightly
    kind: Kind
    requested_ms: float
    frames: int
    nominal_ms: float
    n: int  # the number of these pictures
    # Mean and standard deviation of the measured durations; sd_ms is None for a single picture
    mean_ms: float
    sd_ms: float | None
    # The largest deviation of a measured duration from its nominal one; negative if too short
    worst_ms: float
    off_share: float  # share of pictures, 0 to 1, that were off by a whole frame or more


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingTable:
    """The rows (images before masks, short before long), and the number of trials by verdict."""

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
    """Summarise pictures and verdicts.

    ``exposed``: every picture, in any order.
    ``verdicts``: the verdict on each trial; empty or None if its timing was not measured.

    Raises ValueError: a verdict is not valid.
    """
    counted = Counter(Verdict(verdict) for verdict in verdicts if verdict)
    groups: dict[tuple[Kind, float, int, int], list[Exposed]] = {}
    for picture in exposed:
        # Rates are rounded to Hz, since each session measures a slightly different rate.
        key = (picture.kind, picture.requested_ms, picture.frames, round(picture.refresh_hz))
        groups.setdefault(key, []).append(picture)
    rows = []
    for pictures in groups.values():
        measured_ms = [picture.measured_ms for picture in pictures]
        row = TimingRow(
            kind=pictures[0].kind,
            requested_ms=pictures[0].requested_ms,
            frames=pictures[0].frames,
            nominal_ms=round(statistics.fmean(picture.nominal_ms for picture in pictures), 3),
            n=len(pictures),
            mean_ms=statistics.fmean(measured_ms),
            sd_ms=statistics.stdev(measured_ms) if len(pictures) > 1 else None,
            worst_ms=max((picture.deviation_ms for picture in pictures), key=abs),
            off_share=sum(picture.frames_off > 0 for picture in pictures) / len(pictures),
        )
        rows.append(row)
    return TimingTable(
        rows=tuple(sorted(rows, key=attrgetter("kind", "requested_ms", "nominal_ms"))),
        verdicts={verdict: counted[verdict] for verdict in Verdict},
    )


def table_of_rows(rows: Iterable[Cells]) -> TimingTable:
    rows_timed = [row for row in rows if is_given(row.get("verdict"))]
    pictures = (picture for row in rows_timed for picture in read_exposed(row))
    return timing_table(pictures, (row["verdict"] for row in rows_timed))


def read_exposed(row: Cells) -> tuple[Exposed, ...]:
    """Return the pictures of one recorded judgement; empty if it has no verdict on its timing.

    A picture is left out if one of its cells is missing, None, NaN or blank.
    """
    if not is_given(row.get("verdict")):
        return ()
    pictures = []
    for kind, prefix in PREFIXES.items():
        cells: dict[str, Any] = {rest: row.get(f"{prefix}_{rest}") for rest in CELLS}
        if all(map(is_given, cells.values())):
            pictures += [
                Exposed(
                    kind=kind,
                    requested_ms=float(cells["ms"]),
                    frames=int(float(cells["frames"])),
                    nominal_ms=float(cells["nominal_ms"]),
                    measured_ms=float(measured_ms),
                )
                for measured_ms in str(cells["measured_ms"]).split()
            ]
    return tuple(pictures)


def is_given(cell: Any) -> bool:
    missing = cell is None or (isinstance(cell, float) and math.isnan(cell))
    return not missing and bool(str(cell).strip())
