"""Whether a judge's answers, or a model's orders, were taken from people's, all of them or in part.

Of one person: a judge that copies agrees exactly with that person more often than both it and the
person agree with others who rated the same items would have it. With m for the share of equal
answers, j the judge, e the person and o others, what is in excess is m(je) − m(jo) − m(oe) + m(oo):
how good the judge and the person are is taken off.

Of people together, whosever answer it took, and of their mean: the share that is equal beyond what
answers given apart would be; the first less the same of two people. Who is right and has not
copied correlates with people's mean no more than its reliability allows: the noise in that mean is
people's own, and only a copy has it too.

Answers of two who look at the same are taken for two correlated normal numbers, one of them cut at
the judge's own thresholds, the other known by its rank (the polyserial model: Olsson, Drasgow &
Dorans 1982, "The polyserial correlation coefficient", Psychometrika 47). Some answers are at
random: by dice, as often as the judge gives each on the whole, or all what it says most often. The
thresholds are those of the other answers: at those of all a good judge that throws dice now and
then would agree more closely than the model lets anybody.

Who takes a share over has the very level that is next to the other's number, on either side of the
middle between two, where the answers of others pass from one to the next by degrees. Share,
correlations and answers at random are found by maximum likelihood on a grid. How sure the share is
follows from the ratio of likelihoods, adjusted by the sandwich for rows of one item being alike
(Rotnitzky & Jewell 1990, "Hypothesis testing of regression parameters in semiparametric
generalized linear models for cluster correlated data", Biometrika 77).

Items are the units, and p is corrected for the number of questions (Bonferroni).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import special, stats

from hype.judges.results import Copying
from hype.statistics.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.judges.choices import ImageChoices
    from hype.judges.items import Judged, People
    from hype.judges.rankings import RankedChoices
    from hype.judges.results import SecondPerson

_SHARES: Final = np.linspace(0, 0.98, 50)
_CORRELATIONS: Final = 20
_STEP, _LIKELY = 10, 8
"""One of so many shares is tried with all correlations and answers at random, and others with those
that are most likely there, so many of each."""
_AT_RANDOM: Final = (0.05, 0.15, 0.3, 0.45)
"""Shares of answers that have nothing to do with what is asked."""
_NEIGHBOURS: Final = (1, 2, 3)
"""Places of the least of these, of each kind, after the place of none."""
_LIMIT: Final = 8.0
"""Where a threshold stands that no answer is beyond."""
_LEAST: Final = 1e-7
"""Chance of a cell, where there is none by rounding."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelsOnAxis:
    """What a judge and others said on one axis; arrays of shape (n,)."""

    judge: IntArray  # levels from 0
    nearest: IntArray  # those that a copy would have
    others: FloatArray  # what these are nearest to
    item: IntArray
    levels: int
    most: float  # the highest correlation that answers given apart may have


@dataclass(frozen=True, kw_only=True, eq=False)
class TakenOver:
    """The share that is equal because it was taken over, how sure that is, and items."""

    share: float
    error: float  # its standard error
    # How much less likely each of the shares of the grid is, as a logarithm; adjusted
    less_likely: FloatArray
    items: int
    equal: float  # the share of equal answers

    def error_above(self, bound: float) -> float:
        """Give the standard error with which the share is as far above a bound as it is likely."""
        if self.share <= bound:
            return self.error
        less = float(np.interp(bound, _SHARES, self.less_likely))
        return (self.share - bound) / float(np.sqrt(2 * less)) if less > 0 else np.inf


