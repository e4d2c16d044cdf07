"""Two crossed samples: the people who answer, and the images or prompts that they answer about.

Other people would answer differently, and a model can generate other images. So a statement
about a model must generalise to other people and images (Clark 1973, "The language-as-fixed-effect
fallacy"; Westfall, Kenny and Judd 2014, "Statistical power and optimal design in experiments in
which samples of participants respond to samples of stimuli"). To first order, an estimate is a sum
with one term ψ for each answer: (y − ȳ)/n for a mean, and the inverse information times the score
for a likelihood's maximum. The estimate's variance is the sum of ψψ′ over all pairs of dependent
answers: those from one person, and those about one item (Cameron, Gelbach and Miller 2011, "Robust
inference with multiway clustering"; Owen and Eckles 2012 for bootstraps of crossed samples):

    V = Σ_people (Σψ)² + B,    B = Σ_items (Σψ)² − Σ_cells (Σψ)².

A cell is the answers of one person about one item. So B contains the pairs of answers about one
item by different people. B estimates the variance from items; a negative B counts as 0. If all P
people saw the same items, the items shift everyone's sum equally. Then only B shows the variance
from items, and B is multiplied by P/(P − 1). Answers about two items each, such as two images, are
dependent if they share an item (Aronow, Samii and Assenova 2015, "Cluster-robust variance
estimation for dyadic data"). Residuals are smaller than the true errors, so a person's sum is
divided by √(1 − h), where h is the person's share of the weight (Bell and McCaffrey 2002). For G
people with equal shares, this multiplies the variance by G/(G − 1).

Intervals use Student's t. For two conditions, Satterthwaite's (1946) degrees of freedom come from
three groups: the people who judged the first only, the second only, and both. If people judge one
condition each and items are fixed, the test of two conditions is Welch's; if they judge both, it is
the paired test. The degrees of freedom of people and of items are averaged (`freedom_of_both`).

The errors of means of answers, and of their differences, are never smaller than if the answers were
independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy import special
from scipy.sparse import coo_array, csr_array

from hype.statistics.arrays import FloatArray, IntArray

FEWEST_ITEMS: Final = 5
"""With fewer prompts, or fewer images of a condition, a study says nothing about other images.

With 2, 3 or 4 prompts, 69, 39 or 17 % of simulated studies called equal models different.
"""
LEAST_FREEDOM: Final = 1.0


@dataclass(frozen=True, kw_only=True)
class Errors:
    """The errors of estimates, or of differences; arrays of shape (L,), or numbers."""

    variance: Any
    freedom: Any  # degrees of freedom of the variance; 1 or more
    least: Any = 0.0  # the variance of independent answers, if it is a lower bound of the variance

    @property
    def standard(self) -> Any:
        return np.sqrt(np.maximum(self.variance, self.least))

    def reach(self, confidence: float) -> Any:
        level = (1 + confidence) / 2
        of_people = special.stdtrit(self.freedom, level) * np.sqrt(self.variance)
        return np.maximum(of_people, special.ndtri(level) * np.sqrt(self.least))

    def p(self, distance: Any) -> Any:
        """Return the two-sided p of an estimate's distance from a value; NaN if nothing varies."""
        of_people = special.stdtr(self.freedom, -_ratio(distance, self.variance))
        p = 2 * np.maximum(of_people, special.ndtr(-_ratio(distance, self.least)))
        return np.where(np.maximum(self.variance, self.least) > 0, p, np.nan)

    def p_within(self, distance: Any, margin: float) -> Any:
        """Return the p of the test that an estimate is less than ``margin`` away from a value.

        It is the larger p of two one-sided tests (Schuirmann 1987).
        """
        p = self.p(margin - np.abs(distance)) / 2
        return np.where(np.abs(distance) < margin, p, 1 - p)


@dataclass(frozen=True, kw_only=True)
class Error(Errors):
    """The error of an estimate, or of a difference."""

    variance: float
    freedom: float
    least: float = 0.0
    of_items: float  # the part of the variance from items

    @property
    def standard(self) -> float:
        return float(np.sqrt(self.variance))

    def reach(self, confidence: float) -> float:
        return float(super().reach(confidence))


