"""How far people agree among themselves, and a judge beside a second person.

Of an item with m ratings each is met with every other, m(m − 1) ordered pairs, each with the weight
1/(m − 1): every rating counts once, as it does when a judge is held against it.

Agreement is about models, and within pairs of models (single images: within models), where only who
looks at the images can agree. What models have in common is taken off by products of answers about
two items of one pair of models, cov = E[xy of one item] − E[xy of two], which has no bias however
few items there are.

That a judge agrees with a person as well as a second person does is a test of non-inferiority
(Blackwelder 1982, "Proving the null hypothesis in clinical trials", Controlled Clinical Trials 3):
its r less theirs, on the same ratings, lies above minus a margin. Errors are those of the
first-order expansion of both, over people and over items (`clustered.mean_error`). A product of two
people's answers moves with either, so that it counts twice among people and once among items.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.judges.clustered import (
    RowUnits,
    above,
    as_names,
    figure,
    mean_error,
    quadratic,
    r_figure,
    variance_of_people,
)
from hype.judges.results import CountedEstimate, PersonComparison, SecondPerson
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.resampling import jackknife_reach

if TYPE_CHECKING:
    from hype.judges.items import People
    from hype.judges.results import JudgeOptions

FEWEST_GROUPS: Final = 3
"""Pairs of models below which a correlation of their means says nothing."""
_NONE: Final = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class Met:
    """Answers of people, each met with a judge's; arrays of shape (n,).

    Both turned so that the first model of a pair of models comes first.
    """

    theirs: FloatArray
    judge: FloatArray
    units: RowUnits  # who answered, and what it was about
    # Answers of one number are about the same and met with each other; None where units say it
    same: IntArray | None = None
    group: IntArray  # the pair of models, or the model of a single image
    side: FloatArray  # −1 where the pair's second model made the first image, else 1

    def of(self, rows: BoolArray) -> Met:
        return Met(
            theirs=self.theirs[rows],
            judge=self.judge[rows],
            units=self.units.of(rows),
            same=None if self.same is None else self.same[rows],
            group=self.group[rows],
            side=self.side[rows],
        )

    @property
    def together(self) -> Met:
        """The same as they were given, of one group, so that no more than a mean is taken off."""
        return Met(
            theirs=self.theirs * self.side,
            judge=self.judge * self.side,
            units=self.units,
            same=self.same,
            group=np.zeros(len(self.side), dtype=np.int64),
            side=np.ones(len(self.side)),
        )

    @property
    def repeated(self) -> BoolArray:
        """Whether another person answered about the same item."""
        return np.bincount(self.questions)[self.questions] > 1

    @property
    def questions(self) -> IntArray:
        return self.items if self.same is None else self.same

    @property
    def apart_by(self) -> tuple[IntArray, ...]:
        """What two answers must not share, to have nothing in common but the models."""
        who = self.units.evaluator
        return (self.items,) if who is None else (self.items, who)

    @property
    def items(self) -> IntArray:
        return np.arange(len(self.side)) if self.units.item is None else self.units.item


def met_on(people: People, answers: FloatArray, axis: int) -> Met:
    """Meet a judge's answers with the ratings on an axis; what either lacks is left out.

    ``answers``: of each item, shape (I,).
    """
    side = people.side[people.item]
    mine, theirs = side * answers[people.item], side * people.ratings[:, axis]
    every = Met(
        theirs=theirs,
        judge=mine,
        units=RowUnits(evaluator=people.evaluator, item=people.item),
        group=people.models[people.item],
        side=side,
    )
    return every.of(~(np.isnan(mine) | np.isnan(theirs)))


def _apart(
    a: FloatArray, b: FloatArray, group: IntArray, *ways: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Sum a·b over the pairs of rows of each group that share none of one or two units.

    Gives the sums and the numbers of pairs, shape (groups,).
    """
    size = int(group.max(initial=-1)) + 1

    def of_pairs(codes: IntArray) -> tuple[FloatArray, FloatArray]:
        cell = codes.astype(np.int64) * size + group
        keys, cell = np.unique(cell, return_inverse=True)
        sums = [np.bincount(cell, weights=each) for each in (a, b)]
        squares = np.square(np.bincount(cell).astype(np.float64))
        of_group = (sums[0] * sums[1], squares)
        products, number = (np.bincount(keys % size, each, minlength=size) for each in of_group)
        return products.astype(np.float64), number.astype(np.float64)

    total, pairs = of_pairs(np.zeros_like(group))
    for codes in ways:
        products, number = of_pairs(codes)
        total, pairs = total - products, pairs - number
    if len(ways) > 1:
        products, number = of_pairs(ways[0] * (int(ways[1].max(initial=0)) + 1) + ways[1])
        total, pairs = total + products, pairs + number
    return total, pairs


