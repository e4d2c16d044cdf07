import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_tables import timed_table, untimed_table

from hype.protocols.hype.condition_scores import count_errors, percent, precision
from hype.protocols.hype.scoring import score
from hype.statistics.resampling import bootstrap, condition_rng

THREE = {
    "began": {"e": (5, 5), "f": (7, 5), "g": (4, 8)},
    "stylegan": {"a": (30, 20), "b": (35, 25)},
    "progan": {"c": (20, 10), "d": (22, 14)},
}


def by_condition(result):
    return {row["condition"]: row for row in result.rows("conditions")}


def test_infinity_by_hand():
    (result,) = score(untimed_table(THREE))
    rows = by_condition(result)
    assert (result.protocol, result.facts["unit"]) == ("infinity", "%")
    assert {name: row["score"] for name, row in rows.items()} == {
        "stylegan": 55.0,
        "progan": 33.0,
        "began": pytest.approx(34 / 3),
    }
    assert (rows["stylegan"]["fakes_error"], rows["stylegan"]["reals_error"]) == (65.0, 45.0)
    assert (rows["began"]["evaluators"], rows["began"]["judgements"]) == (3, 300)


def test_time_by_hand():
    (result,) = score(timed_table({"a": {"x": [200, 260, 230], "y": [330]}, "b": {"z": [150]}}))
    rows = by_condition(result)
    assert (result.protocol, result.facts["unit"]) == ("time", "ms")
    assert rows["a"]["score"] == (230 + 330) / 2
    assert [e["score"] for e in result.rows("evaluators")] == [230.0, 330.0, 150.0]
    assert result.rows("staircases")[0]["blocks"] == 4
    assert (rows["a"]["fakes_error"], rows["a"]["judgements"]) == (0.0, 20)


def test_best_condition_comes_first_and_names_break_ties():
    (result,) = score(untimed_table({c: {c: (9, 9)} for c in "ca"} | {"b": {"b": (10, 9)}}))
    assert [row["condition"] for row in result.rows("conditions")] == ["b", "a", "c"]


def test_time_comes_before_infinity():
    untimed = untimed_table(THREE).assign(task="infinity")
    timed = timed_table({"a": {"x": [200], "y": [300]}}).assign(task="time")
    results = score(pd.concat([untimed, timed]))
    assert [result.protocol for result in results] == ["time", "infinity"]


def test_practice_and_qualification_are_never_scored():
    table = untimed_table(THREE).assign(task="infinity")
    extra = table.assign(answer="fake")
    more = [table, extra.assign(task="practice"), extra.assign(task="qualification")]
    (found,), (expected,) = score(pd.concat(more)), score(table)
    assert found.to_object() == expected.to_object()


def test_tests_are_of_evaluators_scores():
    (result,) = score(untimed_table(THREE))
    (anova,) = result.rows("anova")
    assert (anova.df_between, anova.df_within) == (2, 4)
    assert (result.facts["pairs_by"], result.facts["tukey_by"]) == ("clustered-range", "tukey-hsd")
    assert [(pair.a, pair.b) for pair in result.rows("pairs")] == [
        ("stylegan", "progan"),
        ("stylegan", "began"),
        ("progan", "began"),
    ]
    assert result.rows("pairs")[0].difference == 22.0


def test_a_new_condition_does_not_move_the_intervals_of_the_others():
    table = untimed_table(THREE)
    (all_three,) = score(table)
    (alone,) = score(table[table["condition"].eq("began")])
    among = {"rank": None, "group": None}
    assert by_condition(all_three)["began"] | among == alone.rows("conditions")[0] | among


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


def curve_of(totals, weights=None, *, draws=4_000, **settings):
    weights = np.ones(len(totals)) if weights is None else weights
    return precision(totals, weights, draws=draws, rng=condition_rng(0, "gan"), **settings)


def test_sizes_are_those_of_the_papers_figure():
    assert [point["evaluators"] for point in curve_of([1, 2, 3])] == list(range(10, 121, 10))


def test_at_their_own_number_it_is_the_bootstrap_over_evaluators(rng):
    judged = rng.integers(50, 100, size=30)
    wrong = rng.binomial(judged, 0.3)
    (point,) = curve_of(100 * wrong, judged, draws=40_000, sizes=[30])
    spread = bootstrap(100 * wrong, judged, draws=40_000, rng=rng)
    assert point["std"] == pytest.approx(spread.std, rel=0.03)
    assert point["low"] == pytest.approx(spread.ci_low, abs=0.1)
    assert point["high"] == pytest.approx(spread.ci_high, abs=0.1)


@given(st.lists(st.integers(0, 100), min_size=2, max_size=40))
def test_the_spread_of_a_mean_falls_with_the_root_of_the_number(scores):
    for point in curve_of(scores):
        expected = np.std(scores) / np.sqrt(point["evaluators"])
        assert point["std"] == pytest.approx(expected, rel=0.1, abs=1e-9)
