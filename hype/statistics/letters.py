"""Compact letters: conditions that share one are not separable.

Piepho (2004), "An algorithm for a letter-based representation of all-pairwise comparisons",
Journal of Computational and Graphical Statistics 13: insert and absorb.
"""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def compact_letters(names: Sequence[str], separable: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give letters to conditions, so that two share a letter if and only if not separable.

    Parameters
    ----------
    names
        The conditions, in the order in which they are to be lettered; none twice.
    separable
        The pairs that are separable, in any order.

    Returns
    -------
    dict
        Condition to its letters, in the order of `names`. The first condition has an "a". After
        "z" come "a'" to "z'", then "a''" and so on; a letter is a letter with its primes.
    """
    place = {name: index for index, name in enumerate(names)}
    columns = [(1 << len(place)) - 1]
    for a, b in separable:
        columns = _insert(columns, 1 << place[a], 1 << place[b])
    groups = sorted(_members(column) for column in columns)
    letters = [letter for letter, _ in zip(_alphabet(), groups, strict=False)]
    return {
        name: "".join(letter for letter, group in zip(letters, groups, strict=True) if i in group)
        for name, i in place.items()
    }


def _insert(columns: Sequence[int], a: int, b: int) -> list[int]:
    """Split each column that joins two separable conditions; a column is a set of bits."""
    apart = [column for column in columns if not (column & a and column & b)]
    halves = [column & ~one for column in columns if column & a and column & b for one in (a, b)]
    return _absorb(apart, halves)


def _absorb(columns: list[int], halves: Iterable[int]) -> list[int]:
    # The larger first, so that what is kept is never part of what comes later. No column that was
    # left whole is part of a half, since it would have been part of the column that was split.
    for half in sorted(halves, key=int.bit_count, reverse=True):
        if not any(half & column == half for column in columns):
            columns.append(half)
    return columns


def _members(column: int) -> tuple[int, ...]:
    return tuple(i for i in range(column.bit_length()) if column >> i & 1)


def _alphabet() -> Iterator[str]:
    primes = ""
    while True:
        yield from (letter + primes for letter in ascii_lowercase)
        primes += "'"
