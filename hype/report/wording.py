"""How numbers are written in the terminal and on the page."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hype.statistics.alpha import Alpha

SIMULATED = "SIMULATED EVALUATORS: no people were asked"
NOT_KNOWN = "\N{EN DASH}"
"""The sign for a number that cannot be computed."""

_TO = "\N{EN DASH}"


def number(value: float | None, decimals: int = 1) -> str:
    """Write a number with a true minus sign, or a dash if there is none."""
    if value is None:
        return NOT_KNOWN
    rounded = round(value, decimals) + 0.0  # no minus before a zero
    return f"{rounded:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def interval(low: float | None, high: float | None, decimals: int = 1) -> str:
    if low is None or high is None:
        return NOT_KNOWN
    return f"{number(low, decimals)} {_TO} {number(high, decimals)}"


def alpha_in_words(alpha: Alpha) -> str:
    """Write Krippendorff's α with its interval and the numbers of answers, people and units."""
    low, high = alpha.alpha.ends
    ends = "" if low is None else f" (95% CI {interval(low, high, 2)})"
    people = "" if alpha.evaluators is None else f" of {alpha.evaluators:,} evaluators"
    units = alpha.unit.removesuffix("s") if alpha.units == 1 else alpha.unit
    return (
        f"Krippendorff's α = {number(alpha.alpha.value, 2)}{ends}, from {alpha.n:,} answers{people}"
        f" on {alpha.units:,} {units} with at least two answers each"
    )


def open_interval(low: float | None, high: float | None, decimals: int = 1) -> str:
    if low is not None and high is None:
        return f"above {number(low, decimals)}"
    if high is not None and low is None:
        return f"below {number(high, decimals)}"
    return interval(low, high, decimals)


def share(value: float | None, decimals: int = 0) -> str:
    return NOT_KNOWN if value is None else f"{value:.{decimals}%}"


def describe_beyond(side: str | None) -> str:
    """Return "shorter" or "longer" if a threshold is beyond all shown exposures, else ""."""
    return {None: "", "below": "shorter", "above": "longer"}[side]


def probability(p: float | None) -> str:
    """Write a p-value with three decimals, or as a bound if it would round to 0 or 1."""
    if p is None:
        return "p not computed"
    if p < 0.001:
        return "p < 0.001"
    return "p > 0.999" if p > 0.999 else f"p = {p:.3f}"


def sentence(words: str) -> str:
    """End a sentence with a full stop; do not capitalise it, since it may begin with a name."""
    return words if words.endswith(".") else f"{words}."


def letters_in(name: str) -> int:
    """Count the width of a name in letters; Chinese, Japanese and Korean letters count twice."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in name)


def write_estimate(estimate: object) -> str:
    value, low, high = (getattr(estimate, name) for name in ("value", "low", "high"))
    ends = "" if low is None else f" ({interval(low, high, 2)})"
    return f"{number(value, 2)}{ends}"
