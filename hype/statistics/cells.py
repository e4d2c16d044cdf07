"""Scores of each condition within each group of evaluators, of images or of prompts.

A cell is a condition within a group. Cells share people and images; `hype.statistics.crossed` takes
this into account. θ̂_cg is the estimate of condition c in group g, and V the covariance of all
estimates.

**Variances of few people.** The errors of a condition's estimates in its groups have a common part,
with variance v_c (their mean covariance), and separate parts, with variances d_cg = V_cg,cg − v_c.
A variance from few people is uncertain, so d_cg is moderated: it is replaced by a mean of the
observed d_cg, weighted by its degrees of freedom, and s_c²/n_cg, weighted by `PRIOR_FREEDOM`. Here
n_cg is the number of answers, and s_c² the condition's mean of n_cg·d_cg over groups (Smyth 2004,
"Linear models and empirical Bayes methods for assessing differential expression", Statistical
Applications in Genetics and Molecular Biology 3). The test and the totals use the moderated d_cg.

**Interaction.** The test asks whether the difference between conditions depends on the group. A
linear model of the cells has one effect per condition and one per group; the weight of a cell is
n_cg/s_c². The weighted sum of squares of the residuals is divided by its expectation Σλ, where λ
are the eigenvalues of the residuals' weighted covariance. The quotient is compared with Fisher's F
with (Σλ)²/Σλ² and (Σλ)²/Σ(λ²/ν) degrees of freedom, where ν are the degrees of freedom of λ, which
is the variance of a contrast of cells (an eigenvector). The second number is at most the result of
the same formula with the cells' own variances in place of λ, since different contrasts depend on
the variances of the same cells (Box 1954, "Some theorems on quadratic forms applied in the study of
analysis of variance problems", Annals of Mathematical Statistics 25; Brunner, Dette and Munk 1997,
"Box-type approximations in nonparametric factorial designs", JASA 92; here with the covariance of
people and images). No covariance is inverted, so few people are enough.

**Totals** for a population with group shares w_g are Σ w_g·θ̂_cg (Holt and Smith 1979, "Post
stratification", JRSS A 142).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from scipy import special
from scipy.sparse import csr_array

from hype.statistics.anova import Anova
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import Crossed, Error
from hype.statistics.estimate import Estimate
from hype.statistics.paired_counts import EvaluatorCounts
from hype.statistics.pairs import Pair
from hype.statistics.proportions import holm_known, make_share, mean_on_scale, number_or_none
from hype.statistics.resampling import FEWEST_PEOPLE

PRIOR_FREEDOM: Final = 4.0
_TINY: Final = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class CellEstimates:
    """The estimates of C cells, with their covariance."""

    conditions: tuple[str, ...]
    groups: tuple[str, ...]
    # condition, group: index of each cell's condition and group; these and all below have shape
    # (C,)
    condition: IntArray
    group: IntArray
    values: FloatArray
    people: IntArray  # how many people answered
    answers: IntArray  # how many answers there are
    crossed: Crossed  # the people, images and errors of the values, in the same order
    whole: float | None = None  # the value that means 100 %, if values are shares of answers
    # The lowest and highest value of the scale, if values are means on a scale
    scale: tuple[float, float] | None = None
    # Further numbers by name, such as errors on fakes; NaN where a number is missing
    parts: Mapping[str, FloatArray] = field(default_factory=dict)


def cell_means(
    names: tuple[Sequence[str], Sequence[str]],
    condition: IntArray,
    group: IntArray,
    values: FloatArray,
    people: IntArray,
    items: IntArray | None,
    *,
    stratum: IntArray | None = None,
    whole: float | None = None,
    scale: tuple[float, float] | None = None,
) -> CellEstimates:
    """Make cells from means of answers.

    ``names``: the conditions' names and the groups' names. ``condition``, ``group``: the index of
    each answer's condition and group; ``values``: its value; all have shape (answers,). ``people``,
    ``items``: as in `Crossed`. ``whole``, ``scale``: as in `CellEstimates`. ``stratum``: the level
    (from 0) of another factor that changes an answer's value, such as the other condition of a
    comparison. A cell's mean is adjusted to the mix of strata in its condition: it is the
    condition's mean, plus the mean deviation of the cell's answers from the means of their strata.
    """
    cell_of = condition * len(names[1]) + group
    kept, cell = np.unique(cell_of, return_inverse=True)
    strata = condition if stratum is None else condition * (int(stratum.max()) + 1) + stratum
    left = values - _means(strata, values)[strata]
    number = np.bincount(cell)
    mean = _means(cell, left)
    share = 1 / number
    places, shape = (np.arange(len(cell)), cell), (len(cell), len(kept))
    crossed = Crossed(
        csr_array(((left - mean[cell]) * share[cell], places), shape=shape),
        csr_array((share[cell], places), shape=shape),
        people,
        items,
        bounded=True,
    )
    who = np.unique(people.astype(np.int64) * len(kept) + cell) % len(kept)
    return CellEstimates(
        conditions=tuple(names[0]),
        groups=tuple(names[1]),
        condition=kept // len(names[1]),
        group=kept % len(names[1]),
        values=_means(condition, values)[kept // len(names[1])] + mean,
        people=np.bincount(who, minlength=len(kept)),
        answers=number,
        crossed=crossed,
        whole=whole,
        scale=scale,
    )


def cells_of_choices(
    names: tuple[Sequence[str], Sequence[str]], answers: EvaluatorCounts, group: IntArray
) -> CellEstimates:
    """Make cells of win rates in percent from choices; a tie is half a win for both."""
    half = answers.tied / 2
    return cell_means(
        names,
        np.append(answers.chosen, answers.other),
        np.tile(group, 2),
        100 * np.append(1 - half, half),
        np.tile(answers.evaluator, 2),
        None if answers.items is None else np.concatenate([answers.items, answers.items]),
        stratum=np.append(answers.other, answers.chosen),
        whole=100.0,
    )


def _means(codes: IntArray, values: FloatArray) -> FloatArray:
    number = np.maximum(np.bincount(codes), 1)
    return np.asarray(np.bincount(codes, values) / number, dtype=float)


@dataclass(frozen=True, kw_only=True)
class GroupCell:
    """A condition within a group."""

    condition: str
    group: str
    evaluators: int | None  # number of people; None if evaluators are unknown
    answers: int
    score: Estimate  # has no interval with fewer than `FEWEST_PEOPLE` evaluators
    parts: Mapping[str, float | None] = field(default_factory=dict)  # as in `CellEstimates`


@dataclass(frozen=True, kw_only=True)
class Interaction:
    """The test of whether the difference between conditions depends on the group."""

    f: float
    df_between: float
    df_within: float
    p: float
    # p corrected by Holm's rule over the tests of all columns and measures
    p_holm: float | None = None


@dataclass(frozen=True, kw_only=True)
class GroupTests:
    """The tests of the conditions within one group."""

    group: str
    anova: Anova | None
    pairwise: tuple[Pair, ...]


@dataclass(frozen=True, kw_only=True)
class CellScores:
    """The results of one measure, such as an axis, by group."""

    protocol: str
    measure: str
    unit: str
    cells: tuple[GroupCell, ...]  # sorted by condition, then by group
    interaction: Interaction | None  # None if too few cells have two evaluators or more
    # Rows with ``condition`` and ``score``: the score in a population with given shares of the
    # groups. The score is None if a group is missing
    totals: tuple[dict[str, Any], ...] = ()
    tests: tuple[GroupTests, ...] = ()  # the protocol's tests of conditions within each group
    incomparable: str = ""  # why conditions are not compared, as a sentence; empty if they are


@dataclass(frozen=True, kw_only=True)
class GroupScores:
    """The results for the groups of one column."""

    column: str
    of_evaluators: bool  # whether these are groups of evaluators, not of images or prompts
    groups: tuple[str, ...]
    # left_out, answers: the number of answers without a group, and the number of all answers
    left_out: int
    answers: int
    weights: Mapping[str, float] | None  # the shares of the groups in a population
    measures: tuple[CellScores, ...]


def correct(scored: Sequence[GroupScores]) -> tuple[GroupScores, ...]:
    """Correct the interaction tests of all columns and measures by Holm's rule."""
    every = [one for group in scored for one in group.measures]
    holm = iter(holm_known([one.interaction.p if one.interaction else None for one in every]))

    def set_p(one: CellScores, p: float | None) -> CellScores:
        test = one.interaction
        return replace(one, interaction=replace(test, p_holm=p)) if test else one

    return tuple(
        replace(group, measures=tuple(set_p(one, next(holm)) for one in group.measures))
        for group in scored
    )


