"""The rival: a condition like another one, but for the one thing that the method measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hype.planning.sittings import Design
from hype.protocols.hype.observer import MOST_CERTAIN, STANDARD_NORMAL, Psychometric
from hype.protocols.hype.settings import Method, TimeSettings
from hype.protocols.hype.settling import settling
from hype.study.table import LONGEST_MS

SHORTEST_MS: Final = 0.001
"""Any threshold far below the shortest exposure is as good as another."""
MEASURED: Final[Mapping[Method, str]] = {"time": "threshold_ms", "infinity": "ceiling"}
"""The parameter of an observer that a method measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the rival stands in the study.

    Attributes
    ----------
    design
        The study with room for the rival, who is in all like the baseline so far.
    baseline, rival
        Names of the two conditions in ``design``.
    replaces
        Whether ``rival`` names a condition of the study, which gives up its place and images;
        else the rival has the images of the baseline.
    """

    design: Design
    baseline: str
    rival: str
    replaces: bool

    @property
    def typical(self) -> Psychometric:
        return self.design.people.typical[self.baseline]

    @property
    def measured(self) -> str:
        return MEASURED[self.design.method]

    def moved(self, by: float) -> Design:
        """Give the study with a rival moved by so much; more is more convincing."""
        people = self.design.people
        typical = {**people.typical, self.rival: moved(self.typical, self.design.method, by)}
        return replace(self.design, people=replace(people, typical=typical))

    def room(self, direction: int) -> float:
        """Give by how much the rival can be moved at most; ``direction`` is 1 (up) or -1 (down)."""
        low, high = bounds(self.design, self.typical)
        at = position(self.typical, self.design.method)
        return max(0.0, high - at if direction > 0 else at - low)


def place_rival(design: Design, baseline: str, replaced: str | None) -> Place:
    """Make room for a rival: in the place of another condition, or beside the only one (None)."""
    people, pools = design.people, design.pools
    rival = replaced or f"rival of {baseline}"
    if replaced is None:
        fake = {**pools.fake, rival: pools.fake[baseline]}
        pools = replace(
            pools,
            fake={
                name: tuple(replace(image, condition=name) for image in images)
                for name, images in fake.items()
            },
        )
    people = replace(
        people,
        typical={**people.typical, rival: people.typical[baseline]},
        own_spreads={**people.own_spreads, rival: people.spread(baseline)},
    )
    return Place(
        design=replace(design, pools=pools, people=people),
        baseline=baseline,
        rival=rival,
        replaces=replaced is not None,
    )


def position(typical: Psychometric, method: Method) -> float:
    """Give where an observer stands on the scale that a method measures; more convinces more.

    For time the logarithm of the threshold, for infinity the z of the ceiling, sign changed: on
    these scales people differ from one another (see `hype.protocols.hype.observer`).
    """
    if method == "time":
        return math.log(typical.threshold_ms)
    return -STANDARD_NORMAL.inv_cdf(max(1 - MOST_CERTAIN, min(typical.ceiling, MOST_CERTAIN)))


def bounds(design: Design, typical: Psychometric) -> tuple[float, float]:
    """Give the ends of that scale: for time those of what the study's staircase can measure."""
    if design.method == "time":
        measured_ms, settles_ms = measured(design.settings.time), settling_ms(design, typical)
        if settles_ms is None:
            return math.log(SHORTEST_MS), math.log(LONGEST_MS)
        low, high = (ms * typical.threshold_ms / settles_ms for ms in measured_ms)
        return math.log(low), math.log(high)
    most = STANDARD_NORMAL.inv_cdf(MOST_CERTAIN)
    return -most, most


def measured(time: TimeSettings) -> tuple[float, float]:
    """Give the true scores that a staircase measures; all, if it need not settle."""
    rule = time.staircase.rule
    played = None if time.staircase.allow_unsettled else settling(rule, time.trials)
    if played and played.from_ms and played.to_ms:
        return played.from_ms, played.to_ms
    return rule.min_ms, rule.max_ms


def settling_ms(design: Design, typical: Psychometric) -> float | None:
    """Give the exposure at which a staircase of these observers settles, if it does."""
    return typical.settling_ms(design.settings.time.staircase.rule.settles_at)


def moved(typical: Psychometric, method: Method, by: float) -> Psychometric:
    """Move an observer along that scale."""
    at = position(typical, method) + by
    if method == "time":
        return replace(typical, threshold_ms=math.exp(at))
    return replace(typical, ceiling=STANDARD_NORMAL.cdf(-at))
