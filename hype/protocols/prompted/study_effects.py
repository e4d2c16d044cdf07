"""Whether studies that are scored together place the conditions that they share alike.

Strengths have no level of their own, so that a study has an effect only in so far as it changes how
conditions stand to each other: an interaction of study and condition. Each part is scored alone,
and its strengths are centred on what it shares with another part; a condition's strength in a part
is held against the mean of the others, each by its precision. The error of a difference comes from
the intervals of both (Zou and Donner 2008, "Construction of confidence limits about effect
measures: a general approach", Statistics in Medicine 27). Of all shared conditions the one that
differs most is told, with an interval and a p for all conditions and parts together (Bonferroni).
Where few of many conditions are shared, intervals are rather too wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import special

from hype.answers.joined import StudyEffect

if TYPE_CHECKING:
    from hype.statistics.estimate import Estimate

FEWEST: Final = 2
"""Conditions that two parts must share, so that one can be held against the other."""
CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionStrengths:
    """How conditions stand to each other: on Elo's scale, or of single images their means."""

    unit: str
    of: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How much higher a part places a condition than the others do, and its standard error."""

    measure: str
    unit: str
    condition: str
    difference: float
    error: float


Measures = Mapping[str, ConditionStrengths]
"""By the name of what was measured, such as the axis of a rating."""


def strength_effects(protocol: str, parts: Mapping[str, Measures]) -> tuple[StudyEffect, ...]:
    """Give the effect of each part that shares two conditions or more with another one."""
    every = {part: own for part in parts if (own := tuple(shifts_of(part, parts)))}
    measures = sum(len({shift.measure for shift in own}) for own in every.values())
    tests = sum(len(own) for own in every.values())
    named = len({shift.measure for own in every.values() for shift in own}) > 1
    if tests == FEWEST * measures or len(parts) == FEWEST:  # of two, each says what the other says
        tests //= 2
    return tuple(
        _effect(part, protocol, own, max(1, tests), named=named) for part, own in every.items()
    )


def shifts_of(part: str, parts: Mapping[str, Measures]) -> Iterator[Shift]:
    """Hold the strengths of a part against those of all others, on what they share."""
    for measure, strengths in parts[part].items():
        own = _known(strengths.of)
        differences: dict[str, list[tuple[float, float]]] = {}
        for name in parts:
            there = parts[name].get(measure) if name != part else None
            other = _known(there.of) if there else {}
            shared = [condition for condition in own if condition in other]
            if len(shared) >= FEWEST:
                apart = np.array([own[c][0] - other[c][0] for c in shared])
                for condition, difference in zip(shared, apart - apart.mean(), strict=True):
                    pair = (float(difference), other[condition][1])
                    differences.setdefault(condition, []).append(pair)
        for condition, pairs in differences.items():
            values, errors = np.array(pairs).T
            precision = errors**-2.0
            yield Shift(
                measure=measure,
                unit=strengths.unit,
                condition=condition,
                difference=float(values @ precision / precision.sum()),
                error=float(np.sqrt(own[condition][1] ** 2 + 1 / precision.sum())),
            )


def _known(strengths: Mapping[str, Estimate]) -> dict[str, tuple[float, float]]:
    """Give value and standard error of the strengths that have an interval."""
    z = float(special.ndtri((1 + CONFIDENCE) / 2))
    return {
        condition: (strength.value, (strength.high - strength.low) / 2 / z)
        for condition, strength in strengths.items()
        if strength.low is not None and strength.high is not None and strength.high > strength.low
    }


def _effect(
    part: str, protocol: str, own: tuple[Shift, ...], tests: int, *, named: bool
) -> StudyEffect:
    most = max(own, key=lambda shift: abs(shift.difference) / shift.error)
    p = 2 * float(special.ndtr(-abs(most.difference) / most.error))
    reach = float(special.ndtri(1 - (1 - CONFIDENCE) / 2 / tests)) * most.error
    return StudyEffect(
        part=part,
        protocol=protocol,
        unit=most.unit,
        conditions=tuple(sorted({shift.condition for shift in own})),
        difference=most.difference,
        ci_low=most.difference - reach,
        ci_high=most.difference + reach,
        p=min(1.0, tests * p),
        most=f"{most.condition} ({most.measure})" if named else most.condition,
    )
