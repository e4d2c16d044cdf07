"""Automated judges held against people's ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.judges.clustered import (
    RowUnits,
    as_names,
    kappa_of,
    quadratic,
    share,
    two_way_correlation,
)
from hype.judges.findings import FEWEST_COPIED, Reference, judge_in_words
from hype.judges.items import judged, people_of
from hype.judges.matrix_agreement import Matrices
from hype.judges.results import (
    AxisAgreement,
    CountedEstimate,
    JudgeAgreement,
    JudgeOptions,
    JudgeVerdict,
    Position,
    RatingJudgesScore,
    SecondPerson,
    TruthAgreement,
)
from hype.protocols.rating.rows import NO, NOT_RELEVANT, YES
from hype.statistics.correlation import correlation, fisher_z
from hype.statistics.proportions import even_chance_p, holm
from hype.statistics.resampling import jackknife_reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from hype.judges.files import Judges
    from hype.judges.items import Judged, People

FloatArray = npt.NDArray[np.float64]

BoolArray = npt.NDArray[np.bool_]

ALIKE = "alike"
"""The answer, constant or not, of scores that are equal for both images."""


def axis_agreement(
    judged: Judged, people: People, axis: int, *, confidence: float
) -> AxisAgreement:
    """Hold a judge against people on an axis.

    ``judged``: what the judge said.
    ``people``: what they said. What either called not relevant is in no figure but coverage.
    """
    mine, theirs = judged.numbers[people.item, axis], people.ratings[:, axis]
    both = ~(np.isnan(mine) | np.isnan(theirs))
    units = RowUnits(evaluator=people.evaluator, item=people.item if people.repeated else None)
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
        not_relevant=int((answered & np.isnan(judged.numbers[:, axis])).sum()),
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
    units: RowUnits,
    confidence: float,
) -> tuple[CountedEstimate | None, CountedEstimate | None]:
    if judged.shape == "scores":
        return None, None
    a, b, levels = people.level(x, axis), people.level(y, axis), people.levels(axis)
    names = kappa_of(a, b, as_names(levels), units, confidence)
    return names, kappa_of(a, b, quadratic(levels), units, confidence)


def _direction(
    judged: Judged, people: People, x: FloatArray, y: FloatArray, units: RowUnits, confidence: float
) -> tuple[CountedEstimate | None, CountedEstimate | None, int | None]:
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
    values = judged.numbers[answered, axis]
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


def _truth(judged: Judged, people: People, axis: int) -> TruthAgreement | None:
    if people.truth is None:
        return None
    answers = np.where(people.asked[:, axis], judged.numbers[:, axis], np.nan)
    words = people.kinds[axis] == "yes-no" and judged.shape == "answers"
    return _against(answers, people.truth[:, axis], words=words)


def _people_truth(people: People, axis: int) -> TruthAgreement | None:
    if people.truth is None:
        return None
    words = people.kinds[axis] == "yes-no"
    return _against(people.ratings[:, axis], people.truth[people.item, axis], words=words)


def _against(answers: FloatArray, truth: FloatArray, *, words: bool) -> TruthAgreement | None:
    both = ~(np.isnan(answers) | np.isnan(truth))
    number = int(both.sum())
    if not number:
        return None
    if words:
        right = float((answers[both] == truth[both]).mean())
        return TruthAgreement(accuracy=right, r=None, n=number)
    r = correlation(answers[both], truth[both]).r
    return TruthAgreement(accuracy=None, r=r, n=number)


_HALF: Final = 0.5 + 1e-9


def copied(judged: Judged, people: People) -> bool:
    """Tell whether every answer is what people said, or the level next to their mean.

    For scores of pairs: whether the higher score is on their side in every case.
    """
    rows = ~np.isnan(people.ratings)
    counted = np.zeros(people.asked.shape)
    total = np.zeros(people.asked.shape)
    np.add.at(counted, people.item, rows)
    np.add.at(total, people.item, np.where(rows, people.ratings, 0.0))
    both = (counted > 0) & ~np.isnan(judged.numbers)
    mean, mine = total[both] / counted[both], judged.numbers[both]
    if judged.shape == "answers":
        return len(mine) >= FEWEST_COPIED and bool((np.abs(mine - mean) <= _HALF).all())
    decided = mean != 0
    same = np.sign(mine[decided]) == np.sign(mean[decided])
    return people.pairs and len(same) >= FEWEST_COPIED and bool(same.all())


def position(judged: Judged, people: People) -> Position | None:
    """Count how often a judge and people take the first image; None for single images.

    Notes
    -----
    The test is McNemar's, exact: axes of one item are answered alike, so that an item counts once,
    by most of its answers, and items on which both take the same image say nothing.
    """
    if not people.pairs:
        return None
    mine = np.where(people.asked, np.sign(judged.numbers), np.nan)
    theirs = np.where(np.isnan(mine[people.item]), np.nan, np.sign(people.ratings))
    first, decided = int((mine == 1).sum()), int((np.abs(mine) == 1).sum())
    shown, chosen = int((theirs == 1).sum()), int((np.abs(theirs) == 1).sum())
    of_judge = np.sign(np.nansum(mine, axis=1))
    rows = np.nansum(theirs, axis=1)
    of_people = np.sign(np.bincount(people.item, weights=rows, minlength=len(people.items)))
    alone = int(((of_judge == 1) & (of_people == -1)).sum())
    other = int(((of_judge == -1) & (of_people == 1)).sum())
    p = float(even_chance_p(alone, alone + other))
    return Position(
        first=first,
        decided=decided,
        share=first / decided if decided else None,
        people_share=shown / chosen if chosen else None,
        judge_only=alone,
        people_only=other,
        p=p,
        p_holm=p,
    )


IntArray = npt.NDArray[np.int64]

_SUMS: Final = 6
"""Ratings, their sum, squares, products, and agreement by names and by squares; then counts."""


def second_person(people: People, axis: int, *, confidence: float) -> SecondPerson:
    """Hold people against each other on an axis: what a judge may at best be asked to do.

    Of an item with m ratings each is met with every other, m(m - 1) ordered pairs, each with the
    weight 1/(m - 1): every rating counts once, as it does when a judge is held against it. So
    Pearson's r and κ of these pairs stand beside those of a judge. Their intervals are by the
    jackknife over evaluators.
    """
    there = ~np.isnan(people.ratings[:, axis])
    level = people.level(people.ratings[there, axis], axis)
    item, levels = people.item[there], people.levels(axis)
    counts = np.zeros((len(people.items), levels))
    np.add.at(counts, (item, level), 1)
    of_item = _sums(counts)
    total = of_item.sum(axis=0)
    items = int((counts.sum(axis=1) >= 2).sum())
    name, ratings = people.axes[axis], round(float(total[0]))
    if not items:
        return SecondPerson(axis=name, r=None, kappa=None, weighted=None, ratings=0, items=0)
    figures_of_all, reach = _estimates(total), np.full(3, np.nan)
    if people.evaluator is not None:
        without = counts[item] - np.eye(levels)[level]
        parts = _sums(without) - of_item[item]
        has_others = counts[item].sum(axis=1) >= 2
        reach = _reach(total, parts, people.evaluator[there], has_others, confidence)
    figures = [_figure(figures_of_all[i], reach[i], ratings, fisher=i == 0) for i in range(3)]
    return SecondPerson(
        axis=name,
        r=figures[0],
        kappa=figures[1],
        weighted=figures[2],
        ratings=ratings,
        items=items,
    )


def _sums(counts: FloatArray) -> FloatArray:
    """Sum over the pairs of ratings of each item, from its counts of levels, shape (n, levels)."""
    levels = counts.shape[1]
    number, value = counts.sum(axis=1), np.arange(levels, dtype=float)
    several = number >= 2
    others = np.where(several, number - 1, 1)
    first, squares = counts @ value, counts @ value**2
    products = (first**2 - squares) / others
    agreed = [
        (np.einsum("ni,ij,nj->n", counts, weights, counts, optimize=True) - number) / others
        for weights in (as_names(levels), quadratic(levels))
    ]
    columns = [number, first, squares, products, *agreed]
    sums: FloatArray = np.column_stack([*columns, counts]) * several[:, None]
    return sums


def _estimates(sums: FloatArray) -> FloatArray:
    """Give r, κ and weighted κ of sums, shape (…, 6 + levels); NaN where undefined."""
    number, first, squares, products, names, squared = np.moveaxis(sums[..., :_SUMS], -1, 0)
    levels = sums.shape[-1] - _SUMS
    with np.errstate(invalid="ignore", divide="ignore"):
        share = sums[..., _SUMS:] / number[..., None]
        mean = first / number
        spread = squares / number - mean**2
        r = np.where(spread > 1e-12, (products / number - mean**2) / spread, np.nan)
        kappas = []
        for agreed, weights in ((names, as_names(levels)), (squared, quadratic(levels))):
            expected = np.einsum("...i,ij,...j->...", share, weights, share)
            left = np.where(1 - expected > 1e-12, 1 - expected, np.nan)
            kappas.append((agreed / number - expected) / left)
    return np.stack([r, *kappas], axis=-1)


def _reach(
    total: FloatArray, parts: FloatArray, who: IntArray, has_others: BoolArray, confidence: float
) -> FloatArray:
    """Leave each evaluator out; `parts` is what changes without each rating."""
    number, own = np.unique(who, return_inverse=True)
    moved = np.zeros((len(number), parts.shape[1]))
    np.add.at(moved, own, parts)
    left_out = _estimates(total + moved)
    left_out[:, 0] = fisher_z(left_out[:, 0])
    had = np.bincount(own, weights=has_others, minlength=len(number)) > 0
    counted = np.broadcast_to(had[:, None], left_out.shape)
    return jackknife_reach(left_out, counted, confidence=confidence)


def _figure(value: float, reach: float, n: int, *, fisher: bool) -> CountedEstimate:
    if np.isnan(value):
        return CountedEstimate(value=None, low=None, high=None, n=n)
    if np.isnan(reach):
        return CountedEstimate(value=float(value), low=None, high=None, n=n)
    low, high = value - reach, value + reach
    if fisher:
        z = float(fisher_z(value))
        low, high = np.tanh(z - reach), np.tanh(z + reach)
    return CountedEstimate(
        value=float(value),
        low=float(max(-1.0, min(low, value))),
        high=float(min(1.0, max(high, value))),
        n=n,
    )


def judge_ratings(
    ratings: pd.DataFrame, judges: Judges, options: JudgeOptions | None = None
) -> RatingJudgesScore:
    """Hold judges against people's ratings.

    Parameters
    ----------
    ratings
        As `check_ratings` returns them; rows that are not scored do not count.
    judges
        As `read_judges` returns them.
    options
        The choices; None for the usual ones.

    Raises
    ------
    InputError
        No rating is scored; or a judge names an item, image or axis that people did not rate, gives
        an answer that is not on the scale, or scores without an axis where there are several and
        none is the overall one. The message names the file and the row.

    Notes
    -----
    An item that a judge did not answer is no error: the judge is held against people on what it
    answered, and its coverage is told. What it or people called not relevant is in no correlation,
    κ or direction.
    """
    options = options or JudgeOptions()
    people = people_of(ratings, options.scale, first=options.axes)
    matrices = Matrices(people, options)
    pairs = [
        (_agreement(judged_items, people, matrices, options), copied(judged_items, people))
        for judged_items in judged(judges, people, overall=options.overall)
    ]
    agreements = _corrected_positions([agreement for agreement, _ in pairs])
    seconds = tuple(
        second_person(people, axis, confidence=options.confidence)
        for axis in range(len(people.axes))
    )
    overall = options.overall if options.overall in people.axes else None
    reference = Reference(people=seconds, overall=overall, pairs=people.pairs, alpha=options.alpha)
    in_words = [
        judge_in_words(agreement, reference, copies=copies)
        for agreement, (_, copies) in zip(agreements, pairs, strict=True)
    ]
    return RatingJudgesScore(
        axes=people.axes,
        overall=overall,
        pairs=people.pairs,
        people=seconds,
        judges=tuple(sorted(in_words, key=lambda judged_items: _best_first(judged_items, overall))),
        confidence=options.confidence,
        alpha=options.alpha,
        seed=options.seed,
        notes=_notes(people),
    )


def _agreement(
    judge: Judged, people: People, matrices: Matrices, options: JudgeOptions
) -> JudgeAgreement:
    axes = _corrected(
        [
            axis_agreement(judge, people, axis, confidence=options.confidence)
            for axis in range(len(people.axes))
        ]
    )
    answered = sum(row.answered for row in axes)
    asked = sum(row.items for row in axes if row.answered)
    correlations = [row.correlation.r for row in axes if row.correlation.r is not None]
    return JudgeAgreement(
        judge=judge.judge,
        shape=judge.shape,
        answered=answered,
        asked=asked,
        coverage=answered / asked if asked else 0.0,
        axes=axes,
        mean_r=float(np.mean(correlations)) if correlations else None,
        matrix=matrices.agreement(judge),
        position=position(judge, people),
        verdict=JudgeVerdict.UNKNOWN,
        said=(),
    )


def _corrected(rows: Sequence[AxisAgreement]) -> tuple[AxisAgreement, ...]:
    """Correct p for the number of axes."""
    p = holm([np.nan if row.p is None else row.p for row in rows])
    return tuple(
        row if row.p is None else replace(row, p_holm=float(each))
        for row, each in zip(rows, p, strict=True)
    )


def _corrected_positions(agreements: Sequence[JudgeAgreement]) -> list[JudgeAgreement]:
    """Correct p of positions for the number of judges."""
    p = holm([np.nan if one.position is None else one.position.p for one in agreements])
    return [
        replace(one, position=replace(one.position, p_holm=float(each))) if one.position else one
        for one, each in zip(agreements, p, strict=True)
    ]


def _best_first(judge: JudgeAgreement, overall: str | None) -> tuple[bool, float, str]:
    r = judge.mean_r if overall is None else judge.axis(overall).correlation.r
    r = judge.mean_r if r is None else r
    return r is None, -(r or 0.0), judge.judge


def _notes(people: People) -> tuple[str, ...]:
    who = "evaluators" if people.evaluator is not None else "answers, whose evaluators are unknown,"
    also = " and items" if people.repeated and people.evaluator is not None else ""
    notes = [
        "Every rating by a person is met with the judge's answer to its item and axis; what "
        "either called not relevant is missing in both.",
        f"Intervals take {who}{also} for the independent units; p is corrected for the number of "
        "axes of a judge, not for the number of judges, but for the first image's p.",
    ]
    if people.pairs:
        notes.append(
            "A judge that scores images prefers the one with the higher score; its r is that of "
            "the difference of the scores, and its κ that of which image is better, where both "
            "prefer one. Judges that answer have κ of all levels as names."
        )
    return tuple(notes)
