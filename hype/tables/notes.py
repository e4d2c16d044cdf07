"""The order of the notes on scores: what matters most to whoever reads the figures comes first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum


class Weight(IntEnum):
    """What a note is about, the gravest first."""

    DATA = 0  # answers may not be what they seem: copied, careless, swapped
    SCOPE = 1  # of which people and images the figures speak
    REACH = 2  # a figure says less than it seems to: at a bound, not settled
    LEFT_OUT = 3  # what is not in the figures
    DETAIL = 4  # all else


class Note(str):
    """A sentence that must be read with a score."""

    __slots__ = ("weight",)
    weight: Weight

    def __new__(cls, text: str, weight: Weight = Weight.DETAIL) -> Note:
        note = super().__new__(cls, text)
        note.weight = weight
        return note


def weighed(weight: Weight, notes: Iterable[str]) -> Iterator[Note]:
    """Give notes their weight."""
    return (Note(note, weight) for note in notes)


def in_order(notes: Iterable[str]) -> tuple[str, ...]:
    """Put notes in the order of their weight, each once; those of one weight stay as they come."""
    once = dict.fromkeys(notes)
    return tuple(sorted(once, key=lambda note: getattr(note, "weight", Weight.DETAIL)))
