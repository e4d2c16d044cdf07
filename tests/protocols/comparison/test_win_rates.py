import pytest
from scipy.stats import binomtest
from simulated_comparisons import counts_of, rows_of, votes_of
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from hype.statistics.paired_counts import count, count_by_evaluator, pair_rates, win_rates

COUNTS = counts_of([[0, 70, 85], [30, 0, 60], [15, 40, 0]], [[0, 10, 0], [10, 0, 5], [0, 5, 0]])


def test_of_a_condition() -> None:
    half, none = (win_rates(COUNTS, ties=ties)[0] for ties in ("half", "none"))

    assert (half.condition, half.comparisons, half.wins, half.losses, half.ties) == (
        *("a", 210, 155, 45),
        10,
    )
    assert (half.rate.value, *half.rate.ends) == pytest.approx(
        (160 / 210, *proportion_confint(160, 210, method="wilson"))
    )
    assert (none.rate.value, *none.rate.ends) == pytest.approx(
        (155 / 200, *proportion_confint(155, 200, method="wilson"))
    )
    assert win_rates(COUNTS, ties="davidson") == win_rates(COUNTS, ties="half")


def test_of_two_conditions() -> None:
    found = pair_rates(COUNTS, None, ties="half")
    p = [binomtest(won, n).pvalue for won, n in ((70, 100), (85, 100), (60, 100))]

    assert [(pair.a, pair.b, pair.wins_a, pair.wins_b, pair.ties) for pair in found] == [
        ("a", "b", 70, 30, 10),
        ("a", "c", 85, 15, 0),
        ("b", "c", 60, 40, 5),
    ]
    assert found[0].rate.value == pytest.approx(75 / 110)
    assert [pair.p for pair in found] == pytest.approx(p)
    assert [pair.p_holm for pair in found] == pytest.approx(multipletests(p, method="holm")[1])
    assert {pair.p_clustered for pair in found} == {None}


def test_people_are_the_units() -> None:
    """Five people of one mind on a and b, each asked eight times; one on b and c."""
    ours = rows_of(counts_of([[0, 40, 0], [0, 0, 6], [0, 2, 0]]))
    people = [f"p{place % 5}" for place in range(40)] + ["p0"] * 8
    votes = votes_of(ours, "abc", people)
    first, second = pair_rates(count(votes), count_by_evaluator(votes), ties="half")

    assert first.p < 1e-9
    assert first.p_clustered == pytest.approx(2 / 2**5)
    assert first.p_clustered_holm == pytest.approx(2 / 2**5)  # the only pair that has one
    assert (second.a, second.b, second.p_clustered) == ("b", "c", None)


def test_only_ties() -> None:
    counts = counts_of([[0, 0], [0, 0]], [[0, 4], [4, 0]])
    (half,), (none,) = (pair_rates(counts, None, ties=ties) for ties in ("half", "none"))

    assert (half.rate.value, half.p, half.comparisons) == (0.5, 1.0, 4)
    assert (none.rate, none.p) == (None, 1.0)


def test_two_that_never_met_are_no_pair() -> None:
    counts = counts_of([[0, 1, 0], [0, 0, 1], [0, 0, 0]])

    assert [(pair.a, pair.b) for pair in pair_rates(counts, None, ties="half")] == [
        ("a", "b"),
        ("b", "c"),
    ]
