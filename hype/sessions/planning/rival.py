"""The rival: a condition like another one, but for the one thing that the method measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hype.observers.psychometric import MOST_CERTAIN, STANDARD_NORMAL, Psychometric
from hype.sessions.planning.sittings import Design
from hype.study.settings import Method
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
        """The typical observer of the baseline."""
        return self.design.people.typical[self.baseline]

    @property
    def measured(self) -> str:
        """The parameter that the method measures."""
        return MEASURED[self.design.method]

    def moved(self, by: float) -> Design:
        """Give the study with a rival moved by so much; more is more convincing."""
        people = self.design.people
        typical = {**people.typical, self.rival: moved(self.typical, self.design.method, by)}
        return replace(self.design, people=replace(people, typical=typical))

    def room(self, direction: int) -> float:
        """Give by how much the rival can be moved at most; ``direction`` is 1 (up) or -1 (down)."""
        low, high = bounds(self.design.method)
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
    these scales people differ from one another (see `hype.observers.population`).
    """
    if method == "time":
        return math.log(typical.threshold_ms)
    return -STANDARD_NORMAL.inv_cdf(max(1 - MOST_CERTAIN, min(typical.ceiling, MOST_CERTAIN)))


def bounds(method: Method) -> tuple[float, float]:
    """Give the ends of that scale."""
    if method == "time":
        return math.log(SHORTEST_MS), math.log(LONGEST_MS)
    most = STANDARD_NORMAL.inv_cdf(MOST_CERTAIN)
    return -most, most


def moved(typical: Psychometric, method: Method, by: float) -> Psychometric:
    """Move an observer along that scale."""
    at = position(typical, method) + by
    if method == "time":
        return replace(typical, threshold_ms=math.exp(at))
    return replace(typical, ceiling=STANDARD_NORMAL.cdf(-at))
