"""What is wrong with a judge, in a word; and a number with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(str, Enum):
    """What is wrong with a judge, in a word; the first that holds, in this order."""

    UNKNOWN = "unknown"
    """Too few answers to say anything."""
    COPIES = "copies"
    """It agrees with people's every answer: it was made from them, or sees what they said."""
    ONE_SIDED = "one-sided"
    """Nearly all of its decided answers take the first image, or the second, whatever it shows."""
    CONSTANT = "constant"
    """It gives one and the same answer to everything."""
    INVERTED = "inverted"
    """It says the opposite of people."""
    RANDOM = "random"
    """It cannot be told from one that throws dice."""
    FAILS_AXES = "fails-axes"
    """It agrees with people on some axes and not on others."""
    FAILS_PAIRS = "fails-pairs"
    """A preference model that is wrong more often than right between some conditions."""
    LEANS = "leans"
    """It takes the first image, or the second, clearly more often than people do."""
    STRUCTURE = "structure"
    """It agrees with people's overall verdict, but its axes do not hang together as theirs."""
    PARTLY = "partly"
    """Nothing is wrong with what it answered, but it left out a good part."""
    AGREES = "agrees"
    """Nothing is wrong that can be seen here. It need not agree much."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A number and its interval.

    Parameters
    ----------
    value
        None where it is not defined, as κ of two who say the same to everything.
    low, high
        Its interval; None where unknown.
    n
        How many pairs of answers it is of.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
