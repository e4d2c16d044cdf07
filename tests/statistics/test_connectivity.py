import numpy as np
from simulated_comparisons import counts_of

from hype.statistics.bradley_terry import connectivity


def test_a_study_as_it_should_be():
    found = connectivity(counts_of([[0, 7, 8], [3, 0, 6], [2, 4, 0]]))

    assert found.fitted == ("a", "b", "c")
    assert (found.pieces, found.groups) == ((("a", "b", "c"),),) * 2
    assert (found.unbeaten, found.winless, found.problems) == ((), (), ())
    assert not found.reasons


def test_a_condition_that_never_lost_is_left_out():
    found = connectivity(counts_of([[0, 7, 8], [0, 0, 6], [0, 4, 0]]))

    assert found.fitted == ("b", "c")
    assert found.unbeaten == ("a",)
    assert found.groups == (("a",), ("b", "c"))
    (problem,) = found.problems
    assert found.reasons == {"a": problem}
    assert problem.startswith("a never lost: it won all of its 15 comparisons, with b, c;")


def test_a_condition_that_never_won():
    found = connectivity(counts_of([[0, 7, 1], [2, 0, 0], [0, 0, 0]]))

    assert found.fitted == ("a", "b")
    assert found.winless == ("c",)
    assert "c never won: it lost its only 1 comparison, with a" in found.reasons["c"]


def test_leaving_one_out_can_leave_another_unbeaten():
    """Condition a never loses, b loses only to a, and c and d can be fitted."""
    wins = [[0, 2, 2, 2], [0, 0, 2, 2], [0, 0, 0, 1], [0, 0, 1, 0]]
    found = connectivity(counts_of(wins))

    assert found.fitted == ("c", "d")
    assert found.unbeaten == ("a",)
    assert found.reasons["b"] == "b has no strength: none of {b} ever lost to one of {c, d}"
    assert len(found.problems) == 2


def test_a_vote_between_newcomers_leaves_the_others_their_strengths():
    wins = np.zeros((5, 5))
    wins[:3, :3] = [[0, 7, 8], [3, 0, 6], [2, 4, 0]]
    wins[3, 4] = 1
    found = connectivity(counts_of(wins))

    assert found.fitted == ("a", "b", "c")
    assert found.pieces == (("a", "b", "c"), ("d", "e"))
    assert found.reasons["d"].startswith("d never lost: it won its only 1 comparison, with e")
    wins[4, 3] = 1
    found = connectivity(counts_of(wins))
    assert found.fitted == ("a", "b", "c")
    assert found.problems == ("d, e have no strength: no comparison connects {d, e} and {a, b, c}",)


def test_groups_of_which_one_never_lost_to_the_other():
    wins = np.array([[0, 2, 5, 5], [2, 0, 5, 5], [0, 0, 0, 2], [0, 0, 2, 0]])
    found = connectivity(counts_of(wins))

    assert found.fitted == ("a", "b")
    assert found.groups == (("a", "b"), ("c", "d"))
    said = "have no strength: none of {%s} ever lost to one of {%s}"
    assert found.problems == ("c, d " + said % ("a, b", "c, d"),)
    assert connectivity(counts_of(wins.T)).problems == ("c, d " + said % ("c, d", "a, b"),)


def test_groups_that_only_an_unbeaten_condition_joins():
    wins = np.zeros((5, 5))
    wins[0, 1:] = 3
    wins[1, 2] = wins[2, 1] = wins[3, 4] = wins[4, 3] = 2
    found = connectivity(counts_of(wins))

    assert found.fitted == ("b", "c")
    assert "a never lost" in found.reasons["a"]
    assert found.reasons["d"].endswith("of wins connects {d, e} and {b, c} in either direction")


def test_a_tie_joins_both_ways():
    wins = [[0, 2, 5], [2, 0, 5], [0, 0, 0]]
    found = connectivity(counts_of(wins, [[0, 0, 1], [0, 0, 0], [1, 0, 0]]))

    assert found.fitted == ("a", "b", "c")
    assert found.winless == ()


def test_a_condition_that_was_never_compared():
    found = connectivity(counts_of([[0, 2, 0], [1, 0, 0], [0, 0, 0]]))

    assert found.fitted == ("a", "b")
    assert found.reasons == {"c": "c was never compared with another condition"}
    assert (found.unbeaten, found.winless) == ((), ())


def test_nothing_at_all():
    found = connectivity(counts_of(np.zeros((2, 2))))

    assert found.fitted == ()
    assert set(found.reasons) == {"a", "b"}