def cell_scores(
    cells: CellEstimates,
    *,
    protocol: str,
    measure: str,
    unit: str,
    shares: Mapping[str, float] | None = None,
    are_people: bool = True,
    confidence: float = 0.95,
) -> CellScores:
    """Score cells.

    ``shares``: the groups' shares in a population, with sum 1. ``are_people``: whether evaluators
    are known; if not, each answer counts as if a different person had given it.
    """
    errors = _errors(cells)
    order = np.lexsort((cells.group, cells.condition)).tolist()
    return CellScores(
        protocol=protocol,
        measure=measure,
        unit=unit,
        cells=tuple(_cell(cells, place, confidence, are_people=are_people) for place in order),
        interaction=_interaction(cells, errors),
        totals=tuple(_totals(cells, errors, shares, confidence)) if shares else (),
    )


def _cell(cells: CellEstimates, place: int, confidence: float, *, are_people: bool) -> GroupCell:
    people, value = int(cells.people[place]), float(cells.values[place])
    score, answers = Estimate(value=value), int(cells.answers[place])
    if people >= FEWEST_PEOPLE:
        score = _estimate(cells, value, cells.crossed.error(place), answers, people, confidence)
    return GroupCell(
        condition=cells.conditions[cells.condition[place]],
        group=cells.groups[cells.group[place]],
        evaluators=people if are_people else None,
        answers=answers,
        score=score,
        parts={name: number_or_none(values[place]) for name, values in cells.parts.items()},
    )


