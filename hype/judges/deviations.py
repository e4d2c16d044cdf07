"""Whether a judge's answers of two kinds were taken from people's: tested on where people deviate.

Who looks at the images alone knows nothing of a person's noise. Two things follow, however good or
bad a judge is, so that one who is always right copies nobody.

Of one person. Given how many people answered so about an item, who of them did tells a judge
nothing: if people are exchangeable, and a judge's answer is independent of theirs given the item,
the sum of their answers is sufficient for the item. With z the judge's answer and y a person's
(each 1 or −1), and x the sum over all who answered, a judge that takes a share c of that person's
answers has

    E[z | x, y] = c y + (1 − c) g(x),

so that c is the slope of z on y with g(x) taken off. People's answers are weighted in x by how well
each agrees with others, and what is expected of the person and of the conditions is taken off.

Of people together, whosever answer it took. With p for the share of people who answer so about an
item, nobody can agree with a person more often than E[max(p, 1 − p)]. Two people agree in s =
1 − 2 E[p (1 − p)], and since max(p, 1 − p) = (1 + √(1 − 4p(1 − p)))/2 is concave in p (1 − p), that
is no more than (1 + √(2s − 1))/2 by Jensen's inequality.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import special

from hype.judges.clustered import RowUnits, above, mean_error
from hype.judges.copying import ALPHA, FEWEST_COPIED
from hype.judges.results import Copying
from hype.statistics.arrays import BoolArray, FloatArray, IntArray

EXCESS_OF_ONE: Final = 0.1
"""Share of one person's answers that people of one taste may seem to share, and is not tested."""
EXCESS_OF_ALL: Final = 0.02
"""The same of agreement with people together."""
FEWEST_DEVIATING: Final = 6
"""Answers that all weigh alike, which those of a person must be worth."""
SHRUNK: Final = 10
"""Answers for which a person counts as one of all, when it is estimated how that person answers."""
MOST_BY_CHANCE: Final = 200
"""Answers that somebody who is right in 97 of 100 gives alike in fewer than 1 of 400 studies."""
KNOTS: Final = 8
OF_A_KNOT: Final = 15
"""Questions for each place at which the function of their sums may bend, and the most of these."""
_NONE: Final = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoKinds:
    """Answers of people, 1 or −1, each with a judge's about the same; arrays of shape (n,)."""

    theirs: FloatArray
    judge: FloatArray  # 0 where it is undecided
    question: IntArray  # what was asked about; the same for the same
    group: IntArray  # the conditions, as a number
    evaluator: IntArray | None
    item: IntArray  # what answers vary with beside people: the question, or its prompt
    names: tuple[str, ...]  # of evaluators
    wrong: BoolArray | None = None  # whether people err; None where nobody knows what is right

    def of(self, rows: BoolArray) -> TwoKinds:
        return TwoKinds(
            theirs=self.theirs[rows],
            judge=self.judge[rows],
            question=self.question[rows],
            group=self.group[rows],
            evaluator=None if self.evaluator is None else self.evaluator[rows],
            item=self.item[rows],
            names=self.names,
            wrong=None if self.wrong is None else self.wrong[rows],
        )


def copied_answers(met: TwoKinds) -> Copying | None:
    """Give what was copied most surely; None where nothing surely was, or nothing can be known."""
    number = np.bincount(met.question)[met.question] if met.question.size else np.zeros(0)
    repeated = met.of((number > 1) & (met.judge != 0))
    if not repeated.judge.size:
        return _all_alike(met)
    met = repeated
    sources = [_of_all(met)] if met.evaluator is None else [_of_all(met), *_of_persons(met)]
    sure = min((each for each in sources if each), key=lambda each: each.p or 0.0, default=None)
    if sure is None or sure.p is None or sure.p * len(sources) >= ALPHA:
        return None
    return Copying(**{**vars(sure), "p": sure.p * len(sources)})


def _all_alike(met: TwoKinds) -> Copying | None:
    """Tell whether all of many answers are people's, who answered about something else each."""
    number = len(met.judge) if met.wrong is None else int(met.wrong.sum())
    fewest = MOST_BY_CHANCE if met.wrong is None else FEWEST_COPIED
    if number < fewest or not (met.judge == met.theirs).all():
        return None
    return Copying(source="", items=number, share=1.0, equal=1.0, p=None)


