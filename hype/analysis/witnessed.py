"""What came of setting what was seen against what was played: per trial, and in sum."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hype.protocol.timing import Verdict
from hype.protocol.timing_table import Exposed


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One flashed trial by its own account.

    Attributes
    ----------
    pictures
        The image, then its masks.
    flips_s
        Monotonic times of the flips: onset of the image, of each mask, and of what came after.
    verdict
        What `hype.protocol.timing` said of it.
    """

    pictures: tuple[Exposed, ...]
    flips_s: tuple[float, ...]
    verdict: Verdict

    @property
    def onset_s(self) -> float:
        """When the image came on."""
        return self.flips_s[0]

    @property
    def end_s(self) -> float:
        """When the last mask was gone."""
        return self.flips_s[-1]

    @property
    def frame_ms(self) -> float:
        """What a frame lasts."""
        image = self.pictures[0]
        return image.nominal_ms / image.frames


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
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
        """How much longer than its frames it was seen."""
        return self.witnessed_ms - self.nominal_ms

    @property
    def disagreement_ms(self) -> float:
        """How much longer than by our own account it was seen."""
        return self.witnessed_ms - self.measured_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessedTrial:
    """One trial as played and as seen.

    Attributes
    ----------
    times_seen
        How often its image was seen; it should be once.
    pictures
        The image, if it was seen once, and the masks, if all were seen.
    masks_missed
        Whether the witness, who can see masks, did not see as many as were played.
    onset_difference_ms
        How much later than by our own account the image came on; None if it was not seen.
    """

    played: Played
    times_seen: int
    pictures: tuple[Seen, ...]
    masks_missed: bool
    onset_difference_ms: float | None

    @property
    def off(self) -> bool:
        """Whether image or masks were seen more than a frame too long or too short."""
        frame_ms = self.played.frame_ms
        far = any(abs(picture.deviation_ms) > frame_ms for picture in self.pictures)
        return far or self.masks_missed

    @property
    def falsely_ok(self) -> bool:
        """Whether it was off although our own verdict is that it lasted as it should."""
        return self.off and self.played.verdict in (Verdict.OK, Verdict.SEEN)

    def to_json(self) -> dict[str, Any]:
        """Give what was seen as plain values, in columns."""
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


def row_of(pictures: Sequence[Seen]) -> WitnessedRow:
    """Sum up pictures of one kind and duration; at least one."""
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
    """What a witness says of the trials that were played.

    Attributes
    ----------
    clock_offset_s
        The witness's clock less ours; 0 where they are the same.
    trials
        Each trial, in order.
    unplayed
        Images seen between the first trial and the last that nobody played.
    """

    clock_offset_s: float
    trials: tuple[WitnessedTrial, ...]
    unplayed: int

    @property
    def pictures(self) -> tuple[Seen, ...]:
        """All pictures that were seen."""
        return tuple(picture for trial in self.trials for picture in trial.pictures)

    @property
    def rows(self) -> tuple[WitnessedRow, ...]:
        """One row for each kind and duration, images before masks and short before long."""
        alike: defaultdict[tuple[str, float, float], list[Seen]] = defaultdict(list)
        for picture in self.pictures:
            alike[picture.kind, picture.requested_ms, picture.nominal_ms].append(picture)
        return tuple(row_of(alike[key]) for key in sorted(alike))

    @property
    def disagreement_ms(self) -> float | None:
        """The largest difference, in size, between witness and our own account."""
        return max((abs(picture.disagreement_ms) for picture in self.pictures), default=None)

    @property
    def seen_once(self) -> int:
        """Trials whose image was seen once and only once."""
        return count(trial.times_seen == 1 for trial in self.trials)

    @property
    def unseen(self) -> int:
        """Trials whose image was not seen."""
        return count(trial.times_seen == 0 for trial in self.trials)

    @property
    def seen_again(self) -> int:
        """Trials whose image was seen more than once."""
        return count(trial.times_seen > 1 for trial in self.trials)

    @property
    def masks_missed(self) -> int:
        """Trials of which fewer or more masks were seen than played, by one who can see masks."""
        return count(trial.masks_missed for trial in self.trials)

    @property
    def masks_compared(self) -> bool:
        """Whether masks were seen at all."""
        return any(picture.kind != "image" for picture in self.pictures)

    @property
    def off(self) -> int:
        """Trials that were more than a frame off."""
        return count(trial.off for trial in self.trials)

    @property
    def falsely_ok(self) -> int:
        """Those of them that our own verdict calls ok."""
        return count(trial.falsely_ok for trial in self.trials)

    @property
    def confirmed(self) -> bool:
        """Whether each image was seen exactly once, nothing else was, and no ``ok`` is false."""
        once = self.seen_once == len(self.trials)
        return once and not self.unplayed and not self.falsely_ok

    def to_json(self) -> dict[str, Any]:
        """Give the sums as plain values."""
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
    """Count the true ones."""
    return sum(cases)
