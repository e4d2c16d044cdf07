"""Scores by group, of every protocol: groups from a table, a manifest, or people's answers."""

import csv
import json
from functools import cache

import pandas as pd
import pytest
from builders import merged
from long import long_but
from small_studies import SMALLER, STUDIES

from hype import InputError, example, score
from hype.answers.groups import common_class
from hype.library.scores import FOLDER

TABLES = [path.stem for path in sorted(FOLDER.glob("*.csv"))]
AGES = ("young", "old")
ASKED = {"age": {"question": "How old are you?", "options": list(AGES)}}


def grouped_table(name):
    """Return an example table in which evaluators have an age, and prompts or images a class."""
    table = example(name)
    people = sorted(table["evaluator"].unique())
    table["age"] = table["evaluator"].map({who: AGES[at % 2] for at, who in enumerate(people)})
    shown = table["prompt" if "prompt" in table else "image"]
    kinds = {what: ("cat", "dog")[at % 2] for at, what in enumerate(sorted(shown.unique()))}
    table["class"] = shown.map(kinds)
    return table


def objects(scores):
    made = json.loads(scores.to_json())
    return made if isinstance(made, list) else [made]


@cache
def by_both(name):
    """Score a table by age and by class, once for all tests."""
    draws = None if name[0] in "cr" else 100
    (made,) = objects(score(grouped_table(name), by=["age", "class"], draws=draws))
    return made


def rows_of(table, **wanted):
    """Return the rows of a JSON table in which these columns have these values."""
    return [row for row in table if all(row[name] == cell for name, cell in wanted.items())]


@pytest.mark.parametrize("name", long_but(["time", "ratings"], TABLES))
def test_groups_of_evaluators_and_classes_of_what_was_shown_are_scored(name):
    made = by_both(name)

    for column, groups, of_evaluators in (("age", AGES, True), ("class", ("cat", "dog"), False)):
        named = rows_of(made["groups"], by=column)
        assert [row["group"] for row in named] == sorted(groups)
        assert {row["of_evaluators"] for row in named} == {of_evaluators}
        assert {row["left_out"] for row in named} == {0}
        assert {row["group"] for row in rows_of(made["group_scores"], by=column)} == {*groups}


def test_a_staircase_has_scores_of_groups_of_evaluators_and_errors_in_classes_of_images():
    made = by_both("time")
    ages, classes = (rows_of(made["group_scores"], by=column) for column in ("age", "class"))
    assert ({row["unit"] for row in ages}, {row["unit"] for row in classes}) == ({"ms"}, {"%"})
    interaction, untested = made["group_interactions"]
    assert (interaction["by"], interaction["measure"]) == ("age", ages[0]["measure"])
    assert interaction["p"] < 1
    assert (untested["by"], untested["p"]) == ("class", None)
    assert sum(row["evaluators"] for row in ages) == sum(
        row["evaluators"] for row in made["conditions"]
    )


def test_an_error_rate_in_a_group_is_that_of_its_judgements():
    table, made = grouped_table("infinity"), by_both("infinity")
    wrong = 100 * (table["truth"] != table["answer"])
    expected = wrong.groupby([table["condition"], table["age"]]).mean()
    for cell in rows_of(made["group_scores"], by="age"):
        assert cell["score"] == pytest.approx(expected[cell["condition"], cell["group"]])


def test_a_win_rate_in_a_group_of_a_balanced_design_is_that_of_its_comparisons():
    table, made = grouped_table("comparisons"), by_both("comparisons")
    alone = {age: objects(score(table[table["age"].eq(age)]))[0] for age in AGES}
    for cell in rows_of(made["group_scores"], by="age"):
        rows = alone[cell["group"]]["conditions"]
        (row,) = [r for r in rows if r["condition"] == cell["condition"]]
        assert cell["score"] == pytest.approx(row["win_rate"], abs=1)
        assert cell["answers"] == row["comparisons"]


def test_several_columns_share_one_correction():
    tests = by_both("comparisons")["group_interactions"]
    assert [test["by"] for test in tests] == ["age", "class"]
    assert all(test["p_holm"] >= test["p"] for test in tests)
    assert min(test["p_holm"] for test in tests) == pytest.approx(
        min(1, 2 * min(test["p"] for test in tests))
    )


def test_nobody_is_counted_where_evaluators_are_not_known():
    (made,) = objects(score(grouped_table("comparisons").drop(columns="evaluator"), by="age"))
    assert {cell["evaluators"] for cell in made["group_scores"]} == {None}


def test_nothing_is_by_group_unless_it_is_asked_for():
    assert not [name for name in objects(score(example("comparisons")))[0] if "group" in name]


