from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_tables import timed_table, untimed_table

from hype.errors import InputError
from hype.protocols.hype.facets import score_by
from hype.protocols.hype.scoring import score
from hype.protocols.hype.separability import compare_conditions
from hype.protocols.hype.table import check_judgements

quickly = partial(score, draws=50)

ERRORS = {
    "good": {"p1": (6, 2), "p2": (4, 4), "p3": (8, 6)},
    "crude": {"p4": (1, 1), "p5": (0, 2), "p6": (2, 0)},
}


def untimed(classes=("dog", "horn")):
    """Ten fakes and ten reals each, alternately of the classes."""
    table = untimed_table(ERRORS, images=10)
    table["class"] = [classes[trial % len(classes)] for trial in table["trial"]]
    return check_judgements(table)


def categorical(judgements):
    return judgements.astype(dict.fromkeys(["evaluator", "condition", "class"], "category"))


@pytest.mark.parametrize("typed", [lambda table: table, categorical], ids=["text", "categorical"])
def test_each_class_is_scored_as_if_it_were_all_there_is(typed):
    judgements = typed(untimed())
    found = score_by(judgements, "class", quickly)
    assert [facet.value for facet in found.facets] == ["dog", "horn"]
    assert (found.left_out, found.notes) == (0, ())
    for facet in found.facets:
        rows = untimed()[lambda table, v=facet.value: table["class"].eq(v)]
        (expected,) = quickly(rows)
        assert facet.scores == (expected,)
        assert facet.judgements == 60
        assert (facet.timed, facet.notes) == ((), ())


def test_five_classes_and_three_models_have_five_analyses_of_variance_of_their_own():
    rng = np.random.default_rng(5)
    errors = {
        model: {f"{model}{i}": tuple(rng.integers(0, 50, 2)) for i in range(30)}
        for model in ("sn", "trunc", "no-trunc")
    }
    table = untimed_table(errors, images=50)
    table["class"] = [f"class {trial % 5}" for trial in table["trial"]]
    found = score_by(check_judgements(table), "class", quickly)
    assert len(found.facets) == 5
    for facet in found.facets:
        anova = facet.scores[0].anova
        # Zhou et al. (2019) print F(2, 29) for three models of 30 evaluators.
        assert (anova.df_between, anova.df_within) == (2, 87)
        rates = {
            row.condition: [e.score for e in row.evaluator_scores]
            for row in facet.scores[0].conditions
        }
        assert anova.f == pytest.approx(compare_conditions(rates).anova.f)


def test_a_staircase_has_no_score_within_a_class_but_errors():
    table = timed_table({"a": {"e1": [300, 400]}, "b": {"e2": [200, 200]}})
    table["class"] = ["dog" if trial < 4 else "horn" for trial in table["trial"]]
    table.loc[1, "answer"] = "real"
    found = score_by(check_judgements(table), "class", quickly)
    dog, horn = found.facets
    assert dog.scores == horn.scores == ()
    assert [(row.condition, row.judgements, row.evaluators) for row in dog.timed] == [
        ("a", 6, 1),
        ("b", 6, 1),
    ]
    assert dog.timed[0].error == pytest.approx(100 / 6)
    assert (dog.timed[0].fakes_error, dog.timed[0].reals_error) == (25, 0)
    assert dog.timed[1].error == 0
    assert "HYPE_time has no score within a class" in found.notes[0]


def test_what_has_no_value_is_left_out_and_counted():
    judgements = untimed()
    judgements.loc[[0, 5], "class"] = ["", None]
    found = score_by(judgements, "class", quickly)
    assert found.left_out == 2
    assert sum(facet.judgements for facet in found.facets) == 118
    assert found.notes == ("2 of 120 judgements have no class and are left out.",)


def test_reals_without_a_class_are_said_to_be_missing():
    judgements = untimed()
    judgements.loc[judgements["truth"].eq("real"), "class"] = ""
    found = score_by(judgements, "class", quickly)
    assert found.notes[1] == "No real image has a class: these are errors on fake images alone."
    assert found.facets[0].scores[0].conditions[0].reals_error is None


def test_a_condition_without_the_class_is_absent_there_and_named():
    judgements = untimed()
    gone = judgements["condition"].eq("crude") & judgements["class"].eq("horn")
    dog, horn = score_by(judgements[~gone], "class", quickly).facets
    assert [row.condition for row in horn.scores[0].conditions] == ["good"]
    assert horn.notes == ("No judgements of horn in: crude.",)
    assert dog.notes == ()


def test_unfinished_evaluators_count_nowhere():
    judgements = untimed()
    judgements["status"] = np.where(judgements["evaluator"].eq("p1"), "active", "complete")
    found = score_by(judgements, "class", quickly)
    assert sum(facet.judgements for facet in found.facets) == 100


def test_numbers_are_sorted_as_numbers():
    judgements = untimed()
    judgements["age"] = [(10.0, 9.0, 100.0, np.nan)[i % 4] for i in range(len(judgements))]
    found = score_by(judgements, "age", quickly)
    assert [facet.value for facet in found.facets] == ["9", "10", "100"]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "", None]), min_size=120, max_size=120))
def test_every_judgement_is_in_one_class_or_left_out(values):
    judgements = untimed().assign(label=pd.Series(values, dtype=object))
    if not any(values):
        return
    counted = []

    def count(rows):
        counted.append(len(rows))
        return ()

    found = score_by(judgements, "label", count)
    assert sum(counted) + found.left_out == 120
    assert counted == [facet.judgements for facet in found.facets]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([str(i) for i in range(51)], "mark: does not look like classes: it has 51 values"),
        ([""], "mark: the column is empty"),
        (["dog\x1b[31m"], r"mark: 'dog\\x1b\[31m' cannot be printed"),
    ],
)
def test_columns_that_are_no_classes(values, message):
    judgements = untimed().assign(mark=[values[i % len(values)] for i in range(120)])
    with pytest.raises(InputError, match=message):
        score_by(judgements, "mark", quickly)


def test_mostly_distinct_numbers_are_no_classes():
    judgements = untimed().head(40).assign(rt=np.arange(40) + 0.5)
    with pytest.raises(InputError, match="rt: does not look like classes: 40 numbers in 40 judg"):
        score_by(judgements, "rt", quickly)


def test_a_column_that_is_not_there():
    with pytest.raises(InputError, match="colour: there is no such column; columns are evaluator"):
        score_by(untimed(), "colour", quickly)
