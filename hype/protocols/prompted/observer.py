"""What simulated people have in common who look at images of prompts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from hype.study.draws import STANDARD_NORMAL


def normal_of(*names: object) -> float:
    """Give a standard normal number that follows from names alone: the same for everyone."""
    digest = hashlib.sha256(" ".join(map(str, names)).encode()).digest()
    uniform = (int.from_bytes(digest[:6], "big") + 0.5) / 2**48
    return STANDARD_NORMAL.inv_cdf(uniform)


def drawn_around(
    typical: Mapping[str, float], spread: float, rng: np.random.Generator
) -> dict[str, float]:
    own = rng.standard_normal(len(typical)).tolist()
    return {name: at + spread * z for (name, at), z in zip(typical.items(), own, strict=True)}


def told_of_themselves(options: tuple[str, ...], rng: np.random.Generator) -> str:
    """Choose an answer to a question about oneself; the last option withholds it."""
    chosen = int(rng.integers(len(options)))
    return "" if chosen == len(options) - 1 else options[chosen]