def _estimate(
    cells: CellEstimates, value: float, error: Error, answers: int, people: int, confidence: float
) -> Estimate:
    """Return a value with its interval: Wilson's for shares and scales, otherwise Student's."""
    whole = cells.whole
    if whole is None:
        reach = error.reach(confidence)
        if cells.scale:
            return mean_on_scale(value, reach, people, confidence=confidence, scale=cells.scale)
        return (
            Estimate(value=value, low=value - reach, high=value + reach)
            if reach
            else Estimate(value=value)
        )
    scaled = Error(
        variance=error.variance / whole**2,
        freedom=error.freedom,
        of_items=error.of_items / whole**2,
        least=error.least / whole**2,
    )
    share = make_share(min(max(value / whole, 0.0), 1.0), float(answers), scaled, people=people)
    return share.estimate(confidence).scale(whole)


@dataclass(frozen=True, kw_only=True, eq=False)
class _CellErrors:
    """The errors of C cells."""

    covariance: FloatArray  # the moderated covariance, shape (C, C)
    own: FloatArray  # d_cg, moderated, shape (C,), like all below
    smooth: FloatArray  # s_c²/n_cg
    freedom: FloatArray  # degrees of freedom of the observed d_cg


def _errors(cells: CellEstimates) -> _CellErrors:
    seen = cells.crossed.covariance()
    same = _one_hot(cells.condition) @ _one_hot(cells.condition).T > 0
    others = same & ~np.eye(len(seen), dtype=bool)
    pairs = others.sum(axis=1)
    common = np.divide((seen * others).sum(axis=1), pairs, out=np.zeros(len(seen)), where=pairs > 0)
    common = np.maximum(0.0, _means(cells.condition, common)[cells.condition])
    known = np.maximum(np.diag(seen) - common, 0.0)
    freedom = np.where(
        cells.people > 1, [cells.crossed.error(at).freedom for at in range(len(seen))], 0.0
    )
    # The variance of a share of independent answers, after adding two answers for and two against
    least = np.zeros(len(seen))
    if cells.whole is not None:
        even = (cells.values / cells.whole * cells.answers + 2) / (cells.answers + 4)
        least = cells.whole**2 * even * (1 - even) / cells.answers
    counted = known * cells.answers * (cells.people > 1)
    by_condition = np.bincount(cells.condition, counted)
    several = np.maximum(np.bincount(cells.condition, cells.people > 1), 1)
    smooth = np.maximum((by_condition / several)[cells.condition] / cells.answers, least)
    own = (freedom * known + PRIOR_FREEDOM * smooth) / (freedom + PRIOR_FREEDOM)
    own = np.maximum(own, least)
    moderated = seen - np.diag(np.diag(seen)) + np.diag(common + own)
    return _CellErrors(covariance=moderated, own=own, smooth=smooth, freedom=freedom)


