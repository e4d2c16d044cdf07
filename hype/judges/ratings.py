"""Automated judges held against people's ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from hype.judges.clustered import (
    RowUnits,
    above,
    as_names,
    kappa_of,
    mean_error,
    quadratic,
    share,
    two_way_correlation,
    variance_of_people,
)
from hype.judges.items import judged, people_of
from hype.judges.rating_findings import Reference, judge_in_words
from hype.judges.results import (
    AxesApart,
    AxisAgreement,
    ComparingAgreement,
    CountedEstimate,
    JudgeAgreement,
    JudgeOptions,
    JudgeVerdict,
    Matrix,
    MatrixAgreement,
    Position,
    RatingJudgesScore,
    TruthAgreement,
)
from hype.judges.second_person import (
    about_models,
    beside_person,
    met_on,
    second_person,
    within_models,
)
from hype.protocols.rating.rows import NO, NOT_RELEVANT, YES
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import (
    correlation,
    correlation_matrix,
    left_out_matrices,
    pair_sums,
)
from hype.statistics.proportions import even_chance_p, holm
from hype.statistics.resampling import FEWEST_CLUSTERS, jackknife_reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.random import Generator

    from hype.judges.files import Judges
    from hype.judges.items import Judged, People, PreferredPlace

ALIKE = "alike"
"""The answer, constant or not, of scores that are equal for both images."""


def axis_agreement(
    judged: Judged, people: People, axis: int, options: JudgeOptions
) -> AxisAgreement:
    """Hold a judge against people on an axis.

    ``judged``: what the judge said.
    ``people``: what they said. What either called not relevant is in no figure but coverage.
    ``options``: confidence, margin, and how many people are too few.
    """
    confidence = options.confidence
    mine, theirs = judged.numbers[people.item, axis], people.ratings[:, axis]
    both = ~(np.isnan(mine) | np.isnan(theirs))
    units = RowUnits(evaluator=people.evaluator, item=people.item if people.repeated else None)
    units, x, y = units.of(both), mine[both], theirs[both]
    r, p = two_way_correlation(x, y, units, confidence)
    kappas = _kappas(judged, people, axis, x, y, units, confidence)
    direction = _direction(judged, people, x, y, units, confidence)
    met = met_on(people, judged.numbers[:, axis], axis)
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
        within=within_models(met, confidence),
        about=about_models(met, pairs=people.pairs, confidence=confidence),
        beside_person=beside_person(met, options),
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


def position(judged: Judged, people: People) -> Position | None:
    """Count how often a judge and people take the first image; None for single images.

    Notes
    -----
    The test is McNemar's, exact: axes of one item are answered alike, so that an item counts once,
    by most of its answers, and items on which both take the same image say nothing. A judge that
    was asked in both orders is its own control: who looks at the images alone takes either place
    equally often.
    """
    if not people.pairs:
        return None
    if judged.places is not None:
        return _of_places(judged.places, people)
    turn = np.ones(len(people.items)) if judged.shown is None else judged.shown
    mine = np.where(people.asked, np.sign(judged.numbers), np.nan) * turn[:, None]
    theirs = np.sign(people.ratings) * turn[people.item, None]
    theirs = np.where(np.isnan(mine[people.item]), np.nan, theirs)
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


def _of_places(places: PreferredPlace, people: People) -> Position:
    leaning = np.sign(np.where(people.asked, places.leaning, 0.0).sum(axis=1))
    first, second = int((leaning > 0).sum()), int((leaning < 0).sum())
    p = float(even_chance_p(first, first + second))
    return Position(
        first=places.first,
        decided=places.decided,
        share=places.first / places.decided if places.decided else None,
        people_share=None,
        judge_only=first,
        people_only=second,
        p=p,
        p_holm=p,
        same=places.same,
        both=places.both,
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
    seconds = tuple(
        second_person(people, axis, confidence=options.confidence)
        for axis in range(len(people.axes))
    )
    agreements = corrected_positions(
        [
            _agreement(each, people, matrices, options)
            for each in judged(judges, people, overall=options.overall)
        ]
    )
    overall = options.overall if options.overall in people.axes else None
    reference = Reference(people=seconds, overall=overall, pairs=people.pairs, options=options)
    in_words = [judge_in_words(agreement, reference) for agreement in agreements]
    return RatingJudgesScore(
        axes=people.axes,
        overall=overall,
        pairs=people.pairs,
        people=seconds,
        margin=options.margin,
        fewest_people=options.fewest_people,
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
        [axis_agreement(judge, people, axis, options) for axis in range(len(people.axes))]
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
    p = _holm([row.p for row in rows])
    sides = [row.beside_person for row in rows]
    as_well = _holm([None if side is None else side.p for side in sides])
    less = _holm([None if side is None else side.p_less for side in sides])
    return tuple(
        replace(
            row,
            p_holm=p[i],
            beside_person=side and replace(side, p_holm=as_well[i], p_less_holm=less[i]),
        )
        for i, (row, side) in enumerate(zip(rows, sides, strict=True))
    )


def _holm(p: Sequence[float | None]) -> list[float | None]:
    corrected = holm([np.nan if each is None else each for each in p])
    return [None if np.isnan(each) else float(each) for each in corrected]


Placed = TypeVar("Placed", JudgeAgreement, ComparingAgreement)


def corrected_positions(agreements: Sequence[Placed]) -> list[Placed]:
    """Correct p of positions for the number of judges."""
    p = holm(
        [np.nan if agreement.position is None else agreement.position.p for agreement in agreements]
    )
    return [
        replace(agreement, position=replace(agreement.position, p_holm=float(each)))
        if agreement.position
        else agreement
        for agreement, each in zip(agreements, p, strict=True)
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


FEWEST: Final = 6
"""Units that can be split in ten ways; with fewer there is nothing to learn."""
APART: Final = 0.1
"""How far two correlations between axes may be apart without anything being said."""
_FLAT: Final = 1e-9


def distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Give the root of the mean squared difference off the diagonal of matrices, shape (…, k, k).

    Pairs of axes that either lacks do not count; NaN where none is left.
    """
    i, j = np.triu_indices(a.shape[-1], 1)
    squares = (a[..., i, j] - b[..., i, j]) ** 2
    is_known = ~np.isnan(squares)
    number = is_known.sum(axis=-1)
    mean = np.where(is_known, squares, 0.0).sum(axis=-1) / np.maximum(number, 1)
    roots: FloatArray = np.where(number > 0, np.sqrt(mean), np.nan)
    return roots


