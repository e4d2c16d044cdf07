import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_tables import timed_table, untimed_table
from long import a_third

from hype.protocols.hype.scoring import score

THREE = {
    "began": {"e": (5, 5), "f": (7, 5), "g": (4, 8)},
    "stylegan": {"a": (30, 20), "b": (35, 25)},
    "progan": {"c": (20, 10), "d": (22, 14)},
}


def by_condition(result):
    return {row["condition"]: row for row in result.conditions}


def test_infinity_by_hand():
    (result,) = score(untimed_table(THREE))
    rows = by_condition(result)
    assert (result.protocol, result.unit) == ("infinity", "%")
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
    assert (result.protocol, result.unit) == ("time", "ms")
    assert rows["a"]["score"] == (230 + 330) / 2
    assert [e["score"] for e in result.evaluators] == [230.0, 330.0, 150.0]
    assert result.staircases[0]["blocks"] == 4
    assert (rows["a"]["fakes_error"], rows["a"]["judgements"]) == (0.0, 20)


def test_best_condition_comes_first_and_names_break_ties():
    (result,) = score(untimed_table({c: {c: (9, 9)} for c in "ca"} | {"b": {"b": (10, 9)}}))
    assert [row["condition"] for row in result.conditions] == ["b", "a", "c"]


def test_time_comes_before_infinity():
    untimed = untimed_table(THREE).assign(task="infinity")
    timed = timed_table({"a": {"x": [200], "y": [300]}}).assign(task="time")
    results = score(pd.concat([untimed, timed]))
    assert [result.protocol for result in results] == ["time", "infinity"]


def test_practice_and_qualification_are_never_scored():
    table = untimed_table(THREE).assign(task="infinity")
    extra = table.assign(answer="fake")
    more = [table, extra.assign(task="practice"), extra.assign(task="qualification")]
    assert score(pd.concat(more)) == score(table)


def test_tests_are_of_evaluators_scores():
    (result,) = score(untimed_table(THREE))
    assert (result.anova.df_between, result.anova.df_within) == (2, 4)
    assert (result.pairwise_method, result.tests.method) == ("clustered-range", "tukey-hsd")
    assert [(pair.a, pair.b) for pair in result.pairwise] == [
        ("stylegan", "progan"),
        ("stylegan", "began"),
        ("progan", "began"),
    ]
    assert result.pairwise[0].difference == 22.0


def test_a_new_condition_does_not_move_the_intervals_of_the_others():
    table = untimed_table(THREE)
    (all_three,) = score(table)
    (alone,) = score(table[table["condition"].eq("began")])
    among = {"rank": None, "group": None}
    assert by_condition(all_three)["began"] | among == alone.conditions[0] | among


@a_third()
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=8))
def test_swapping_fake_and_real_swaps_the_two_errors(wrongs):
    table = untimed_table({"gan": {str(i): wrong for i, wrong in enumerate(wrongs)}})
    other = {"real": "fake", "fake": "real"}
    mirrored = table.assign(truth=table["truth"].map(other), answer=table["answer"].map(other))
    (one,), (two,) = score(table, draws=50), score(mirrored, draws=50)
    assert one.conditions[0]["score"] == two.conditions[0]["score"]
    assert one.conditions[0]["fakes_error"] == two.conditions[0]["reals_error"]