def taken(columns: Sequence[LevelsOnAxis]) -> TakenOver | None:
    """Find the share that was taken over, the same on all axes; None where nothing is known."""
    columns = [each for each in columns if each.judge.size]
    if not columns:
        return None
    fitted = [_Fitted(column) for column in columns]
    likelihood = np.sum([each.likelihood.max(axis=1) for each in fitted], axis=0)
    best = int(np.argmax(likelihood))
    adds = [each.adds(best) for each in fitted]
    items, cell = np.unique(np.concatenate([each.item for each in columns]), return_inverse=True)
    sums = np.bincount(cell, weights=np.concatenate(adds))
    information = float(sum((each**2).sum() for each in adds))
    spread = float(sums.var(ddof=1)) * len(items) if len(items) > 1 else 0.0
    known = information > 0 and spread > 0
    number = sum(each.judge.size for each in columns)
    equal = sum(int((each.judge == each.nearest).sum()) for each in columns) / number
    return TakenOver(
        share=float(_SHARES[best]),
        error=float(np.sqrt(spread)) / information if known else np.inf,
        less_likely=(likelihood[best] - likelihood) * (information / spread if known else 0.0),
        items=len(items),
        equal=equal,
    )


class _Fitted:
    """Likelihoods of one column, over the cells of equal answers."""

    def __init__(self, column: LevelsOnAxis) -> None:
        pairs = np.column_stack([column.judge, column.others])
        _, first, cell, counts = np.unique(
            pairs, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        self._cell = cell.ravel()
        judge = column.judge[first]
        place = special.ndtri((stats.rankdata(column.others) - 0.5) / len(pairs))[first]
        share = np.bincount(column.judge, minlength=column.levels) / len(pairs)
        angles = np.linspace(0, np.arcsin(column.most), _CORRELATIONS)
        apart = [_looked(share, judge, place, angles)]
        even = np.full(column.levels, 1 / column.levels)
        mode = np.eye(column.levels)[share.argmax()]
        for rate in _AT_RANDOM:
            for other in (share, even, mode):
                looked = _looked(share - rate * other, judge, place, angles)
                apart.append((1 - rate) * looked + rate * other[judge, None])
        self._apart: FloatArray = np.stack(apart, axis=2)
        self._equal = (judge == column.nearest[first]).astype(np.float64)
        coarse = self._likelihood(_SHARES[::_STEP], self._apart.reshape(len(judge), -1), counts)
        self._likely = np.unique(np.argsort(coarse, axis=1)[:, -_LIKELY:])
        apart_of_likely = self._apart.reshape(len(judge), -1)[:, self._likely]
        self.likelihood: FloatArray = self._likelihood(_SHARES, apart_of_likely, counts)

    def _likelihood(self, shares: FloatArray, apart: FloatArray, counts: IntArray) -> FloatArray:
        """Give its logarithm by share and correlation; ``apart``: shape (cells, correlations)."""
        equal = np.multiply.outer(shares, self._equal)[:, :, None]
        mixed = np.log(equal + np.multiply.outer(1 - shares, apart))
        return np.asarray(np.einsum("c,sca->sa", counts.astype(float), mixed))

    def adds(self, place: int) -> FloatArray:
        """Give what each row adds to the score of the share, what the others explain taken off."""
        share, shape = _SHARES[place], self._apart.shape[1:]
        angle, rate = np.unravel_index(self._likely[self.likelihood[place].argmax()], shape)
        angles = np.clip([angle - 1, angle + 1], 0, shape[0] - 1)
        apart = self._apart[:, angle, rate]
        moved = np.column_stack(
            [
                self._apart[:, angles[1], rate] - self._apart[:, angles[0], rate],
                *(self._apart[:, angle, other] - apart for other in _NEIGHBOURS),
            ]
        )
        mixed = share * self._equal + (1 - share) * apart
        own, other = ((self._equal - apart) / mixed)[self._cell], (moved.T / mixed).T[self._cell]
        return np.asarray(own - other @ np.linalg.lstsq(other, own, rcond=None)[0])


def _looked(
    share: FloatArray, judge: IntArray, place: FloatArray, angles: FloatArray
) -> FloatArray:
    """Give the chance of a level at a place, by correlation; shape (cells, correlations).

    ``share``: how often each level is given.
    """
    share = np.maximum(share, 0)  # no more at random than there are
    cuts = special.ndtri((np.append(0, share) / share.sum()).cumsum().clip(0, 1))
    cuts = np.clip(cuts, -_LIMIT, _LIMIT)[:, None]
    away = np.sin(angles) * place[:, None]
    high, low = (special.ndtr((cuts[at] - away) / np.cos(angles)) for at in (judge + 1, judge))
    chance: FloatArray = np.maximum(high - low, _LEAST)
    return chance


FEWEST_COPIED: Final = 20
"""Items below which nothing is said: so few may all agree by chance or because they are easy."""
ALPHA: Final = 0.05
"""Level of the tests of one judge, all together: copying is a grave thing to say."""
EXCESS: Final = 0.05
"""Share of equal answers in excess that people of one taste may have, and that is not tested."""
CLOSELY: Final = 0.97
EXCESS_OF_MEAN: Final = 0.14
"""The same, of people's mean, where answers given apart may correlate with it so closely: of who is
better than people and has a part of his answers at random the others are so near to it that the
model takes some of them for copies."""
EXCESS_OF_RANKS: Final = 0.15
"""The same, of images whose mean ranks are close: ranks do not grow evenly with quality."""
UNKNOWN_HABIT: Final = 0.15
"""The same, where no item has two ratings: what two people have in excess is then unknown."""
OF_ONE: Final = 0.97
OF_MEAN: Final = 0.995
"""Correlations with one person's answers, and with the mean of many, that nobody has who does not
copy, where it is not known how far people agree."""
NEARLY_ALL: Final = 0.98
_EVERYBODY: Final = ""
_MEAN: Final = "the mean of people's answers"
_MEAN_RANKS: Final = "the mean of people's ranks"
_NO_HABIT: Final = TakenOver(share=0.0, error=0.0, less_likely=np.zeros(0), items=0, equal=0.0)


class Sources:
    """People's answers as what a judge may have copied; kept for several judges."""

    def __init__(self, people: People, seconds: Sequence[SecondPerson]) -> None:
        self._people = people
        self._of_one, self._of_mean = _highest_apart(people, seconds)
        self._known = ~np.isnan(people.ratings)
        lowest = np.array([float(people.scale.values(kind)[0]) for kind in people.kinds])
        self._places, self._mean = people.ratings - lowest, _means(people)
        self._mean_places = self._mean - lowest
        self._theirs = _levels(people, people.ratings)
        who = people.evaluator
        self._who = np.zeros(len(people.item), dtype=np.int64) if who is None else who
        number = np.bincount(people.item)[people.item]
        self._repeated = bool((number > 1).any()) and who is not None
        self._alike, self._habit = 0.0, _NO_HABIT
        if self._repeated:
            self._compare_people()

    def _compare_people(self) -> None:
        """Meet each rating with another person's of its item."""
        people, partner = self._people, _partners(self._people.item)
        both = self._known & self._known[partner]
        both &= (partner != np.arange(len(partner)))[:, None]
        mine = np.where(both, self._theirs[partner], -1)
        self._habit = self._taken(mine, self._places, people.item, self._of_one) or _NO_HABIT
        whole = ((mine == self._theirs) | ~both).all(axis=1)[both.any(axis=1)]
        self._alike = float(whole.mean()) if whole.size else 0.0

    def copying(self, judged: Judged) -> Copying | None:
        """Give what was copied most surely; None where nothing surely was."""
        return self._whole(judged) or self._in_part(judged)

    def _whole(self, judged: Judged) -> Copying | None:
        """Tell whether nearly all items have one person's answers, or are next to a mean."""
        if judged.shape == "scores":
            return self._same_side(judged)
        if self._alike > 1 - 5 * (1 - NEARLY_ALL):
            return None
        mine = judged.numbers[self._people.item]
        both = self._known & ~np.isnan(mine)
        same = ((mine == self._people.ratings) | ~both).all(axis=1)
        rows = both.any(axis=1)
        number, equal = int(rows.sum()), int((rows & same).sum())
        if equal == number or (not self._repeated and _nearly_all(equal, number)):
            return _copy(_EVERYBODY, number, equal) if number >= FEWEST_COPIED else None
        items, hits = (np.bincount(self._who[which]) for which in (rows, rows & same))
        for person in np.flatnonzero(items >= FEWEST_COPIED).tolist() if self._repeated else ():
            if person < len(hits) and _nearly_all(int(hits[person]), int(items[person])):
                return _copy(self._name(person), int(items[person]), int(hits[person]))
        both = ~(np.isnan(judged.numbers) | np.isnan(self._mean))
        close = (np.abs(judged.numbers - self._mean) <= 0.5 + 1e-9) | ~both
        asked = both.any(axis=1)
        equal, number = int((close.all(axis=1) & asked).sum()), int(asked.sum())
        return _copy(_MEAN, number, equal) if _nearly_all(equal, number) else None

    def _same_side(self, judged: Judged) -> Copying | None:
        """Tell whether scores of pairs prefer what people prefer, in every case."""
        both = ~(np.isnan(judged.numbers) | np.isnan(self._mean)) & (self._mean != 0)
        same = np.sign(judged.numbers[both]) == np.sign(self._mean[both])
        if not self._people.pairs or len(same) < FEWEST_COPIED or not same.all():
            return None
        return _copy(_MEAN, len(same), len(same))

    def _in_part(self, judged: Judged) -> Copying | None:
        mine = _levels(self._people, judged.numbers)
        if judged.shape == "scores":
            mine = self._ranked(judged.numbers)
        of_rows, item = mine[self._people.item], self._people.item
        least = EXCESS if self._repeated else UNKNOWN_HABIT
        of_all = self._taken(of_rows, self._places, item, self._of_one)
        findings = [_beyond(_EVERYBODY, of_all, self._habit, least)]
        if self._repeated:
            of_mean = self._taken(mine, self._mean_places, np.arange(len(mine)), self._of_mean)
            close = EXCESS_OF_MEAN if self._of_mean.max() >= CLOSELY else least
            of_people = _beyond(_MEAN, of_mean, _NO_HABIT, close)
            findings += [of_people, *self._of_persons(of_rows)]
        return _surest([each for each in findings if each is not None])

    def _taken(
        self, mine: IntArray, theirs: FloatArray, item: IntArray, most: FloatArray
    ) -> TakenOver | None:
        columns = []
        for axis in range(len(self._people.axes)):
            judge, others, levels = mine[:, axis], theirs[:, axis], self._people.levels(axis)
            both = (judge >= 0) & (np.abs(others % 1 - 0.5) > 1e-9) & (levels > 2)
            columns.append(
                LevelsOnAxis(
                    judge=judge[both],
                    nearest=np.rint(others[both]).astype(np.int64),
                    others=others[both],
                    item=item[both],
                    levels=levels,
                    most=float(most[axis]),
                )
            )
        return taken(columns)

    def _of_persons(self, mine: IntArray) -> list[Copying]:
        """Set how often a judge agrees with each person against how often both do with others."""
        item, cases = self._people.item, []
        for axis in range(len(self._people.axes)):
            a, b = mine[:, axis], self._theirs[:, axis]
            rows = np.flatnonzero((a >= 0) & (b >= 0))
            counts = np.zeros((len(self._people.items), self._people.levels(axis)))
            np.add.at(counts, (item[rows], b[rows]), 1)
            others = counts.sum(axis=1)[item] - 1
            rows = rows[others[rows] > 0]
            place, of_others = item[rows], others[rows]
            equal = (a[rows] == b[rows]).astype(np.float64)
            to_judge = (counts[place, a[rows]] - equal) / of_others
            to_person = (counts[place, b[rows]] - 1) / of_others
            cases.append((equal, to_judge, to_person, place, self._who[rows]))
        return _of_each([each for each in cases if each[0].size], self._people.names)

    def _name(self, place: int) -> str:
        return self._people.names[place]

    def _ranked(self, numbers: FloatArray) -> IntArray:
        """Cut scores into levels that are as frequent as people's."""
        levels = np.full(numbers.shape, -1)
        for axis in range(numbers.shape[1]):
            known = ~np.isnan(numbers[:, axis])
            theirs = self._theirs[self._known[:, axis], axis]
            if not known.any() or not theirs.size:
                continue
            share = np.bincount(theirs, minlength=self._people.levels(axis)).cumsum() / len(theirs)
            rank = (stats.rankdata(numbers[known, axis]) - 0.5) / known.sum()
            levels[known, axis] = np.minimum(np.searchsorted(share, rank), len(share) - 1)
        return levels


Case = tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]
"""Of answers: whether judge and person agree, how often either does with others; item, person."""


