import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from long import a_third
from simulated_comparisons import votes_of

from hype.statistics.paired_counts import Counts, EvaluatorCounts, answers_of, count

NAMES = ("b", "a", "c")
ROWS = [
    ("a", "b", "left"),
    ("b", "a", "right"),
    ("a", "b", "right"),
    ("c", "a", "tie"),
    ("a", "c", "tie"),
    ("b", "c", "none"),
]
PEOPLE = ["p", "q", "q", "p", "p", "r"]


def summed(by_evaluator: EvaluatorCounts) -> Counts:
    size = len(by_evaluator.conditions)
    wins, ties = np.zeros((2, size, size))
    places = by_evaluator.chosen, by_evaluator.other
    np.add.at(wins, places, ~by_evaluator.tied)
    np.add.at(ties, places, by_evaluator.tied)
    return Counts(conditions=by_evaluator.conditions, wins=wins, ties=ties + ties.T)


def same(one: Counts, other: Counts) -> bool:
    equal = np.array_equal(one.wins, other.wins) and np.array_equal(one.ties, other.ties)
    return equal and one.conditions == other.conditions


def test_counts_are_of_the_chosen_over_the_other_whatever_the_side():
    counts = count(votes_of(ROWS, NAMES))

    assert counts.conditions == NAMES
    assert counts.wins.tolist() == [[0, 1, 0], [2, 0, 0], [0, 0, 0]]
    assert counts.ties.tolist() == [[0, 0, 0], [0, 0, 2], [0, 2, 0]]
    assert counts.comparisons.tolist() == [[0, 3, 0], [3, 0, 2], [0, 2, 0]]
    assert counts.points.tolist() == [[0, 1, 0], [2, 0, 1], [0, 1, 0]]
    assert counts.total == 5


def test_some_conditions_in_another_order():
    counts = count(votes_of(ROWS, NAMES)).only(["c", "a"])

    assert counts.conditions == ("c", "a")
    assert counts.ties.tolist() == [[0, 2], [2, 0]]
    assert counts.wins.tolist() == [[0, 0], [0, 0]]
    assert counts.drop_ties().total == 0


def test_answers_of_an_evaluator():
    found, _ = answers_of(votes_of(ROWS, NAMES, PEOPLE), "fixed")

    assert found.evaluators == 2  # r answered nothing
    assert found.evaluator.tolist() == [0, 1, 1, 0, 0]
    assert found.tied.tolist() == [False, False, False, True, True]
    only = found.only(["c", "a"])
    assert (only.evaluators, only.chosen.tolist(), only.other.tolist()) == (1, [0, 0], [1, 1])
    assert found.drop_ties().evaluator.tolist() == [0, 1, 1]


@a_third()
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([(x, y) for x in NAMES for y in NAMES if x != y]),
            st.sampled_from(["left", "right", "tie", "none"]),
            st.sampled_from("pqr"),
        ),
        min_size=1,
    )
)
def test_evaluators_add_up_and_sides_do_not_matter(rows):
    votes = votes_of([(*pair, answer) for pair, answer, _ in rows], NAMES, [p for *_, p in rows])
    swapped = votes.rename(columns={"left": "right", "right": "left"})
    turned = {"left": "right", "right": "left", "tie": "tie", "none": "none"}
    swapped["answer"] = pd.Categorical(votes["answer"].astype(str).map(turned), list(turned))
    by_evaluator, _ = answers_of(votes, "fixed")

    assert same(summed(by_evaluator), count(votes))
    assert same(count(swapped), count(votes))
    some = ["c", "b"]
    assert same(summed(by_evaluator.only(some)), count(votes).only(some))
    assert same(summed(by_evaluator.drop_ties()), count(votes).drop_ties())
