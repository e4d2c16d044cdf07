"""A judge and people on one axis: every rating is met with the judge's answer to its item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.judges.clustered import Units, share, two_way_correlation
from hype.judges.results import AgainstTruth, AxisAgreement
from hype.judges.verdicts import Figure
from hype.judges.weighted_kappa import as_names, kappa_of, quadratic
from hype.protocols.rating.rows import NO, NOT_RELEVANT, YES
from hype.statistics.correlation import correlation

if TYPE_CHECKING:
    from hype.judges.items import Judged
    from hype.judges.people import People

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

ALIKE = "alike"
"""The answer, constant or not, of scores that are equal for both images."""


def axis_agreement(
    judged: Judged, people: People, axis: int, *, confidence: float
) -> AxisAgreement:
    """Hold a judge against people on an axis.

    Parameters
    ----------
    judged
        What the judge said.
    people
        What they said. What either called not relevant is in no figure but coverage.
    axis
        Which.
    confidence
        Of the intervals.
    """
    mine, theirs = judged.values[people.item, axis], people.ratings[:, axis]
    both = ~(np.isnan(mine) | np.isnan(theirs))
    units = Units(evaluator=people.evaluator, item=people.item if people.repeated else None)
    units, x, y = units.of(both), mine[both], theirs[both]
    r, p = two_way_correlation(x, y, units, confidence)
    kappas = _kappas(judged, people, axis, x, y, units, confidence)
    direction = _direction(judged, people, x, y, units, confidence)
    asked = people.asked[:, axis]
    answered = judged.answered[:, axis] & asked
    return AxisAgreement(
        axis=people.axes[axis],
        answered=int(answered.sum()),
        items=int(asked.sum()),
        not_relevant=int((answered & np.isnan(judged.values[:, axis])).sum()),
        constant=_constant(judged, people, axis, answered),
        correlation=r,
        p=p,
        p_holm=p,
        kappa=kappas[0],
        weighted=kappas[1],
        direction=direction[0],
        direction_kappa=direction[1],
        direction_classes=direction[2],
        truth=_truth(judged, people, axis),
        people_truth=_people_truth(people, axis),
    )


def _kappas(
    judged: Judged,
    people: People,
    axis: int,
    x: FloatArray,
    y: FloatArray,
    units: Units,
    confidence: float,
) -> tuple[Figure | None, Figure | None]:
    if judged.shape == "scores":
        return None, None
    a, b, levels = people.level(x, axis), people.level(y, axis), people.levels(axis)
    names = kappa_of(a, b, as_names(levels), units, confidence)
    return names, kappa_of(a, b, quadratic(levels), units, confidence)


def _direction(
    judged: Judged, people: People, x: FloatArray, y: FloatArray, units: Units, confidence: float
) -> tuple[Figure | None, Figure | None, int | None]:
    if not people.pairs:
        return None, None, None
    a, b = np.sign(x).astype(np.int64), np.sign(y).astype(np.int64)
    decided = (a != 0) & (b != 0)
    same = share((a == b)[decided].astype(float), units.of(decided), confidence)
    if judged.shape == "answers":
        return same, kappa_of(a + 1, b + 1, as_names(3), units, confidence), 3
    a, b = (a[decided] + 1) // 2, (b[decided] + 1) // 2
    return same, kappa_of(a, b, as_names(2), units.of(decided), confidence), 2


def _constant(judged: Judged, people: People, axis: int, answered: BoolArray) -> str:
    """Give the one answer to everything; empty where there are several, or too few to tell."""
    values = judged.values[answered, axis]
    relevant = values[~np.isnan(values)]
    if len(values) < 2 or (relevant.size and (np.ptp(relevant) or relevant.size < values.size)):
        return ""
    if not relevant.size:
        return NOT_RELEVANT
    value = float(relevant[0])
    if judged.shape == "scores":
        return ALIKE if people.pairs and not value else f"{value:g}"
    if people.kinds[axis] == "yes-no":
        return YES if value else NO
    return f"{(people.scale.levels + 1) / 2 - value if people.pairs else value:g}"


def _truth(judged: Judged, people: People, axis: int) -> AgainstTruth | None:
    if people.truth is None:
        return None
    answers = np.where(people.asked[:, axis], judged.values[:, axis], np.nan)
    words = people.kinds[axis] == "yes-no" and judged.shape == "answers"
    return _against(answers, people.truth[:, axis], words=words)


def _people_truth(people: People, axis: int) -> AgainstTruth | None:
    if people.truth is None:
        return None
    words = people.kinds[axis] == "yes-no"
    return _against(people.ratings[:, axis], people.truth[people.item, axis], words=words)


def _against(answers: FloatArray, truth: FloatArray, *, words: bool) -> AgainstTruth | None:
    both = ~(np.isnan(answers) | np.isnan(truth))
    number = int(both.sum())
    if not number:
        return None
    if words:
        right = float((answers[both] == truth[both]).mean())
        return AgainstTruth(accuracy=right, r=None, n=number)
    r = correlation(answers[both], truth[both]).r
    return AgainstTruth(accuracy=None, r=r, n=number)
