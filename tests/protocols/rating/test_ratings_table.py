import numpy as np
import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.rating.table import TABLE, check_ratings
from hype.study.scales import Scale

TWO = {
    "item": ["p1", "p1"],
    "axis": ["style", "overall"],
    "answer": ["1", "not-relevant"],
    "first": ["a", "a"],
    "second": ["b", "b"],
}
PAIRS = "item,axis,answer,first,second,evaluator\np1,style,2,a,b,x\n"
IMAGES = "item,axis,answer,condition,evaluator,truth\ni1,style,7,a,x,\ni1,sound,yes,a,x,no\n"


def ratings(**columns):
    return pd.DataFrame({**TWO, **columns})


def test_pairs_of_anybody(write_csv):
    table = TABLE.load(
        write_csv(
            "item,axis,answer,first,second,evaluator,prompt\n"
            '1,style,1,flow,vae,007,"a cat,\nasleep"\n'
            "1,overall,5.0,flow,vae,007,\n"
            "2,style,not relevant,vae,pca,8,a dog\n"
            "2,overall,3,vae,pca,8,a dog\n"
        )
    ).rows_with_warning()
    assert table["value"].tolist()[:2] == [2.0, -2.0]
    assert np.isnan(table["value"][2])
    assert table["answer"].tolist() == ["1", "5", "not-relevant", "3"]
    assert table["evaluator"].tolist() == ["007", "007", "8", "8"]
    for side in ("first", "second"):
        assert table[side].cat.categories.tolist() == ["flow", "pca", "vae"]
    assert table["task"].tolist() == ["rating"] * 4
    assert not table["simulated"].any()


def test_single_images_have_numbers_or_yes_and_no(write_csv):
    table = TABLE.load(write_csv(IMAGES)).rows_with_warning()
    assert table["value"].tolist() == [7.0, 1.0]
    assert table["truth_value"].tolist()[1] == 0.0
    assert table["first"].tolist() == ["a", "a"]
    assert "second" not in table


def test_the_levels_of_a_study():
    table = check_ratings(ratings(answer=["7", "4"]), scale=Scale(levels=7))
    assert table["value"].tolist() == [-3.0, 0.0]


def test_numbers_as_pandas_reads_them():
    frame = ratings(answer=[1.0, np.nan], item=[1, 2])
    with pytest.warns(UserWarning, match="1 row has no answer, and it is left out: row 1"):
        table = check_ratings(frame)
    assert table["value"].tolist() == [2.0]
    assert table["item"].cat.categories.tolist() == ["1"]


@pytest.mark.parametrize("frame", [ratings(evaluator=["x", "x"], rt_ms=[1, None]), None])
def test_checking_again_changes_nothing(frame, write_csv):
    table = (
        TABLE.load(write_csv(IMAGES)).rows_with_warning() if frame is None else check_ratings(frame)
    )
    pd.testing.assert_frame_equal(check_ratings(table), table)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("p2,style,6,a,b,x", "row 3, column answer: '6' is not allowed; .* from 1 to 5 or not-rel"),
        ("p2,style,0,a,b,x", "row 3, column answer: '0' is not allowed"),
        ("p2,style,2.5,a,b,x", "row 3, column answer: '2.5' is not allowed"),
        ("p2,style,yes,a,b,x", "row 3, column answer: 'yes' is not allowed"),
        ("p2,style,2,a,a,x", "row 3: rates 'a' against itself; 'first' and 'second' must be two"),
        ("p2,style,2,a,,x", "row 3, column second: is empty; .*; pairs and single images need"),
        ("p1,style,3,a,b,x", "row 3: repeats row 2 .evaluator x, task rating, item p1, axis sty"),
        ("p1,overall,2,a,c,x", "row 3, column second: 'c' differs from row 2; it must be 'b'"),
    ],
)
def test_a_bad_row_gets_one_message(write_csv, row, message):
    path = write_csv(f"{PAIRS}{row}\n")
    with pytest.raises(InputError, match=message) as refused:
        TABLE.load(path).rows_with_warning()
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("i2,style,11,a,x,", "'11' is not allowed; .* from 1 to 10, yes, no or not-relevant"),
        ("i2,style,Yes,a,x,", "row 4: answers 'style' with yes or no; row 2 answers it with a n"),
        ("i2,style,yes,a,x,", "row 4: answers 'style' with yes or no; row 2 answers it with a n"),
        ("i2,sound,yes,a,x,7", "row 4, column truth: '7' is not allowed; it must be yes or no"),
        ("i2,style,8,a,x,no", "row 4, column truth: 'no' is not allowed; it must be a number"),
        ("i2,style,8,a,x,inf", "row 4, column truth: 'inf' is not allowed"),
        ("i1,sound,no,a,y,yes", "row 4, column truth: 'yes' differs from row 3; .* 'no'"),
    ],
)
def test_a_bad_row_of_single_images(write_csv, row, message):
    with pytest.raises(InputError, match=message):
        TABLE.load(write_csv(f"{IMAGES}{row}\n")).rows_with_warning()


def test_an_excluded_answer_may_be_given_again():
    frame = ratings(axis=["style", "style"], evaluator=["x", "x"], excluded=["spoiled", ""])
    assert len(check_ratings(frame)) == 2


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("item,axis,answer", "the column 'first' is missing; required: item, axis, fir"),
        ("item,axis,answer,first,second_image", "column 'second_image', but no column 'second'"),
        ("item,axis,answer,first,second,truth", "has the column 'truth' for pairs"),
    ],
)
def test_columns_of_pairs_and_of_single_images_are_not_mixed(write_csv, header, message):
    values = {"item": "p", "axis": "q", "answer": "3", "first": "a", "second": "b"}
    row = ",".join(values.get(name, "z") for name in header.split(","))
    with pytest.raises(InputError, match=message):
        TABLE.load(write_csv(f"{header}\n{row}\n")).rows_with_warning()


@pytest.mark.parametrize(("levels", "highest"), [(4, 10), (1, 10), (5, 1)])
def test_a_scale_that_cannot_be_meant(levels, highest):
    with pytest.raises(InputError, match=r"it must be an odd number|must be below the highest"):
        Scale(levels=levels, highest=highest)


def test_an_image_of_the_study_can_be_in_the_test_under_another_path(tmp_path):
    rows = ["p1,rating,i1,fun,3,a,a/1.png,2", "p1,test,i1,fun,3,a,test/a/1.png,4"]
    head = "evaluator,task,item,axis,answer,first,first_image,truth"
    (tmp_path / "r.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    assert len(TABLE.load(tmp_path / "r.csv").frame) == 2
