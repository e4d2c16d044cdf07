"""What a witness saw, set against what was played: trial by trial, in sum, and in words."""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hype.errors import InputError
from hype.report import wording
from hype.report.terminal import signed
from hype.session.timing import Exposed, Verdict, exposed_of_row, is_given
from hype.witness.log import IMAGE, Change, Levels, Run, runs_of

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One flashed trial by its own account."""

    pictures: tuple[Exposed, ...]  # the image, then its masks
    # Monotonic times of the flips: onset of the image, of each mask, and of what came after
    flips_s: tuple[float, ...]
    verdict: Verdict  # what `hype.session.timing` said of it

    @property
    def onset_s(self) -> float:
        return self.flips_s[0]

    @property
    def end_s(self) -> float:
        return self.flips_s[-1]

    @property
    def frame_ms(self) -> float:
        image = self.pictures[0]
        return image.nominal_ms / image.frames


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessedPicture:
    """One picture, or all masks of a trial together ("masks"), as played and as seen.

    ``nominal_ms`` is what its frames last, ``measured_ms`` our own account.
    """

    kind: str
    requested_ms: float
    nominal_ms: float
    measured_ms: float
    witnessed_ms: float

    @property
    def deviation_ms(self) -> float:
        return self.witnessed_ms - self.nominal_ms

    @property
    def disagreement_ms(self) -> float:
        return self.witnessed_ms - self.measured_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessedTrial:
    """One trial as played and as seen."""

    played: Played
    times_seen: int  # how often its image was seen; it should be once
    # The image, if it was seen once, and the masks, if all were seen
    pictures: tuple[WitnessedPicture, ...]
    masks_missed: bool  # whether the witness, who can see masks, did not see as many as were played
    # How much later than by our own account the image came on; None if it was not seen
    onset_difference_ms: float | None

    @property
    def off(self) -> bool:
        frame_ms = self.played.frame_ms
        far = any(abs(picture.deviation_ms) > frame_ms for picture in self.pictures)
        return far or self.masks_missed

    @property
    def falsely_ok(self) -> bool:
        return self.off and self.played.verdict in (Verdict.OK, Verdict.SEEN)

    def to_json(self) -> dict[str, Any]:
        by_kind: defaultdict[str, list[float]] = defaultdict(list)
        for picture in self.pictures:
            by_kind[picture.kind].append(round(picture.witnessed_ms, 3))
        late_ms = self.onset_difference_ms
        return {
            "times_seen": self.times_seen,
            "witnessed_exposure_ms": next(iter(by_kind["image"]), None),
            "witnessed_mask_ms": by_kind["mask"],
            "witnessed_masks_ms": next(iter(by_kind["masks"]), None),
            "onset_difference_ms": None if late_ms is None else round(late_ms, 3),
            "off": self.off,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessedRow:
    """All pictures of one kind and duration: how much longer than nominal they were seen.

    No standard deviation of one. ``worst_ms`` is the deviation farthest from 0.
    """

    kind: str
    requested_ms: float
    nominal_ms: float
    n: int
    mean_ms: float
    sd_ms: float | None
    worst_ms: float


def row_of(pictures: Sequence[WitnessedPicture]) -> WitnessedRow:
    deviations_ms = [picture.deviation_ms for picture in pictures]
    first = pictures[0]
    return WitnessedRow(
        kind=first.kind,
        requested_ms=first.requested_ms,
        nominal_ms=first.nominal_ms,
        n=len(pictures),
        mean_ms=statistics.fmean(deviations_ms),
        sd_ms=statistics.stdev(deviations_ms) if len(pictures) > 1 else None,
        worst_ms=max(deviations_ms, key=abs),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """What a witness says of the trials that were played."""

    clock_offset_s: float  # the witness's clock less ours; 0 where they are the same
    trials: tuple[WitnessedTrial, ...]  # each trial, in order
    unplayed: int  # images seen between the first trial and the last that nobody played

    @property
    def pictures(self) -> tuple[WitnessedPicture, ...]:
        return tuple(picture for trial in self.trials for picture in trial.pictures)

    @property
    def rows(self) -> tuple[WitnessedRow, ...]:
        """One row for each kind and duration, images before masks and short before long."""
        alike: defaultdict[tuple[str, float, float], list[WitnessedPicture]] = defaultdict(list)
        for picture in self.pictures:
            alike[picture.kind, picture.requested_ms, picture.nominal_ms].append(picture)
        return tuple(row_of(alike[key]) for key in sorted(alike))

    @property
    def disagreement_ms(self) -> float | None:
        return max((abs(picture.disagreement_ms) for picture in self.pictures), default=None)

    @property
    def seen_once(self) -> int:
        return count(trial.times_seen == 1 for trial in self.trials)

    @property
    def unseen(self) -> int:
        return count(trial.times_seen == 0 for trial in self.trials)

    @property
    def seen_again(self) -> int:
        return count(trial.times_seen > 1 for trial in self.trials)

    @property
    def masks_missed(self) -> int:
        return count(trial.masks_missed for trial in self.trials)

    @property
    def masks_compared(self) -> bool:
        return any(picture.kind != "image" for picture in self.pictures)

    @property
    def off(self) -> int:
        return count(trial.off for trial in self.trials)

    @property
    def falsely_ok(self) -> int:
        return count(trial.falsely_ok for trial in self.trials)

    @property
    def confirmed(self) -> bool:
        """Whether each image was seen exactly once, nothing else was, and no ``ok`` is false."""
        once = self.seen_once == len(self.trials)
        return once and not self.unplayed and not self.falsely_ok

    def to_json(self) -> dict[str, Any]:
        return {
            "confirmed": self.confirmed,
            "clock_offset_s": self.clock_offset_s,
            "trials": len(self.trials),
            "seen_once": self.seen_once,
            "unseen": self.unseen,
            "seen_again": self.seen_again,
            "unplayed": self.unplayed,
            "masks_compared": self.masks_compared,
            "masks_missed": self.masks_missed,
            "rows": [asdict(row) for row in self.rows],
            "largest_disagreement_ms": self.disagreement_ms,
            "off": self.off,
            "flagged": self.off - self.falsely_ok,
            "falsely_ok": self.falsely_ok,
        }


def count(cases: Iterable[bool]) -> int:
    return sum(cases)


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

    Raises InputError: the cells of a row are no timing.
    """
    flashed = ((where, row) for where, row in rows if is_given(row.get("verdict")))
    return tuple(sorted((played_of(*each) for each in flashed), key=lambda p: p.onset_s))


