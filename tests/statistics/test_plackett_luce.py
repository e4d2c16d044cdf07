import choix
import numpy as np
import pytest
from made_rankings import drawn, of_rankings, table_of

from hype.protocols.ranking.orders import choice_sets, expand, find_order_sample
from hype.protocols.ranking.score import ranking_strengths
from hype.statistics.bradley_terry import StrengthsNotFound
from hype.statistics.paired_counts import orders
from hype.statistics.strength_table import Certainty
from hype.statistics.strengths import fit_plackett_luce, scores_of_rankings


def read(rankings):
    laid = orders(rankings)
    return laid, find_order_sample(rankings, laid, "sample")


def fitted(rankings):
    return fit_plackett_luce(choice_sets(orders(rankings)))


def lists(laid):
    return np.split(laid.condition, laid.starts[1:])


@pytest.mark.parametrize(("conditions", "size"), [(5, 5), (8, 3), (70, 4)])
def test_strengths_are_those_of_choix(conditions, size, rng):
    groups = 8 * conditions
    rankings = drawn(rng.normal(size=conditions), rng=rng, evaluators=3, groups=groups, size=size)
    laid, _ = read(rankings)
    theirs = choix.ilsr_rankings(conditions, lists(laid), alpha=0, max_iter=1000, tol=1e-9)
    np.testing.assert_allclose(fitted(rankings).log_strengths, theirs, atol=1e-6)


def test_each_of_a_tie_is_chosen_from_all_of_it(rng):
    laid = orders(drawn([1, 0.3, 0, -0.2, -0.8], rng=rng, groups=12, ties=0.4))
    chosen = []
    for begin, size in zip(laid.starts, laid.sizes, strict=True):
        own, rank = laid.condition[begin : begin + size], laid.rank[begin : begin + size]
        for place in range(size):
            others = [own[k] for k in range(size) if rank[k] >= rank[place] and k != place]
            chosen += [(own[place], others)] if others else []
    assert (laid.tied > 1).any()
    theirs = choix.ilsr_top1(5, chosen, alpha=0, max_iter=1000, tol=1e-9)
    found = fit_plackett_luce(choice_sets(laid))
    np.testing.assert_allclose(found.log_strengths, theirs, atol=1e-6)
    likelihood = sum(
        theirs[one] - np.logaddexp.reduce([theirs[k] for k in (one, *others)])
        for one, others in chosen
    )
    assert found.log_likelihood == pytest.approx(likelihood)


def test_two_images_of_a_condition_make_it_twice_as_likely():
    rows = [("e", f"g{n}", "abb" if n < 50 else "bab") for n in range(100)]
    frame = of_rankings(rows, image=[f"{k}" for k in range(300)])
    # In half of all groups a is first of (a, b, b); in the others b's first image is before a, and
    # b's second image is last.
    found = np.exp(np.diff(fitted(frame).log_strengths)[0])
    # Log-likelihood of the ratio r = b/a: 50 log 1/(1+2r) + 50 log r/(1+2r) + 50 log 1/(1+r).
    grid = np.linspace(0.01, 1, 9901)
    best = np.argmax(np.log(grid) / 2 - np.log1p(2 * grid) - np.log1p(grid) / 2)
    assert found == pytest.approx(grid[best], abs=2e-4)


def test_known_strengths_are_recovered(rng):
    truth = np.array([1.2, 0.4, 0.1, -0.6, -1.1])
    found = fitted(drawn(truth, rng=rng, evaluators=40, groups=150, size=4))
    np.testing.assert_allclose(found.log_strengths, truth - truth.mean(), atol=0.06)


def test_scores_are_the_slopes_of_each_rankings_likelihood(rng):
    laid = orders(drawn([0.6, 0.2, -0.3, -0.5], rng=rng, evaluators=5, groups=6, ties=0.2))
    choices = choice_sets(laid)
    found = fit_plackett_luce(choices)
    scores = scores_of_rankings(choices, found)
    np.testing.assert_allclose(scores.sum(axis=0), 0, atol=1e-7)
    own, step = found.log_strengths, 1e-6

    def log_likelihoods(strengths):
        sums = np.log(choices.members @ np.exp(strengths))
        return choices.chosen @ strengths - choices.times @ sums

    slopes = [
        (log_likelihoods(own + step * one) - log_likelihoods(own - step * one)) / (2 * step)
        for one in np.eye(4)
    ]
    np.testing.assert_allclose(scores, np.transpose(slopes), atol=1e-6)


def test_what_always_wins_is_set_aside_and_the_others_keep_their_strengths(rng):
    rankings = drawn([0.5, 0, -0.5], rng=rng, groups=15)
    laid, whose = read(rankings)
    data = [["m00", *(f"m{k + 1:02d}" for k in one), "m09"] for one in lists(laid)]
    best = of_rankings([(f"e{k % 7}", f"g{k}", one) for k, one in enumerate(data)])
    laid, whose = read(best)
    found = ranking_strengths(laid, whose, expand(laid).counts(), Certainty())
    assert found.connectivity.fitted == ("m01", "m02", "m03")
    assert found.reason("m00").startswith("m00 never lost: it won all of its 600 comparisons")
    assert "m09 never won" in found.reason("m09")
    np.testing.assert_allclose(found.fitted.log_strengths, fitted(rankings).log_strengths)


def test_strengths_that_are_not_finite_are_not_found():
    laid = orders(of_rankings([("e", "g", "ab")]))
    with pytest.raises(StrengthsNotFound):
        fit_plackett_luce(choice_sets(laid))


def test_intervals_allow_for_other_images(rng):
    held = {"sample": [], "fixed": []}
    person, group = np.repeat(np.arange(12), 10), np.tile(np.arange(10), 12)
    for _ in range(20):
        better = rng.normal(scale=0.8, size=(10, 3))  # by group and image
        best_first = np.argsort(-better[group] - rng.gumbel(size=(120, 3)), axis=1)
        rank = np.tile([1, 2, 3], 120)
        laid = orders(table := table_of(person, group, best_first.ravel(), rank, 3))
        for images, inside in held.items():
            whose = find_order_sample(table, laid, images)
            found = ranking_strengths(laid, whose, expand(laid).counts(), Certainty())
            inside += [row.strength.low <= 0 <= row.strength.high for row in found.conditions]
    assert np.mean(held["sample"]) > 0.9
    assert np.mean(held["fixed"]) < 0.85


def test_groups_could_have_been_others_where_one_evaluator_ranked(rng):
    laid, whose = read(drawn([0.5, 0, -0.5], rng=rng, evaluators=1, groups=9))
    assert (whose.unit, whose.units, whose.item) == ("groups", 9, None)
    assert laid.sizes.tolist() == [3] * 9
