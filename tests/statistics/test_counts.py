from simulated_comparisons import votes_of

from hype.statistics.paired_counts import answers_of, count

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
