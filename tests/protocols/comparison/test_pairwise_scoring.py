"""Scores of comparisons."""

import numpy as np
import pandas as pd
import pytest
from made_comparisons import score_votes
from made_votes import of_strengths, sided, two_models
from score_rows import row_of

from hype.errors import InputError
from hype.protocols.comparison.power import AnalysisPlan
from hype.protocols.comparison.report import statistics_in_words
from hype.protocols.comparison.score import (
    PairwiseOptions,
)
from hype.protocols.comparison.sequential import StoppingRule
from hype.protocols.comparison.table import check_comparisons
from hype.statistics.proportions import holm

STRENGTHS = {"m0": 1.0, "m1": 0.2, "m2": -0.2, "m3": -1.0}


def score(votes, **options):
    return score_votes(check_comparisons(votes), PairwiseOptions(**options))


def with_rows(votes, more):
    more = {"prompt": "p", "task": "comparison", "simulated": False, **more.to_dict("list")}
    return pd.concat([votes, pd.DataFrame(more)], ignore_index=True)


@pytest.fixture
def votes(rng):
    return of_strengths(list(STRENGTHS.values()), evaluators=30, each=60, rng=rng, ties=0.1)


def test_strengths_are_recovered(rng):
    votes = of_strengths(list(STRENGTHS.values()), evaluators=100, each=100, rng=rng)
    found = score(votes)
    assert [row["condition"] for row in found.rows("conditions")] == list(STRENGTHS)
    for row in found.rows("conditions"):
        assert row["strength"].value == pytest.approx(STRENGTHS[row["condition"]], abs=0.1)
        assert row["strength"].low < row["strength"].value < row["strength"].high
    assert sum(row["share100"].value for row in found.rows("conditions")) == pytest.approx(100)


def test_what_is_counted(votes):
    found = score(votes)
    counted = [found.facts[name] for name in ("votes", "comparisons", "evaluators", "prompts")]
    assert counted == [1800, 1800, 30, 20]
    rows, pairs = found.rows("conditions"), found.rows("pairs")
    assert sum(row["comparisons"] for row in rows) == 2 * 1800
    assert sum(pair["comparisons"] for pair in pairs) == 1800
    assert sum(row["wins"] for row in rows) == sum(row["losses"] for row in rows)
    assert found.facts["images"] == "sample"
    assert (found.facts["random"].unit, found.facts["random"].units) == ("evaluators", 30)
    assert (found.facts["random"].item, found.facts["random"].items) == ("prompts", 20)
    assert found.rows("exclusions") == ()


@pytest.mark.parametrize("over_criteria", [False, True])
def test_each_criterion_is_scored_as_if_it_were_alone(rng, over_criteria):
    apart = {
        name: of_strengths(strengths, evaluators=20, each=20, rng=rng).assign(
            criterion=name, confidence=rng.integers(1, 4, 400)
        )
        for name, strengths in (("beauty", [0.9, 0.2, 0.0]), ("adherence", [0.1, 0.0, -0.5]))
    }
    found = score(
        pd.concat(apart.values()),
        questions={"beauty": "Which is nicer?"},
        over_criteria=over_criteria,
    )
    alone = {name: score(votes.drop(columns="criterion")) for name, votes in apart.items()}
    matrix = found.table("strengths-by-criterion").objects()

    assert [*found.parts] == ["beauty", "adherence"]
    assert found.parts["beauty"].facts["criterion"] == "Which is nicer?"
    assert found.facts["comparisons"] == 800
    for name, own in alone.items():
        rows = [row for row in found.rows("conditions") if row["criterion"] == name]
        assert [row["elo"] for row in rows] == [row["elo"] for row in own.rows("conditions")]
        for row in rows:
            (line,) = (each for each in matrix if each["condition"] == row["condition"])
            assert line[f"score_{name}"] == row["elo"].value
        (agreement,) = own.rows("agreement")
        assert {"criterion": name, **agreement} in found.rows("agreement")
        sure = [row for row in found.rows("confidence-steps") if row["criterion"] == name]
        assert sure == [{"criterion": name, **row} for row in own.rows("confidence-steps")]
        assert len(sure) == 3
    p = [pair["p"] for own in alone.values() for pair in own.rows("pairs")]
    of_alone = [pair["p_adjusted"] for own in alone.values() for pair in own.rows("pairs")]
    expected = np.maximum(holm(p), of_alone) if over_criteria else of_alone
    pairs = found.rows("pairs")
    assert [pair["p_adjusted"] for pair in pairs] == pytest.approx([*expected])
    assert [pair["separable"] for pair in pairs] == [each < 0.05 for each in expected]
    methods = " ".join(paragraph.text for paragraph in statistics_in_words(found))
    assert methods.count("Agreement among evaluators is") == 1
    assert ("all criteria" in found.table("pairs").note) == over_criteria


