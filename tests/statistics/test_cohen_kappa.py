import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from hype.errors import InputError
from hype.statistics.kappa import cohen_kappa, kappa_of_table, kappas


def test_the_worked_example():
    found = cohen_kappa("AABABBAB", "ABBABAAB")
    assert found.kappa == 0.5
    assert (found.items, found.observed, found.expected) == (8, 0.75, 0.5)


def test_perfect_agreement():
    found = cohen_kappa("ABAB", "ABAB")
    assert (found.kappa, found.standard_error) == (1, 0)


def test_systematic_disagreement():
    assert cohen_kappa("ABAB", "BABA").kappa == -1


def test_two_who_always_say_the_same_have_none():
    found = cohen_kappa("AAA", "AAA")
    assert (found.kappa, found.standard_error, found.observed) == (None, None, 1)


def test_two_who_always_say_different_things():
    assert cohen_kappa("AAA", "BBB").kappa == 0


def test_what_one_did_not_rate_is_left_out():
    found = cohen_kappa(["A", None, "B", "A"], ["A", "B", "B", None])
    assert (found.items, found.kappa) == (2, 1)


@pytest.mark.parametrize("seed", range(5))
def test_against_statsmodels(seed):
    table = np.random.default_rng(seed).integers(0, 30, size=(3, 3))
    found, theirs = kappa_of_table(table, confidence=0.95), cohens_kappa(table)
    assert found.kappa == pytest.approx(theirs.kappa, abs=1e-9)
    assert found.standard_error == pytest.approx(theirs.std_kappa, abs=1e-9)
    assert found.ci_low == pytest.approx(theirs.kappa_low, abs=1e-9)


@given(st.lists(st.tuples(st.sampled_from("ABT"), st.sampled_from("ABT")), min_size=2))
def test_against_scikit_learn(pairs):
    a, b = zip(*pairs, strict=True)
    found = cohen_kappa(a, b)
    if found.kappa is None:
        assert set(a) == set(b)
        assert len(set(a)) == 1
    else:
        assert found.kappa == pytest.approx(cohen_kappa_score(a, b), abs=1e-6)


def test_many_tables_at_once():
    tables = np.random.default_rng(1).integers(0, 9, size=(4, 5, 3, 3)).astype(float)
    one_by_one = [[kappa_of_table(table).kappa for table in row] for row in tables]
    assert kappas(tables) == pytest.approx(np.array(one_by_one))
    assert np.isnan(kappas(np.diag([3.0, 0, 0])))


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [("AB", "A", "2 by one rater, 1 by the other"), ([None], ["A"], "no item was rated by both")],
)
def test_ratings_that_do_not_fit(a, b, message):
    with pytest.raises(InputError, match=message):
        cohen_kappa(a, b)
