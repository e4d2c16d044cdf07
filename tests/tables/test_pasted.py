"""Tables that were pasted twice, and equal rows that are not a mistake."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.comparison.table import TABLE as COMPARISONS
from hype.protocols.hype.table import TABLE as JUDGEMENTS
from hype.protocols.hype.table import check_judgements
from hype.protocols.ranking.table import TABLE as RANKINGS
from hype.protocols.rating.table import TABLE as RATINGS


def shown(evaluator: str = "p", images: int = 20, seed: int = 0) -> pd.DataFrame:
    """Return an evaluator's judgements of images, each shown once."""
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
        (
            glued(ONE, OTHER, ONE, OTHER),
            "40 rows repeat others in every column (rows 40, 41, 42, 43, 44 and 35 more); "
            "each counts only once.",
        ),
        (
            glued(ONE, OTHER, ONE[3:4]),
            "1 row repeats another row in every column (row 40); each counts only once.",
        ),
        (glued(ONE, ONE).sort_values("image", ignore_index=True), "20 rows repeat others"),
        (glued(ONE, ONE).assign(trial=[*range(20), *range(20)]), "20 rows repeat others"),
        (glued(ONE, ONE).drop(columns="image").assign(trial=[*range(20)] * 2), "20 rows repeat"),
    ],
    ids=["the whole table", "one row", "sorted afterwards", "numbered trials", "trials alone"],
)
def test_a_row_that_is_there_twice_counts_once(frame, said):
    checked = JUDGEMENTS.check_table(frame)
    (note,) = (note for note in checked.notes if "repeat" in note)

    assert note.startswith(said)
    once = check_judgements(frame.drop_duplicates())
    pd.testing.assert_frame_equal(checked.frame, once)
    with pytest.warns(UserWarning, match=said.split(" (")[0]):
        check_judgements(frame)


def test_where_images_were_shown_again_rows_may_be_alike():
    """An evaluator who sees an image twice may give the same answer twice, or not."""
    other = ONE[3:4].assign(answer=ONE["answer"].map({"real": "fake", "fake": "real"})[3])
    checked = JUDGEMENTS.check_table(glued(ONE, other, ONE[5:7]))

    assert len(checked.frame) == 23
    (note,) = (note for note in checked.notes if "repeat" in note)
    assert note.startswith("2 rows repeat others in every column (rows 21, 22). All rows count")
    assert JUDGEMENTS.check_table(glued(ONE, other)).notes == ()
    again = glued(ONE, other, ONE[5:7])
    right = again.assign(Accuracy=again["answer"] == again["truth"])  # this follows from the answer
    assert len(JUDGEMENTS.check_table(right).frame) == 23


def test_who_judged_an_image_twice_numbers_trials():
    assert len(check_judgements(glued(ONE, ONE).assign(trial=range(40)))) == 40


def test_rows_that_do_not_say_what_they_are_of_may_be_alike():
    nameless = glued(ONE, OTHER).drop(columns="image")
    assert JUDGEMENTS.check_table(glued(nameless, nameless)).notes == ()


def test_a_trial_with_two_answers_is_refused():
    rows = [["p", "c", "real", "real", 1], ["p", "c", "real", "fake", 1]]
    frame = pd.DataFrame(rows, columns=["evaluator", "condition", "truth", "answer", "trial"])
    with pytest.raises(InputError, match=r"row 1: repeats row 0 \(.*\) with a different answer"):
        check_judgements(frame)


def test_comparisons_ratings_and_rankings_are_held_to_the_same():
    number = range(12)
    compared = pd.DataFrame(
        {
            "evaluator": "p",
            "left": "a",
            "right": "b",
            "answer": np.tile(["left", "right"], 6),
            "left_image": [f"a{each}.png" for each in number],
        }
    )
    rated = pd.DataFrame(
        {
            "evaluator": "p",
            "item": [f"i{each}" for each in number],
            "axis": "overall",
            "condition": "c",
            "answer": np.tile([1, 2, 3], 4),
        }
    )
    ranked = pd.DataFrame(
        {
            "evaluator": "p",
            "group": np.repeat([f"g{each}" for each in range(4)], 3),
            "condition": np.tile(list("abc"), 4),
            "rank": np.tile([1, 2, 3], 4),
        }
    )
    for frame, checked in (
        (compared, COMPARISONS.check_table),
        (rated, RATINGS.check_table),
        (ranked, RANKINGS.check_table),
    ):
        (note, *_) = checked(glued(frame, frame)).notes
        assert note.startswith("12 rows repeat others in every column (rows 12, 13, ")
