"""Agreement on the order of images: between two people, and of a person with the others' mean.

Wu et al. (2023), "Human Preference Score v2", table 4, figure 5 and table 6. A comparison is two
images of a group that several people ranked. All comparisons have equal weight in these means:

- "single against single": how often two random people put the same image first. A tie by one person
counts half; a tie by both people counts as agreement. Table 4 gives this agreement for pairs of
conditions. - "single against averaged": how often a person puts first the image with the better
mean rank over all *others* who ranked the group. In a second version, the mean includes the
person's own ranking; its value is too high, because people agree with themselves. The publication
does not say which version its 85.0 % is.

Intervals come from leaving people out (`hype.statistics.resampling`). A left-out person's answers
are dropped, but their rankings still count in the mean of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
import scipy

from hype.protocols.prompted.strengths import StrengthScale
from hype.protocols.ranking.orders import find_order_sample
from hype.protocols.ranking.table import member_codes
from hype.report import tabular
from hype.report.tabular import Row, Rows, Table, tabulate
from hype.statistics.agreement import unit_alpha
from hype.statistics.alpha import Alpha
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.estimate import Estimate, Images
from hype.statistics.paired_counts import orders
from hype.statistics.resampling import Parts, jackknife_shares
from hype.tables.cells import codes_of


def rank_alpha(shared: SharedRanks, *, confidence: float) -> Alpha | None:
    by = shared.units, shared.doubled.astype(float), shared.evaluator, shared.item
    return unit_alpha(*by, what="images", level="ordinal", confidence=confidence)


_PER_ANSWER = ("group", "item", "evaluator", "comparison", "pair", "sign", "others", "everybody")


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedAnswers:
    """Answers to comparisons: an entry for each person and comparison, shape (answers,)."""

    conditions: tuple[str, ...]  # K of them
    rankings: int  # number of rankings
    # group, item, evaluator, comparison: numbers from 0; all but comparison can have gaps. The item
    # is the prompt, or the group if there is only one prompt, or -1 if the images are fixed
    group: IntArray
    item: IntArray
    evaluator: IntArray
    comparison: IntArray
    pair: IntArray  # first · K + second: the two conditions, ordered by name
    sign: IntArray  # 1 if the first of the two images came first, -1 if the second did, 0 for a tie
    # others, everybody: like sign, but for the mean ranks over all other people who ranked the
    # group (others), or over all people who ranked it (everybody)
    others: IntArray
    everybody: IntArray

    @property
    def people(self) -> IntArray:
        """For each answer, the number of answers to its comparison; shape (answers,)."""
        return np.bincount(self.comparison)[self.comparison]


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedRanks:
    """Ranks of images in groups that several people ranked; arrays of shape (entries,)."""

    conditions: tuple[str, ...]  # K of them
    # ranking, group, evaluator: numbers; entries are sorted by group, ranking and image
    ranking: IntArray
    group: IntArray
    evaluator: IntArray
    item: IntArray | None  # the prompt, or the group if there is only one prompt; None if fixed
    member: IntArray  # the image, or its condition if images have no names
    condition: IntArray  # index into ``conditions``
    doubled: IntArray  # twice the rank, so that ranks of ties are whole numbers

    @property
    def units(self) -> IntArray:
        """Number the images; an image has the same number in all rankings of its group."""
        key = self.group * (int(self.member.max()) + 1) + self.member
        numbered: IntArray = np.unique(key, return_inverse=True)[1].reshape(-1)
        return numbered


def find_shared_ranks(rankings: pd.DataFrame, images: Images = "sample") -> SharedRanks | None:
    """Select the groups that at least two people ranked; None if there are none.

    ``rankings``: the scored rows, from `check_rankings`. If a person ranked a group several times,
    only the last ranking counts, because people are not compared with themselves.
    """
    if "evaluator" not in rankings:
        return None
    laid = orders(rankings)
    head = laid.row[laid.starts]
    group, evaluator = codes_of(rankings["group"])[head], codes_of(rankings["evaluator"])[head]
    last = ~pd.DataFrame({"g": group, "e": evaluator}).duplicated(keep="last").to_numpy()
    people = np.bincount(group[last], minlength=int(group.max(initial=-1)) + 1)
    kept = (last & (people[group] > 1))[laid.ranking]
    if not kept.any():
        return None
    items = find_order_sample(rankings, laid, images).items
    ranking, member = laid.ranking[kept], member_codes(rankings)[laid.row[kept]]
    order = np.lexsort((member, ranking, group[ranking]))
    ranking = ranking[order]
    return SharedRanks(
        conditions=laid.conditions,
        ranking=ranking,
        group=group[ranking],
        evaluator=evaluator[ranking],
        item=None if items is None else items[ranking],
        member=member[order],
        condition=laid.condition[kept][order],
        doubled=np.rint(2 * laid.mid_ranks[kept][order]).astype(np.int64),
    )


def compare_shared(shared: SharedRanks) -> SharedAnswers:
    """Compare all pairs of images of each group, in each of its rankings."""
    begins = np.flatnonzero(np.append(True, shared.ranking[1:] != shared.ranking[:-1]))
    sizes = np.diff(np.append(begins, len(shared.ranking)))
    parts = [
        _answers_of_size(shared, begins[sizes == size], size) for size in np.unique(sizes).tolist()
    ]
    number, columns = 0, {name: [np.zeros(0, dtype=np.int64)] for name in _PER_ANSWER}
    for part in parts:
        part["comparison"] += number
        number += int(part["comparison"].max(initial=-1)) + 1
        for name in _PER_ANSWER:
            columns[name].append(part[name])
    joined = {name: np.concatenate(column) for name, column in columns.items()}
    return SharedAnswers(conditions=shared.conditions, rankings=len(begins), **joined)


def _answers_of_size(shared: SharedRanks, begins: IntArray, size: int) -> dict[str, IntArray]:
    """List the answers in rankings with a given number of images."""
    first, second = np.triu_indices(size, 1)
    entry = begins[:, np.newaxis] + np.arange(size)
    ahead = shared.doubled[entry][:, second] - shared.doubled[entry][:, first]
    group = shared.group[begins]
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    own = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(group))))
    together = np.add.reduceat(ahead, starts, axis=0)[own]
    condition = shared.condition[entry]
    low = np.minimum(condition[:, first], condition[:, second])
    high = np.maximum(condition[:, first], condition[:, second])
    kept = (low != high).ravel()
    pairs = len(first)
    columns = {
        "group": np.repeat(group, pairs),
        "item": np.full(len(begins) * pairs, -1)
        if shared.item is None
        else np.repeat(shared.item[begins], pairs),
        "evaluator": np.repeat(shared.evaluator[begins], pairs),
        "comparison": (own[:, np.newaxis] * pairs + np.arange(pairs)).ravel(),
        "pair": (low * len(shared.conditions) + high).ravel(),
        "sign": np.sign(ahead).ravel(),
        "others": np.sign(together - ahead).ravel(),
        "everybody": np.sign(together).ravel(),
    }
    columns = {name: column[kept] for name, column in columns.items()}
    numbered = np.unique(columns["comparison"], return_inverse=True)[1]
    return columns | {"comparison": numbered}


_FEWEST_POINTS = 3


def ranking_agreement(
    rankings: pd.DataFrame,
    strengths: Mapping[str, float] | None = None,
    *,
    order: Sequence[str] = (),
    images: Images = "sample",
    confidence: float = 0.95,
) -> Row | None:
    """Compute the agreement of a table's evaluators.

    `groups`, `evaluators`, `rankings`, `comparisons`: the numbers of groups that two people or more
    ranked, and of their evaluators, rankings and comparisons. `single_single`: how often two people
    put the same one of two images first; `single_averaged`: how often a person puts first the image
    with the better mean rank over all other people; `single_averaged_with_own`: the same, but the
    mean includes the person's own ranking, so the value is too high.

    `pairs`: a row for each pair of conditions `a` and `b`, with `agreement`, computed like
    `single_single`; `pairs_of_images`: how many pairs of an image of `a` and one of `b` were
    compared by two people or more; `difference`: how much stronger `a` is than `b`, in
    log-strength, None if either has no strength. `difference_correlation`: Spearman's rank
    correlation of agreement with the absolute difference in strength, over pairs of conditions;
    None with fewer than three pairs, or if one of the two does not vary. `alpha`: Krippendorff's α
    of the ranks; None if all ranks are the same.

    ``rankings``: the scored rows, from `check_rankings`. ``strengths``: the known log-strengths of
    conditions. ``order``: the order of conditions in pairs; other conditions follow, sorted by
    name. ``images``: whether intervals are valid for other images. Returns None if evaluators are
    unknown, or no group was ranked by two people.
    """
    ranks = find_shared_ranks(rankings, images)
    if ranks is None:
        return None
    shared = compare_shared(ranks)
    if not len(shared.sign):
        return None
    pairs = _pairs(shared, strengths or {}, order, confidence)
    single, others, everybody = _overall(shared, confidence)
    return {
        "groups": len(np.unique(shared.group)),
        "evaluators": len(np.unique(shared.evaluator)),
        "rankings": shared.rankings,
        "comparisons": int(shared.comparison.max()) + 1,
        "single_single": single,
        "single_averaged": others,
        "single_averaged_with_own": everybody,
        "pairs": pairs,
        "difference_correlation": _correlate_with_difference(pairs),
        "alpha": rank_alpha(ranks, confidence=confidence),
    }


WHO: Final = {
    "single_single": "one person and another",
    "single_averaged": "one person and the mean rank of all others",
    "single_averaged_with_own": "one person and the mean rank of all people (biased upward)",
}


def agreement_tables(
    agreement: Row | None, scale: StrengthScale, confidence: float
) -> tuple[Table, Table, Table]:
    """Make three tables: agreement of people, groups that several ranked, agreement on pairs."""
    ci, found = f"{confidence:.0%} CI", [agreement] if agreement else []
    heading = f"Difference,\n{scale.difference}"

    def apart(pair: Row) -> float | None:
        return None if pair["difference"] is None else float(scale.apart(pair["difference"]))

    return (
        tabulate(
            [{"who": who, "share": row[name]} for row in found for name, who in WHO.items()],
            name="ranking-agreement",
            title="Agreement of people",
            columns=(
                tabular.name("How often both put the same image first", "who"),
                tabular.percent("Share", "share"),
                tabular.percents(ci, "share"),
            ),
        ),
        tabulate(
            found,
            name="ranking-shared",
            title="Groups that several people ranked",
            columns=(
                tabular.name("Same", "unit", of="alpha.unit"),
                tabular.whole("Groups", "groups"),
                tabular.whole("Evaluators", "evaluators"),
                tabular.whole("Rankings", "rankings"),
                tabular.whole("Comparisons", "comparisons"),
                tabular.number("α of ranks", "alpha", 3, of="alpha.alpha"),
                tabular.interval(ci, "alpha", 3, of="alpha.alpha"),
                tabular.whole("Images", "images", of="alpha.units"),
                tabular.whole("Ranks", "ranks", of="alpha.n"),
                tabular.number("ρ with differences", "difference_correlation", 2),
            ),
        ),
        tabulate(
            agreement["pairs"] if agreement else (),
            name="ranking-pair-agreement",
            title="Agreement on each pair of conditions",
            columns=(
                tabular.name("Condition", "a"),
                tabular.name("and", "b"),
                tabular.percent("Agreement", "agreement"),
                tabular.percents(ci, "agreement"),
                tabular.whole("Pairs of\nimages", "pairs_of_images"),
                tabular.number(heading, "difference", scale.decimals, of=apart, measure=scale.unit),
            ),
        ),
    )


def _overall(shared: SharedAnswers, confidence: float) -> tuple[Estimate, Estimate, Estimate]:
    people = shared.people
    alone = np.zeros_like(shared.group)
    single, *averaged = (
        jackknife_shares(_parts(shared, alone, values, people, each), 1, confidence=confidence)[0]
        for values, each in (
            (_agreement_with_others(shared, people), 2),
            (_same(shared.sign, shared.others), 1),
            (_same(shared.sign, shared.everybody), 1),
        )
    )
    return single, averaged[0], averaged[1]


def _parts(
    shared: SharedAnswers, share: IntArray, values: FloatArray, people: IntArray, each: int
) -> Parts:
    """Weight answers so that all answers to a comparison together have the weight 1."""
    return Parts(
        share=share,
        above=values / people,
        below=1 / people,
        item=shared.item if (shared.item >= 0).all() else None,
        evaluator=shared.evaluator,
        each=each,
    )


def _agreement_with_others(shared: SharedAnswers, people: IntArray) -> FloatArray:
    """Return, for each answer, the share of others who gave the same one; a tie counts half."""
    times = np.bincount(shared.comparison * 3 + shared.sign + 1)
    times = np.append(times, np.zeros(-len(times) % 3, dtype=np.int64)).reshape(-1, 3)
    own = times[shared.comparison]
    alike = own[np.arange(len(own)), shared.sign + 1] - 1
    halves = np.where(shared.sign == 0, own[:, 0] + own[:, 2], own[:, 1])
    return np.asarray((alike + halves / 2) / (people - 1), dtype=float)


def _same(sign: IntArray, other: IntArray) -> FloatArray:
    return np.asarray(1 - np.abs(sign - other) / 2, dtype=float)


def _pairs(
    shared: SharedAnswers, strengths: Mapping[str, float], order: Sequence[str], confidence: float
) -> Rows:
    codes, share = np.unique(shared.pair, return_inverse=True)
    people = shared.people
    parts = _parts(shared, share, _agreement_with_others(shared, people), people, 2)
    shares = jackknife_shares(parts, len(codes), confidence=confidence)
    comparisons = np.rint(np.bincount(share, parts.below)).astype(np.int64)
    place = {name: number for number, name in enumerate(order)}
    size, end = len(shared.conditions), len(place)
    rows: list[Row] = []
    for number, code in enumerate(codes.tolist()):
        two = [shared.conditions[place_in_conditions] for place_in_conditions in divmod(code, size)]
        a, b = sorted(two, key=lambda name: (place.get(name, len(place)), name))
        known = a in strengths and b in strengths
        rows.append(
            {
                "a": a,
                "b": b,
                "agreement": shares[number],
                "pairs_of_images": int(comparisons[number]),
                "difference": strengths[a] - strengths[b] if known else None,
            }
        )

    def key_of(row: Row) -> tuple[int, int, str, str]:
        a, b = row["a"], row["b"]
        return place.get(a, end), place.get(b, end), a, b

    return tuple(sorted(rows, key=key_of))


def _correlate_with_difference(pairs: Rows) -> float | None:
    points = [
        (abs(row["difference"]), row["agreement"].value)
        for row in pairs
        if row["difference"] is not None
    ]
    if len(points) < _FEWEST_POINTS or any(
        len(set(side)) < 2 for side in zip(*points, strict=True)
    ):
        return None
    ranks = np.stack([scipy.stats.rankdata(side) for side in zip(*points, strict=True)])
    return float(np.corrcoef(ranks)[0, 1])