def _of_each(cases: Sequence[Case], names: Sequence[str]) -> list[Copying]:
    """Test each person with enough items: the excess of equal answers, by the module's formula."""
    if not cases:
        return []
    size = len(names)
    above = np.concatenate([equal - judge - own + own.mean() for equal, judge, own, *_ in cases])
    equal, _, _, item, who = (np.concatenate(each) for each in zip(*cases, strict=True))
    number = np.maximum(np.bincount(who, minlength=size), 1)
    mean = np.bincount(who, weights=above, minlength=size) / number
    same = np.bincount(who, weights=equal, minlength=size) / number
    keys, cell = np.unique(item * size + who, return_inverse=True)
    away = np.bincount(cell, weights=above - mean[who])
    items = np.bincount(keys % size, minlength=size)
    error = np.sqrt(np.bincount(keys % size, weights=away**2, minlength=size)) / number
    error *= np.sqrt(items / np.maximum(items - 1, 1))
    error = np.maximum(error, 1 / np.maximum(items, 1))  # where all items are alike
    return [
        Copying(
            source=names[person],
            items=int(items[person]),
            share=float(mean[person]),
            equal=float(same[person]),
            p=float(special.stdtr(items[person] - 1, -(mean[person] - EXCESS) / error[person])),
        )
        for person in np.flatnonzero(items >= FEWEST_COPIED).tolist()
    ]