def played_of(where: str, row: Mapping[str, Any]) -> Played:
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

    ``played``: in the order of their onsets; at least one.
    ``changes``: the witness's log, by our monotonic clock or by any other.
    ``levels``: what the patch's colours mean.
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
    return trial.onset_s


def witnessed_trial(
    trial: Played, sightings: Sequence[Sighting], offset_s: float, levels: Levels
) -> WitnessedTrial:
    image, *masks = trial.pictures
    pictures: list[WitnessedPicture] = []
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


def seen_as(picture: Exposed, witnessed_ms: float) -> WitnessedPicture:
    """Set one picture against how long it was seen."""
    return WitnessedPicture(
        kind=picture.kind,
        requested_ms=picture.requested_ms,
        nominal_ms=picture.nominal_ms,
        measured_ms=picture.measured_ms,
        witnessed_ms=witnessed_ms,
    )


def masks_seen(
    masks: Sequence[Exposed], runs: Sequence[Run], levels: Levels
) -> Iterator[WitnessedPicture]:
    """Set masks against the runs that were seen: one by one, or together if all have one level."""
    if len(runs) == len(masks):
        yield from (seen_as(mask, run.lasted_ms) for mask, run in zip(masks, runs, strict=True))
    elif len(runs) == 1 and masks and len(levels.masks_rgb) == 1:
        yield WitnessedPicture(
            kind="masks",
            requested_ms=sum(mask.requested_ms for mask in masks),
            nominal_ms=sum(mask.nominal_ms for mask in masks),
            measured_ms=sum(mask.measured_ms for mask in masks),
            witnessed_ms=runs[0].lasted_ms,
        )


def spans(changes: Sequence[Change], played: Sequence[Played]) -> bool:
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
    explanation = explained(played, seen, best_s)
    if own and len(explanation) <= max(at_zero, len(played) / 2):
        return 0.0
    return best_s + statistics.median(explanation) if explanation else best_s