def _ratio(distance: Any, variance: Any) -> Any:
    """Return a distance in standard errors; 0 if the distance is 0."""
    away = np.abs(distance)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(away > 0, away / np.sqrt(variance), 0.0)


class Crossed:
    """Estimates that are sums over answers, with the people and the items of the answers.

    ``terms``: ψ of each answer in each estimate, shape (answers, K). With ``inverse``, shape (M,
    K), ψ is ``terms @ inverse``: for example, ``terms`` are the scores of a likelihood and
    ``inverse`` inverts the information. ``weights``: the share of each answer in each estimate,
    shape (answers, K); columns sum to 1. ``people``: the person of each answer, codes from 0, shape
    (answers,). ``items``: the item of each answer, codes from 0, shape (answers,), or (answers, 2)
    for two items; None if items are fixed or unknown.

    ``bounded``: whether intervals are at least as wide as for independent answers; otherwise they
    may be too narrow, as the sums of two or three people may be equal by chance. Use ``bounded`` if
    each answer compares the two conditions: then people and items can only add variance.
    ``of_pairs``: whether errors of differences are needed, not only of single estimates.
    """

    def __init__(
        self,
        terms: csr_array,
        weights: csr_array,
        people: IntArray,
        items: IntArray | None = None,
        *,
        inverse: FloatArray | None = None,
        bounded: bool = False,
        of_pairs: bool = True,
    ) -> None:
        self._squared = squared = _squares if of_pairs else _own_squares
        self._weight_of_people = weight = _sum_up(weights, people)
        sums, spare = _sum_up(terms, people), np.sqrt(np.maximum(1 - weight, np.finfo(float).eps))
        self._of_people = (sums if inverse is None else sums @ inverse) / spare
        about = terms, weights, people
        self._items = None if items is None else _Items(*about, items, inverse, squared)
        self._alone = _transform(squared(terms), inverse) if bounded else None

    def error(self, estimate: int) -> Error:
        return self._error([estimate])

    def error_of_difference(self, a: int, b: int) -> Error:
        return self._error([a, b])

    def covariance(self) -> FloatArray:
        """Return the covariance of the estimates, shape (K, K), which is positive semidefinite."""
        of_people: FloatArray = self._of_people.T @ self._of_people
        return of_people + (self._items.covariance() if self._items else 0.0)

    def errors(self, contrasts: FloatArray, first: IntArray, second: IntArray) -> Errors:
        """Return the errors of L contrasts of the K estimates; ``contrasts`` has shape (K, L).

        ``first``, ``second``: the two estimates of each contrast, or the same one twice; shape
        (L,).
        """
        freedom = _freedoms(self._weight_of_people, _squares)[first, second]
        variance = of_people = _along(self._of_people.T @ self._of_people, contrasts)
        if self._items:
            added, of_items = self._items.along(contrasts)
            variance = of_people + added
            both = (of_people, freedom), (of_items, self._items.freedoms[first, second])
            freedom = freedom_of_both(variance, *both)
        least = np.zeros(len(freedom)) if self._alone is None else _along(self._alone, contrasts)
        if len(self._of_people) == 2:  # the sums of two people can be equal by chance
            freedom = np.where(variance < least, LEAST_FREEDOM, freedom)
            variance = np.maximum(variance, least)
        return Errors(variance=variance, least=least, freedom=freedom)

    def errors_of_differences(self, first: IntArray, second: IntArray) -> Errors:
        """Return the errors of estimates ``first`` minus estimates ``second``, shape (L,)."""
        contrasts, each = np.zeros((self._of_people.shape[1], len(first))), np.arange(len(first))
        contrasts[first, each], contrasts[second, each] = 1.0, -1.0
        return self.errors(contrasts, first, second)

    def average(self, shares: FloatArray) -> Crossed:
        """Return averages of these estimates, with the weights ``shares``, shape (K, L)."""
        made = copy(self)
        made._weight_of_people = self._weight_of_people @ shares
        made._of_people = self._of_people @ shares
        made._items = self._items.average(shares) if self._items else None
        made._alone = None if self._alone is None else shares.T @ self._alone @ shares
        return made

    def _error(self, estimates: list[int]) -> Error:
        parts = self._parts(estimates)
        variance = of_people = sum(part for part, _ in parts)
        doubt = sum(part**2 / own for part, own in parts)
        freedom = (
            of_people**2 / doubt if doubt else min((own for _, own in parts), default=LEAST_FREEDOM)
        )
        added = 0.0
        if self._items is not None:
            added, *of_items = self._items.part_of_items(estimates)
            variance = of_people + added
            freedom = float(freedom_of_both(variance, (of_people, freedom), of_items))
        return Error(
            variance=variance,
            freedom=freedom,
            of_items=added,
            least=0.0 if self._alone is None else max(0.0, _part_of(self._alone, estimates)),
        )

    def _parts(self, estimates: list[int]) -> list[tuple[float, float]]:
        """Return sums of squares and degrees of freedom: of people in one estimate, and in both."""
        sums = self._of_people[:, estimates] @ _SIGNS[: len(estimates)]
        weight = self._weight_of_people[:, estimates]
        serves = (weight != 0) @ (1 << np.arange(len(estimates)))
        return [
            (float(np.square(sums[own]).sum()), freedom_of(np.square(weight[own]).sum(axis=1)))
            for own in (serves == group for group in range(1, 1 << len(estimates)))
            if own.any()
        ]


