import choix
import numpy as np
import pytest
from made_rankings import drawn, of_rankings

from hype.protocols.ranking.orders import Units, choice_sets, expanded, orders, units
from hype.protocols.ranking.strengths import (
    drawn_weights,
    ranking_strengths,
    strengths_of_pairs,
)
from hype.statistics.bradley_terry import StrengthsNotFound
from hype.statistics.plackett_luce import draw_rankings, fit_choices, fit_plackett_luce


def read(rankings):
    laid = orders(rankings)
    return laid, units(rankings, laid)


def fitted(rankings):
    return fit_plackett_luce(choice_sets(*read(rankings)))


def lists(laid):
    return np.split(laid.condition, laid.starts[1:])


@pytest.mark.parametrize(("conditions", "size"), [(5, 5), (8, 3), (70, 4)])
def test_strengths_are_those_of_choix(conditions, size, rng):
    groups = 8 * conditions
    rankings = drawn(rng.normal(size=conditions), rng=rng, evaluators=3, groups=groups, size=size)
    laid, _ = read(rankings)
    theirs = choix.ilsr_rankings(conditions, lists(laid), alpha=0, max_iter=1000, tol=1e-9)
    np.testing.assert_allclose(fitted(rankings).log_strengths, theirs, atol=1e-6)


def test_strengths_from_pairs_are_those_of_choix(rng):
    laid, whose = read(drawn([1, 0.5, 0, -1.5], rng=rng, groups=20))
    data = [(a, b) for one in lists(laid) for i, a in enumerate(one) for b in one[i + 1 :]]
    theirs = choix.ilsr_pairwise(4, data, alpha=0, max_iter=1000, tol=1e-9)
    table = strengths_of_pairs(
        expanded(laid), whose, ties="davidson", draws=20, rng=rng, confidence=0.95
    )
    np.testing.assert_allclose(table.fitted.log_strengths, theirs, atol=1e-6)
    assert (table.draws.unit, table.draws.evaluators) == ("evaluators", 10)


def test_each_of_a_tie_is_chosen_from_all_of_it(rng):
    laid, whose = read(drawn([1, 0.3, 0, -0.2, -0.8], rng=rng, groups=12, ties=0.4))
    chosen = []
    for begin, size in zip(laid.starts, laid.sizes, strict=True):
        own, rank = laid.condition[begin : begin + size], laid.rank[begin : begin + size]
        for place in range(size):
            others = [own[k] for k in range(size) if rank[k] >= rank[place] and k != place]
            chosen += [(own[place], others)] if others else []
    assert (laid.tied > 1).any()
    theirs = choix.ilsr_top1(5, chosen, alpha=0, max_iter=1000, tol=1e-9)
    found = fit_plackett_luce(choice_sets(laid, whose))
    np.testing.assert_allclose(found.log_strengths, theirs, atol=1e-6)
    likelihood = sum(
        theirs[one] - np.logaddexp.reduce([theirs[k] for k in (one, *others)])
        for one, others in chosen
    )
    assert found.log_likelihood == pytest.approx(likelihood)


def test_two_images_of_a_condition_make_it_twice_as_likely():
    rows = [("e", f"g{n}", "abb" if n < 50 else "bab") for n in range(100)]
    frame = of_rankings(rows, image=[f"{k}" for k in range(300)])
    # a is first of (a, b, b) in half of all groups, and of (a, b) in all others: then b's second
    # image comes last.
    found = np.exp(np.diff(fitted(frame).log_strengths)[0])
    # Log-likelihood of the ratio r = b/a: 50 log 1/(1+2r) + 50 log r/(1+2r) + 50 log 1/(1+r).
    grid = np.linspace(0.01, 1, 9901)
    best = np.argmax(np.log(grid) / 2 - np.log1p(2 * grid) - np.log1p(grid) / 2)
    assert found == pytest.approx(grid[best], abs=2e-4)


def test_known_strengths_are_recovered(rng):
    truth = np.array([1.2, 0.4, 0.1, -0.6, -1.1])
    found = fitted(drawn(truth, rng=rng, evaluators=40, groups=150, size=4))
    np.testing.assert_allclose(found.log_strengths, truth - truth.mean(), atol=0.06)


