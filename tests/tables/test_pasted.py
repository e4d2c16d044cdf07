"""Tables that were pasted twice, and rows that are alike and honest."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.comparison.table import check_comparisons, checked_comparisons
from hype.protocols.hype.table import check_judgements, checked_judgements
from hype.protocols.ranking.table import checked_rankings
from hype.protocols.rating.table import checked_ratings


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


NAMELESS = glued(ONE, OTHER, *(shown(f"r{n}", seed=n) for n in range(8))).drop(columns="image")
PROMPTED = pd.DataFrame(
    {
        "evaluator": np.repeat([f"p{number}" for number in range(6)], 20),
        "left": "a",
        "right": "b",
        "answer": np.random.default_rng(3).choice(["left", "right"], 120),
        "prompt": np.tile([f"prompt {number}" for number in range(20)], 6),
    }
)
RATED = pd.DataFrame(
    {
        "item": np.tile([f"i{number}" for number in range(30)], 4),
        "axis": "overall",
        "condition": "c",
        "answer": np.random.default_rng(4).integers(1, 6, 120),
    }
)
TABLES = {
    "judgements": (NAMELESS, checked_judgements),
    "comparisons of prompts": (PROMPTED, checked_comparisons),
    "comparisons": (PROMPTED.drop(columns=["prompt", "evaluator"]), checked_comparisons),
    "ratings": (RATED, checked_ratings),
}
PASTED = {
    "below itself": (lambda frame: glued(frame, frame), "same rows in the same order 2 times"),
    "every row below itself": (
        lambda frame: frame.loc[frame.index.repeat(2)].reset_index(drop=True),
        "Every row is there 2 times",
    ),
    "in part": (lambda frame: glued(frame, frame[40:100]), "rows in a row are there again"),
    "sorted": (
        lambda frame: glued(frame, frame).sort_values(list(frame), ignore_index=True),
        "Every row is there 2 times",
    ),
}


@pytest.mark.parametrize("how", PASTED)
@pytest.mark.parametrize("which", TABLES)
def test_rows_that_say_nothing_of_themselves_are_noticed_and_scored(which, how):
    frame, checked = TABLES[which]
    assert checked(frame).notes == ()
    pasted, said = PASTED[how]
    notes = checked(pasted(frame)).notes
    # Without evaluators, others may have rated the same; and of two answers both may be even.
    if (which, how) in {("ratings", "in part"), ("comparisons", "sorted")}:
        assert notes == ()
        return
    (note,) = notes
    assert said in note
    assert f" of {len(pasted(frame))} rows may be copies, the first of them row " in note
    second, first = (pasted(frame).loc[int(n)] for n in re.findall(r"row (\d+)", note))
    assert (second == first).all()


def test_a_ranking_twice_says_that_it_was_pasted():
    frame = pd.DataFrame(
        {"evaluator": "p", "group": "g", "condition": list("abc"), "rank": [1, 2, 3]}
    )
    with pytest.raises(InputError, match=r"twice in the ranking; .*was it pasted twice"):
        checked_rankings(glued(frame, frame))
    with pytest.raises(InputError, match=r"item 'i0'.*was it pasted twice"):
        checked_ratings(glued(RATED[:30], RATED[:30]).assign(evaluator="p"))


@pytest.mark.parametrize("times", [1, 3])
def test_rows_that_are_alike_by_design_are_not_noticed(times):
    rng = np.random.default_rng(times)
    right = pd.DataFrame(
        {
            "evaluator": np.repeat(["p", "q", "r"], 20),
            "condition": "c",
            "truth": np.tile(["real", "fake"], 30),
            "answer": np.tile(["real", "fake"], 30),
        }
    )
    assert checked_judgements(right).notes == ()  # who is always right
    honest = glued(*(right.assign(evaluator=f"{n}") for n in range(times)))
    wrong = rng.random(len(honest)) < 0.1
    honest["answer"] = honest["answer"].where(~wrong, "real")
    assert checked_judgements(honest).notes == ()
    assert checked_judgements(honest.sort_values(list(honest))).notes == ()
    same = pd.DataFrame([["p", "c", "fake", "fake"]] * 20, columns=list(right))
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
