"""What each evaluator chose between two conditions: what differences between evaluators show in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.analysis.pairwise.overdispersion import Dispersion, dispersion

if TYPE_CHECKING:
    import pandas as pd

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class PairChoices:
    """The choices between two conditions.

    Parameters
    ----------
    a, b
        The conditions; `a` is the one chosen more often.
    chosen, choices
        How often each evaluator chose `a`, and chose at all; shape (evaluators,), for those who
        chose.
    """

    a: str
    b: str
    chosen: IntArray
    choices: IntArray

    @property
    def dispersion(self) -> Dispersion | None:
        """How much evaluators differ; None where everybody chose the same."""
        if self.chosen.sum() == self.choices.sum():
            return None
        return dispersion(self.chosen, self.choices)


def pair_choices(votes: pd.DataFrame) -> list[PairChoices]:
    """Count the choices of every two conditions of a checked table with evaluators."""
    answer = votes["answer"].cat.codes.to_numpy()
    rows = np.flatnonzero(answer <= 1)  # left is 0, right is 1
    left, right = (votes[s].cat.codes.to_numpy()[rows].astype(np.int64) for s in ("left", "right"))
    first, second = np.minimum(left, right), np.maximum(left, right)
    chosen = np.where(answer[rows] == 0, left, right) == first
    who = votes["evaluator"].cat.codes.to_numpy()[rows].astype(np.int64)
    names, people = votes["left"].cat.categories, len(votes["evaluator"].cat.categories)
    pair = first * len(names) + second
    cells, of_cell = np.unique(pair * people + who, return_inverse=True)
    choices = np.bincount(of_cell, minlength=len(cells))
    firsts = np.bincount(of_cell, weights=chosen, minlength=len(cells)).astype(np.int64)
    begins = np.flatnonzero(np.diff(cells // people, prepend=-1))
    ends = np.r_[begins[1:], len(cells)]
    return [
        _oriented(
            str(names[cells[i] // people // len(names)]),
            str(names[cells[i] // people % len(names)]),
            firsts[i:j],
            choices[i:j],
        )
        for i, j in zip(begins, ends, strict=True)
    ]


def _oriented(first: str, second: str, firsts: IntArray, choices: IntArray) -> PairChoices:
    if 2 * firsts.sum() < choices.sum():
        return PairChoices(a=second, b=first, chosen=choices - firsts, choices=choices)
    return PairChoices(a=first, b=second, chosen=firsts, choices=choices)
