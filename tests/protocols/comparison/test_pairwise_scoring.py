"""Scores of comparisons."""

import numpy as np
import pandas as pd
import pytest
from made_votes import of_strengths, sided, two_models

from hype.errors import InputError
from hype.protocols.comparison.results import AnalysisPlan
from hype.protocols.comparison.score import (
    PairwiseOptions,
    score_comparisons,
)
from hype.protocols.comparison.sequential import StoppingRule
from hype.protocols.comparison.table import check_comparisons

STRENGTHS = {"m0": 1.0, "m1": 0.2, "m2": -0.2, "m3": -1.0}


def score(votes, **options):
    return score_comparisons(check_comparisons(votes), PairwiseOptions(**options))


def with_rows(votes, more):
    more = {"prompt": "p", "task": "comparison", "simulated": False, **more.to_dict("list")}
    return pd.concat([votes, pd.DataFrame(more)], ignore_index=True)


@pytest.fixture
def votes(rng):
    return of_strengths(list(STRENGTHS.values()), evaluators=30, each=60, rng=rng, ties=0.1)


def test_strengths_are_recovered(rng):
    votes = of_strengths(list(STRENGTHS.values()), evaluators=100, each=100, rng=rng)
    found = score(votes)
    assert [row.condition for row in found.conditions] == list(STRENGTHS)
    for row in found.conditions:
        assert row.strength.value == pytest.approx(STRENGTHS[row.condition], abs=0.1)
        assert row.strength.low < row.strength.value < row.strength.high
    assert sum(row.share100.value for row in found.conditions) == pytest.approx(100)


def test_what_is_counted(votes):
    found = score(votes)
    assert (found.votes, found.comparisons, found.evaluators, found.prompts) == (1800, 1800, 30, 20)
    assert sum(row.comparisons for row in found.conditions) == 2 * 1800
    assert sum(pair.comparisons for pair in found.pairs) == 1800
    assert sum(row.wins for row in found.conditions) == sum(row.losses for row in found.conditions)
    assert found.images == "sample"
    assert (found.random.unit, found.random.units) == ("evaluators", 30)
    assert (found.random.item, found.random.items) == ("prompts", 20)
    assert found.exclusions == ()


def test_pairs_follow_the_ranking(votes):
    found = score(votes)
    order = [row.condition for row in found.conditions]
    assert [(pair.a, pair.b) for pair in found.pairs] == [
        (a, b) for i, a in enumerate(order) for b in order[i + 1 :]
    ]
    for pair in found.pairs:
        a, b = found.row(pair.a), found.row(pair.b)
        assert pair.difference.value == pytest.approx(a.strength.value - b.strength.value)
        assert pair.win_rate.low <= pair.win_rate.value <= pair.win_rate.high
        assert pair.win_rate.value == pytest.approx(
            (pair.wins_a + pair.ties / 2) / pair.comparisons
        )


def test_ties_by_every_rule(votes):
    rates = {rule: score(votes, ties=rule) for rule in ("davidson", "half", "none")}
    assert rates["davidson"].fit.tie_parameter > 0
    assert rates["half"].fit.tie_parameter is None
    row = rates["none"].row("m0")
    assert row.win_rate.value == pytest.approx(row.wins / (row.wins + row.losses))


def test_nobody_is_known(votes):
    found = score(votes.drop(columns=["evaluator", "prompt"]))
    assert (found.evaluators, found.prompts, found.agreement) == (None,) * 3
    assert (found.random.unit, found.random.item, found.images) == ("comparisons", None, "unknown")
    assert "does not say who answered" in found.notes[0]


def test_the_plan_and_what_it_says(rng):
    votes = two_models([0.75] * 20, 10, rng=rng)
    (pair,) = score(votes, plan=AnalysisPlan(win_rate=0.55)).pairs
    assert (pair.separable, pair.powered) == (True, False)
    assert pair.said.startswith("Significant, but the study was not powered for it: 55.0% was plan")
    (pair,) = score(votes, plan=AnalysisPlan(win_rate=0.65)).pairs
    assert (pair.separable, pair.powered, pair.said) == (True, True, "")
    (pair,) = score(votes).pairs
    assert (pair.separable, pair.powered) == (True, None)
    assert "no number of comparisons was fixed beforehand" in pair.said


def test_evaluators_decide_where_they_are_known(rng):
    # Two thirds always choose A: 600 comparisons, but of 12 people.
    (pair,) = score(two_models([1.0] * 8 + [0.0] * 4, 50, rng=rng)).pairs
    assert (pair.separable, pair.verdict, pair.said) == (False, "not known", "")
    assert pair.win_rate.low < 0.5


