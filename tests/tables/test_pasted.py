"""Tables that were pasted twice, and rows that are alike and honest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.hype.table import check_judgements, checked_judgements


def shown(evaluator: str = "p", images: int = 20, seed: int = 0) -> pd.DataFrame:
    """Give somebody's judgements of images, each shown once."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "evaluator": evaluator,
            "condition": "c",
            "truth": np.tile(["real", "fake"], images // 2),
            "answer": rng.choice(["real", "fake"], images),
            "image": [f"{number}.png" for number in rng.permutation(images)],
        }
    )


def glued(*tables: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True)


ONE, OTHER = shown("p"), shown("q", seed=1)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (glued(ONE, OTHER, ONE, OTHER), "row 40: repeats row 0 in every column, and 39 more"),
        (glued(ONE, ONE, ONE), "row 20: repeats row 0 in every column, and 39 more rows"),
        (
            glued(ONE, ONE).sort_values("image", ignore_index=True),
            "row 1: repeats row 0 .* 19 more",
        ),
        (glued(ONE, OTHER, OTHER), "row 40: repeats row 20 in every column, and 19 more rows"),
        (
            glued(shown(images=4), shown(images=4)),
            "row 4: repeats row 0 in every column, and 3 more",
        ),
    ],
    ids=["the whole table", "three times", "sorted afterwards", "one file of two", "a small table"],
)
def test_images_that_all_come_again_were_pasted(frame, said):
    with pytest.raises(InputError, match=said) as refused:
        check_judgements(frame)
    assert "a column trial tells rows apart" in str(refused.value)


def test_response_times_tell_rows_apart_as_well():
    frame = ONE.drop(columns="image").assign(rt_ms=np.arange(20.0))
    assert len(check_judgements(frame)) == 20
    with pytest.raises(InputError, match="row 20: repeats row 0 in every column"):
        check_judgements(glued(frame, frame))


def test_who_judged_images_twice_did_not_always_answer_the_same():
    again = ONE.assign(answer=ONE["answer"].where(ONE.index != 0, "real"))
    assert (again["answer"] != ONE["answer"]).sum() == 1
    assert len(check_judgements(glued(ONE, again))) == 40
    shuffled = ONE.sample(frac=1, random_state=1)
    assert len(check_judgements(glued(ONE, shuffled, OTHER))) == 60
    assert len(check_judgements(glued(shown(images=2), shown(images=2)))) == 4


def test_trials_that_are_numbered_may_be_alike_otherwise():
    frame = glued(ONE, ONE).assign(trial=range(40))
    assert len(check_judgements(frame)) == 40


@pytest.mark.parametrize(("answer", "hint"), [("fake", False), ("real", True)])
def test_a_trial_twice_says_whether_the_row_is_alike_in_every_column(answer, hint):
    rows = [["p", "c", "real", "real", 1], ["p", "c", "real", answer, 1]]
    frame = pd.DataFrame(rows, columns=["evaluator", "condition", "truth", "answer", "trial"])
    with pytest.raises(InputError, match="row 1: repeats row 0") as refused:
        check_judgements(frame)
    assert ("alike in every column: was it pasted twice?" in str(refused.value)) == hint


def test_rows_that_say_nothing_of_themselves_are_noticed_and_scored():
    frame = ONE.drop(columns="image")
    (note,) = checked_judgements(glued(frame, frame)).notes
    assert note.startswith("The table is the same rows in the same order 2 times over. If it was")
    assert "3 times over" in checked_judgements(glued(frame, frame, frame)).notes[0]
    assert checked_judgements(frame).notes == ()
    assert checked_judgements(glued(frame, frame[:-1])).notes == ()
    same = pd.DataFrame([["p", "c", "fake", "fake"]] * 20, columns=list(frame))
    assert checked_judgements(same).notes == ()


def test_comparisons_of_the_same_images_were_pasted():
    frame = pd.DataFrame(
        {
            "evaluator": "p",
            "left": "a",
            "right": "b",
            "answer": np.tile(["left", "right"], 6),
            "left_image": [f"a{number}.png" for number in range(12)],
        }
    )
    assert len(check_comparisons(frame)) == 12
    with pytest.raises(InputError, match="row 12: repeats row 0 in every column, and 11 more"):
        check_comparisons(glued(frame, frame))
