"""How far people agree in what they put before what, and how well one tells what others prefer.

Wu et al. (2023), "Human Preference Score v2", table 4, figure 5 and table 6. Everything is a mean
over comparisons (two images of a group that several people ranked), each with the same weight:

- "single against single": of two people drawn for the comparison, how often both put the same image
  first. A tie by one of them counts half; by both, it is the same answer. Of each two conditions
  this is the agreement of table 4.
- "single against averaged": how often a person puts first what has the better mean rank of all
  *others* who ranked the group. Beside it, under a name of its own, the same with the person's own
  ranking in the mean: that flatters, since part of it is agreement with oneself. The publication
  does not say which it means by 85.0 %.

For intervals see `hype.analysis.rankings.two_way_jackknife`; in those against the mean of others a
person who is left out is left out as the one who answers, not from the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import stats

from hype.analysis.rankings.ordinal_alpha import RankAlpha, rank_alpha
from hype.analysis.rankings.shared_groups import SharedAnswers, shared_answers, shared_ranks
from hype.analysis.rankings.two_way_jackknife import Parts, Share, jackknifed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_FEWEST_POINTS = 3


@dataclass(frozen=True, kw_only=True)
class PairAgreement:
    """Agreement on two conditions.

    Parameters
    ----------
    a, b
        The conditions, the stronger first.
    comparisons
        Of an image of the one with one of the other, that two people or more made.
    agreement
        The share of pairs of people who put the same image first.
    difference
        How much stronger `a` is than `b`, in log-strength; None where either has none.
    """

    a: str
    b: str
    comparisons: int
    agreement: Share
    difference: float | None = None


@dataclass(frozen=True, kw_only=True)
class RankingAgreement:
    """Agreement among people who ranked the same groups.

    Parameters
    ----------
    groups, evaluators, rankings, comparisons
        That were shared: groups that two people or more ranked, and these people's comparisons.
    single_single
        How often two people put the same image of two first.
    single_averaged
        How often a person puts first what has the better mean rank of all others.
    single_averaged_with_own
        The same where the mean has the person's own ranking in it, which flatters.
    pairs
        The first, of each two conditions.
    difference_correlation
        Spearman's rank correlation of agreement with the difference in strength, over pairs of
        conditions; None with fewer than three.
    alpha
        Krippendorff's α of the ranks.
    """

    groups: int
    evaluators: int
    rankings: int
    comparisons: int
    single_single: Share
    single_averaged: Share
    single_averaged_with_own: Share
    pairs: tuple[PairAgreement, ...]
    difference_correlation: float | None
    alpha: RankAlpha


def ranking_agreement(
    rankings: pd.DataFrame,
    strengths: Mapping[str, float] | None = None,
    *,
    order: Sequence[str] = (),
    confidence: float = 0.95,
) -> RankingAgreement | None:
    """Compute the agreement of a table's evaluators.

    Parameters
    ----------
    rankings
        As `check_rankings` returns them: the rows that are scored.
    strengths
        Condition to its log-strength, of those that have one.
    order
        Conditions in the order in which pairs are to be given; by name where not among them.
    confidence
        Coverage that intervals aim at, as a proportion.

    Returns
    -------
    RankingAgreement or None
        None where evaluators are not known, or no group was ranked by two of them.
    """
    ranks = shared_ranks(rankings)
    if ranks is None:
        return None
    shared = shared_answers(ranks)
    if not len(shared.sign):
        return None
    pairs = _pairs(shared, strengths or {}, order, confidence)
    single, others, everybody = _overall(shared, confidence)
    return RankingAgreement(
        groups=len(np.unique(shared.group)),
        evaluators=len(np.unique(shared.evaluator)),
        rankings=shared.rankings,
        comparisons=int(shared.comparison.max()) + 1,
        single_single=single,
        single_averaged=others,
        single_averaged_with_own=everybody,
        pairs=pairs,
        difference_correlation=_against_difference(pairs),
        alpha=rank_alpha(ranks, confidence=confidence),
    )


def _overall(shared: SharedAnswers, confidence: float) -> tuple[Share, Share, Share]:
    people = shared.people
    one = np.zeros_like(shared.group)
    single, *averaged = (
        jackknifed(_parts(shared, one, values, people, each), 1, confidence=confidence)[0]
        for values, each in (
            (_with_others(shared, people), 2),
            (_same(shared.sign, shared.others), 1),
            (_same(shared.sign, shared.everybody), 1),
        )
    )
    return single, averaged[0], averaged[1]


def _parts(
    shared: SharedAnswers, share: IntArray, values: FloatArray, people: IntArray, each: int
) -> Parts:
    """Weigh answers so that each comparison has the weight 1."""
    return Parts(
        share=share,
        above=values / people,
        below=1 / people,
        group=shared.group,
        evaluator=shared.evaluator,
        each=each,
    )


def _with_others(shared: SharedAnswers, people: IntArray) -> FloatArray:
    """Give how many of the others gave each answer, as a share; half for one who ties."""
    times = np.bincount(shared.comparison * 3 + shared.sign + 1)
    times = np.append(times, np.zeros(-len(times) % 3, dtype=np.int64)).reshape(-1, 3)
    own = times[shared.comparison]
    alike = own[np.arange(len(own)), shared.sign + 1] - 1
    halves = np.where(shared.sign == 0, own[:, 0] + own[:, 2], own[:, 1])
    return np.asarray((alike + halves / 2) / (people - 1), dtype=float)


def _same(sign: IntArray, other: IntArray) -> FloatArray:
    return np.asarray(1 - np.abs(sign - other) / 2, dtype=float)


def _pairs(
    shared: SharedAnswers,
    strengths: Mapping[str, float],
    order: Sequence[str],
    confidence: float,
) -> tuple[PairAgreement, ...]:
    codes, share = np.unique(shared.pair, return_inverse=True)
    people = shared.people
    parts = _parts(shared, share, _with_others(shared, people), people, 2)
    shares = jackknifed(parts, len(codes), confidence=confidence)
    comparisons = np.rint(np.bincount(share, parts.below)).astype(np.int64)
    place = {name: number for number, name in enumerate(order)}
    size, found = len(shared.conditions), []
    for number, code in enumerate(codes.tolist()):
        two = [shared.conditions[one] for one in divmod(code, size)]
        a, b = sorted(two, key=lambda name: (place.get(name, len(place)), name))
        known = a in strengths and b in strengths
        found.append(
            PairAgreement(
                a=a,
                b=b,
                comparisons=int(comparisons[number]),
                agreement=shares[number],
                difference=strengths[a] - strengths[b] if known else None,
            )
        )
    end = len(place)
    return tuple(sorted(found, key=lambda p: (place.get(p.a, end), place.get(p.b, end), p.a, p.b)))


def _against_difference(pairs: Sequence[PairAgreement]) -> float | None:
    """Correlate agreement with the absolute difference in strength."""
    points = [(abs(p.difference), p.agreement.value) for p in pairs if p.difference is not None]
    if len(points) < _FEWEST_POINTS or any(
        len(set(side)) < 2 for side in zip(*points, strict=True)
    ):
        return None
    ranks = np.stack([stats.rankdata(side) for side in zip(*points, strict=True)])
    return float(np.corrcoef(ranks)[0, 1])
