from itertools import combinations

import krippendorff
import numpy as np
import pytest
from made_rankings import drawn, of_rankings
from scipy import special, stats

from hype.protocols.ranking.agreement import find_shared_ranks, rank_alpha, ranking_agreement

THREE = [("ann", "g", "abc"), ("ben", "g", "acb"), ("cat", "g", "bac")]


def values(found):
    return (
        found["single_single"].value,
        found["single_averaged"].value,
        found["single_averaged_with_own"].value,
    )


def test_by_hand():
    found = ranking_agreement(of_rankings(THREE))
    # On a and b two of three people agree, on a and c all, on b and c two of three.
    agreement = {(pair["a"], pair["b"]): pair["agreement"].value for pair in found["pairs"]}
    assert agreement == pytest.approx({("a", "b"): 1 / 3, ("a", "c"): 1, ("b", "c"): 1 / 3})
    # Choices that agree with the others' mean: ann 3 of 3, ben ½ + 1 + 0, cat 0 + 1 + ½.
    assert values(found) == pytest.approx((5 / 9, 6 / 9, 7 / 9))
    assert (found["groups"], found["evaluators"], found["rankings"], found["comparisons"]) == (
        1,
        3,
        3,
        3,
    )


def test_a_tie_is_half_an_answer():
    found = ranking_agreement(of_rankings([("ann", "g", "ab"), ("ben", "g", [("a", "b")])]))
    assert values(found) == (0.5, 0.5, 0.75)
    found = ranking_agreement(of_rankings([(who, "g", [("a", "b")]) for who in "xyz"]))
    assert values(found) == (1, 1, 1)


def brute(rankings):
    """Return the ranks by group, evaluator and condition, for the loops below."""
    ranks = {}
    for row in rankings.itertuples():
        own = ranks.setdefault(row.group, {}).setdefault(row.evaluator, {})
        own[row.condition] = row.rank
    for people in ranks.values():
        for who, own in people.items():
            people[who] = dict(zip(own, stats.rankdata([*own.values()]), strict=True))
    return ranks


def same(x, y):
    return 1 - abs(np.sign(x) - np.sign(y)) / 2


def brute_values(ranks):
    single, others, everybody, by_pair = [], [], [], {}
    for people in ranks.values():
        for a, b in combinations(sorted(next(iter(people.values()))), 2):
            apart = np.array([own[b] - own[a] for own in people.values()])
            pairs = [same(x, y) for x, y in combinations(apart, 2)]
            single.append(np.mean(pairs))
            by_pair.setdefault((a, b), []).append(np.mean(pairs))
            others.append(np.mean([same(x, apart.sum() - x) for x in apart]))
            everybody.append(np.mean([same(x, apart.sum()) for x in apart]))
    means = tuple(float(np.mean(each)) for each in (single, others, everybody))
    return means, {pair: np.mean(each) for pair, each in by_pair.items()}


@pytest.fixture
def shared(rng):
    return drawn([1, 0.4, 0, -0.3, -1], rng=rng, evaluators=5, groups=9, size=4, ties=0.3)


def test_as_in_loops(shared):
    found = ranking_agreement(shared)
    means, by_pair = brute_values(brute(shared))
    assert values(found) == pytest.approx(means, abs=1e-12)
    mine = {(pair["a"], pair["b"]): pair["agreement"].value for pair in found["pairs"]}
    assert mine == pytest.approx(by_pair, abs=1e-12)


def jackknife(single):
    single = np.array(single)
    return (len(single) - 1) / len(single) * np.square(single - single.mean()).sum()


def test_intervals_leave_out_groups_and_people(shared):
    found = ranking_agreement(shared)["single_single"]
    ranks = brute(shared)
    groups = [{g: own for g, own in ranks.items() if g != group} for group in ranks]
    people = [
        {g: {e: o for e, o in own.items() if e != who} for g, own in ranks.items()}
        for who in shared["evaluator"].unique()
    ]
    # Without one ranking, the mean of its group is over fewer pairs of people.
    means = {g: brute_values({g: own})[0][0] for g, own in ranks.items()}
    rankings = []
    for group, own in ranks.items():
        for who in own:
            less = brute_values({group: {e: o for e, o in own.items() if e != who}})[0][0]
            weights = {g: 3 / 5 if g == group else 1 for g in ranks}
            rest = {**means, group: less}
            rankings.append(sum(weights[g] * rest[g] for g in ranks) / sum(weights.values()))
    by_group, by_person = (
        jackknife([brute_values(one)[0][0] for one in each]) for each in (groups, people)
    )
    both = max(by_group, by_person, by_group + by_person - jackknife(rankings))
    reach = stats.t.ppf(0.975, 4) * np.sqrt(both) / (found.value * (1 - found.value))
    ends = special.expit(special.logit(found.value) + np.array([-reach, reach]))
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def test_agreement_grows_with_the_difference(rng):
    strengths = [3, 2.4, 0.5, 0, -2, -3]
    found = ranking_agreement(
        drawn(strengths, rng=rng, groups=40),
        {f"m{k:02d}": strength for k, strength in enumerate(strengths)},
        order=[f"m{k:02d}" for k in reversed(range(6))],
    )
    assert found["difference_correlation"] > 0.9
    assert [found["pairs"][0][key] for key in ("a", "b", "difference")] == ["m05", "m04", -1]
    assert ranking_agreement(drawn([0, 0], rng=rng))["difference_correlation"] is None


def test_alpha_is_krippendorffs(shared):
    ranks = find_shared_ranks(shared)
    units = np.unique(ranks.group * 100 + ranks.member, return_inverse=True)[1]
    table = np.full((ranks.evaluator.max() + 1, units.max() + 1), np.nan)
    table[ranks.evaluator, units] = ranks.doubled
    theirs = krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal")
    alpha = rank_alpha(ranks, confidence=0.95).alpha
    assert alpha.value == pytest.approx(theirs, abs=1e-12)
    assert alpha.low < alpha.value < alpha.high


def test_only_groups_of_several_people_tell():
    assert ranking_agreement(of_rankings([("ann", "g", "ab"), ("ben", "h", "ab")])) is None
    assert ranking_agreement(of_rankings(THREE[:1])) is None
    found = ranking_agreement(of_rankings([*THREE, ("ann", "h", "abcd")]))
    assert values(found) == values(ranking_agreement(of_rankings(THREE)))


def test_of_a_person_the_last_ranking_counts():
    first = of_rankings([*THREE], session="1")
    assert first["finished"].all()
    rows = [("ann", "g", "cba"), *THREE]
    both = of_rankings(rows, session=["1"] * 3 + ["2"] * 9)
    assert values(ranking_agreement(both)) == values(ranking_agreement(first))


def test_without_evaluators_nothing_is_known(rng):
    alone = drawn([1, 0], rng=rng, evaluators=1, groups=5).drop(columns="evaluator")
    assert ranking_agreement(alone) is None
