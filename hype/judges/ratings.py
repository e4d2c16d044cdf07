"""Automated judges compared with people's ratings, and people with each other.

Each rating is compared with the other ratings of the same item. An item with m ratings gives
m(m − 1) ordered pairs, each with the weight 1/(m − 1). So every rating counts once, as in the
comparison with a judge. A product of two people's ratings depends on both people, so it counts
twice in the error over people, but once in the error over items (`results.mean_error`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from hype.judges.files import Judges
from hype.judges.items import JudgeAnswers, People, match_judges, people_in
from hype.judges.results import (
    AxisAgreement,
    CountedEstimate,
    JudgeAgreement,
    JudgeOptions,
    RatingJudgesScore,
    RowUnits,
    correlate,
    ends_of_difference,
    estimate_share,
    estimate_within_one,
    kappa_of,
    mean_error,
)
from hype.report.tabular import Row
from hype.statistics.agreement import kappa_and_influence, quadratic, weigh_names
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import correlation_matrix
from hype.statistics.estimate import Estimate
from hype.statistics.proportions import interval_within_one
from hype.study.scales import NO, NOT_RELEVANT, YES


def judge_ratings(
    ratings: pd.DataFrame, judges: Judges, options: JudgeOptions | None = None
) -> RatingJudgesScore:
    """Compare judges with people's scored ratings.

    If a judge leaves items out, it is compared with people on the items that it answered, and its
    coverage is reported. The answer "not relevant", by the judge or by people, counts only in the
    coverage.

    Raises InputError: a judge names an item, image or axis that people did not rate; an answer is
    not on the scale; scores name no axis although there are several axes and no overall axis.
    """
    options = options or JudgeOptions()
    people = people_in(ratings, options.scale, first=options.axes)
    overall = options.overall if options.overall in people.axes else None

    def agree(judge: JudgeAnswers) -> JudgeAgreement:
        axes = tuple(
            _agree_on_axis(judge, people, axis, options) for axis in range(len(people.axes))
        )
        correlations = [row.r.value for row in axes if row.r.value is not None]
        return JudgeAgreement(
            judge=judge.judge,
            shape=judge.shape,
            answered=sum(row.answered for row in axes),
            asked=sum(row.items for row in axes if row.answered),
            missing=dict(judge.missing),
            axes=axes,
            mean_r=float(np.mean(correlations)) if correlations else None,
            between_axes=correlate_axes(judge, people),
            first_image=count_first(judge, people, options.confidence),
        )

    def best_first(judge: JudgeAgreement) -> tuple[bool, float, str]:
        r = None if overall is None else judge.axis(overall).r.value
        r = judge.mean_r if r is None else r
        return r is None, -(r or 0.0), judge.judge

    who = "evaluators" if people.evaluator is not None else "answers (evaluators are unknown)"
    also = " and items" if people.has_repeats and people.evaluator is not None else ""
    notes = [
        "Each rating by a person is compared with the judge's answer to the same item and axis, "
        "unless either answer is “not relevant”.",
        f"Intervals generalise to other {who}{also}.",
    ]
    if people.pairs:
        notes.append(
            "A judge that scores images prefers the image with the higher score. Its r is computed "
            "from the difference of the two scores. Its κ compares preferred images, in pairs for "
            "which judge and person both prefer one. κ of other judges is unweighted."
        )
    agreements = map(agree, match_judges(judges, people, overall=options.overall))
    return RatingJudgesScore(
        axes=people.axes,
        overall=overall,
        pairs=people.pairs,
        people=tuple(
            meet_second_person(people, axis, options.confidence) for axis in range(len(people.axes))
        ),
        judges=tuple(sorted(agreements, key=best_first)),
        confidence=options.confidence,
        margin=options.margin,
        notes=tuple(notes),
    )


def _agree_on_axis(
    judge: JudgeAnswers, people: People, axis: int, options: JudgeOptions
) -> AxisAgreement:
    confidence, mine = options.confidence, judge.numbers[:, axis]
    both = ~(np.isnan(mine[people.item]) | np.isnan(people.ratings[:, axis]))
    units, x, y = people.units.select(both), mine[people.item][both], people.ratings[both, axis]
    kappa, weighted, same = None, None, None
    if judge.shape == "answers":
        a, b, levels = people.level(x, axis), people.level(y, axis), people.levels(axis)
        kappa, weighted = (
            kappa_of(a, b, weights(levels), units, confidence)
            for weights in (weigh_names, quadratic)
        )
    if people.pairs:
        decided = (x != 0) & (y != 0)
        first, theirs = ((each[decided] > 0).astype(np.int64) for each in (x, y))
        of_decided = units.select(decided)
        same = estimate_share((first == theirs).astype(float), of_decided, confidence)
        if judge.shape == "scores":
            kappa = kappa_of(first, theirs, weigh_names(2), of_decided, confidence)
    asked = people.asked[:, axis]
    answered = judge.answered[:, axis] & asked
    difference = compare_r(mine, people, axis, confidence)
    return AxisAgreement(
        axis=people.axes[axis],
        answered=int(answered.sum()),
        items=int(asked.sum()),
        not_relevant=int((answered & np.isnan(mine)).sum()),
        constant=_constant(judge, people, axis, answered),
        r=correlate(x, y, units, confidence),
        kappa=kappa,
        weighted=weighted,
        same_image=same,
        difference=difference,
        verdict=options.verdict(difference),
        truth=_compare_with_truth(judge, people, axis, confidence),
    )


def _constant(judge: JudgeAnswers, people: People, axis: int, answered: BoolArray) -> str:
    """Return the answer that a judge always gave; empty if it gave several, or too few answers."""
    # If pairs were asked in both orders, a judge that always prefers the image shown first has the
    # same mean for every pair, but gave two different answers.
    if judge.both_orders is not None and judge.both_orders["first"].size:
        return ""
    values = judge.numbers[answered, axis]
    relevant = values[~np.isnan(values)]
    if len(values) < 2 or (relevant.size and (np.ptp(relevant) or relevant.size < values.size)):
        return ""
    if not relevant.size:
        return NOT_RELEVANT
    value = float(relevant[0])
    if judge.shape == "scores":
        return "alike" if people.pairs and not value else f"{value:g}"
    if people.kinds[axis] == "yes-no":
        return YES if value else NO
    return f"{(people.scale.levels + 1) / 2 - value if people.pairs else value:g}"


def _compare_with_truth(
    judge: JudgeAnswers, people: People, axis: int, confidence: float
) -> Row | None:
    if people.truth is None:
        return None
    truth, words = people.truth[:, axis], people.kinds[axis] == "yes-no"
    mine = np.where(people.asked[:, axis], judge.numbers[:, axis], np.nan)
    found: Row = dict.fromkeys(("right", "r", "people_right", "people_r"))
    for who, answers, right, units, of_words in (
        ("", mine, truth, RowUnits(), words and judge.shape == "answers"),
        ("people_", people.ratings[:, axis], truth[people.item], people.units, words),
    ):
        both = ~(np.isnan(answers) | np.isnan(right))
        x, t, of_both = answers[both], right[both], units.select(both)
        if not both.any():
            continue
        if of_words:
            same = (x == t).astype(float)
            found[f"{who}right"] = estimate_share(same, of_both, confidence)
        else:
            found[f"{who}r"] = correlate(x, t, of_both, confidence)
    return found if found["right"] or found["r"] else None


def correlate_axes(judge: JudgeAnswers, people: People) -> Row | None:
    """Correlate the `axes` with each other; return matrices of r, for the `judge` and `people`.

    Only items that both the judge and people answered count, once for each rating. r is NaN if the
    answers on an axis do not vary.
    """
    wide = judge.numbers[people.item]
    both = ~(np.isnan(wide) | np.isnan(people.ratings))
    # without evaluators, it is unknown which answers to an item are from the same person
    if people.evaluator is None:
        both &= (np.bincount(people.item)[people.item] == 1)[:, None]
    used = np.flatnonzero(both.any(axis=0))
    if len(used) < 2:
        return None
    of_judge, of_people = (
        correlation_matrix(np.where(both, each, np.nan)[:, used]).r
        for each in (wide, people.ratings)
    )
    if np.isnan(of_judge[np.triu_indices(len(used), 1)]).all():
        return None
    axes = tuple(people.axes[i] for i in used)
    return {"axes": axes, "judge": of_judge.tolist(), "people": of_people.tolist()}


def count_first(judge: JudgeAnswers, people: People, confidence: float) -> Row | None:
    """Count how often a judge and people prefer the image shown first; None for single images.

    A judge that was asked in both orders is not compared with people: without a bias, half of its
    answers prefer the image shown first. Answers about one item are similar, so items are the
    units. Returns how often the image shown first is preferred, among answers that prefer an image:
    by the `judge`, and by `people` on the same items and axes (None if the judge was asked in both
    orders). `both`, `same`: as in `JudgeAnswers.both_orders`; None if each pair was shown in one
    order.
    """
    if not people.pairs:
        return None
    asked = judge.both_orders
    if asked is not None:
        share = estimate_share(asked["first"], RowUnits(item=asked["item"]), confidence)
        return {"judge": share, "people": None, "same": asked["same"], "both": asked["both"]}
    turn = np.ones(len(people.items)) if judge.shown is None else judge.shown
    mine = np.where(people.asked, np.sign(judge.numbers), np.nan) * turn[:, None]
    theirs = np.sign(people.ratings) * turn[people.item, None]
    theirs = np.where(np.isnan(mine[people.item]), np.nan, theirs)
    item, row = (np.nonzero(np.abs(each) == 1) for each in (mine, theirs))
    units = RowUnits(
        evaluator=None if people.evaluator is None else people.evaluator[row[0]],
        item=people.item[row[0]],
    )
    alone = RowUnits(item=item[0])
    return {
        "judge": estimate_share((mine[item] > 0).astype(float), alone, confidence),
        "people": estimate_share((theirs[row] > 0).astype(float), units, confidence),
        "same": None,
        "both": None,
    }


_FLAT: Final = 1e-12


def meet_second_person(people: People, axis: int, confidence: float) -> Row:
    """Compare people with each other on an axis, by the same statistics as judges with people.

    Each rating is compared with the other ratings of its item. If no item has two ratings, r and κ
    are None.
    """
    there = _is_shared(people, people.ratings[:, axis])
    ratings, item = people.ratings[there, axis], people.item[there]
    items, levels = len(np.unique(item)), people.levels(axis)
    if not items:
        return {"axis": people.axes[axis], "r": None, "kappa": None, "weighted": None, "items": 0}
    units = RowUnits(evaluator=people.evaluator, item=people.item).select(there)
    given = np.eye(levels)[people.level(ratings, axis)]
    others = _mean_of_others(given, item)
    unknown = CountedEstimate(n=len(ratings))

    def kappa(weights: FloatArray) -> CountedEstimate:
        value, influence = kappa_and_influence(given.T @ others / len(given), weights)
        adds = ((given @ influence) * others).sum(axis=1)
        if value is None:
            return unknown
        return estimate_within_one(value, 2 * adds, units, confidence, of_items=adds)

    r, adds, of_items = _product_moment(ratings, item)
    return {
        "axis": people.axes[axis],
        "r": unknown
        if np.isnan(r)
        else estimate_within_one(r, adds, units, confidence, of_items=of_items),
        "kappa": kappa(weigh_names(levels)),
        "weighted": kappa(quadratic(levels)),
        "items": items,
    }


def _is_shared(people: People, values: FloatArray) -> BoolArray:
    """Mark rows that have a value, if another row of the same item also has one."""
    there = ~np.isnan(values)
    return there & (np.bincount(people.item[there], minlength=len(people.items)) > 1)[people.item]


def compare_r(
    answers: FloatArray, people: People, axis: int, confidence: float
) -> CountedEstimate | None:
    """Return a judge's r minus a second person's, on items that two or more people rated.

    ``answers``: the judge's answer to each item, shape (I,); NaN for no answer. Returns None if
    there are no such items, or if the judge's answers or the ratings do not vary.
    """
    theirs, mine = people.ratings[:, axis], answers[people.item]
    there = _is_shared(people, theirs + mine)
    if not there.any():
        return None
    theirs, mine, item = theirs[there], mine[there], people.item[there]
    units = RowUnits(evaluator=people.evaluator, item=people.item).select(there)
    person, of_people, of_items = _product_moment(theirs, item)
    if np.isnan(person) or np.ptp(mine) < _FLAT:
        return None
    x, t = ((each - each.mean()) / each.std() for each in (mine, theirs))
    judge = float((x * t).mean())
    low, high = None, None
    if len(units.ways) == 2:
        weight = (x**2 + t**2) / 2
        adds = x * t - judge * weight
        left = adds * _jackknife_factor(weight, units), of_items * _jackknife_factor(t**2, units)
        errors = [
            mean_error(among_people, units, among_items)
            for among_people, among_items in (
                (adds, left[0]),
                (of_people, left[1]),
                (adds - of_people, left[0] - left[1]),
            )
        ]
        # A judge with one answer per item has the highest r if each answer is the item's mean
        means = np.bincount(item, t) / np.maximum(np.bincount(item), 1)
        most = float(np.sqrt(np.square(means[item]).mean()))
        if min(errors[0].standard, errors[1].standard, most) >= _FLAT:
            both = []  # each r and its interval, from Fisher's z of r / maximum
            for r, error, highest in ((judge, errors[0], most), (person, errors[1], 1.0)):
                ends = interval_within_one(r / highest, error.reach(confidence) / highest)
                share = Estimate(value=r / highest, low=ends[0], high=ends[1])
                both.append(share.scale(highest))
            low, high = ends_of_difference(both[0], both[1], errors)
    return CountedEstimate(value=judge - person, low=low, high=high, n=len(mine))


def _jackknife_factor(weight: FloatArray, units: RowUnits) -> FloatArray:
    """Return the factor that turns the influence of each item into its jackknife value.

    The factor is (1 - 1/I)/(1 - h), where h is the item's share of ``weight``, shape (n,). To first
    order, the error over items is then that of the jackknife; this matters if items are few.
    """
    item = units.ways[1][0]
    share = np.bincount(item, weight) / weight.sum()
    left: FloatArray = (1 - 1 / units.ways[1][1]) / np.maximum(1 - share, _FLAT)
    return left[item]


def _mean_of_others(given: FloatArray, item: IntArray) -> FloatArray:
    """For each answer, return the mean of the other answers to its item; shape (n, k)."""
    sums = np.zeros((int(item.max()) + 1, given.shape[1]))
    np.add.at(sums, item, given)
    number = np.bincount(item)[item]
    means: FloatArray = (sums[item] - given) / (number - 1)[:, None]
    return means


def _product_moment(ratings: FloatArray, item: IntArray) -> tuple[float, FloatArray, FloatArray]:
    """Return two people's r, and each rating's influence on it: over people, and over items."""
    spread = float(ratings.std())
    if spread < _FLAT:
        return np.nan, np.zeros(len(ratings)), np.zeros(len(ratings))
    t = (ratings - ratings.mean()) / spread
    product = t * _mean_of_others(t[:, None], item)[:, 0]
    r = float(np.clip(product.mean(), -1.0, 1.0))
    return r, 2 * product - r * t**2 - r, product - r * t**2