def test_a_condition_that_never_loses_has_no_score(votes):
    unbeaten = sided([True] * 30, np.random.default_rng(0), a="top", b="m0").assign(
        evaluator="e000"
    )
    found = score(with_rows(votes, unbeaten))
    last = found.conditions[-1]
    assert (last.condition, last.rank, last.strength, last.elo) == ("top", None, None, None)
    assert last.win_rate.value == 1
    assert "top never lost" in last.reason
    assert found.fit.unbeaten == ("top",)
    assert found.row("m0").strength is not None


def test_comparisons_that_are_not_connected(votes, rng):
    apart = sided(rng.random(40) < 0.5, rng, a="p", b="q").assign(evaluator="e001")
    found = score(with_rows(votes, apart))
    alone = score(votes)
    assert [found.row(name).strength for name in STRENGTHS] == [
        alone.row(name).strength for name in STRENGTHS
    ]
    for name in "pq":
        assert found.row(name).strength is None
        assert "no comparison joins" in found.row(name).reason
    assert {frozenset(piece) for piece in found.fit.pieces} == {
        frozenset(STRENGTHS),
        frozenset({"p", "q"}),
    }
    assert found.pairs[:-1] == alone.pairs
    assert (found.pairs[-1].difference, found.pairs[-1].verdict) == (None, None)


def test_who_fails_validation_is_left_out(votes):
    asked = pd.DataFrame(
        {
            "evaluator": np.repeat([f"e{i:03d}" for i in range(30)], 4),
            "left": "good",
            "right": "bad",
            "answer": ["right"] * 8 + ["left"] * 112,
            "task": "validation",
            "obvious": "left",
        }
    )
    both = with_rows(votes, asked).fillna({"obvious": ""})
    found = score(both, min_correct=0.75)
    assert found.validation["failed"] == ("e000", "e001")
    assert (found.evaluators, found.comparisons) == (28, 28 * 60)
    assert {one.reason: one.answers for one in found.exclusions} == {
        "failed-validation": 128,
        "validation": 112,
    }
    assert {row.condition for row in found.conditions} == set(STRENGTHS)
    assert score(both).evaluators == 30


def test_an_evaluator_with_one_side_is_named_and_scored(votes):
    votes.loc[votes["evaluator"].eq("e007"), "answer"] = "left"
    named = score(votes)
    assert [row["evaluator"] for row in named.sides["flagged"] if row["always"]] == ["e007"]
    assert named.evaluators == 30


def test_an_evaluator_with_one_key_favours_nobody(rng):
    fair = [1.0] * 10
    pressing = two_models(fair, 40, rng=rng)
    pressing["answer"] = pressing["answer"].where(pressing["evaluator"].ne("e00"), "left")
    found = score(pressing)
    assert 0.9 < found.row("A").win_rate.value < 1
    assert found.row("A").losses == pytest.approx(20, abs=10)


def test_nothing_is_left_to_score():
    frame = pd.DataFrame({"left": ["a"], "right": ["b"], "answer": ["none"]})
    with pytest.raises(InputError, match="none is left to score: 1 not answered"):
        score(frame)


def test_a_condition_of_which_nothing_is_left_is_named(votes):
    gone = {"evaluator": ["e000"], "left": ["m9"], "right": ["m0"], "answer": ["none"]}
    found = score(with_rows(votes, pd.DataFrame(gone)))
    assert "Nothing is left to score of m9." in found.notes


def test_in_an_arena_its_rule_alone_says_who_is_separable(votes):
    """Tests at a fixed number have no say: not before the first look, and not on other pairs."""
    tested = score(votes).pairs
    assert any(pair.separable for pair in tested)

    few = votes[votes["evaluator"].astype(str) < "e011"]
    early = score(few, rule=StoppingRule(goal="top", evaluators=20))
    assert {(pair.p, pair.p_adjusted, pair.verdict) for pair in early.pairs} == {
        (None, None, "not known")
    }
    assert {(row.rank_low, row.rank_high) for row in early.conditions} == {(1, 4)}

    ended = score(votes, rule=StoppingRule(goal="top", evaluators=20))
    separable = {(pair.a, pair.b) for pair in ended.pairs if pair.separable}
    assert separable == {*ended.sequential.claims}
    assert {("m0", "m1"), ("m0", "m2"), ("m0", "m3")} <= separable
    assert (ended.row("m0").rank_low, ended.row("m0").rank_high) == (1, 1)


def test_a_plan_says_what_it_needs_and_which_pairs_are_as_precise(votes):
    plan = AnalysisPlan(win_rate=0.55)
    assert plan.needed == 778
    small, large = (score(votes, plan=AnalysisPlan(win_rate=rate)) for rate in (0.51, 0.95))
    separable = next(pair for pair in small.pairs if pair.separable)
    assert not any(pair.powered for pair in small.pairs)
    assert all(pair.powered for pair in large.pairs)
    assert {pair.powered for pair in score(votes).pairs} == {None}
    assert "was not powered for it: 51.0% was planned" in separable.said