def copied_orders(scores: FloatArray, people: RankedChoices) -> Copying | None:
    """Tell whether a preference model has one person's orders, or the order of the mean of ranks.

    Of a person a whole ranking without ties is one answer; of the mean each two images of a group
    are, of the half of them whose mean ranks are closest. Who agrees with others less often than
    people do also agrees less often with a person whom others agree with.
    """
    of_mean = _order_of_mean(scores, people.average)
    copied = _beyond(_MEAN_RANKS, of_mean, _NO_HABIT, EXCESS_OF_RANKS)
    if copied and copied.equal >= NEARLY_ALL:
        copied = replace(copied, share=copied.equal, p=0.0)
    every, who = people.firsts, people.firsts.units.evaluator
    asked = [copied] if copied else []
    if who is not None and every.units.item is not None:
        falls = np.append(np.diff(scores[every.image]) < 0, True)
        falls[every.starts[1:] - 1] = True
        rows = (every.order >= 0) & ~np.isnan(np.add.reduceat(scores[every.image], every.starts))
        item, order, who = every.units.item[rows], every.order[rows], who[rows]
        equal = np.logical_and.reduceat(falls, every.starts)[rows].astype(np.float64)
        others = np.bincount(item)[item] - 1
        to_judge = (np.bincount(item, weights=equal)[item] - equal) / np.maximum(others, 1)
        to_person = (np.bincount(order)[order] - 1) / np.maximum(others, 1)
        to_person *= to_judge.sum() / max(to_person.sum(), 1e-9)
        case = (equal, to_judge, to_person, item, who)
        again = [each[others > 0] for each in case]
        asked += _of_each([tuple(again)] if again[0].size else [], people.names)
    return _surest(asked)


