"""Whether people know how sure they may be: ROC areas of confidence, and what each step is worth.

The area under a ROC is the share of pairs of answers, one of each kind, in which the level of the
first kind is higher; equal levels count half (Green & Swets 1966; Bamber 1975). Levels that order
answers from surely real to surely fake give the type-1 area: how well fakes are told from real
images. Confidence in right and in wrong answers gives the type-2 area (Galvin et al. 2003, "Type 2
tasks in the theory of signal detectability"): how well people know when they are right. At ½ they
do not know it.

Only answers of one person are compared, since everybody uses the steps in their own way. Intervals
are those of other people: images are taken as given.
"""

from __future__ import annotations

import numpy as np

from hype.statistics.arrays import BoolArray, IntArray
from hype.statistics.estimate import Estimate
from hype.statistics.resampling import Parts, jackknife_shares


def roc_areas(
    group: IntArray,
    person: IntArray,
    level: IntArray,
    is_first: BoolArray,
    *,
    confidence: float,
) -> list[Estimate]:
    """Compute the area of each group of answers; all arrays are of shape (answers,).

    ``group``, ``person``, ``level``: whole numbers from 0. ``is_first``: of which of the two kinds
    an answer is. NaN where nobody gave answers of both.
    """
    people, levels = int(person.max(initial=0)) + 1, int(level.max(initial=0)) + 1
    cells, cell = np.unique(group * people + person, return_inverse=True)
    place, size = cell * levels + level, len(cells) * levels
    first, second = (
        np.bincount(place, kind, minlength=size).reshape(-1, levels)
        for kind in (is_first, ~is_first)
    )
    beaten = np.cumsum(second, axis=1) - second / 2
    parts = Parts(
        share=cells // people,
        above=(first * beaten).sum(axis=1),
        below=first.sum(axis=1) * second.sum(axis=1),
        item=None,
        evaluator=cells % people,
    )
    return jackknife_shares(parts, int(group.max(initial=-1)) + 1, confidence=confidence)


def shares_of_answers(
    group: IntArray, person: IntArray, counts: BoolArray, *, confidence: float
) -> list[Estimate]:
    """Compute the share of each group's answers that count."""
    ones = np.ones(len(group))
    parts = Parts(share=group, above=counts * ones, below=ones, item=None, evaluator=person)
    return jackknife_shares(parts, int(group.max(initial=-1)) + 1, confidence=confidence)