def test_pairs_follow_the_ranking(votes):
    found = score(votes)
    order = [row["condition"] for row in found.rows("conditions")]
    assert [(pair["a"], pair["b"]) for pair in found.rows("pairs")] == [
        (a, b) for i, a in enumerate(order) for b in order[i + 1 :]
    ]
    for pair in found.rows("pairs"):
        a, b = row_of(found, pair["a"]), row_of(found, pair["b"])
        assert pair["difference"].value == pytest.approx(a["strength"].value - b["strength"].value)
        assert pair["win_rate"].low <= pair["win_rate"].value <= pair["win_rate"].high
        assert pair["win_rate"].value == pytest.approx(
            (pair["wins_a"] + pair["ties"] / 2) / pair["comparisons"]
        )


def test_ties_by_every_rule(votes):
    rates = {rule: score(votes, ties=rule) for rule in ("davidson", "half", "none")}
    assert rates["davidson"].facts["fit"]["tie_parameter"] > 0
    assert rates["half"].facts["fit"]["tie_parameter"] is None
    row = row_of(rates["none"], "m0")
    assert row["win_rate"].value == pytest.approx(row["wins"] / (row["wins"] + row["losses"]))


def test_both_bad_is_counted_by_itself_and_left_out_of_strengths(votes):
    """Ties and "both-bad" are exchanged here; then the rest are wins, as if ties were dropped."""
    words = votes["answer"].cat.rename_categories({"tie": "both-bad", "both-bad": "tie"})
    found = score(votes.assign(answer=words))
    without = score(votes, ties="none")
    bad = {(row["condition"], row["other"]): row for row in found.rows("both-bad")}

    for row in without.rows("conditions"):
        own = bad[row["condition"], "all others"]
        assert (own["answers"], own["both_bad"]) == (row["comparisons"], row["ties"])
        assert own["share"].low < own["share"].value == row["ties"] / row["comparisons"]
        assert row_of(found, row["condition"])["strength"] == row["strength"]
    for pair in without.rows("pairs"):
        own = bad.get((pair["a"], pair["b"])) or bad[pair["b"], pair["a"]]
        assert own["both_bad"] == pair["ties"]
    assert without.table("both-bad") is None


def test_nobody_is_known(votes):
    found = score(votes.drop(columns=["evaluator", "prompt"]))
    facts, random = found.facts, found.facts["random"]
    assert (facts["evaluators"], facts["prompts"], found.rows("agreement")) == (None, None, ())
    assert (random.unit, random.item, facts["images"]) == ("comparisons", None, "unknown")
    assert "does not say who answered" in found.notes[0]


def test_the_plan_and_what_it_says(rng):
    votes = two_models([0.75] * 20, 10, rng=rng)
    (pair,) = score(votes, plan=AnalysisPlan(win_rate=0.55)).rows("pairs")
    assert (pair["separable"], pair["powered"]) == (True, False)
    assert "it was planned to detect a win rate of 55.0%." in pair["said"]
    (pair,) = score(votes, plan=AnalysisPlan(win_rate=0.65)).rows("pairs")
    assert (pair["separable"], pair["powered"], pair["said"]) == (True, True, "")
    (pair,) = score(votes).rows("pairs")
    assert (pair["separable"], pair["powered"]) == (True, None)
    assert "no number of comparisons was fixed in advance" in pair["said"]