def _of_all(met: TwoKinds) -> Copying | None:
    """Set how often a judge agrees with people against the most that anybody could."""
    number = np.bincount(met.question)[met.question]
    others = np.bincount(met.question, weights=met.theirs)[met.question] - met.theirs
    same = (1 + met.theirs * others / (number - 1)) / 2
    equal = (met.judge == met.theirs).astype(np.float64)
    items = len(np.unique(met.question))
    twice = 2 * float(same.mean()) - 1
    if items < FEWEST_COPIED or twice < _NONE:
        return None
    most, slope = (1 + np.sqrt(twice)) / 2, 1 / (2 * np.sqrt(twice))
    own, other = equal - equal.mean(), slope * (same - same.mean())
    units = RowUnits(evaluator=met.evaluator, item=met.item)
    beyond = float(equal.mean() - most)
    # A pair of people's answers moves with either, so that it counts twice among people.
    p = above(beyond - EXCESS_OF_ALL, *mean_error(own - 2 * other, units, own - other))
    share = max(0.0, beyond / max(1 - most, _NONE))
    return Copying(source="", items=items, share=share, equal=float(equal.mean()), p=p)


def _of_persons(met: TwoKinds) -> list[Copying | None]:
    """Test each person with enough answers: the slope of the judge's answers on the person's."""
    who = np.zeros(0, dtype=np.int64) if met.evaluator is None else met.evaluator
    size = len(met.names)
    own = _unexpected(met, who, size)
    weight = _weights(met, own, who, size)
    x: FloatArray = np.bincount(met.question, weights=weight * own)[met.question].astype(float)
    knots = min(KNOTS, 2 + len(np.unique(met.question)) // OF_A_KNOT)
    z, y = _without(x, met.group, np.column_stack([met.judge, own]), knots).T
    varies = np.bincount(who, weights=y * own, minlength=size)
    slope = np.bincount(who, weights=z * own, minlength=size) / np.maximum(varies, _NONE)
    keys, cell = np.unique(met.question * size + who, return_inverse=True)
    items = np.bincount(keys % size, minlength=size)
    left = np.bincount(cell, weights=(z - slope[who] * y) * own)
    squares = np.bincount(keys % size, weights=left**2, minlength=size)
    # No less than if it copied nobody: of few answers, all may be alike by chance.
    variance = np.maximum(squares * items / np.maximum(items - 1, 1), (z**2).mean() * varies)
    error = np.maximum(np.sqrt(variance) / np.maximum(varies, _NONE), _NONE)
    # Where somebody hardly ever deviates, few answers are worth most.
    worth = np.bincount(cell, weights=y * own)
    squared = np.bincount(keys % size, weights=worth**2, minlength=size)
    summed = np.bincount(keys % size, weights=worth, minlength=size)
    effective = summed**2 / np.maximum(squared, _NONE)
    p = special.stdtr(np.maximum(effective - 1, 1), -(slope - EXCESS_OF_ONE) / error)
    equal = np.bincount(who, weights=met.judge == met.theirs, minlength=size)
    equal = equal / np.maximum(np.bincount(who, minlength=size), 1)
    return [
        Copying(
            source=met.names[person],
            items=int(items[person]),
            share=float(np.clip(slope[person], 0, 1)),
            equal=float(equal[person]),
            p=float(p[person]),
        )
        for person in np.flatnonzero(
            (items >= FEWEST_COPIED) & (effective >= FEWEST_DEVIATING)
        ).tolist()
    ]


def _unexpected(met: TwoKinds, who: IntArray, size: int) -> FloatArray:
    """Take what is usual off answers: of the conditions, and of the person, shrunk to all."""
    of_group = np.bincount(met.group, weights=met.theirs) / np.maximum(np.bincount(met.group), 1)
    left = met.theirs - of_group[met.group]
    sums = np.bincount(who, weights=left, minlength=size)
    of_person = sums / (np.bincount(who, minlength=size) + SHRUNK)
    unexpected: FloatArray = left - of_person[who]
    return unexpected


def _weights(met: TwoKinds, own: FloatArray, who: IntArray, size: int) -> FloatArray:
    """Weigh answers by how well their person agrees with others; the mean is 1."""
    number = np.bincount(met.question)[met.question]
    others = (np.bincount(met.question, weights=own)[met.question] - own) / (number - 1)
    slope = float((own * others).mean())
    if slope < _NONE:
        return np.ones(len(own))
    sums = np.bincount(who, weights=own * others, minlength=size) + SHRUNK * slope
    of_person = sums / ((np.bincount(who, minlength=size) + SHRUNK) * slope)
    weight: FloatArray = np.clip(of_person, 0.2, 3.0)[who]
    return weight


def _without(x: FloatArray, group: IntArray, values: FloatArray, number: int) -> FloatArray:
    """Take off values, shape (n, m), what a function of x and the group explain."""
    knots = np.unique(np.quantile(x, np.linspace(0, 1, number)))
    bends = np.maximum(x[:, None] - knots[None, 1:-1], 0)
    of_group = np.equal.outer(group, np.unique(group)).astype(np.float64)
    design = np.column_stack([of_group, x, bends])
    left: FloatArray = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return left
