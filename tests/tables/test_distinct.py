import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hype.errors import InputError
from hype.tables.cells import classes, distinct, is_filled, make_categories, only_used


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (["b", "a", "b"], ["b", "a", "b"]),
        ([7, 8, 7], ["7", "8", "7"]),
        ([2.0, np.nan, 2.5], ["2", None, "2.5"]),
        ([True, False], ["True", "False"]),
        ([1, True, "1", None, [2]], ["1", "True", "1", None, "[2]"]),
        (pd.Categorical([3, None, 3], categories=[1, 3]), ["3", None, "3"]),
        (pd.array([1, None], dtype="Int64"), ["1", None]),
    ],
)
def test_values_of_any_type_as_text(cells, texts):
    found = distinct(pd.Series(cells))
    assert [found.texts[code] if code >= 0 else None for code in found.codes] == texts


def test_what_holds_for_a_value_holds_for_its_rows():
    found = distinct(pd.Series(["x", None, " ", "x"]))
    assert found.rows(found.blank(), missing=True).tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("cells", "filled"),
    [(["", " ", None], False), (["", "0"], True), ([np.nan], False), ([0.0, np.nan], True)],
)
def test_whether_a_column_holds_anything(cells, filled):
    assert is_filled(pd.Series(cells)) is filled


def test_categories_are_sorted_used_and_none_twice():
    index = pd.Index([5, 6, 7, 8])
    column = make_categories(np.array([2, 0, -1, 1]), ["b", "b", "a", "never"], index)
    assert column.tolist() == ["a", "b", "", "b"]
    assert column.cat.categories.tolist() == ["", "a", "b"]
    assert column.index is index


def test_unused_categories_are_left_out():
    column = pd.Series(pd.Categorical(["b", "d", "b"], categories=list("abcd")))
    left = only_used(column)
    assert left.tolist() == ["b", "d", "b"]
    assert left.cat.categories.tolist() == ["b", "d"]
    plain = pd.Series(["a"])
    assert only_used(plain) is plain


def test_classes_that_are_numbers_are_sorted_as_numbers():
    rows = pd.DataFrame({"age": [(10.0, 9.0, 100.0, np.nan)[i % 4] for i in range(120)]})
    codes, names = classes(rows, "age")
    assert names == ("9", "10", "100")
    assert codes[:4].tolist() == [1, 0, 2, -1]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(["a", " b", "", None]), min_size=1, max_size=30))
def test_every_row_has_the_class_that_it_says(values):
    if not any(values):
        return
    codes, names = classes(pd.DataFrame({"label": pd.Series(values, dtype=object)}), "label")
    assert [names[code] if code >= 0 else "" for code in codes] == [
        (value or "").strip() for value in values
    ]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([str(i) for i in range(51)], "mark: does not look like classes: it has 51 values"),
        ([""], "mark: the column is empty"),
        (["dog\x1b[31m"], r"mark: 'dog\\x1b\[31m' cannot be printed"),
    ],
)
def test_columns_that_are_no_classes(values, message):
    rows = pd.DataFrame({"mark": [values[i % len(values)] for i in range(120)]})
    with pytest.raises(InputError, match=message):
        classes(rows, "mark")


def test_a_column_that_is_not_there_has_no_classes():
    with pytest.raises(InputError, match="colour: there is no such column; columns are mark"):
        classes(pd.DataFrame({"mark": ["a"]}), "colour")
