"""Whether a judge's answers were taken from people's, all of them or in part.

Of one person: a judge that copies agrees exactly with that person more often than both it and the
person agree with others who rated the same items would have it. With m for the share of equal
answers, j the judge, e the person and o others, what is in excess is m(je) − m(jo) − m(oe) + m(oo):
how good the judge and the person are is taken off.

Of people together, whosever answer it took, and of their mean: the share that is equal beyond what
answers given apart would be (`exact_agreement`), less the same of two people, who may have it for
other reasons, such as that some answer at random.

Items are the units, and p is corrected for the number of questions (Bonferroni).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from hype.judges.exact_agreement import Column, Taken, taken
from hype.judges.results import Copying

if TYPE_CHECKING:
    from hype.judges.items import Judged, People

FloatArray = npt.NDArray[np.float64]

IntArray = npt.NDArray[np.int64]

FEWEST_COPIED: Final = 20
"""Items below which nothing is said: so few may all agree by chance or because they are easy."""
ALPHA: Final = 0.05
"""Level of the tests of one judge, all together: copying is a grave thing to say."""
EXCESS: Final = 0.05
"""Share of equal answers in excess that people of one taste may have, and that is not tested."""
UNKNOWN_HABIT: Final = 0.15
"""The same, where no item has two ratings: what two people have in excess is then unknown."""
NEARLY_ALL: Final = 0.98
_EVERYBODY: Final = ""
_MEAN: Final = "the mean of people's answers"


class Sources:
    """People's answers as what a judge may have copied; kept for several judges."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._known = ~np.isnan(people.ratings)
        self._theirs = _levels(people, people.ratings)
        self._mean = _means(people)
        who = people.evaluator
        self._who = np.zeros(len(people.item), dtype=np.int64) if who is None else who
        self._persons = 0 if who is None else int(who.max(initial=-1)) + 1
        number = np.bincount(people.item)[people.item]
        self._repeated = bool((number > 1).any()) and who is not None
        self._alike, self._habit = 0.0, Taken(share=0.0, error=0.0, items=0, equal=0.0)
        if self._repeated:
            self._compare_people()
            rounded = np.where(np.abs(self._mean % 1 - 0.5) < 1e-9, np.nan, np.rint(self._mean))
            self._rounded = _levels(people, rounded)

    def _compare_people(self) -> None:
        """Meet each rating with another person's of its item."""
        people, partner = self._people, _partners(self._people.item)
        both = self._known & self._known[partner]
        both &= (partner != np.arange(len(partner)))[:, None]
        mine = np.where(both, self._theirs[partner], -1)
        self._habit = self._taken(mine, self._theirs, people.item) or self._habit
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
        for one in np.flatnonzero(items >= FEWEST_COPIED).tolist() if self._repeated else ():
            if one < len(hits) and _nearly_all(int(hits[one]), int(items[one])):
                return _copy(self._name(one), int(items[one]), int(hits[one]))
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
        of_rows = mine[self._people.item]
        found = [self._beyond_people(_EVERYBODY, of_rows, self._theirs, self._people.item)]
        if self._repeated:
            own = np.arange(len(mine))
            found += [
                self._beyond_people(_MEAN, mine, self._rounded, own),
                *self._of_persons(of_rows),
            ]
        asked = [each for each in found if each is not None]
        best = min(asked, key=lambda each: each.p or 0.0, default=None)
        if best is None or best.p is None or best.p * len(asked) >= ALPHA:
            return None
        return replace(best, p=best.p * len(asked))

    def _beyond_people(
        self, source: str, mine: IntArray, theirs: IntArray, item: IntArray
    ) -> Copying | None:
        found = self._taken(mine, theirs, item)
        if found is None or found.items < FEWEST_COPIED:
            return None
        least = EXCESS if self._repeated else UNKNOWN_HABIT
        share = max(0.0, found.share - self._habit.share)
        error = float(np.hypot(found.error, self._habit.error))
        p = (
            float(special.stdtr(found.items - 1, -max(0.0, share - least) / error))
            if share
            else 1.0
        )
        return Copying(source=source, items=found.items, share=share, equal=found.equal, p=p)

    def _taken(self, mine: IntArray, theirs: IntArray, item: IntArray) -> Taken | None:
        columns = []
        for axis in range(len(self._people.axes)):
            a, b = mine[:, axis], theirs[:, axis]
            both = (a >= 0) & (b >= 0)
            levels = self._people.levels(axis)
            columns.append(Column(a=a[both], b=b[both], item=item[both], levels=levels))
        return taken(columns)

    def _of_persons(self, mine: IntArray) -> list[Copying]:
        """Set how often a judge agrees with each person against how often both do with others."""
        item, size = self._people.item, self._persons
        sums = np.zeros((3, size))
        cells, adds = [], []
        for axis in range(len(self._people.axes)):
            a, b = mine[:, axis], self._theirs[:, axis]
            rows = np.flatnonzero((a >= 0) & (b >= 0))
            levels = self._people.levels(axis)
            counts = np.zeros((len(self._people.items), levels))
            np.add.at(counts, (item[rows], b[rows]), 1)
            others = counts.sum(axis=1)[item] - 1
            rows = rows[others[rows] > 0]
            if not rows.size:
                continue
            place, of_others = item[rows], others[rows]
            equal = (a[rows] == b[rows]).astype(np.float64)
            to_judge = (counts[place, a[rows]] - equal) / of_others
            to_person = (counts[place, b[rows]] - 1) / of_others
            above = equal - to_judge - to_person + to_person.mean()
            who = self._who[rows]
            each = (above, equal, np.ones(len(rows)))
            sums += [np.bincount(who, weights=one, minlength=size) for one in each]
            cells.append(place * size + who)
            adds.append(above)
        if not cells:
            return []
        number = np.maximum(sums[2], 1)
        mean = sums[0] / number
        keys, cell = np.unique(np.concatenate(cells), return_inverse=True)
        who = keys % size
        rows_of = np.bincount(cell)
        away = np.bincount(cell, weights=np.concatenate(adds)) - rows_of * mean[who]
        items = np.bincount(who, minlength=size)
        error = np.sqrt(np.bincount(who, weights=away**2, minlength=size)) / number
        error *= np.sqrt(items / np.maximum(items - 1, 1))
        return [
            Copying(
                source=self._name(one),
                items=int(items[one]),
                share=float(mean[one]),
                equal=float(sums[1, one] / number[one]),
                p=float(special.stdtr(items[one] - 1, -(mean[one] - EXCESS) / error[one])),
            )
            for one in np.flatnonzero((items >= FEWEST_COPIED) & (error > 0)).tolist()
        ]

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


def _copy(source: str, items: int, equal: int) -> Copying:
    return Copying(source=source, items=items, share=equal / items, equal=equal / items, p=None)
