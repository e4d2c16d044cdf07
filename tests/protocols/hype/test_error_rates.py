import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from long import a_third

from hype.protocols.hype.condition_scores import count_errors, percent
from hype.protocols.hype.table import check_judgements

KINDS = st.sampled_from(["real", "fake"])
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), KINDS, KINDS), min_size=1)


@a_third()
@given(ROWS)
def test_counts_are_those_of_counting_one_by_one(rows):
    frame = pd.DataFrame(rows, columns=["evaluator", "condition", "truth", "answer"])
    counts = count_errors(check_judgements(frame))
    pd.testing.assert_frame_equal(counts, count_errors(frame))
    pairs = list(zip(counts["condition"], counts["evaluator"], strict=True))
    assert pairs == sorted({(condition, evaluator) for evaluator, condition, *_ in rows})
    for found in counts.to_dict("records"):
        own = [row[2:] for row in rows if row[:2] == (found["evaluator"], found["condition"])]
        assert found["fakes"] == sum(truth == "fake" for truth, _ in own)
        assert found["fakes_wrong"] == own.count(("fake", "real"))
        assert found["reals"] == sum(truth == "real" for truth, _ in own)
        assert found["reals_wrong"] == own.count(("real", "fake"))
        assert (found["judgements"], found["wrong"]) == (len(own), sum(t != a for t, a in own))


def test_rates_are_percentages_and_none_without_images():
    kinds = (
        [("fake", "real")] + [("fake", "fake")] * 3 + [("real", "fake")] + [("real", "real")] * 4
    )
    rows = [("a", "gan", *kind) for kind in kinds] + [("b", "gan", "real", "fake")]
    frame = pd.DataFrame(rows, columns=["evaluator", "condition", "truth", "answer"])
    errors = count_errors(frame)[["fakes_error", "reals_error", "mean_error"]].to_numpy()
    assert errors[0].tolist() == [25.0, 20.0, 22.5]
    assert np.isnan(errors[1]).tolist() == [True, False, True]


def test_equal_rates_of_unequal_counts_are_equal_to_the_bit():
    assert percent(1, 3) == percent(2, 6) == percent(49, 147)
