"""Comparisons drawn from known strengths."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.statistics.paired_counts import Counts
from hype.statistics.strengths import moments

Answer = tuple[str, str, str]


def votes_of(
    rows: Sequence[Answer], conditions: Sequence[str], evaluators: Sequence[str] = ()
) -> pd.DataFrame:
    """Make a checked table from (left, right, answer)."""
    left, right, answer = zip(*rows, strict=True)
    table = pd.DataFrame(
        {
            "left": pd.Categorical(left, list(conditions)),
            "right": pd.Categorical(right, list(conditions)),
            "answer": pd.Categorical(answer, ["left", "right", "tie", "none"]),
        }
    )
    if evaluators:
        table["evaluator"] = pd.Categorical(evaluators)
    return table


def counts_of(wins: npt.ArrayLike, ties: npt.ArrayLike | None = None) -> Counts:
    """Return counts for conditions a, b, c …"""
    won = np.array(wins, dtype=float)
    tied = np.zeros_like(won) if ties is None else np.array(ties, dtype=float)
    names = tuple("abcdefghijklmnopqrstuvwxyz"[: len(won)])
    return Counts(conditions=names, wins=won, ties=tied)


def random_counts(
    strengths: npt.ArrayLike, each: int, rng: np.random.Generator, nu: float = 0.0
) -> Counts:
    """Draw ``each`` comparisons of every two conditions by Davidson's model."""
    s = np.asarray(strengths, dtype=float)
    points, tied, *_ = moments(s, np.log(nu) if nu else -np.inf)
    wins, ties = np.zeros((2, len(s), len(s)))
    for i, j in zip(*np.triu_indices(len(s), 1), strict=True):
        tie = tied[i, j]
        chances = [points[i, j] - tie / 2, points[j, i] - tie / 2, tie]
        wins[i, j], wins[j, i], ties[i, j] = rng.multinomial(each, chances)
        ties[j, i] = ties[i, j]
    return counts_of(wins, ties)


def rows_of(counts: Counts) -> list[Answer]:
    """Return the comparisons one by one; winners are left and right in turn."""
    rows: list[Answer] = []
    names = counts.conditions
    for i, j in zip(*np.nonzero(counts.wins), strict=True):
        each = [(names[i], names[j], "left"), (names[j], names[i], "right")]
        rows += [each[number % 2] for number in range(int(counts.wins[i, j]))]
    for i, j in zip(*np.nonzero(np.triu(counts.ties)), strict=True):
        rows += [(names[i], names[j], "tie")] * int(counts.ties[i, j])
    return rows
