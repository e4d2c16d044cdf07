"""Random draws that are the same on every machine and with every version of NumPy.

NumPy promises that the raw output of a bit generator never changes, but the output of `Generator`'s
methods may change with a version (NEP 19). So all draws of a plan use raw output; for example, a
permutation is the order that sorts random keys.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from enum import IntEnum
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray


class Purpose(IntEnum):
    """The uses of random numbers. Each has its own stream, so that no use affects another."""

    PLAN = 0
    ASSIGNMENT = 1
    OBSERVER = 2
    DESIGN = 3
    CATCH = 4
    IMAGES = 5


def seed_sequence(seed: int, evaluator: str, purpose: Purpose) -> np.random.SeedSequence:
    name = int.from_bytes(hashlib.sha256(evaluator.encode()).digest()[:16], "big")
    return np.random.SeedSequence(seed, spawn_key=(name, int(purpose)))


def study_sequence(seed: int, purpose: Purpose, part: str = "") -> np.random.SeedSequence:
    """Make a seed sequence for a part of a study; it is the same for all evaluators."""
    name = int.from_bytes(hashlib.sha256(part.encode()).digest()[:16], "big")
    return np.random.SeedSequence(seed, spawn_key=(int(purpose), name))


class Draws:
    """Permutations, samples and uniform numbers drawn from a seed sequence."""

    def __init__(self, seed: np.random.SeedSequence) -> None:
        self._bits = np.random.PCG64(seed)

    def permutation(self, n: int) -> NDArray[np.intp]:
        return np.argsort(self._bits.random_raw(n), kind="stable")

    def uniform(self, n: int) -> tuple[float, ...]:
        # 53 bits, since more do not fit a float, and the largest would be rounded up to 1.
        return tuple((raw >> 11) / 2**53 for raw in self._bits.random_raw(n).tolist())

    def sample(self, n: int, k: int) -> list[int]:
        """Draw ``k`` different numbers below ``n``, in random order.

        These are the first k steps of a Fisher-Yates shuffle; time and memory depend only on k.
        """
        moved: dict[int, int] = {}
        drawn = []
        for place, raw in enumerate(self._bits.random_raw(k).tolist()):
            other = place + (raw * (n - place) >> 64)
            drawn.append(moved.get(other, other))
            moved[other] = moved.get(place, place)
        return drawn

    def rounds(self, n: int, rows: int, width: int) -> NDArray[np.intp]:
        """Draw ``rows`` rows of ``width`` different numbers below ``n``, shape (rows, width).

        Rows are cut from successive permutations, so that all numbers come up equally often. If a
        row continues in the next permutation, that permutation ends with the numbers that the row
        already has.
        """
        if width > n:
            raise ValueError(f"cannot draw {width} different numbers below {n}")
        drawn: list[int] = []
        while len(drawn) < rows * width:
            order = self.permutation(n).tolist()
            begun = drawn[len(drawn) - len(drawn) % width :]  # a row that is not yet full
            drawn += [i for i in order if i not in begun] + [i for i in order if i in begun]
        return np.array(drawn[: rows * width], dtype=np.intp).reshape(rows, width)


STANDARD_NORMAL: Final = NormalDist()
BATCH: Final = 1024
"""The number of random numbers per call, since one call takes as long as simulating a trial."""


def draw_in_batches(draw: Callable[[], np.ndarray[Any, Any]]) -> Iterator[float]:
    """Yield random numbers as Python floats; ``draw`` is called again when they are used up."""
    while True:
        yield from draw().tolist()
