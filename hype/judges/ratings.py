"""Automated judges held against people's ratings."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hype.judges.files import Judges
from hype.judges.intervals import (
    RowUnits,
    as_names,
    correlate,
    estimate_share,
    kappa_of,
    quadratic,
)
from hype.judges.items import JudgeAnswers, People, match_judges, people_in
from hype.judges.results import (
    AxisAgreement,
    CorrelationsBetweenAxes,
    CountedEstimate,
    FirstImage,
    JudgeAgreement,
    JudgeOptions,
    RatingJudgesScore,
    TruthAgreement,
)
from hype.judges.second_person import compare_r, meet_second_person
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import correlation_matrix
from hype.tables.scales import NO, NOT_RELEVANT, YES

ALIKE = "alike"
"""The one answer of scores that are equal for both images of every pair."""


def judge_ratings(
    ratings: pd.DataFrame, judges: Judges, options: JudgeOptions | None = None
) -> RatingJudgesScore:
    """Hold judges against people's ratings.

    Parameters
    ----------
    ratings
        Those that are scored.
    judges
        As `read_judges` returns them.
    options
        The choices; None for the usual ones.

    Raises
    ------
    InputError
        A judge names an item, image or axis that people did not rate, gives
        an answer that is not on the scale, or scores without an axis where there are several and
        none is the overall one. The message names the file and the row.

    Notes
    -----
    An item that a judge did not answer is no error: the judge is held against people on what it
    answered, and its coverage is told. What it or people called not relevant is in no figure but
    that.
    """
    options = options or JudgeOptions()
    people = people_in(ratings, options.scale, first=options.axes)
    overall = options.overall if options.overall in people.axes else None
    agreements = [
        _agree(each, people, options)
        for each in match_judges(judges, people, overall=options.overall)
    ]
    return RatingJudgesScore(
        axes=people.axes,
        overall=overall,
        pairs=people.pairs,
        people=tuple(
            meet_second_person(people, axis, options.confidence) for axis in range(len(people.axes))
        ),
        judges=tuple(sorted(agreements, key=lambda each: _best_first(each, overall))),
        confidence=options.confidence,
        margin=options.margin,
        notes=_notes(people),
    )


def _best_first(judge: JudgeAgreement, overall: str | None) -> tuple[bool, float, str]:
    r = judge.mean_r if overall is None else judge.axis(overall).r.value
    r = judge.mean_r if r is None else r
    return r is None, -(r or 0.0), judge.judge


def _notes(people: People) -> tuple[str, ...]:
    who = "evaluators" if people.evaluator is not None else "answers (evaluators are unknown)"
    also = " and items" if people.repeated and people.evaluator is not None else ""
    notes = [
        "Each rating by a person is compared with the judge's answer to the same item and axis. "
        "What either called not relevant is left out.",
        f"Intervals allow for other {who}{also}.",
    ]
    if people.pairs:
        notes.append(
            "A judge that scores images prefers the one with the higher score. Its r is that of "
            "the difference of the scores, and its κ that of which image is better, where both "
            "prefer one. κ of other judges takes all levels as names."
        )
    return tuple(notes)


def _agree(judge: JudgeAnswers, people: People, options: JudgeOptions) -> JudgeAgreement:
    axes = tuple(agree_on_axis(judge, people, axis, options) for axis in range(len(people.axes)))
    correlations = [row.r.value for row in axes if row.r.value is not None]
    return JudgeAgreement(
        judge=judge.judge,
        shape=judge.shape,
        answered=sum(row.answered for row in axes),
        asked=sum(row.items for row in axes if row.answered),
        missing=dict(judge.missing),
        axes=axes,
        mean_r=float(np.mean(correlations)) if correlations else None,
        between_axes=_correlate_axes(judge, people),
        first_image=count_first(judge, people, options.confidence),
    )


def agree_on_axis(
    judge: JudgeAnswers, people: People, axis: int, options: JudgeOptions
) -> AxisAgreement:
    """Hold a judge against people on an axis."""
    confidence, mine = options.confidence, judge.numbers[:, axis]
    both = ~(np.isnan(mine[people.item]) | np.isnan(people.ratings[:, axis]))
    units = RowUnits(evaluator=people.evaluator, item=people.item if people.repeated else None)
    units, x, y = units.of(both), mine[people.item][both], people.ratings[both, axis]
    kappa, weighted, same = _kappas(judge, people, axis, (x, y), units, confidence)
    asked = people.asked[:, axis]
    answered = judge.answered[:, axis] & asked
    difference = compare_r(mine, people, axis, confidence)
    truths = _truths(judge, people, axis, confidence)
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
        truth=truths[0],
        people_truth=truths[1],
    )


def _kappas(
    judge: JudgeAnswers,
    people: People,
    axis: int,
    answers: tuple[FloatArray, FloatArray],
    units: RowUnits,
    confidence: float,
) -> tuple[CountedEstimate | None, CountedEstimate | None, CountedEstimate | None]:
    """Give κ, weighted κ, and how often both prefer the same image."""
    x, y = answers
    kappa, weighted, same = None, None, None
    if judge.shape == "answers":
        a, b, levels = people.level(x, axis), people.level(y, axis), people.levels(axis)
        kappa, weighted = (
            kappa_of(a, b, weights(levels), units, confidence) for weights in (as_names, quadratic)
        )
    if people.pairs:
        decided = (x != 0) & (y != 0)
        first, theirs = ((each[decided] > 0).astype(np.int64) for each in (x, y))
        of_decided = units.of(decided)
        same = estimate_share((first == theirs).astype(float), of_decided, confidence)
        if judge.shape == "scores":
            kappa = kappa_of(first, theirs, as_names(2), of_decided, confidence)
    return kappa, weighted, same


def _constant(judge: JudgeAnswers, people: People, axis: int, answered: BoolArray) -> str:
    """Give the one answer to everything; empty where there are several, or too few to tell."""
    # Who always takes what is shown first has one mean of both orders, and gave two answers.
    if judge.both_orders is not None and judge.both_orders.first.size:
        return ""
    values = judge.numbers[answered, axis]
    relevant = values[~np.isnan(values)]
    if len(values) < 2 or (relevant.size and (np.ptp(relevant) or relevant.size < values.size)):
        return ""
    if not relevant.size:
        return NOT_RELEVANT
    value = float(relevant[0])
    if judge.shape == "scores":
        return ALIKE if people.pairs and not value else f"{value:g}"
    if people.kinds[axis] == "yes-no":
        return YES if value else NO
    return f"{(people.scale.levels + 1) / 2 - value if people.pairs else value:g}"


def _truths(
    judge: JudgeAnswers, people: People, axis: int, confidence: float
) -> tuple[TruthAgreement | None, TruthAgreement | None]:
    """Hold a judge, and people, against what is right."""
    if people.truth is None:
        return None, None
    truth, words = people.truth[:, axis], people.kinds[axis] == "yes-no"
    mine = np.where(people.asked[:, axis], judge.numbers[:, axis], np.nan)
    items = RowUnits(evaluator=None, item=None)
    raters = RowUnits(evaluator=people.evaluator, item=people.item if people.repeated else None)
    of_judge = words and judge.shape == "answers"
    return (
        _against(mine, truth, items, confidence, words=of_judge),
        _against(people.ratings[:, axis], truth[people.item], raters, confidence, words=words),
    )


def _against(
    answers: FloatArray, truth: FloatArray, units: RowUnits, confidence: float, *, words: bool
) -> TruthAgreement | None:
    both = ~(np.isnan(answers) | np.isnan(truth))
    if not both.any():
        return None
    answers, truth, units = answers[both], truth[both], units.of(both)
    if words:
        right = (answers == truth).astype(float)
        return TruthAgreement(right=estimate_share(right, units, confidence), r=None)
    return TruthAgreement(right=None, r=correlate(answers, truth, units, confidence))


def _correlate_axes(judge: JudgeAnswers, people: People) -> CorrelationsBetweenAxes | None:
    wide = judge.numbers[people.item]
    both = ~(np.isnan(wide) | np.isnan(people.ratings))
    if people.evaluator is None:  # of several answers nobody knows which axes are one person's
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
    return CorrelationsBetweenAxes(
        axes=tuple(people.axes[i] for i in used),
        judge=tuple(map(tuple, of_judge.tolist())),
        people=tuple(map(tuple, of_people.tolist())),
    )


def count_first(judge: JudgeAnswers, people: People, confidence: float) -> FirstImage | None:
    """Count how often a judge and people prefer the first image; None for single images.

    A judge that was asked in both orders is its own control: who looks at the images alone takes
    either place equally often. Answers about one item are alike, so that items are the units.
    """
    if not people.pairs:
        return None
    asked = judge.both_orders
    if asked is not None:
        share = estimate_share(asked.first, _of_items(asked.item), confidence)
        return FirstImage(judge=share, people=None, same=asked.same, both=asked.both)
    turn = np.ones(len(people.items)) if judge.shown is None else judge.shown
    mine = np.where(people.asked, np.sign(judge.numbers), np.nan) * turn[:, None]
    theirs = np.sign(people.ratings) * turn[people.item, None]
    theirs = np.where(np.isnan(mine[people.item]), np.nan, theirs)
    item, row = (np.nonzero(np.abs(each) == 1) for each in (mine, theirs))
    units = RowUnits(
        evaluator=None if people.evaluator is None else people.evaluator[row[0]],
        item=people.item[row[0]],
    )
    return FirstImage(
        judge=estimate_share((mine[item] > 0).astype(float), _of_items(item[0]), confidence),
        people=estimate_share((theirs[row] > 0).astype(float), units, confidence),
    )


def _of_items(item: IntArray) -> RowUnits:
    return RowUnits(evaluator=None, item=item)
