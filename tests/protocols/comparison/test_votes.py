import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.comparison.table import ANSWERS, TABLE, check_comparisons

TWO = {"left": ["a", "b"], "right": ["b", "a"], "answer": ["left", "tie"]}


def votes(**columns):
    return pd.DataFrame({**TWO, **columns})


def test_a_table_of_anybody(write_csv):
    path = write_csv(
        "evaluator,prompt,left,right,answer\n"
        '007,"a cat,\nasleep",flow,vae,left\n'
        "007,a dog,vae,flow,tie\n"
        "8,a dog,vae,pca,none\n"
    )
    table = TABLE.load(path).rows_with_warning()
    assert table["evaluator"].tolist() == ["007", "007", "8"]
    assert table["prompt"].tolist() == ["a cat,\nasleep", "a dog", "a dog"]
    assert table["answer"].cat.categories.tolist() == list(ANSWERS)
    for side in ("left", "right"):
        assert table[side].cat.categories.tolist() == ["flow", "pca", "vae"]
    assert table["task"].tolist() == ["comparison"] * 3
    assert not table["simulated"].any()


def test_what_was_chosen_by_name_is_an_answer(write_csv):
    path = write_csv("left,right,chosen\na,b,a\na,b,b\nb,a,a\na,b,tie\na,b,both-bad\na,b,none\n")
    table = TABLE.load(path).rows_with_warning()
    assert table["answer"].tolist() == ["left", "right", "right", "tie", "both-bad", "none"]
    assert "chosen" not in table


def test_a_condition_may_be_called_tie():
    frame = pd.DataFrame({"left": ["tie", "a"], "right": ["a", "b"], "chosen": ["tie", "tie"]})
    assert check_comparisons(frame)["answer"].tolist() == ["left", "tie"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,a,left,comparison", "row 3: compares 'a' with itself; left and right must be two"),
        ("a,b,left,validation", "the column 'obvious' is missing; every row of the task"),
    ],
)
def test_a_bad_row_gets_one_message(write_csv, rows, message):
    path = write_csv(f"left,right,answer,task\na,b,left,comparison\n{rows}\n")
    with pytest.raises(InputError, match=message) as refused:
        TABLE.load(path).rows_with_warning()
    assert str(refused.value).startswith(str(path))


def test_an_image_with_itself_is_named():
    frame = votes(right=["a", "a"], left_image=["x.png", "y.png"], right_image=["x.png", "z.png"])
    with pytest.raises(InputError, match=r"row 0: compares the image 'x\.png' with itself"):
        check_comparisons(frame)


def test_two_images_of_one_condition_say_nothing():
    frame = votes(right=["a", "a"], left_image=["x.png", "y.png"], right_image=["w.png", "z.png"])
    with pytest.raises(InputError, match=r"row 0: compares 'a' with itself; .*show nothing about"):
        check_comparisons(frame)


def test_in_validation_anything_may_stand_beside_anything():
    frame = votes(right=["b", "b"], task=["comparison", "validation"], obvious=["", "left"])
    assert check_comparisons(frame)["obvious"].tolist() == ["", "left"]


def test_a_vote_for_what_was_not_shown():
    frame = pd.DataFrame({"left": ["a", "a"], "right": ["b", "c"], "chosen": ["a", "b"]})
    message = "row 1, column chosen: 'b' was not shown; it must be 'a', 'c', tie, both-bad or none"
    with pytest.raises(InputError, match=message):
        check_comparisons(frame)


def test_answer_and_chosen_contradict_each_other():
    with pytest.raises(InputError, match="row 1: the answer is tie, but 'b' was chosen"):
        check_comparisons(votes(chosen=["a", "b"]))


def test_a_trial_twice():
    frame = votes(evaluator=["x", "x"], trial=[3, 3])
    with pytest.raises(InputError, match=r"row 1: repeats row 0 \(evaluator x, .*trial 3\)"):
        check_comparisons(frame)


def test_the_same_answer_twice_is_two():
    table = check_comparisons(votes(left=["a", "a"], right=["b", "b"], answer=["left", "left"]))
    assert len(table) == 2


def test_one_trial_on_several_criteria_is_several_answers():
    asked = votes(evaluator=["x", "x"], trial=[3, 3], criterion=["p", "q"])
    assert check_comparisons(asked)["criterion"].tolist() == ["p", "q"]