def explained(played: Sequence[Played], seen: Sequence[Run], offset_s: float) -> list[float]:
    """Give how much later than at ``offset_s`` each image was seen that came and went near it."""
    delays = []
    for trial in played:
        onset_s, end_s = (flip_s + offset_s for flip_s in trial.flips_s[:2])
        first = bisect_left(seen, onset_s - NEAR_S, key=begin_of)
        last = bisect_right(seen, onset_s + NEAR_S, lo=first, key=begin_of)
        near = [run for run in seen[first:last] if abs((run.end_s or 0.0) - end_s) <= NEAR_S]
        delays += [run.begin_s - onset_s for run in near[:1]]
    return delays


def begin_of(run: Run) -> float:
    return run.begin_s


PLAIN: Final = ""
BAD: Final = "bold red"
MANY: Final = 12
"""More rows than this are summed up as one for each kind of picture."""
HEADINGS: Final = (*("Picture", "Requested\n(ms)", "n", "Bias\n(ms)", "SD\n(ms)", "Worst\n(ms)"),)


def witness_lines(comparison: Witnessed) -> RenderableType:
    """Lay out what was witnessed for a terminal at least 80 columns wide."""
    title = Text("By the witness: how much longer than its frames each was seen", style="bold")
    sentences = (Text(sentence, style=style) for sentence, style in sentences_of(comparison))
    return Group(title, *([grid(comparison)] if comparison.rows else []), *sentences)


def sentences_of(comparison: Witnessed) -> Iterator[tuple[str, str]]:
    as_played = comparison.seen_once == len(comparison.trials) and not comparison.unplayed
    yield seen_sentence(comparison), PLAIN if as_played else BAD
    if not any(trial.times_seen for trial in comparison.trials):
        yield "Is it aimed at the middle of the patch?", BAD
        return
    if comparison.disagreement_ms is not None:
        agreed = "images and masks" if comparison.masks_compared else "images (it saw no masks)"
        largest = wording.number(comparison.disagreement_ms, 2)
        yield f"Its durations of {agreed} differ from the flips' by at most {largest} ms.", PLAIN
    yield off_sentence(comparison), BAD if comparison.falsely_ok else PLAIN
    if comparison.clock_offset_s:
        yield "It has a clock of its own; the images were used to align it.", "dim"


def seen_sentence(comparison: Witnessed) -> str:
    others = "".join(
        f"; {number:,} {what}"
        for number, what in (
            (comparison.unseen, "not at all"),
            (comparison.seen_again, "more than once"),
            (comparison.unplayed, "more that nobody played"),
        )
        if number
    )
    total = len(comparison.trials)
    return f"The witness saw {comparison.seen_once:,} of {total:,} images exactly once{others}."


def off_sentence(comparison: Witnessed) -> str:
    if not comparison.off:
        return "No trial was more than a frame off."
    flagged = comparison.off - comparison.falsely_ok
    trials = "1 trial was" if comparison.off == 1 else f"{comparison.off:,} trials were"
    return (
        f"{trials} more than a frame off: {flagged:,} flagged by the verdict, "
        f"{comparison.falsely_ok:,} called ok."
    )


def grid(comparison: Witnessed) -> Table:
    """Lay out how much longer than their frames pictures were seen."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for place, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="right" if place else "left", no_wrap=True)
    for row, requested in few_rows(comparison):
        deviations = (signed(row.mean_ms), wording.number(row.sd_ms, 2), signed(row.worst_ms))
        table.add_row(row.kind, requested, str(row.n), *deviations)
    return table


def few_rows(comparison: Witnessed) -> Iterator[tuple[WitnessedRow, str]]:
    """Yield the rows, each with its duration; where they are many, one for each kind instead."""
    rows = comparison.rows
    if len(rows) <= MANY:
        yield from ((row, f"{row.requested_ms:g}") for row in rows)
        return
    for kind in dict.fromkeys(row.kind for row in rows):
        durations_ms = [row.requested_ms for row in rows if row.kind == kind]
        alike = row_of([picture for picture in comparison.pictures if picture.kind == kind])
        low, high = min(durations_ms), max(durations_ms)
        yield alike, f"{low:g}" if low == high else f"{low:g} – {high:g}"