def _interaction(cells: CellEstimates, errors: _CellErrors) -> Interaction | None:
    """Test the residuals of the cells after removing the effects of conditions and of groups."""
    design = np.hstack([_one_hot(cells.condition), _one_hot(cells.group)])
    kept = (cells.people > 1) & (errors.smooth > _TINY * errors.smooth.max())
    if not kept.any():
        return None
    scale = np.zeros(len(kept))
    scale[kept] = 1 / np.sqrt(errors.smooth[kept])
    design *= scale[:, np.newaxis]
    left = np.diag(kept.astype(float)) - design @ np.linalg.pinv(design)
    number = round(float(np.trace(left)))
    if number < 1:
        return None
    contrasts = left * scale
    variance, axes = np.linalg.eigh(contrasts @ errors.covariance @ contrasts.T)
    variance, axes = variance[-number:].clip(0), axes[:, -number:]
    if variance.sum() <= 0:
        return None
    of_each = cells.crossed.average(contrasts.T @ axes)
    freedom = np.array([of_each.error(at).freedom for at in range(number)])
    of_cells = np.square(contrasts).sum(axis=0) * errors.own * kept
    f = float(np.square(contrasts @ cells.values).sum() / variance.sum())
    between = _worth(variance, np.ones(number))
    within = min(_worth(variance, freedom), _worth(of_cells, np.maximum(errors.freedom, 1.0)))
    p = float(special.fdtrc(between, within, f))
    return Interaction(f=f, df_between=between, df_within=within, p=p)


def _worth(parts: FloatArray, freedom: FloatArray) -> float:
    """Return the degrees of freedom of a sum of variances (Satterthwaite 1946)."""
    return float(parts.sum() ** 2 / (np.square(parts) / freedom).sum())


def _totals(
    cells: CellEstimates, errors: _CellErrors, shares: Mapping[str, float], confidence: float
) -> list[dict[str, Any]]:
    weight = np.array([shares[cells.groups[group]] for group in cells.group])
    of = _one_hot(cells.condition, len(cells.conditions)) * weight[:, np.newaxis]
    averaged, present = cells.crossed.average(of), of.sum(axis=0) > 1 - _TINY
    limits = (0.0, cells.whole) if cells.whole else cells.scale or (-np.inf, np.inf)
    rows = []
    for place in np.unique(cells.condition).tolist():
        own, score = of[:, place], None
        if present[place]:
            score = Estimate(value=float(own @ cells.values))
        if score and (cells.people[own > 0] > 1).all():
            variance = max(float(own @ errors.covariance @ own), 0.0)
            error = Error(variance=variance, freedom=averaged.error(place).freedom, of_items=0.0)
            reach = error.reach(confidence) * np.array([-1, 1])
            low, high = np.clip(score.value + reach, *limits).tolist()
            score = replace(score, low=low, high=high)
        rows.append({"condition": cells.conditions[place], "score": score})
    return rows


def _one_hot(codes: IntArray, size: int = 0) -> FloatArray:
    return np.eye(max(size, int(codes.max(initial=-1)) + 1))[codes]
