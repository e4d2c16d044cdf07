"""Simulated people who differ: the typical evaluator of each condition, and the spread around."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from hype.observers.psychometric import MOST_CERTAIN, STANDARD_NORMAL, Psychometric


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Standard deviations between people, of one condition.

    Attributes
    ----------
    threshold
        Of log threshold.
    ceiling, bias
        Of z(ceiling) and of the criterion.
    """

    threshold: float
    ceiling: float
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """People who differ: the typical evaluator per condition, and the spread around it.

    Attributes
    ----------
    typical
        Psychometric function of the median person, by condition.
    threshold_spread
        Standard deviation of log threshold between people.
    ceiling_spread, bias_spread
        Standard deviation between people, of z(ceiling) and of the criterion.
    rt_median_ms, rt_spread
        Median response time, and standard deviation of its logarithm.
    image_spread
        Standard deviation between images of one kind, of how fake they look, in units of d′/2.
    image_seed
        What the images' looks follow from, together with their paths.
    careless
        Share of people who press keys at random in all that is scored, every `CARELESS_MS`.
    own_spreads
        The conditions in which people differ by other amounts than these.
    """

    typical: Mapping[str, Psychometric]
    threshold_spread: float = 0.25
    ceiling_spread: float = 0.15
    bias_spread: float = 0.15
    rt_median_ms: float = 700.0
    rt_spread: float = 0.35
    image_spread: float = 0.0
    image_seed: int = 0
    careless: float = 0.0
    own_spreads: Mapping[str, Spread] = field(default_factory=dict)

    def draw(self, rng: np.random.Generator) -> dict[str, Psychometric]:
        """Draw one person, who is slow, able or biased in every condition alike."""
        slower, abler, biased = rng.standard_normal(3)
        return {
            condition: person(typical, self.spread(condition), slower, abler, biased)
            for condition, typical in self.typical.items()
        }

    def spread(self, condition: str) -> Spread:
        """Give by how much people differ in a condition."""
        common = Spread(
            threshold=self.threshold_spread, ceiling=self.ceiling_spread, bias=self.bias_spread
        )
        return self.own_spreads.get(condition, common)

    def looks(self, path: str) -> float:
        """Give how much more fake than others of its kind an image looks, in units of d′/2.

        It is the same for everyone, on every machine, and follows from the path alone.
        """
        if not self.image_spread:
            return 0.0
        digest = hashlib.sha256(f"{self.image_seed} {path}".encode()).digest()
        uniform = (int.from_bytes(digest[:6], "big") + 0.5) / 2**48
        return self.image_spread * STANDARD_NORMAL.inv_cdf(uniform)


def person(
    typical: Psychometric, spread: Spread, slower: float, abler: float, biased: float
) -> Psychometric:
    """Give the function of one person, so many standard deviations from the typical one."""
    timed, by = typical.timed_ceiling, spread.ceiling * abler
    return replace(
        typical,
        threshold_ms=typical.threshold_ms * math.exp(spread.threshold * slower),
        ceiling=shifted(typical.ceiling, by),
        bias=typical.bias + spread.bias * biased,
        timed_ceiling=None if timed is None else shifted(timed, by),
    )


def shifted(ceiling: float, by: float) -> float:
    """Move an accuracy by ``by`` on the normal-quantile scale.

    Where the typical person sees a difference, nobody sees less than none: the result is not below
    ½. Where the typical person is misled, others are more so or less, and it may be anything.
    """
    z = STANDARD_NORMAL.inv_cdf(min(ceiling, MOST_CERTAIN))
    moved = STANDARD_NORMAL.cdf(z + by)
    return max(0.5, moved) if ceiling >= 0.5 else moved