@dataclass(frozen=True, kw_only=True, eq=False)
class PairedAgreement:
    """r of a judge and of a second person, on the same ratings, and what each rating adds."""

    units: RowUnits
    judge: float
    person: float  # NaN where no other person answered
    judge_adds: FloatArray  # shape (n,), as the following
    # among people, and among items
    person_adds: FloatArray
    person_adds_to_items: FloatArray

    def of_judge(self, confidence: float) -> CountedEstimate:
        return r_figure(self.judge, self.judge_adds, self.units, confidence)

    def of_person(self, confidence: float) -> CountedEstimate:
        return r_figure(
            self.person, self.person_adds, self.units, confidence, self.person_adds_to_items
        )

    @property
    def difference(self) -> float:
        return self.judge - self.person

    @property
    def _adds(self) -> tuple[FloatArray, FloatArray]:
        return (
            self.judge_adds - self.person_adds,
            self.judge_adds - self.person_adds_to_items,
        )

    def of_difference(self, confidence: float) -> CountedEstimate:
        own, of_items = self._adds
        return figure(self.difference, own, self.units, confidence, of_items)

    def p_below(self, margin: float) -> float:
        """One-sided p of the judge's r being lower than a person's by the margin or more."""
        own, of_items = self._adds
        return above(self.difference + margin, *mean_error(own, self.units, of_items))

    def p_not_below(self, *, as_one: bool = False) -> float:
        """One-sided p of the judge's r being no lower than a person's.

        ``as_one``: whether people differ in how far they agree, and a judge may be any of them.
        """
        own, of_items = self._adds
        error, df = mean_error(own, self.units, of_items)
        if as_one:
            variance = variance_of_people(self.person_adds_to_items, self.units)
            error = float(np.hypot(error, np.sqrt(max(0.0, variance))))
        return above(-self.difference, error, df)


def paired_agreement(met: Met) -> PairedAgreement | None:
    """Compare a judge with a second person; None where nothing varies or can be told apart.

    ``met``: of a pair of models with a single item nothing is learned, and it is left out. A judge
    whose answers do not vary has r = 0.
    """
    pairs = _apart(met.theirs, met.theirs, met.group, *met.apart_by)[1]
    met = met.of(pairs[met.group] > 0)
    if not met.side.size:
        return None
    group, item, n = met.group, met.items, len(met.side)
    rows = np.bincount(group)
    there = rows > 0

    def common(a: FloatArray, b: FloatArray, *units: IntArray) -> float:
        sums, number = _apart(a, b, group, *units)
        return float((rows[there] * sums[there] / number[there]).sum()) / n

    mine, theirs = met.judge, met.theirs
    shared = common(theirs, theirs, *met.apart_by)
    variance = float((theirs**2).mean()) - shared
    own = float((mine**2).mean()) - common(mine, mine, item)
    if variance < _NONE:
        return None
    spread, flat = np.sqrt(variance), own < _NONE
    x, t = (
        each - (np.bincount(group, each) / np.maximum(rows, 1))[group] for each in (mine, theirs)
    )
    t, r, adds = t / spread, 0.0, np.zeros(n)
    if not flat:
        x = x / np.sqrt(own)
        r = (float((mine * theirs).mean()) - common(mine, theirs, item)) / (spread * np.sqrt(own))
        r = float(np.clip(r, -1.0, 1.0))
        adds = _centred(x * t - r / 2 * (x**2 + t**2))
    person, to_people, to_items = _of_others(met, t, shared, variance)
    return PairedAgreement(
        units=met.units,
        judge=r,
        person=person,
        judge_adds=adds,
        person_adds=to_people,
        person_adds_to_items=to_items,
    )


def _of_others(
    met: Met, t: FloatArray, shared: float, variance: float
) -> tuple[float, FloatArray, FloatArray]:
    """Give r of a second person, and what each answer adds to it among people and among items.

    ``t``: the answers, standardised within groups.
    """
    same, theirs = met.questions, met.theirs
    number = np.bincount(same)[same]
    if not (number > 1).all():
        return np.nan, np.zeros(len(t)), np.zeros(len(t))
    others = (np.bincount(same, weights=theirs)[same] - theirs) / (number - 1)
    person = float(np.clip(((theirs * others).mean() - shared) / variance, -1.0, 1.0))
    product = t * (np.bincount(same, weights=t)[same] - t) / (number - 1)
    return person, _centred(2 * product - person * t**2), _centred(product - person * t**2)


def _centred(values: FloatArray) -> FloatArray:
    centred: FloatArray = values - values.mean()
    return centred


def within_models(met: Met, confidence: float) -> CountedEstimate | None:
    """Give r of a judge with people within pairs of models; None where there are no two of them."""
    if len(np.unique(met.group)) < 2:
        return None
    paired = paired_agreement(met)
    return None if paired is None else paired.of_judge(confidence)