def _order_of_mean(scores: FloatArray, average: ImageChoices) -> TakenOver | None:
    first, second = (np.sort([average.better, average.worse], axis=0))[:]
    nearest = average.better == first
    ahead = scores[first] - scores[second]
    both = ~(np.isnan(ahead) | (ahead == 0))
    both &= average.apart <= np.median(average.apart) if both.size else True
    item = np.zeros(0, np.int64) if average.units.item is None else average.units.item
    return taken(
        [
            LevelsOnAxis(
                judge=(ahead > 0)[both].astype(np.int64),
                nearest=nearest[both].astype(np.int64),
                others=np.where(nearest, average.apart, -average.apart)[both],
                item=item[both],
                levels=2,
                most=OF_MEAN,
            )
        ]
    )


def _beyond(
    source: str, taken_over: TakenOver | None, habit: TakenOver, least: float
) -> Copying | None:
    if taken_over is None or taken_over.items < FEWEST_COPIED:
        return None
    share = max(0.0, taken_over.share - habit.share)
    distance = max(0.0, share - least) / float(
        np.hypot(taken_over.error_above(habit.share + least), habit.error)
    )
    p = float(special.stdtr(taken_over.items - 1, -distance)) if share else 1.0
    return Copying(source=source, items=taken_over.items, share=share, equal=taken_over.equal, p=p)