def test_a_condition_that_never_loses_has_no_score(votes):
    unbeaten = sided([True] * 30, np.random.default_rng(0), a="top", b="m0").assign(
        evaluator="e000"
    )
    found = score(with_rows(votes, unbeaten))
    last = found.rows("conditions")[-1]
    assert (last["condition"], last["rank"]) == ("top", None)
    assert (last["strength"], last["elo"]) == (None, None)
    assert last["win_rate"].value == 1
    assert "top never lost" in last["reason"]
    assert [row["condition"] for row in found.rows("conditions") if row["unbeaten"]] == ["top"]
    assert row_of(found, "m0")["strength"] is not None


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
    failed = [row["evaluator"] for row in found.rows("validation") if row["passed"] is False]
    assert failed == ["e000", "e001"]
    assert (found.facts["evaluators"], found.facts["comparisons"]) == (28, 28 * 60)
    assert {one.reason: one.answers for one in found.rows("exclusions")} == {
        "failed-validation": 128,
        "validation": 112,
    }
    assert {row["condition"] for row in found.rows("conditions")} == set(STRENGTHS)
    assert score(both).facts["evaluators"] == 30


def test_nothing_is_left_to_score():
    frame = pd.DataFrame({"left": ["a"], "right": ["b"], "answer": ["none"]})
    with pytest.raises(InputError, match="no answer can be scored: 1 not answered"):
        score(frame)


def test_a_condition_of_which_nothing_is_left_is_named(votes):
    gone = {"evaluator": ["e000"], "left": ["m9"], "right": ["m0"], "answer": ["none"]}
    found = score(with_rows(votes, pd.DataFrame(gone)))
    assert "No answers can be scored for m9." in found.notes


def test_in_an_arena_its_rule_alone_says_who_is_separable(votes):
    """Tests for a fixed number of people do not count: not before a look, nor for other pairs."""
    tested = score(votes).rows("pairs")
    assert any(pair["separable"] for pair in tested)

    few = votes[votes["evaluator"].astype(str) < "e011"]
    early = score(few, rule=StoppingRule(goal="top", evaluators=20))
    assert {(pair["p"], pair["p_adjusted"], pair["verdict"]) for pair in early.rows("pairs")} == {
        (None, None, "not known")
    }
    assert {(row["rank_low"], row["rank_high"]) for row in early.rows("conditions")} == {(1, 4)}

    ended = score(votes, rule=StoppingRule(goal="top", evaluators=20))
    separable = {(pair["a"], pair["b"]) for pair in ended.rows("pairs") if pair["separable"]}
    assert ended.facts["sequential"]["separated"] == len(separable)
    assert {("m0", "m1"), ("m0", "m2"), ("m0", "m3")} <= separable
    assert (row_of(ended, "m0")["rank_low"], row_of(ended, "m0")["rank_high"]) == (1, 1)


def test_the_share_for_the_one_ranked_higher_is_told_by_confidence(votes):
    place = {name: at for at, name in enumerate(STRENGTHS)}
    left, right = (votes[side].astype(str).map(place) for side in ("left", "right"))
    higher = left.lt(right).eq(votes["answer"].eq("left"))
    asked = votes.assign(confidence=np.where(higher, 2, 1))
    steps = score(asked).table("confidence-steps").objects()

    assert [(row["confidence"], row["higher"]) for row in steps] == [(1, 0.0), (2, 100.0)]
    assert steps[0]["higher_low"] == 0 < steps[0]["higher_high"] < 10
    assert 90 < steps[1]["higher_low"] < 100 == steps[1]["higher_high"]
    assert sum(row["comparisons"] for row in steps) == votes["answer"].ne("tie").sum()
    assert score(votes).table("confidence-steps") is None