def about_models(met: Met, *, pairs: bool, confidence: float) -> CountedEstimate | None:
    """Give r of mean answers, each pair of models (or model) weighing as much as it was rated.

    Of pairs r is taken around 0, so that it does not depend on which model comes first; of single
    images around the mean. None for fewer than
    `FEWEST_GROUPS`, and where either's means do not vary.
    """
    rows = np.bincount(met.group)
    if (rows > 0).sum() < FEWEST_GROUPS:
        return None
    weight = rows / rows.sum()
    sides = []
    for answers in (met.judge, met.theirs):
        values = answers if pairs else answers - answers.mean()
        mean = np.bincount(met.group, weights=values) / np.maximum(rows, 1)
        spread = float(np.sqrt((weight * mean**2).sum()))
        if spread < _NONE:
            return None
        sides.append((mean[met.group] / spread, (values - mean[met.group]) / spread))
    (own, x), (theirs, t) = sides
    r = float(np.clip((own * theirs).mean(), -1.0, 1.0))
    adds = own * t + theirs * x - r * (own * x + theirs * t)
    return r_figure(r, adds, met.units, confidence)


def beside_person(met: Met, options: JudgeOptions) -> PersonComparison | None:
    """Tell whether a judge agrees with a person as well as a second person does.

    On the ratings of items that two people or more rated; None where there is none, or who rated is
    unknown. p is the largest of three: of r, of r within pairs of models, and of the latter being
    no more than 0 (Berger's intersection-union test, 1982).
    """
    met = met.of(met.repeated)
    whole = paired_agreement(met.together) if met.side.size else None
    if met.units.evaluator is None or whole is None:
        return None
    people, items = (len(np.unique(each)) for each in (met.units.evaluator, met.items))
    within = paired_agreement(met) if len(np.unique(met.group)) > 1 else None
    looks = within or whole
    p = [each.p_below(options.margin) for each in (whole, looks)]
    p.append(above(looks.judge, *mean_error(looks.judge_adds, looks.units)))
    less = 2 * min(each.p_not_below() for each in (whole, looks)) if within else whole.p_not_below()
    enough = min(people, items) >= options.fewest_people
    p_values = (max(p), min(1.0, less)) if enough else (None, None)
    return PersonComparison(
        judge=whole.judge,
        person=whole.person,
        difference=whole.of_difference(options.confidence),
        within_person=within.of_person(options.confidence) if within else None,
        within_difference=within.of_difference(options.confidence) if within else None,
        evaluators=people,
        items=items,
        p=p_values[0],
        p_holm=p_values[0],
        p_less=p_values[1],
        p_less_holm=p_values[1],
    )


_SUMS: Final = 6
"""Ratings, their sum, squares, products, and agreement by names and by squares; then counts."""


def second_person(people: People, axis: int, *, confidence: float) -> SecondPerson:
    """Hold people against each other on an axis: what a judge may at best be asked to do.

    Pearson's r and κ of the pairs of ratings stand beside those of a judge. Intervals of κ are by
    the jackknife over evaluators, those of r over evaluators and items.
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
        return SecondPerson(
            axis=name, r=None, within=None, kappa=None, weighted=None, ratings=0, items=0
        )
    values, reach, r, within = _estimates(total), np.full(3, np.nan), None, None
    if people.evaluator is not None:
        without = counts[item] - np.eye(levels)[level]
        parts = _sums(without) - of_item[item]
        has_others = counts[item].sum(axis=1) >= 2
        reach = _reach(total, parts, people.evaluator[there], has_others, confidence)
        r, within = _on_ratings(people, axis, values[0], confidence)
    kappa, weighted = (_figure(values[i], reach[i], ratings) for i in (1, 2))
    return SecondPerson(
        axis=name,
        r=r or _figure(values[0], np.nan, ratings),
        within=within,
        kappa=kappa,
        weighted=weighted,
        ratings=ratings,
        items=items,
    )


def _on_ratings(
    people: People, axis: int, r: float, confidence: float
) -> tuple[CountedEstimate | None, CountedEstimate | None]:
    """Give r of two people, and that within pairs of models, with intervals."""
    met = met_on(people, np.zeros(len(people.items)), axis)
    met = met.of(met.repeated)
    whole = None if np.isnan(r) else paired_agreement(met.together)
    if whole is None:
        return None, None
    within = paired_agreement(met) if len(np.unique(met.group)) > 1 else None
    return (
        replace(whole, person=float(r)).of_person(confidence),
        within.of_person(confidence) if within else None,
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
    had = np.bincount(own, weights=has_others, minlength=len(number)) > 0
    counted = np.broadcast_to(had[:, None], left_out.shape)
    return jackknife_reach(left_out, counted, confidence=confidence)


def _figure(value: float, reach: float, n: int) -> CountedEstimate:
    if np.isnan(value):
        return CountedEstimate(value=None, low=None, high=None, n=n)
    if np.isnan(reach):
        return CountedEstimate(value=float(value), low=None, high=None, n=n)
    low, high = max(-1.0, value - reach), min(1.0, value + reach)
    return CountedEstimate(value=float(value), low=float(low), high=float(high), n=n)