def freedom_of_both(variance: Any, of_people: Sequence[Any], of_items: Sequence[Any]) -> Any:
    """Return the degrees of freedom of a variance from people and items together.

    ``of_people``, ``of_items``: a sum of squares and its degrees of freedom. The result ν is a
    mean: 1/ν = s/ν₁ + (1 − s)/ν₂, where ν₁ is the smaller number of degrees of freedom, and s its
    sum of squares divided by the variance. This nearly averages the quantiles of Student's t
    (Cochran 1964, "Approximate significance levels of the Behrens-Fisher test", Biometrics 20).
    Satterthwaite's rule squares the shares: it gives too many degrees if sums are equal by chance.
    """
    (people_sum, people), (items_sum, items) = of_people, of_items
    few, many = np.minimum(people, items), np.maximum(people, items)
    own = np.where(items < people, items_sum, people_sum)
    share = np.where(variance > 0, own, 1.0) / np.where(variance > 0, variance, 1.0)
    share = np.clip(share, 0.0, 1.0)
    return 1 / (share / few + (1 - share) / many)


_SIGNS: Final = np.array([1.0, -1.0])

_NO_PAIRS: Final = 1e-9


class _Items:
    """The part of the variance that comes from items judged by several people."""

    def __init__(
        self,
        terms: csr_array,
        weights: csr_array,
        people: IntArray,
        items: IntArray,
        inverse: FloatArray | None,
        squared: Squared,
    ) -> None:
        self._squared = squared
        members = items.reshape(len(items), -1).T
        cells = _number_pairs(members.ravel(), np.tile(people, len(members))).reshape(members.shape)
        self._weigh(_sum_up(weights, *members) / len(members))
        of_items, of_cells = squared(_sum_up(terms, *members)), squared(_few_each(terms, *cells))
        if len(members) > 1:
            both = _number_pairs(members.min(axis=0), members.max(axis=0))
            of_items -= squared(_few_each(terms, both))
            of_cells -= squared(_few_each(terms, _number_pairs(both, people)))
        rest: FloatArray = 1 - self._weight_squared
        shares = csr_array(_few_each(weights, *cells) / len(members))
        whose = np.tile(people, len(members))
        codes = (_value_of_code(cells.ravel(), own) for own in (members.ravel(), whose))
        shown = self._part_between_people(shares, *codes)
        spare = np.sqrt(np.maximum(rest, np.finfo(float).eps) * shown)
        self._of_items, self._common = (
            _transform(squares, inverse) / spare / spare[:, np.newaxis]
            for squares in (of_items, of_items - of_cells)
        )

    def _weigh(self, weight: FloatArray) -> None:
        """Store the weight of each item in each estimate, shape (items, K)."""
        self._weight, self._weight_squared = weight, np.square(weight).sum(axis=0)
        self.freedoms = _freedoms(weight, self._squared)

    def _part_between_people(
        self, cells: csr_array, item: IntArray, person: IntArray
    ) -> FloatArray:
        """Return the share of the items' variance that pairs of people reveal, shape (K,).

        Let w, W and v be the weights of a cell, of its person and of its item in an estimate. Items
        add Σv² to the variance. Of this, pairs of different people reveal Σv² - Σw², and the spread
        of people's sums reveals Σ(w - Wv)²/(1 - W).
        """
        row = np.repeat(np.arange(cells.shape[0]), np.diff(cells.indptr))
        column, own = cells.indices.astype(np.int64), self._weight_squared
        key = _number_pairs(person[row], column)
        estimate, of_item = _value_of_code(key, column), self._weight[item[row], column]
        whole, squares, common = (
            np.bincount(key, each) for each in (cells.data, cells.data**2, cells.data * of_item)
        )
        about_mean = squares - 2 * whole * common + whole**2 * own[estimate]
        of_people = about_mean / np.maximum(1 - whole, np.finfo(float).eps)
        pairs, left, least = (
            start - np.bincount(estimate, each, len(own))
            for start, each in ((own, squares), (own, of_people), (1.0, np.square(whole)))
        )
        # If each item was judged by one person, ``pairs`` is 0 except for rounding. The returned
        # part is smallest if all people saw all items.
        some = np.minimum(pairs, left) > _NO_PAIRS * own
        return np.where(some, (pairs / np.where(some, left, 1.0)).clip(least, 1.0), 1.0)

    def average(self, shares: FloatArray) -> _Items:
        made = copy(self)
        made._weigh(self._weight @ shares)
        made._of_items, made._common = (
            shares.T @ squares @ shares for squares in (self._of_items, self._common)
        )
        return made

    def covariance(self) -> FloatArray:
        """Return the items' part of the covariance, shape (K, K)."""
        variances, axes = np.linalg.eigh((self._common + self._common.T) / 2)
        return np.asarray((axes * variances.clip(0)) @ axes.T)

    def part_of_items(self, estimates: list[int]) -> tuple[float, float, float]:
        """Return the items' part of a variance, the sum over items, and its degrees of freedom."""
        common, of_items = (_part_of(own, estimates) for own in (self._common, self._of_items))
        return max(0.0, common), of_items, float(self.freedoms[estimates[0], estimates[-1]])

    def along(self, contrasts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the items' part of the variances of contrasts, and the sums over items."""
        common, of_items = (_along(own, contrasts) for own in (self._common, self._of_items))
        return np.maximum(common, 0.0), of_items


def _freedoms(weight: FloatArray, squared: Squared) -> FloatArray:
    """Return the degrees of freedom of sums over units, for all pairs of estimates.

    The diagonal has the degrees of freedom of single estimates. ``weight``: the units' shares of
    the estimates, shape (units, K).
    """
    squares = np.square(weight)
    fourth, shared = squared(squares), squared((weight > 0).astype(float))
    own, number, sums = np.diag(fourth), np.diag(shared), squares.sum(axis=0)
    units = number[:, np.newaxis] + number - shared
    both = own[:, np.newaxis] + own + 2 * fourth
    whole = sums[:, np.newaxis] + sums
    freedom = whole**2 / np.where(both > 0, both, 1.0) * (1 - 1 / np.maximum(units, 1))
    return np.asarray(np.maximum(LEAST_FREEDOM, freedom))


def freedom_of(squares: FloatArray) -> float:
    """Return the degrees of freedom of a sum over units, from the squares of their weights.

    G units with equal weights give G - 1.
    """
    effective = float(squares.sum() ** 2 / np.square(squares).sum())
    return max(LEAST_FREEDOM, effective * (1 - 1 / len(squares)))


def _sum_up(values: csr_array, *codes: IntArray) -> FloatArray:
    """Sum the rows of each code, shape (codes, K); a row with two codes is added to both."""
    number, size = values.shape[1], max(int(own.max(initial=-1)) + 1 for own in codes)
    row = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    sums = np.zeros(size * number)
    for own in codes:
        sums += np.bincount(own[row] * number + values.indices, values.data, size * number)
    return sums.reshape(size, number)


def _few_each(values: csr_array, *codes: IntArray) -> csr_array:
    """Sum like `_sum_up`, but return a sparse array, since each code has values in few columns."""
    cells, times = values.tocoo(), len(codes)
    rows = np.concatenate([own[cells.row] for own in codes])
    shape = int(max(own.max(initial=-1) for own in codes)) + 1, values.shape[1]
    data, columns = np.tile(cells.data, times), np.tile(cells.col, times)
    return csr_array(coo_array((data, (rows, columns)), shape=shape))


def _value_of_code(codes: IntArray, values: IntArray) -> IntArray:
    """Return the value of each code; all rows of a code have the same value."""
    made = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    made[codes] = values
    return made


def _transform(squares: FloatArray, inverse: FloatArray | None) -> FloatArray:
    return squares if inverse is None else inverse.T @ squares @ inverse


def _part_of(squares: FloatArray, estimates: list[int]) -> float:
    """Return the sum of squares of one estimate, or of the difference of two."""
    a, b = estimates[0], estimates[-1]
    both = 0.0 if a == b else squares[b, b] - squares[a, b] - squares[b, a]
    return float(squares[a, a] + both)


def _along(squares: FloatArray, contrasts: FloatArray) -> FloatArray:
    return np.asarray(((squares @ contrasts) * contrasts).sum(axis=0))


_SPARSE: Final = 8


def _squares(sums: csr_array | FloatArray) -> FloatArray:
    """Multiply the columns with one another, shape (K, K).

    BLAS is used only if more than 1/`_SPARSE` of the cells are not zero. Its threads wait for one
    another, which takes far longer than a small product, and their number changes the last digits.
    """
    if isinstance(sums, np.ndarray):
        if sums.shape[1] == 1:
            return np.asarray(np.square(sums).sum(axis=0, keepdims=True))
        if _SPARSE * np.count_nonzero(sums) > sums.size:
            return np.asarray(sums.T @ sums)
        sums = csr_array(sums)
    return np.asarray((sums.T @ sums).toarray())


def _own_squares(sums: csr_array | FloatArray) -> FloatArray:
    if isinstance(sums, np.ndarray):
        return np.diag(np.square(sums).sum(axis=0))
    return np.diag(np.bincount(sums.indices, np.square(sums.data), minlength=sums.shape[1]))


Squared = Callable[[csr_array | FloatArray], FloatArray]
_MOST_GAPS: Final = 4


def _number_pairs(first: IntArray, second: IntArray) -> IntArray:
    """Number the pairs of codes; the numbers may have gaps if they stay small."""
    keys = first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second
    if keys.max(initial=0) <= _MOST_GAPS * len(keys):
        return keys
    return np.asarray(np.unique(keys, return_inverse=True)[1]).reshape(-1)


def mean_differences(
    group: IntArray,
    values: FloatArray,
    people: IntArray,
    items: IntArray | None,
    pairs: Iterable[tuple[int, int]],
    *,
    shares: bool = False,
) -> Iterator[tuple[float, Error]]:
    """Yield the difference between the two means of each pair of groups, with its error.

    Parameters are those of `group_means`. ``shares``: whether values are 0 and 1. If they are, the
    error is at least that of independent answers, after adding two zeros and two ones, so that no
    share seems certain.
    """
    groups = int(group.max(initial=-1)) + 1
    means, number, crossed = group_means(group, values, people, items, groups)
    even = (means * number + 2) / (number + 4)
    alone = even * (1 - even) / np.maximum(number, 1) if shares else np.zeros_like(means)
    for a, b in pairs:
        error = crossed.error_of_difference(a, b)
        least = max(error.least, float(alone[a] + alone[b]))
        yield float(means[a] - means[b]), replace(error, least=least)


def group_means(
    group: IntArray, values: FloatArray, people: IntArray, items: IntArray | None, groups: int
) -> tuple[FloatArray, IntArray, Crossed]:
    """Return the mean of each group of answers, their number, and the errors.

    ``group``: the group of each answer, from 0, shape (answers,). ``values``: the answers.
    ``people``, ``items``: as in `Crossed`.
    """
    number = np.bincount(group, minlength=groups)
    share = 1 / np.maximum(number, 1)
    means = np.bincount(group, values, minlength=groups) * share
    places, shape = (np.arange(len(group)), group), (len(group), groups)
    terms = csr_array(((values - means[group]) * share[group], places), shape=shape)
    weights = csr_array((share[group], places), shape=shape)
    return means, number, Crossed(terms, weights, people, items, bounded=True)