def half_distances(x: FloatArray, units: IntArray, splits: int, rng: Generator) -> FloatArray:
    """Split units in halves at random, and give the distance to be expected of a whole judge.

    ``x``: shape (n, k); NaN where missing, but somewhere in each column there is a number.
    ``units``: whose row each is, shape (n,).
    ``splits``: how many times to split.
    ``rng``: where the splits come from.

    Returns shape (splits,), without those in which nothing can be compared.
    """
    sums = pair_sums(x, units)
    number = len(sums.rows)
    order = rng.permuted(np.tile(np.arange(number), (splits, 1)), axis=1)
    half = sums.weighted((order < (number + 1) // 2).astype(float))
    other = sums.whole().without(half)
    halves: FloatArray = distances(half.pearson(), other.pearson()) / np.sqrt(2)
    return np.asarray(halves[~np.isnan(halves)], dtype=float)


class Matrices:
    """People's matrices, kept for judges that answered the same.

    ``options``: confidence, level, seed and splits.
    """

    def __init__(self, people: People, options: JudgeOptions) -> None:
        self._people = people
        self._options = options
        # Of several answers without names nobody knows which axes are one person's.
        rows = np.bincount(people.item)[people.item]
        self._whole = (rows == 1) | (people.evaluator is not None)
        self._known: dict[bytes, tuple[FloatArray, FloatArray, FloatArray]] = {}

    def agreement(self, judged: Judged) -> MatrixAgreement | None:
        """Hold a judge's matrix against people's; None where it answered on one axis."""
        wide = judged.numbers[self._people.item]
        both = ~(np.isnan(wide) | np.isnan(self._people.ratings)) & self._whole[:, None]
        used = np.flatnonzero(both.any(axis=0))
        if len(used) < 2:
            return None
        mine = np.where(both, wide, np.nan)[:, used]
        axes = tuple(self._people.axes[i] for i in used)
        theirs, without, halves = self._of_people(both, used)
        own = correlation_matrix(mine).r
        left_out = left_out_matrices(mine, self._units(FEWEST_CLUSTERS))
        distance = float(distances(own, theirs))
        apart = self._apart(mine, both, used, axes)
        reach = self._reach(distances(left_out, without))
        return MatrixAgreement(
            axes=axes,
            judge=_matrix(own),
            people=_matrix(theirs),
            distance=_known(distance),
            low=_known(float(np.maximum(0.0, distance - reach))),
            high=_known(distance + reach),
            floor=_known(_upper(halves, 0.5)),
            floor_high=_known(_upper(halves, self._options.alpha)),
            apart=apart,
        )

    def _apart(
        self, mine: FloatArray, both: BoolArray, used: IntArray, axes: tuple[str, ...]
    ) -> tuple[AxesApart, ...]:
        """Test each two axes; those that differ most come first."""
        people = self._people
        theirs = np.where(both, people.ratings, np.nan)[:, used]
        item = people.item if people.repeated else None
        known = []
        for i, j in zip(*np.triu_indices(len(axes), 1), strict=True):
            rows = both[:, used[i]] & both[:, used[j]]
            units = RowUnits(evaluator=people.evaluator, item=item).of(rows)
            judge, own = _correlated(mine[rows, i], mine[rows, j])
            person, other = _correlated(theirs[rows, i], theirs[rows, j])
            if not (np.isnan(judge) or np.isnan(person)):
                alone, df = mean_error(own - other, units)
                known.append((i, j, judge, person, alone, df, variance_of_people(other, units)))
        common = float(np.mean([variance for *_, variance in known])) if known else 0.0
        agreements = []
        for i, j, judge, person, alone, df, variance in known:
            # Of few answers each, one pair tells little of people; no less than pairs on the whole.
            error = float(np.sqrt(alone**2 + max(0.0, common, variance)))
            apart = abs(judge - person)
            p = min(1.0, above(apart - APART, error, df) + above(apart + APART, error, df))
            agreements.append(
                AxesApart(a=axes[i], b=axes[j], judge=judge, people=person, p=p, p_holm=p)
            )
        corrected = holm([each.p for each in agreements])
        agreements = [
            replace(e, p_holm=float(p)) for e, p in zip(agreements, corrected, strict=True)
        ]
        return tuple(sorted(agreements, key=lambda each: -abs(each.judge - each.people)))

    def _of_people(
        self, both: BoolArray, used: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Give people's matrix, those without each unit, and the distances of their halves."""
        key = both.tobytes()
        if key not in self._known:
            ratings = np.where(both, self._people.ratings, np.nan)[:, used]
            rng = np.random.default_rng(self._options.seed)
            units = self._units(FEWEST)
            enough = len(np.unique(units)) >= FEWEST
            splits = self._options.splits
            self._known[key] = (
                correlation_matrix(ratings).r,
                left_out_matrices(ratings, self._units(FEWEST_CLUSTERS)),
                half_distances(ratings, units, splits, rng) if enough else np.zeros(0),
            )
        return self._known[key]

    def _units(self, fewest: int) -> IntArray:
        """Give evaluators, or items where these are unknown or too few."""
        who = self._people.evaluator
        few = who is None or len(np.unique(who)) < fewest
        return self._people.item if who is None or few else who

    def _reach(self, left_out: FloatArray) -> float:
        values = left_out[:, None]
        counted = ~np.isnan(values)
        return float(jackknife_reach(values, counted, confidence=self._options.confidence)[0])


def _correlated(x: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """Give Pearson's r and what each row adds to it; NaN where a column does not vary."""
    if len(x) < FEWEST or np.ptp(x) < _FLAT or np.ptp(y) < _FLAT:
        return np.nan, np.zeros(len(x))
    x, y = ((each - each.mean()) / each.std() for each in (x, y))
    r = float((x * y).mean())
    return r, x * y - r / 2 * (x**2 + y**2)


def _upper(values: FloatArray, alpha: float) -> float:
    return float(np.quantile(values, 1 - alpha)) if values.size else np.nan


def _matrix(values: FloatArray) -> Matrix:
    return tuple(tuple(row) for row in values.tolist())


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
