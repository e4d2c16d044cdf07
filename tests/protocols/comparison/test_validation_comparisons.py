import pandas as pd
import pytest

from hype.protocols.comparison.evaluators import validation
from hype.protocols.comparison.table import check_comparisons


def answered(evaluator, answers, *, task="validation", hasty=False):
    return [
        {
            "evaluator": evaluator,
            "left": "good",
            "right": "bad",
            "answer": answer,
            "task": task,
            "obvious": "left" if task != "comparison" else "",
            "hasty": hasty,
        }
        for answer in answers
    ]


def table(*rows):
    return check_comparisons(pd.DataFrame([row for part in rows for row in part]))


@pytest.fixture
def votes():
    return table(
        answered("sound", ["left"] * 9 + ["right"]),
        answered("bound", ["left"] * 7 + ["tie", "right", "none"]),
        answered("poor", ["right"] * 6 + ["left"] * 4, hasty=True),
        answered("poor", ["left"] * 10, task="comparison"),
        answered("poor", ["left"] * 5, task="practice", hasty=True),
        answered("unasked", ["left"], task="comparison"),
    )


def test_shares_and_the_rule(votes):
    found = validation(votes, min_correct=0.7)
    by_name = {row["evaluator"]: row for row in found["evaluators"]}
    assert {name: (row["shown"], row["right"], row["passed"]) for name, row in by_name.items()} == {
        "sound": (10, 9, True),
        "bound": (10, 7, True),  # a tie, a wrong one and one not answered: 7 of 10 is enough
        "poor": (10, 4, False),
        "unasked": (0, 0, None),
    }
    assert found["failed"] == ("poor",)
    assert (found["shown"], found["right"]) == (30, 20)
    assert found["said"] == (
        "20 of 30 comparisons with an obvious answer were answered right (66.7%); 1 of 4 "
        "evaluators fell below the study's bound of 70%."
    )


def test_haste_counts_without_practice(votes):
    poor = validation(votes)["evaluators"][0]
    assert (poor["comparisons"], poor["hasty"], poor["hasty_share"]) == (20, 10, 0.5)
    assert validation(votes)["hasty"] == 10


def test_without_a_rule_nobody_fails(votes):
    found = validation(votes)
    assert found["failed"] == ()
    assert all(row["passed"] is None for row in found["evaluators"])


def test_wilsons_interval(votes):
    row = validation(votes)["evaluators"][0]
    assert row["share"].ends == pytest.approx((0.1682, 0.6873), abs=1e-4)


def test_a_table_that_tells_nothing_of_it(votes):
    only = votes[votes["task"].eq("comparison")].drop(columns="hasty")
    assert validation(only) is None
    assert validation(votes.drop(columns="evaluator")) is None
