from known_tables import untimed_table

from hype.analysis import ErrorCounts, error_counts
from hype.analysis.error_rates import percent, pooled


def test_counts_fakes_and_reals_apart():
    table = untimed_table({"gan": {"b": (3, 1), "a": (0, 50)}})
    assert error_counts(table) == {
        ("gan", "a"): ErrorCounts(fakes=50, fakes_wrong=0, reals=50, reals_wrong=50),
        ("gan", "b"): ErrorCounts(fakes=50, fakes_wrong=3, reals=50, reals_wrong=1),
    }


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
