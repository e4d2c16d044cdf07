"""Estimates with their intervals, and results as JSON values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any, Final, Literal

Images = Literal["sample", "fixed"]
"""Whether images and prompts are samples of a model's output, or the only ones of interest."""

NAMES: Final = "names in JSON"
"""The key in a field's metadata that stores the JSON names of an estimate's parts."""
PARTS: Final = ("value", "low", "high")
FEWEST_SHOWN: Final = 5
"""Reports name images with at least 5 answers: even if 5 agree, 43 % of people may disagree."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with its interval."""

    value: float
    # low, high: None if the interval is open on this side, or if there is no interval
    low: float | None = None
    high: float | None = None

    def scale(self, factor: float) -> Estimate:
        ends = [None if end is None else factor * end for end in self.ends]
        return Estimate(value=factor * self.value, low=ends[0], high=ends[1])

    def complement(self) -> Estimate:
        low, high = (None if end is None else 1 - end for end in self.ends)
        return Estimate(value=1 - self.value, low=high, high=low)

    @property
    def ends(self) -> tuple[float | None, float | None]:
        return self.low, self.high


def value_of(estimate: Estimate | None) -> float | None:
    return estimate.value if estimate else None


def ends_of(estimate: Estimate | None) -> tuple[float | None, float | None]:
    return estimate.ends if estimate else (None, None)


def scale_to_percent(estimate: Estimate | None) -> Estimate | None:
    return estimate.scale(100) if estimate else None


def declare_estimate(value: str) -> Any:
    """Declare a field of a frozen dataclass as an estimate; ``value``: its value's name in JSON."""
    return field(default=None, metadata={NAMES: (value, "low", "high")})


JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

_LEAVES: Final = frozenset((bool, int, float, str))


def plain(value: object) -> JsonValue:
    """Turn a value, or tuples, lists and mappings of values, into JSON values.

    NaN and infinity, which JSON lacks, become None. Raises TypeError for other types.
    """
    # most values are plain; the tests below are slow, so this test comes first
    if value is None or type(value) in _LEAVES:
        return _leaf(value)
    if is_dataclass(value) and not isinstance(value, type):
        value = dict(members_of(value))
    if isinstance(value, Mapping):
        return plain_members(value)
    if isinstance(value, tuple | list):
        return [plain(member) for member in value]
    return _leaf(value.value if isinstance(value, Enum) else value)


def members_of(value: object) -> Iterator[tuple[str, object]]:
    """Yield the members of a frozen dataclass by JSON name; an `Estimate` gives three."""
    for declared in fields(value):  # type: ignore[arg-type]
        member, names = getattr(value, declared.name), declared.metadata.get(NAMES)
        if names is None:
            yield declared.name, member
        else:
            yield from (
                (name, getattr(member, part, None))
                for name, part in zip(names, PARTS, strict=False)
            )


def _leaf(value: object) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} is not a plain value")


def plain_members(members: Mapping[str, object]) -> dict[str, JsonValue]:
    return {str(key): plain(member) for key, member in members.items()}