def test_a_draw_has_the_strengths_of_its_rankings(rng):
    laid, whose = read(drawn([0.6, 0.2, -0.3, -0.5], rng=rng, taste=1, evaluators=5, groups=6))
    found, pairs = choice_sets(laid, whose), expanded(laid)
    weights = drawn_weights(5, draws=40, rng=rng)
    drawn_ones = draw_rankings(found, pairs.sums(whose)[0], fit_plackett_luce(found), weights)
    assert drawn_ones.undefined == 0
    for weight, own in zip(weights, drawn_ones.log_strengths, strict=True):
        alone, _ = fit_choices(weight @ found.chosen, found.times.T @ weight, found.members)
        np.testing.assert_allclose(own, alone, atol=1e-7)


def test_draws_without_finite_strengths_are_counted():
    rows = [("e1", "g1", "abc"), ("e2", "g1", "cba"), ("e3", "g1", "abc")]
    laid, whose = read(of_rankings(rows))
    found = choice_sets(laid, whose)
    weights = np.array([[1.0, 1, 1], [3, 0, 0], [2, 0, 1], [0, 1, 2]])
    drawn_ones = draw_rankings(
        found, expanded(laid).sums(whose)[0], fit_plackett_luce(found), weights
    )
    assert (drawn_ones.undefined, len(drawn_ones.log_strengths)) == (2, 2)


def test_what_always_wins_is_set_aside_and_the_others_keep_their_strengths(rng):
    rankings = drawn([0.5, 0, -0.5], rng=rng, groups=15)
    laid, whose = read(rankings)
    data = [["m00", *(f"m{k + 1:02d}" for k in one), "m09"] for one in lists(laid)]
    best = of_rankings([(f"e{k % 7}", f"g{k}", one) for k, one in enumerate(data)])
    laid, whose = read(best)
    found = ranking_strengths(
        laid,
        whose,
        expanded(laid).counts(),
        drawn_weights(7, draws=20, rng=rng),
        confidence=0.95,
    )
    assert found.connectivity.fitted == ("m01", "m02", "m03")
    assert found.reason("m00").startswith("m00 never lost: it won all of its 600 comparisons")
    assert "m09 never won" in found.reason("m09")
    np.testing.assert_allclose(found.fitted.log_strengths, fitted(rankings).log_strengths)


def test_strengths_that_are_not_finite_are_not_found():
    laid, whose = read(of_rankings([("e", "g", "ab")]))
    with pytest.raises(StrengthsNotFound):
        fit_plackett_luce(choice_sets(laid, whose))


def test_bundles_of_many_units_keep_the_spread(rng):
    laid, whose = read(drawn([0.6, 0, -0.6], rng=rng, evaluators=6000, groups=1))
    bundles = whose.bundled()
    assert (whose.number, bundles.number) == (6000, 2000)
    found = choice_sets(laid, bundles)
    drawn_ones = draw_rankings(
        found,
        expanded(laid).sums(bundles)[0],
        fit_plackett_luce(found),
        drawn_weights(2000, draws=300, rng=rng),
    )
    by_information = np.sqrt(np.diag(fit_plackett_luce(found).covariance))
    np.testing.assert_allclose(drawn_ones.log_strengths.std(axis=0), by_information, rtol=0.15)


@pytest.mark.long
def test_intervals_hold_the_truth_where_tastes_differ(rng):
    strengths, taste = [0.8, 0.2, -0.2, -0.8], 0.5
    truth = fitted(drawn(strengths, rng=rng, taste=taste, evaluators=20_000, groups=1))
    held: dict[str, list[bool]] = {"strength": [], "sandwich": []}
    for _ in range(120):
        laid, whose = read(drawn(strengths, rng=rng, taste=taste, evaluators=10, groups=6))
        found = ranking_strengths(
            laid,
            whose,
            expanded(laid).counts(),
            drawn_weights(10, draws=200, rng=rng),
            confidence=0.95,
        )
        for row in found.conditions:
            place = truth.conditions.index(row.condition)
            for name, each in held.items():
                interval = getattr(row, name)
                each.append(interval.low <= truth.log_strengths[place] <= interval.high)
    assert 0.90 <= np.mean(held["strength"]) <= 0.99
    assert 0.91 <= np.mean(held["sandwich"]) <= 0.99


def test_units_are_groups_where_one_evaluator_ranked(rng):
    laid, whose = read(drawn([0.5, 0, -0.5], rng=rng, evaluators=1, groups=9))
    assert (whose.kind, whose.number) == ("groups", 9)
    assert isinstance(whose, Units)
    assert laid.sizes.tolist() == [3] * 9
