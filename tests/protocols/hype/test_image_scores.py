import numpy as np
import pandas as pd
import pytest

from hype.protocols.hype.images import (
    IMAGE_SCORE_COLUMNS,
    count_seldom,
    fakes_at_either_end,
    image_scores,
    label_codes,
)
from hype.protocols.hype.table import check_judgements
from hype.statistics.proportions import wilson


def judged(rows, **columns):
    """Make judgements from condition, truth, image and answers: "fr" is one fake and one real."""
    answers = {"f": "fake", "r": "real"}
    table = pd.DataFrame(
        [
            (f"e{n}", condition, truth, answers[letter], image)
            for condition, truth, image, letters in rows
            for n, letter in enumerate(letters)
        ],
        columns=["evaluator", "condition", "truth", "answer", "image"],
    )
    return check_judgements(table.assign(**columns))


def table_of(scores, *columns):
    return list(scores[list(columns)].itertuples(index=False, name=None))


SMALL = [
    ("gan", "fake", "b.png", "ffr"),
    ("gan", "fake", "a.png", "r"),
    ("gan", "real", "a.png", "fr"),
    ("vae", "real", "a.png", "rrr"),
]


def test_every_image_is_counted_within_its_condition():
    scores = image_scores(judged(SMALL))
    assert tuple(scores.columns) == IMAGE_SCORE_COLUMNS
    assert table_of(scores, "condition", "truth", "image", "shown", "called_fake") == [
        ("gan", "fake", "a.png", 1, 0),
        ("gan", "fake", "b.png", 3, 2),
        ("gan", "real", "a.png", 2, 1),
        ("vae", "real", "a.png", 3, 0),
    ]
    assert scores["share"].tolist() == pytest.approx([0, 2 / 3, 1 / 2, 0])
    low, high = wilson([0, 2, 1, 0], [1, 3, 2, 3])
    assert scores["low"].tolist() == low.tolist()
    assert scores["high"].tolist() == high.tolist()


def test_mean_exposure_is_that_of_the_time_protocol():
    table = judged(
        [("gan", "fake", "a.png", "frf"), ("gan", "fake", "b.png", "r")],
        task=["time", "time", "infinity", "time"],
        exposure_ms=[500, 300, 999, 100],
    )
    scores = image_scores(table)
    assert table_of(scores, "task", "image", "shown") == [
        ("infinity", "a.png", 1),
        ("time", "a.png", 2),
        ("time", "b.png", 1),
    ]
    assert scores["mean_exposure_ms"].tolist() == pytest.approx([np.nan, 400, 100], nan_ok=True)


@pytest.mark.parametrize("nothing", ["no column", "empty column"])
def test_without_images_there_are_no_scores(nothing):
    table = judged(SMALL).drop(columns="image")
    table = table.assign(image="") if nothing == "empty column" else table
    assert tuple(image_scores(table).columns) == IMAGE_SCORE_COLUMNS
    assert image_scores(table).empty
    assert fakes_at_either_end(table).empty
    assert count_seldom(table) == {}


def ranked(rows, end, number=9):
    fakes = fakes_at_either_end(judged([("gan", "fake", *row) for row in rows]), number=number)
    return fakes.loc[fakes["end"].eq(end), "image"].tolist()


def test_the_bound_decides_and_not_the_share():
    rows = [("five", "r" * 5), ("often", "r" * 29 + "f"), ("found", "f" * 29 + "r")]
    rows.append(("alone", "f" * 5))
    assert ranked(rows, "most") == ["often", "five"]
    assert ranked(rows, "least") == ["found", "alone"]
    assert ranked(rows, "most", 1) == ["often"]


def test_ties_go_by_share_then_times_shown_then_name():
    # Images with different numbers of answers may share an upper bound of 1 or a lower one of 0.
    always = [("b", "f" * 6), ("a", "f" * 6), ("c", "f" * 5), ("never", "r" * 9)]
    assert ranked(always, "least") == ["a", "b", "c"]
    same = [("b", "rrrrf"), ("a", "rrrrf"), ("fake", "fffff")]
    assert ranked(same, "most") == ["a", "b"]


def test_what_was_shown_seldom_is_counted_and_not_named():
    rows = [("once", "r"), ("four", "rrrr"), ("five", "rrrrf"), ("often", "r" * 9 + "f" * 9)]
    assert ranked(rows, "most") == ["five"]
    assert ranked(rows, "least") == ["often"]
    assert count_seldom(judged([("gan", "fake", *row) for row in rows])) == {"gan": (4, 2)}


def test_fakes_are_those_of_a_condition_and_reals_are_not_among_them():
    rows = [("gan", "fake", "a", "rrrrr"), ("gan", "fake", "b", "fffff")]
    rows += [("gan", "real", "a", "rrrrr"), ("vae", "fake", "a", "rrrrr")]
    found = fakes_at_either_end(judged(rows))
    assert table_of(found, "condition", "end", "image") == [
        ("gan", "most", "a"),
        ("gan", "least", "b"),
    ]


@pytest.mark.parametrize("text", ["object", "category"])
def test_labels_are_numbered_by_name(text):
    codes, names = label_codes(pd.Series(["b", None, "a", " ", "b"]).astype(text))
    assert (codes.tolist(), names) == ([1, -1, 0, -1, 1], ["a", "b"])
