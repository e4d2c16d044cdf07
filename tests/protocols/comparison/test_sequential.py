import numpy as np
import pytest
from made_votes import of_strengths, two_models

from hype.protocols.comparison.sequential import evaluator_shares, sequential
from hype.statistics.paired_counts import count, count_by_evaluator
from hype.statistics.separation import separation


def asked(votes, **options):
    return sequential(count(votes), count_by_evaluator(votes), **options)


def test_the_top_is_known(rng):
    found = asked(of_strengths([1.5, 0, -1], evaluators=60, each=50, rng=rng), goal="top")
    assert (found.reached, found.top, found.order) == (True, "m0", None)
    assert found.said == (
        "m0 is known to be the top, with an error rate of 5% at most, however often one looks."
    )


def test_the_ranking_is_known(rng):
    votes = of_strengths([1.5, 0, -1.5], evaluators=60, each=50, rng=rng)
    found = asked(votes, goal="ranking")
    assert found.order == ("m0", "m1", "m2")
    assert (found.separated, found.pairs) == (3, 3)
    assert found.said.startswith("The ranking is known, ")


def test_nothing_is_known_of_equals(rng):
    found = asked(two_models([0.5] * 10, 20, rng=rng), goal="top", alpha=0.01)
    assert (found.reached, found.top, found.separated) == (False, None, 0)
    assert found.said == (
        "The top is not known yet: 0 of 1 pairs are separated, with an error rate of 1% at most, "
        "however often one looks."
    )


def test_it_says_what_the_rule_says(rng):
    votes = of_strengths([0.8, 0.2, 0, -1], evaluators=40, each=40, rng=rng)
    counts = count(votes)
    rule = separation(counts.wins, goal="ranking")
    found = asked(votes, goal="ranking")
    assert found.separated == int(rule.beats.sum())
    assert found.reached == rule.reached


def test_camps_are_worth_their_evaluators(rng):
    votes = two_models([1.0] * 6 + [0.0] * 3, 100, rng=rng)
    assert asked(votes, goal="top").reached
    assert not asked(votes, goal="top", unit="evaluator").reached
    assert asked(votes.drop(columns="evaluator"), goal="top", unit="evaluator") is None


def test_shares_of_evaluators_by_hand():
    import pandas as pd

    from hype.protocols.comparison.table import check_comparisons

    frame = pd.DataFrame(
        {
            "evaluator": ["x", "x", "x", "x", "y"],
            "left": ["a", "b", "a", "a", "c"],
            "right": ["b", "a", "b", "c", "b"],
            "answer": ["left", "left", "tie", "tie", "left"],
        }
    )
    pairs, shares = evaluator_shares(count_by_evaluator(check_comparisons(frame)))
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert shares == pytest.approx(np.array([0.5, 0.5, 0.0]))
