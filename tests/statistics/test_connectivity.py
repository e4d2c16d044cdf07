import numpy as np
import pytest
from simulated_comparisons import counts_of

from hype.statistics.bradley_terry import connectivity, listed


def test_a_study_as_it_should_be() -> None:
    found = connectivity(counts_of([[0, 7, 8], [3, 0, 6], [2, 4, 0]]))

    assert found.fitted == ("a", "b", "c")
    assert (found.pieces, found.groups) == ((("a", "b", "c"),),) * 2
    assert (found.unbeaten, found.winless, found.problems) == ((), (), ())
    assert not found.reasons


def test_a_condition_that_never_lost_is_left_out() -> None:
    found = connectivity(counts_of([[0, 7, 8], [0, 0, 6], [0, 4, 0]]))

    assert found.fitted == ("b", "c")
    assert found.unbeaten == ("a",)
    assert found.groups == (("a",), ("b", "c"))
    (problem,) = found.problems
    assert found.reasons == {"a": problem}
    assert problem.startswith("a never lost: it won all of its 15 comparisons, with b, c;")


def test_a_condition_that_never_won() -> None:
    found = connectivity(counts_of([[0, 7, 1], [2, 0, 0], [0, 0, 0]]))

    assert found.fitted == ("a", "b")
    assert found.winless == ("c",)
    assert "c never won: it lost its only 1 comparison, with a" in found.reasons["c"]


def test_leaving_one_out_can_leave_another_unbeaten() -> None:
    """A loses to nobody, b to a only; c and d are sound."""
    wins = [[0, 2, 2, 2], [0, 0, 2, 2], [0, 0, 0, 1], [0, 0, 1, 0]]
    found = connectivity(counts_of(wins))

    assert found.fitted == ("c", "d")
    assert found.unbeaten == ("a",)
    assert "won all of its 4 comparisons left when others" in found.reasons["b"]
    assert len(found.problems) == 2


def test_a_chain_leaves_nobody() -> None:
    found = connectivity(counts_of([[0, 2, 2], [0, 0, 2], [0, 0, 0]]))

    assert found.fitted == ()
    assert set(found.reasons) == {"a", "b", "c"}
    assert "compared only with conditions that have no strength" in found.reasons["b"]


def test_pieces_that_no_comparison_joins() -> None:
    wins = [[0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0]]
    found = connectivity(counts_of(wins))

    assert found.fitted == ()
    assert found.pieces == (("a", "b"), ("c", "d"))
    assert found.problems == (
        "no comparison joins {a, b} and {c, d}: their strengths share no scale",
    )
    assert found.reasons == dict.fromkeys("abcd", found.problems[0])


def test_pieces_are_found_before_extremes_are_left_out() -> None:
    """However sound the larger piece is, it has no scale in common with the other."""
    found = connectivity(counts_of([[0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 0]]))

    assert found.fitted == ()
    assert set(found.reasons) == set("abcd")


def test_pieces_that_only_an_unbeaten_condition_joined() -> None:
    wins = np.zeros((5, 5))
    wins[0, 1:] = 3
    wins[1, 2] = wins[2, 1] = wins[3, 4] = wins[4, 3] = 2
    found = connectivity(counts_of(wins))

    assert found.fitted == ()
    assert "a never lost" in found.reasons["a"]
    assert found.reasons["b"].startswith("no comparison joins {b, c} and {d, e}")


def test_groups_of_which_one_never_lost_to_the_other() -> None:
    wins = np.array([[0, 2, 5, 5], [2, 0, 5, 5], [0, 0, 0, 2], [0, 0, 2, 0]])
    found = connectivity(counts_of(wins))

    assert found.fitted == ()
    assert found.groups == (("a", "b"), ("c", "d"))
    assert found.problems == (
        "none of {a, b} ever lost to one of {c, d}: their strengths share no scale",
    )
    assert connectivity(counts_of(wins.T)).problems[0].startswith("none of {c, d} ever lost")


def test_a_tie_joins_both_ways() -> None:
    wins = [[0, 2, 5], [2, 0, 5], [0, 0, 0]]
    found = connectivity(counts_of(wins, [[0, 0, 1], [0, 0, 0], [1, 0, 0]]))

    assert found.fitted == ("a", "b", "c")
    assert found.winless == ()


def test_a_condition_that_was_never_compared() -> None:
    found = connectivity(counts_of([[0, 2, 0], [1, 0, 0], [0, 0, 0]]))

    assert found.fitted == ("a", "b")
    assert found.reasons == {"c": "c was never compared with another condition"}
    assert (found.unbeaten, found.winless) == ((), ())


def test_nothing_at_all() -> None:
    found = connectivity(counts_of(np.zeros((2, 2))))

    assert found.fitted == ()
    assert set(found.reasons) == {"a", "b"}


@pytest.mark.parametrize(("number", "said"), [(2, "x, x"), (8, "x, x, x, x, x, x and 2 more")])
def test_many_are_counted(number: int, said: str) -> None:
    assert listed(["x"] * number) == said