@pytest.mark.parametrize("name", long_but(["infinity", "rankings"], TABLES))
def test_files_frames_and_json_have_the_same_columns(name):
    scores = score(grouped_table(name), by="age", draws=None if name[0] in "cr" else 100)
    made = objects(scores)[0]
    for table in ("groups", "group_scores", "group_interactions"):
        frame = scores.to_frame(table)
        assert list(frame) == list(made[table][0])
        assert len(frame) == len(made[table])


@pytest.mark.parametrize("name", long_but(["comparison"], STUDIES))
def test_answers_about_oneself_and_columns_of_the_manifest(name, hype, tmp_path):
    about = {"demographics": ASKED}
    study = STUDIES[name](tmp_path, **merged(SMALLER[name], about))
    manifest = study.stimuli_folder / "manifest.csv"
    with manifest.open() as file:
        rows = list(csv.DictReader(file))
    for at, row in enumerate(rows):
        row["kind_of"] = "odd" if at % 2 else "even"
    with manifest.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert hype("simulate", study.path, "--evaluators", "6").code == 0
    made = hype("score", study.path, "--simulated", "--json", "--by", "age,kind_of")
    one = made.json[0] if isinstance(made.json, list) else made.json

    groups = {(row["by"], row["of_evaluators"], row["group"]) for row in one["groups"]}
    assert {*groups} <= {
        *(("age", True, age) for age in AGES),
        *(("kind_of", False, kind) for kind in ("even", "odd")),
    }
    assert {"even", "odd"} <= {group for *_, group in groups}


def test_the_page_and_the_files_have_them(hype, tmp_path):
    table, weights = tmp_path / "votes.csv", tmp_path / "weights.csv"
    grouped_table("comparisons").to_csv(table, index=False)
    weights.write_text("group,share\nold,0.4\nyoung,0.6\n")
    given = ("--by", "age", "--weights", weights)
    assert hype("report", table, *given, "--tables", tmp_path / "t").code == 0
    page = (tmp_path / "report.html").read_text()

    for text in ("By age", "post-stratified", "depend on age", "Shares: old 40.0%"):
        assert text in page
    assert {path.name for path in (tmp_path / "t").glob("*group*.csv")} == {
        "comparison-groups.csv",
        "comparison-group-scores.csv",
        "comparison-group-interactions.csv",
        "comparison-group-totals.csv",
    }
    cells = pd.read_csv(tmp_path / "t" / "comparison-group-scores.csv")
    assert cells["score"].between(1, 100).all()
    assert "by-age-comparison-win-rate" in score(grouped_table("comparisons"), by="age").figures
    assert "Win rate by age (%)" in hype("score", table, *given).out


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("old,0.4\nyuong,0.6", "row 3: 'yuong' is not a group of age"),
        ("old,1", "has no share for 'young'"),
        ("old,0.4\nyoung,0.4", "add up to 0.8"),
        ("old,1.4\nyoung,-0.4", "row 3: the share of 'young' is -0.4"),
        ("old,much\nyoung,1", "row 2, column share"),
        ("old,1\nold,0", "row 3, column group"),
    ],
)
def test_weights_that_are_none_are_refused(rows, problem, tmp_path):
    weights = tmp_path / "weights.csv"
    weights.write_text(f"group,share\n{rows}\n")
    with pytest.raises(InputError, match=r"weights\.csv") as refused:
        score(grouped_table("comparisons"), by="age", weights=weights)
    assert problem in str(refused.value)


def test_weights_take_one_column():
    shares = pd.DataFrame({"group": AGES, "share": [0.5, 0.5]})
    for by in (None, ["age", "class"]):
        with pytest.raises(InputError, match="groups of exactly one column"):
            score(grouped_table("comparisons"), by=by, weights=shares)
    made = score(grouped_table("comparisons"), by="age", weights=shares)
    assert {row["share"] for row in objects(made)[0]["groups"]} == {0.5}


@pytest.mark.parametrize(
    ("by", "problem"),
    [
        ("colour", "the frame, by colour: there is no such column"),
        ("age,,class", "names no column"),
    ],
)
def test_a_column_that_there_is_not_is_refused(by, problem):
    with pytest.raises(InputError, match=problem):
        score(grouped_table("comparisons"), by=by)


def test_answers_without_a_group_are_counted_and_left_out():
    table = grouped_table("rankings")
    table.loc[table["prompt"].eq(table["prompt"].iloc[0]), "class"] = ""
    (made,) = objects(score(table, by="class"))
    assert all(0 < row["left_out"] < row["answers"] for row in made["groups"])


def test_images_of_two_classes_are_in_none():
    assert common_class(("odd", "even")) == ""
    assert common_class(("odd", "odd")) == common_class(("odd", "")) == "odd"
