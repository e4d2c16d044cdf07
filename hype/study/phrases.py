"""Write numbers, lists, shares and amounts for sentences."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final

WORDS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
"""Numbers that are written as words."""


def spell(number: int) -> str:
    return WORDS[number] if number < len(WORDS) else f"{number:,}"


def spell_count(number: int, noun: str, plural: str = "") -> str:
    """Write a number of things: "one block", "three blocks", "120 blocks"."""
    return f"{spell(number)} {noun if number == 1 else plural or noun + 's'}"


def write_count(number: int, noun: str, plural: str = "") -> str:
    """Write a number of things in figures: "1 block", "3 blocks"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def join_names(names: Sequence[str]) -> str:
    """Join at least one name: "a", "a and b", "a, b and c"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def any_of(names: Sequence[str], most: int = 3) -> str:
    """Join at least one name with "or": "a, b or c"; if there are many, "a or 5 more"."""
    shown = names if len(names) <= most else (names[0], f"{len(names) - 1:,} more")
    *others, last = shown
    return f"{', '.join(others)} or {last}" if others else last


def describe_left_out(reasons: Mapping[str, str], codes: Container[str]) -> Iterator[str]:
    """List the codes of the evaluators whom a study file leaves out, with the reasons."""
    said = [f"{code} ({why})" for code, why in reasons.items() if code in codes]
    if said:
        yield f"Left out by the study file: {', '.join(said)}."


def percent(share: float) -> str:
    """Write a share, 0 to 1, in percent, with a decimal only if needed."""
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def gap_after(currency: str) -> str:
    """Return what separates a currency from an amount: after a letter, a no-break space."""
    return "\N{NO-BREAK SPACE}" if currency[-1:].isalpha() else ""


def money(amount: float, currency: str) -> str:
    """Write an amount with two decimals, or with more if it has more: "$1.50", "GBP 1.50"."""
    exact = round(amount, 2) == amount
    return f"{currency}{gap_after(currency)}{amount:{',.2f' if exact else 'g'}}"
