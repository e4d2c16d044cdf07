import numpy as np
import pytest
from made_votes import of_strengths, two_models
from statsmodels.stats.inter_rater import fleiss_kappa

from hype.protocols.comparison.camps import camps
from hype.statistics.proportions import dispersion, heterogeneity, permuted_p, tarone_p


def found(probabilities, number, rng):
    return camps(two_models(probabilities, number, rng=rng), rng=np.random.default_rng(0))


def test_all_raters_sixty_forty(rng):
    result = found([0.6] * 40, 60, rng)
    (pair,) = result.pairs
    assert result.verdict == pair.verdict == "shared"
    assert pair.win_rate == pytest.approx(0.6, abs=0.03)
    assert pair.sd_log_odds.high < 0.5
    assert result.said == (
        f"{pair.win_rate:.0%} of 2,400 choices are for A over B, and the 40 evaluators differ no "
        f"more than chance makes them (p = {pair.p:.3f}): each of them prefers A about "
        f"{pair.win_rate:.0%} of the time."
    )


def test_two_camps(rng):
    result = found([1.0] * 24 + [0.0] * 16, 30, rng)
    (pair,) = result.pairs
    assert result.verdict == "camps"
    assert (pair.win_rate, pair.always_a, pair.always_b, pair.correlation) == (0.6, 24, 16, 1)
    assert result.said == (
        "60% of 1,200 choices are for A over B, but evaluators form camps (p < 0.001): 24 of 40 "
        "nearly always chose A, 16 nearly always B; a win rate of 60% describes none of them."
    )


def test_camps_with_exceptions(rng):
    result = found([0.97] * 15 + [0.03] * 12 + [0.5] * 3, 40, rng)
    assert result.verdict == "camps"
    assert "describes 3 of them at most" in result.said


def test_evaluators_differ_without_camps(rng):
    result = found(rng.beta(4, 3, size=40), 40, rng)
    assert result.verdict == "differ"
    assert "an average over unlike preferences" in result.said


def test_too_few_to_tell(rng):
    few = found([0.6] * 4, 200, rng)
    assert few.verdict == "too-few"
    assert few.said.endswith(
        "too few evaluators (4 of the 5 that are needed) to tell whether evaluators agree."
    )
    assert found([0.6] * 100, 1, rng).said.endswith(
        "to tell whether evaluators agree (100 by 100)."
    )


def test_no_camps_seen_in_few_comparisons_is_not_called_agreement(rng):
    result = found([0.6] * 40, 3, rng)
    assert result.verdict == "shared"
    assert result.said.endswith("; smaller differences than camps are not ruled out.")


def test_everybody_for_the_same(rng):
    result = found([1.0] * 10, 10, rng)
    assert (result.verdict, result.said) == ("shared", "All 100 choices are for A over B.")


def test_camps_in_one_pair_of_many(rng):
    votes = of_strengths([0.5, 0, -0.5], evaluators=40, each=90, rng=rng)
    pair = votes["left"].isin(["m0", "m1"]) & votes["right"].isin(["m0", "m1"])
    early = votes["evaluator"].astype(str) < "e020"
    favourite = np.where(early, "m0", "m1")
    answers = np.where(votes["left"].astype(str) == favourite, "left", "right")
    votes.loc[pair, "answer"] = answers[pair]
    result = camps(votes, rng=rng)
    assert result.verdict == "camps"
    assert {result.pairs[0].a, result.pairs[0].b} == {"m0", "m1"}
    assert [one.verdict for one in result.pairs[1:]] == ["shared", "shared"]
    assert result.said.startswith("Evaluators form camps in m")


def test_many_pairs_without_differences(rng):
    result = camps(of_strengths([1, 0.3, 0, -1], evaluators=40, each=60, rng=rng), rng=rng)
    assert (result.verdict, result.tested) == ("shared", 6)
    assert result.said.startswith("In none of 6 pairs")


def test_pairs_too_small_to_tell_can_tell_together(rng):
    # Ten models; every evaluator has one favourite half and never chooses the other.
    votes = of_strengths(np.zeros(10), evaluators=30, each=90, rng=rng)
    early = votes["evaluator"].astype(str) < "e015"
    small = votes["left"].astype(str) < votes["right"].astype(str)
    keen = rng.random(len(votes)) < 0.75
    votes["answer"] = np.where((early == small) == keen, "left", "right")
    votes["answer"] = (
        votes["answer"].astype("category").cat.set_categories(["left", "right", "tie", "none"])
    )
    result = camps(votes, rng=rng)
    assert result.verdict == "differ"
    assert result.p < 0.001


def test_ties_and_missing_evaluators(rng):
    votes = two_models([0.6] * 10, 20, rng=rng)
    votes.loc[:9, "answer"] = "tie"
    assert camps(votes, rng=rng).pairs[0].comparisons == 190
    assert camps(votes.drop(columns="evaluator"), rng=rng) is None
    votes["answer"] = votes["answer"].where(votes["answer"].eq("tie"), "tie")
    assert camps(votes, rng=rng) is None


def test_the_test_keeps_its_level_and_finds_differences(rng):
    choices = np.full(15, 8)
    null = [permuted_p(rng.binomial(choices, 0.7), choices, draws=199, rng=rng) for _ in range(300)]
    assert np.mean(np.array(null) <= 0.05) <= 0.08
    own = rng.beta(1, 1, size=(100, 15))
    apart = [permuted_p(rng.binomial(choices, p), choices, draws=199, rng=rng) for p in own]
    assert np.mean(np.array(apart) <= 0.05) > 0.9


def test_tarones_test_by_hand():
    # p = ½: S = Σ(x - n/2)²/¼ = 4·(4 + 4 + 0) = 32 with n = 4, 4, 4: Z = (32 - 12)/√(2·36).
    found = dispersion(np.array([4, 0, 2]), np.array([4, 4, 4]))
    assert (found.excess, found.variance) == (20, 72)
    assert tarone_p([found]) == pytest.approx(0.00921, abs=1e-4)


def test_tarone_and_dealing_agree_where_there_is_much(rng):
    choices = rng.integers(10, 30, size=200)
    chosen = rng.binomial(choices, rng.beta(30, 20, size=200))
    dealt = permuted_p(chosen, choices, draws=9999, rng=rng)
    assert tarone_p([dispersion(chosen, choices)]) == pytest.approx(dealt, abs=0.02)


@pytest.mark.parametrize("rho", [0.0, 0.05, 0.3, 0.8])
def test_the_correlation_is_recovered(rho, rng):
    held, point = [], []
    for _ in range(60):
        share = 0.6 if not rho else rng.beta(0.6 * (1 / rho - 1), 0.4 * (1 / rho - 1), size=50)
        fitted = heterogeneity(rng.binomial(20, share, size=50), np.full(50, 20))
        held.append(fitted.low <= rho <= fitted.high)
        point.append(fitted.correlation)
    assert np.mean(held) >= 0.88
    assert np.mean(point) == pytest.approx(rho, abs=0.03)


def test_the_correlation_is_the_kappa_of_many_raters(rng):
    # With equally many choices each, ρ and Fleiss's κ of evaluators as units estimate the same.
    chosen = rng.binomial(40, rng.beta(2, 2, size=300))
    kappa = fleiss_kappa(np.column_stack([chosen, 40 - chosen]))
    assert heterogeneity(chosen, np.full(300, 40)).correlation == pytest.approx(kappa, abs=0.03)
