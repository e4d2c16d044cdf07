import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from known_tables import untimed_table
from long import a_third

from hype.protocols.hype.error_rates import ErrorCounts, error_counts, percent, pooled
from hype.protocols.hype.table import check_judgements


def test_counts_fakes_and_reals_apart():
    table = untimed_table({"gan": {"b": (3, 1), "a": (0, 50)}})
    assert error_counts(table) == {
        ("gan", "a"): ErrorCounts(fakes=50, fakes_wrong=0, reals=50, reals_wrong=50),
        ("gan", "b"): ErrorCounts(fakes=50, fakes_wrong=3, reals=50, reals_wrong=1),
    }


KINDS = st.sampled_from(["real", "fake"])
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), KINDS, KINDS), min_size=1)


@a_third()
@given(ROWS)
def test_counts_are_those_of_counting_one_by_one(rows):
    frame = pd.DataFrame(rows, columns=["evaluator", "condition", "truth", "answer"])
    counts = error_counts(check_judgements(frame))
    assert counts == error_counts(frame)
    assert list(counts) == sorted({(condition, evaluator) for evaluator, condition, *_ in rows})
    for (condition, evaluator), found in counts.items():
        own = [row[2:] for row in rows if row[:2] == (evaluator, condition)]
        assert found.fakes == sum(truth == "fake" for truth, _ in own)
        assert found.fakes_wrong == own.count(("fake", "real"))
        assert found.reals == sum(truth == "real" for truth, _ in own)
        assert found.reals_wrong == own.count(("real", "fake"))


def test_rates_are_percentages():
    counts = ErrorCounts(fakes=40, fakes_wrong=10, reals=60, reals_wrong=3)
    assert (counts.judgements, counts.wrong) == (100, 13)
    assert (counts.fakes_error, counts.reals_error) == (25.0, 5.0)


def test_no_images_no_rate():
    counts = ErrorCounts(fakes=0, fakes_wrong=0, reals=1, reals_wrong=1)
    assert counts.fakes_error is None


def test_pooling_adds():
    one = ErrorCounts(fakes=1, fakes_wrong=1, reals=2, reals_wrong=0)
    assert pooled([one, one]) == ErrorCounts(fakes=2, fakes_wrong=2, reals=4, reals_wrong=0)


def test_equal_rates_of_unequal_counts_are_equal_to_the_bit():
    assert percent(1, 3) == percent(2, 6) == percent(49, 147)
