from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import a_third

from hype.protocols.hype.images import (
    IMAGE_SCORE_COLUMNS,
    convincing_by_condition,
    image_differences,
    image_scores,
    label_codes,
    least_convincing,
    most_convincing,
    seldom_notes,
)
from hype.protocols.hype.report import ExtremeImages
from hype.protocols.hype.table import check_judgements
from hype.statistics.proportions import wilson


def judged(rows, **columns):
    """Rows of condition, truth, image and answers: "fr" is one fake and one real."""
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
    scores = image_scores(table.assign(image="") if nothing == "empty column" else table)
    assert scores.empty
    assert tuple(scores.columns) == IMAGE_SCORE_COLUMNS
    assert most_convincing(scores, "gan", 3) == least_convincing(scores, "gan", 3) == ()


@a_third()
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.booleans(), st.sampled_from("abc"))))
def test_counts_add_up_to_the_judgements(rows):
    rows = [*rows, ("x", True, "a")]
    answered = [(c, "fake", image, "f" if fake else "r") for c, fake, image in rows]
    scores = image_scores(judged(answered, trial=range(1, len(rows) + 1)))
    assert scores["shown"].sum() == len(rows)
    assert scores["called_fake"].sum() == sum(fake for _, fake, _ in rows)
    assert len(scores) == len({(c, image) for c, _, image in rows})


def ranked(rows, rank, n=9):
    scores = image_scores(judged([("gan", "fake", *row) for row in rows]))
    return [row.image for row in rank(scores, "gan", n)]


def test_one_of_one_does_not_beat_29_of_30():
    rows = [("once", "r"), ("often", "r" * 29 + "f"), ("found", "f" * 29 + "r"), ("alone", "f")]
    assert ranked(rows, most_convincing)[0] == "often"
    assert ranked(rows, least_convincing)[0] == "found"


def test_what_was_shown_seldom_is_counted_and_not_named():
    rows = [("once", "r"), ("four", "rrrr"), ("five", "rrrrf"), ("often", "r" * 9 + "f" * 9)]
    found = convincing_by_condition(judged([("gan", "fake", *row) for row in rows]))["gan"]
    assert [one.image for one in found.most] == ["five"]
    assert [one.image for one in found.least] == ["often"]
    assert (found.fakes, found.seldom) == (4, 2)
    (note,) = seldom_notes([found, None])
    assert note.startswith("2 of 4 fakes were shown fewer than 5 times")
    assert [*seldom_notes([])] == []


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ([("a", "r"), ("b", "f")], "The fakes were judged once each: whether they differ cannot"),
        ([("a", "rr"), ("b", "rr")], "The fakes were all judged alike: whether they differ cannot"),
        ([("a", "rrf"), ("b", "rff")], "no more difference shows than chance makes (p = 0."),
    ],
)
def test_nothing_is_concluded_from_a_test_that_is_undefined(rows, note):
    table = judged([("gan", "fake", *row) for row in rows])
    ends = ExtremeImages(
        condition="gan", most=(), least=(), differences=image_differences(table)["gan"]
    )
    assert note in ends.note


def test_ties_go_by_share_then_times_shown_then_name():
    # An upper bound of 1, or a lower one of 0, is shared by images with unlike evidence.
    always = [("b", "ff"), ("a", "ff"), ("c", "f")]
    assert ranked(always, most_convincing) == ["c", "a", "b"]
    never = [("b", "rr"), ("a", "rr"), ("c", "r")]
    assert ranked(never, least_convincing) == ["c", "a", "b"]


def test_ranking_takes_the_fakes_of_one_condition_and_protocol():
    rows = [("gan", "fake", "a", "f"), ("gan", "real", "a", "r"), ("vae", "fake", "a", "r")]
    table = judged(rows, task=["time", "time", "infinity"], exposure_ms=[200, 200, None])
    scores = image_scores(table)
    (row,) = most_convincing(scores, "gan", 5)
    assert asdict(row) == {
        "condition": "gan",
        "task": "time",
        "truth": "fake",
        "image": "a",
        "shown": 1,
        "called_fake": 1,
        "share": 1.0,
        "low": pytest.approx(1 / 4.841459),
        "high": 1.0,
        "mean_exposure_ms": 200.0,
    }
    assert {type(value) for value in asdict(row).values()} == {str, int, float}
    assert most_convincing(scores, "gan", 5, task="infinity") == ()
    assert least_convincing(scores, "vae", 5, task="infinity")[0].mean_exposure_ms is None
    assert most_convincing(scores, "pca", 5) == ()


@pytest.mark.parametrize("text", ["object", "category"])
def test_labels_are_numbered_by_name(text):
    codes, names = label_codes(pd.Series(["b", None, "a", " ", "b"]).astype(text))
    assert (codes.tolist(), names) == ([1, -1, 0, -1, 1], ["a", "b"])
