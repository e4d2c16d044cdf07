"""Judgements by group: scores and the paper's tests are the same as for each group alone."""

import json

import numpy as np
import pandas as pd
import pytest
from known_tables import timed_table, untimed_table

from hype import score

ERRORS = {
    "good": {"p1": (6, 2), "p2": (4, 4), "p3": (8, 6)},
    "crude": {"p4": (1, 1), "p5": (0, 2), "p6": (2, 0)},
}


def untimed():
    """Make judgements: ten fakes and ten reals per evaluator, of two classes in turn."""
    table = untimed_table(ERRORS, images=10)
    table["class"] = [("dog", "horn")[trial % 2] for trial in table["trial"]]
    return table


def by_class(table, **options):
    return json.loads(score(table, by="class", draws=100, **options).to_json())


def scored_alone(table, name):
    return json.loads(score(table[table["class"].eq(name)], draws=100).to_json())


def test_each_group_is_scored_as_if_it_were_all_there_is():
    table = untimed()
    made = by_class(table)
    assert len(made["group_tests"]) == 2
    for tests in made["group_tests"]:
        group, alone = tests["group"], scored_alone(table, tests["group"])
        for name in ("f", "df_between", "df_within", "p"):
            assert tests[name] == alone["anova"][0][name]
        pairs = [pair for pair in made["group_pairs"] if pair["group"] == group]
        for pair, other in zip(pairs, alone["tukey"], strict=True):
            for name in ("a", "b", "difference", "low", "high", "p"):
                assert pair[name] == other[name]
        rows = {row["condition"]: row for row in alone["conditions"]}
        cells = [cell for cell in made["group_scores"] if cell["group"] == group]
        assert {cell["condition"] for cell in cells} == set(rows)
        for cell in cells:
            row = rows[cell["condition"]]
            assert cell["score"] == pytest.approx(row["score"])
            for name in ("fakes_error", "reals_error"):
                assert cell[name] == row[name]
            assert (cell["evaluators"], cell["answers"]) == (row["evaluators"], row["judgements"])
            assert (cell["low"], cell["high"]) == pytest.approx((row["low"], row["high"]), rel=0.05)


def test_a_staircase_has_errors_within_a_class_and_nothing_between_conditions():
    table = timed_table({"a": {"e1": [300, 400]}, "b": {"e2": [200, 200]}})
    table["class"] = ["dog" if trial < 4 else "horn" for trial in table["trial"]]
    table.loc[1, "answer"] = "real"
    weights = pd.DataFrame({"group": ["dog", "horn"], "share": [0.5, 0.5]})
    made = by_class(table, weights=weights)
    dog = [cell for cell in made["group_scores"] if cell["group"] == "dog"]
    assert [(cell["condition"], cell["answers"], cell["evaluators"]) for cell in dog] == [
        ("a", 6, 1),
        ("b", 6, 1),
    ]
    assert [cell["score"] for cell in dog] == pytest.approx([100 / 6, 0])
    assert (dog[0]["fakes_error"], dog[0]["reals_error"]) == (25, 0)
    (interaction,) = made["group_interactions"]
    assert interaction["f"] is None
    assert "HYPE_time has no score within a class" in interaction["reason"]
    assert not {"group_totals", "group_tests", "group_pairs"} & {*made}


def test_confusion_is_drawn_by_class_and_condition_with_the_numbers_of_the_table():
    found = score(untimed(), by="class", draws=100)
    cells = found.to_frame("group_scores").set_index(["group", "condition"])
    for place, kind in enumerate(("fakes_error", "reals_error")):
        axes = found.plot("confusion").axes[place]
        rows, columns = (
            [label.get_text() for label in labels]
            for labels in (axes.get_yticklabels(), axes.get_xticklabels())
        )
        shown = {text.get_position(): text.get_text() for text in axes.texts}
        for (group, condition), error in cells[kind].items():
            at = (columns.index(condition) + 0.5, rows.index(group) + 0.5)
            assert shown[at] == f"{error:.0f}"
        darkest = max(axes.patches, key=lambda square: square.get_alpha() or 0)
        group, condition = cells[kind].idxmax()
        assert darkest.get_xy() == (columns.index(condition), rows.index(group))
    people = untimed().assign(who=lambda table: table["evaluator"])
    assert not any("confusion" in name for name in score(people, by="who", draws=100).figures)


def test_reals_without_a_class_are_said_to_be_missing(hype, tmp_path):
    table = untimed()
    table.loc[table["truth"].eq("real"), "class"] = ""
    made = by_class(table)
    assert {(row["left_out"], row["answers"]) for row in made["groups"]} == {(60, 120)}
    assert {cell["reals_error"] for cell in made["group_scores"]} == {None}
    table.to_csv(tmp_path / "judgements.csv", index=False)
    shown = " ".join(hype("score", tmp_path / "judgements.csv", "--by", "class").out.split())
    assert "No real image has a class, so errors do not count real images." in shown


def test_unfinished_evaluators_count_nowhere():
    table = untimed()
    table["status"] = np.where(table["evaluator"].eq("p1"), "active", "complete")
    assert sum(cell["answers"] for cell in by_class(table)["group_scores"]) == 100
