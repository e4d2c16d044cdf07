"""Whether a judge's axes hang together as people's do.

002 (section 4.3) shows it as two heat maps: a judge may agree with people overall and yet mix up
aesthetics with anatomy. Here the distance is a number, beside the one that people would have.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.judges.clustered import RowUnits, above, mean_error
from hype.judges.results import AxesApart, Matrix, MatrixAgreement
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import correlation_matrix, left_out_matrices, pair_sums
from hype.statistics.proportions import holm
from hype.statistics.resampling import FEWEST_CLUSTERS, jackknife_reach

if TYPE_CHECKING:
    from numpy.random import Generator

    from hype.judges.items import Judged, People
    from hype.judges.results import JudgeOptions

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
                known.append((i, j, judge, person, alone, df, _variance_of_people(other, units)))
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


def _variance_of_people(adds: FloatArray, units: RowUnits) -> float:
    """Give the variance of r between people, by products of answers of one person; may be below 0.

    A judge is one, as a person is, and no two people's axes hang together alike.
    """
    if units.evaluator is None:
        return 0.0
    sums, rows = np.bincount(units.evaluator, weights=adds), np.bincount(units.evaluator)
    products, pairs = float((sums**2).sum() - (adds**2).sum()), float((rows * (rows - 1)).sum())
    return products / pairs if pairs else 0.0


def _upper(values: FloatArray, alpha: float) -> float:
    return float(np.quantile(values, 1 - alpha)) if values.size else np.nan


def _matrix(values: FloatArray) -> Matrix:
    return tuple(tuple(row) for row in values.tolist())


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