def _surest(asked: Sequence[Copying]) -> Copying | None:
    """Give the source with the least p, where it is small enough for so many questions."""
    best = min(asked, key=lambda each: each.p or 0.0, default=None)
    if best is None or best.p is None or best.p * len(asked) >= ALPHA:
        return None
    return replace(best, p=best.p * len(asked))


def _partners(item: IntArray) -> IntArray:
    """Give each rating the next one of its item, and the last the first."""
    order = np.argsort(item, kind="stable")
    ordered = item[order]
    starts = np.searchsorted(ordered, ordered)
    ends = np.searchsorted(ordered, ordered, side="right")
    following = np.arange(len(item)) + 1
    partner = np.empty(len(item), dtype=np.int64)
    partner[order] = order[np.where(following == ends, starts, following)]
    return partner


def _levels(people: People, values: FloatArray) -> IntArray:
    """Number answers on each axis from 0; −1 where there is none."""
    columns = [
        np.where(np.isnan(column), -1, people.level(np.nan_to_num(column), axis))
        for axis, column in enumerate(values.T)
    ]
    return np.column_stack(columns).astype(np.int64)


def _means(people: People) -> FloatArray:
    known = ~np.isnan(people.ratings)
    counted, total = np.zeros(people.asked.shape), np.zeros(people.asked.shape)
    np.add.at(counted, people.item, known)
    np.add.at(total, people.item, np.where(known, people.ratings, 0.0))
    means: FloatArray = np.where(counted > 0, total / np.maximum(counted, 1), np.nan)
    return means


def _nearly_all(equal: int, items: int) -> bool:
    return items >= FEWEST_COPIED and (items - equal <= 1 or equal >= NEARLY_ALL * items)


def _highest_apart(
    people: People, seconds: Sequence[SecondPerson]
) -> tuple[FloatArray, FloatArray]:
    """Give for each axis what may correlate at most with one rating, and with the mean of an item.

    The roots of their reliabilities, that of the mean by Spearman and Brown, at the upper end of
    what is known of r between two people: who copies nothing shares none of their noise.
    """
    one, mean = np.full(len(seconds), OF_ONE), np.full(len(seconds), OF_MEAN)
    for axis, second in enumerate(seconds):
        high = second.r.high if second.r else None
        if high is not None and high > 0:
            number = np.bincount(people.item, ~np.isnan(people.ratings[:, axis])).max()
            one[axis] = min(OF_ONE, np.sqrt(high))
            mean[axis] = min(OF_MEAN, np.sqrt(number * high / (1 + (number - 1) * high)))
    return one, mean


def _copy(source: str, items: int, equal: int) -> Copying:
    return Copying(source=source, items=items, share=equal / items, equal=equal / items, p=None)
