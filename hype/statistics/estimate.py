"""An estimate: a number with its interval, which JSON has as members with names of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

NAMES: Final = "names in JSON"
"""Where a field says by which names the parts of its estimate go into JSON."""
PARTS: Final = ("value", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with its interval.

    Parameters
    ----------
    value
        The number.
    low, high
        None for an end that is open, or where there is no interval.
    """

    value: float
    low: float | None = None
    high: float | None = None

    def scaled(self, factor: float) -> Estimate:
        ends = [None if end is None else factor * end for end in self.ends]
        return Estimate(value=factor * self.value, low=ends[0], high=ends[1])

    @property
    def ends(self) -> tuple[float | None, float | None]:
        return self.low, self.high


def value_of(estimate: Estimate | None) -> float | None:
    return estimate.value if estimate else None


def ends_of(estimate: Estimate | None) -> tuple[float | None, float | None]:
    return estimate.ends if estimate else (None, None)


def in_percent(estimate: Estimate | None) -> Estimate | None:
    return estimate.scaled(100) if estimate else None


def estimated(value: str, low: str = "", high: str = "") -> Any:
    """Declare a field of a frozen class that holds an estimate, or None where there is none.

    Parameters
    ----------
    value, low, high
        How JSON calls its parts; without names of their own the ends are called as the value, with
        _low and _high.
    """
    names = (value, low or f"{value}_low", high or f"{value}_high")
    return field(default=None, metadata={NAMES: names})


def interval_alone(name: str) -> Any:
    """Declare a field of which JSON has the ends alone, since another one has the same value."""
    return field(default=None, metadata={NAMES: ("", f"{name}_low", f"{name}_high")})


def unwritten(default: object) -> Any:
    """Declare a field that JSON does not have."""
    return field(default=default, metadata={NAMES: ()})
