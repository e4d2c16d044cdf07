"""What a witness saw, set against what was played: trial by trial, then in sum.

A witness (`hype.analysis.witness_log`) sees the photodiode patch from outside the program. The
trials that were played know their own flips. Nothing here trusts either of them.
"""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

from hype.analysis.witness_log import IMAGE, Change, Levels, Run, runs_of
from hype.analysis.witnessed import Played, Seen, Witnessed, WitnessedTrial
from hype.errors import InputError
from hype.protocol.timing import Verdict
from hype.protocol.timing_table import Exposed, exposed_of_row, is_given

ANCHORS: Final = 3
"""Another clock can be told if one of this many images, the first that were played, was seen."""
NEAR_S: Final = 0.05
"""How far a thing seen may lie from the trial it belongs to."""
PASSED: Final = 0.25
"""Share of a frame below which a level was only passed, on the way to another."""


def played_of_rows(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[Played, ...]:
    """Read rows with the columns of recorded judgements, each with where it stands.

    Rows of trials that were not flashed on a window are left out. The rest come in the order of
    their onsets.

    Raises
    ------
    InputError
        The cells of a row are no timing.
    """
    flashed = ((where, row) for where, row in rows if is_given(row.get("verdict")))
    return tuple(sorted((played_of(*each) for each in flashed), key=lambda p: p.onset_s))


def played_of(where: str, row: Mapping[str, Any]) -> Played:
    """Read one row."""
    try:
        pictures = exposed_of_row(row)
        flips_s = tuple(map(float, str(row.get("flips_s")).split()))
        verdict = Verdict(row["verdict"])
    except ValueError as error:
        raise InputError(where, f"is no timing of a trial: {error}") from None
    if not pictures or pictures[0].kind != "image" or len(flips_s) != len(pictures) + 1:
        problem = f"has {len(flips_s)} flips for {len(pictures)} pictures"
        raise InputError(where, problem, "an image, its masks, and one flip more")
    return Played(pictures=pictures, flips_s=flips_s, verdict=verdict)


def compare(played: Sequence[Played], changes: Sequence[Change], levels: Levels) -> Witnessed:
    """Match what was seen to what was played, by time.

    Parameters
    ----------
    played
        In the order of their onsets; at least one.
    changes
        The witness's log, by our monotonic clock or by any other.
    levels
        What the patch's colours mean.
    """
    shortest_ms = PASSED * min(trial.frame_ms for trial in played)
    runs = runs_of(changes, levels, shortest_ms=shortest_ms)
    images = {n: run for n, run in enumerate(runs) if is_image(run)}
    offset_s = clock_offset(played, list(images.values()), own=spans(changes, played))
    owned: defaultdict[int | None, list[Sighting]] = defaultdict(list)
    for number, run in images.items():
        place = owner_of(run.begin_s - offset_s, played)
        owned[place].append((run, masks_after(runs, number)))
    trials = [witnessed_trial(t, owned[n], offset_s, levels) for n, t in enumerate(played)]
    if not any(masks for sightings in owned.values() for _, masks in sightings):
        trials = [replace(trial, masks_missed=False) for trial in trials]  # blind to masks
    first_s, last_s = (t + offset_s for t in (played[0].onset_s, played[-1].end_s))
    unplayed = sum(first_s <= run.begin_s <= last_s for run, _ in owned[None])
    return Witnessed(clock_offset_s=offset_s, trials=tuple(trials), unplayed=unplayed)


Sighting = tuple[Run, tuple[Run, ...]]
"""An image that was seen, and the masks that followed it without a gap."""


def is_image(run: Run) -> bool:
    """Whether the image was on the screen, from a known time to another."""
    return run.place == IMAGE and run.end_s is not None


def masks_after(runs: Sequence[Run], image: int) -> tuple[Run, ...]:
    """Give the runs of masks that follow the run of an image without a gap."""
    following = runs[image + 1 :]
    return tuple(takewhile(lambda run: bool(run.place) and run.end_s is not None, following))


def owner_of(begin_s: float, played: Sequence[Played]) -> int | None:
    """Give which trial a thing belongs to that was seen from ``begin_s`` on, if any."""
    place = bisect_right(played, begin_s + NEAR_S, key=onset_of) - 1
    return place if place >= 0 and begin_s <= played[place].end_s + NEAR_S else None


def onset_of(trial: Played) -> float:
    """When a trial's image came on."""
    return trial.onset_s


def witnessed_trial(
    trial: Played, sightings: Sequence[Sighting], offset_s: float, levels: Levels
) -> WitnessedTrial:
    """Set one trial against what was seen during it."""
    image, *masks = trial.pictures
    pictures: list[Seen] = []
    if len(sightings) == 1:
        run, covers = sightings[0]
        pictures = [seen_as(image, run.lasted_ms), *masks_seen(masks, covers, levels)]
    onsets_s = [run.begin_s - offset_s for run, _ in sightings]
    return WitnessedTrial(
        played=trial,
        times_seen=len(sightings),
        pictures=tuple(pictures),
        masks_missed=bool(masks) and len(pictures) == 1,
        onset_difference_ms=1000 * (onsets_s[0] - trial.onset_s) if onsets_s else None,
    )


def seen_as(picture: Exposed, witnessed_ms: float) -> Seen:
    """Set one picture against how long it was seen."""
    return Seen(
        kind=picture.kind,
        requested_ms=picture.requested_ms,
        nominal_ms=picture.nominal_ms,
        measured_ms=picture.measured_ms,
        witnessed_ms=witnessed_ms,
    )


def masks_seen(masks: Sequence[Exposed], runs: Sequence[Run], levels: Levels) -> Iterator[Seen]:
    """Set masks against the runs that were seen: one by one, or together if all have one level."""
    if len(runs) == len(masks):
        yield from (seen_as(mask, run.lasted_ms) for mask, run in zip(masks, runs, strict=True))
    elif len(runs) == 1 and masks and len(levels.masks_rgb) == 1:
        yield Seen(
            kind="masks",
            requested_ms=sum(mask.requested_ms for mask in masks),
            nominal_ms=sum(mask.nominal_ms for mask in masks),
            measured_ms=sum(mask.measured_ms for mask in masks),
            witnessed_ms=runs[0].lasted_ms,
        )


def spans(changes: Sequence[Change], played: Sequence[Played]) -> bool:
    """Whether a log, by our own clock, begins before the first trial and ends after the last."""
    begins = changes[0].t_s <= played[0].onset_s + NEAR_S
    return begins and changes[-1].t_s >= played[-1].end_s - NEAR_S


def covers(
    played: Sequence[Played], changes: Sequence[Change], levels: Levels, *, written_since: bool
) -> bool:
    """Whether a log tells of all that was played.

    By our own clock its times say so. By another, a log that was ``written_since`` the last trial
    tells of it if the patch showed an image at least as often as one was played.
    """
    if spans(changes, played):
        return True
    return written_since and times_shown(changes, levels) >= len(played)


def times_shown(changes: Sequence[Change], levels: Levels) -> int:
    """Count how often the patch showed an image."""
    return sum(map(is_image, runs_of(changes, levels)))


def clock_offset(played: Sequence[Played], seen: Sequence[Run], *, own: bool) -> float:
    """Give the witness's clock less ours, in s.

    ``own``: going by the log's span, the clock is ours. That is believed where it explains most
    trials, or as many as any other offset does. Another offset takes some image that was seen for
    one of the first that were played, and the median of all that it explains corrects it.
    """
    at_zero = len(explained(played, seen, 0.0)) if own else 0
    if at_zero > len(played) / 2:
        return 0.0
    offsets_s = [run.begin_s - trial.onset_s for trial in played[:ANCHORS] for run in seen]
    best_s = max(offsets_s, default=0.0, key=lambda each_s: len(explained(played, seen, each_s)))
    found = explained(played, seen, best_s)
    if own and len(found) <= max(at_zero, len(played) / 2):
        return 0.0
    return best_s + statistics.median(found) if found else best_s


def explained(played: Sequence[Played], seen: Sequence[Run], offset_s: float) -> list[float]:
    """Give how much later than at ``offset_s`` each image was seen that came and went near it."""
    found = []
    for trial in played:
        onset_s, end_s = (flip_s + offset_s for flip_s in trial.flips_s[:2])
        first = bisect_left(seen, onset_s - NEAR_S, key=begin_of)
        last = bisect_right(seen, onset_s + NEAR_S, lo=first, key=begin_of)
        near = [run for run in seen[first:last] if abs((run.end_s or 0.0) - end_s) <= NEAR_S]
        found += [run.begin_s - onset_s for run in near[:1]]
    return found


def begin_of(run: Run) -> float:
    """When a run began."""
    return run.begin_s
