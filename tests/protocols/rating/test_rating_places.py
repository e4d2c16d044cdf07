"""Where ratings stand in windows of all sizes, and which key gives which answer."""

from dataclasses import replace
from itertools import pairwise

import pytest
from window_places import LOOK, WINDOWS, assert_apart

from hype.protocols.prompted.trial import Candidate
from hype.protocols.rating.course import level_keys
from hype.protocols.rating.screen import level_places, rating_places, reach_px
from hype.protocols.rating.trial import Axis, PlannedItem, RatedItem, RatingTask, RatingTrial
from hype.station.boxes import Box
from hype.station.config import Keys, image_side_px, most_side_px

KEYS = Keys(left="f", right="j", go_on="space", pause="escape", not_relevant="n")
FIRST, SECOND = (Candidate(path=f"{c}.png", condition=c, sha256=c) for c in ("flow", "pca"))


def trial_of(*levels: str, images: tuple[Candidate, ...], swapped: bool = False) -> RatingTrial:
    """Give a trial with these levels."""
    return RatingTrial(
        task=RatingTask.RATING,
        block=1,
        number=1,
        planned=PlannedItem(item=RatedItem(prompt="a bag", images=images), swapped=swapped),
        axis=Axis(name="overall", question="Which?", levels=levels, optional=True),
    )


def sizes(window_px: tuple[int, int], *, pairs: bool) -> set[int]:
    """Give sizes from tiny to the largest that is allowed."""
    abreast = 2 if pairs else 1
    most = most_side_px(window_px, abreast, captioned=True)
    look = replace(LOOK, abreast=abreast, captioned=True)
    usual = image_side_px(look, window_px=window_px, screen_px=window_px)
    return {usual, most, most - 1, 16, most // 2}


@pytest.mark.parametrize("window_px", WINDOWS)
@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("prompt", [True, False])
def test_nothing_overlaps_whatever_the_window(window_px, pairs, prompt):
    for side_px in sizes(window_px, pairs=pairs):
        places = rating_places(window_px, side_px, pairs=pairs, prompt=prompt)
        parts = {"question": places.question, "apart": places.not_relevant}
        parts |= {"prompt": places.prompt} if places.prompt else {}
        parts |= {"progress": places.progress}
        parts |= {f"image {number}": box for number, box in enumerate(places.images)}
        assert_apart(parts | {"levels": places.levels}, window_px)
        assert (places.prompt is not None, len(places.images)) == (prompt, 2 if pairs else 1)
        for image in places.images:
            assert (image.x, image.y) == (int(image.x), int(image.y))
            assert places.levels.top < image.bottom < image.top < places.question.bottom
        if places.prompt:
            assert places.prompt.bottom >= places.question.top
        for levels, named in ((2, (0, 1)), (3, (0, 1, 2)), (5, range(5)), (9, (0, 4, 8))):
            keys = level_places(places.levels, levels, reach_px(window_px[0], places.images), named)
            caps = {f"cap {number}": key.cap for number, key in enumerate(keys)}
            meanings = {f"meaning {number}": keys[number].meaning for number in named}
            assert_apart(parts | caps | meanings, window_px)
            assert all(left.cap.x < right.cap.x for left, right in pairwise(keys))


def test_keys_of_a_pair_stand_under_their_images_where_these_are_large():
    images = (Box(x=-400, y=0, width=700, height=700), Box(x=400, y=0, width=700, height=700))
    row = Box(x=0, y=-500, width=1800, height=120)
    keys = level_places(row, 3, reach_px(1920, images), (0, 1, 2))
    assert [key.cap.x for key in keys] == [-400, 0, 400]


@pytest.mark.parametrize(
    ("swapped", "answers"), [(False, ["1", "2", "3", "4", "5"]), (True, ["5", "4", "3", "2", "1"])]
)
def test_the_leftmost_key_is_for_the_image_on_the_left_and_the_answer_about_the_first(
    swapped, answers
):
    keys = level_keys(trial_of(*"12345", images=(FIRST, SECOND), swapped=swapped), KEYS)
    assert [key.keys for key in keys] == [(d, f"num_{d}") for d in "12345"]
    assert [key.answer for key in keys] == answers
    assert [key.text for key in keys] == ["left_much", "left", "equal", "right", "right_much"]


def test_fewer_levels_are_not_much_better_and_of_more_only_some_are_named():
    three, seven = (
        level_keys(trial_of(*levels, images=(FIRST, SECOND)), KEYS) for levels in ("123", "1234567")
    )
    assert [key.text for key in three] == ["left", "equal", "right"]
    assert [key.text for key in seven] == ["left_much", "", "", "equal", "", "", "right_much"]


def test_one_image_is_rated_by_yes_and_no_or_on_a_scale_whose_ten_has_the_key_0():
    yes, no = level_keys(trial_of("yes", "no", images=(FIRST,)), KEYS)
    scale = level_keys(trial_of(*map(str, range(1, 11)), images=(FIRST,)), KEYS)

    assert [(k.answer, k.keys, k.text) for k in (yes, no)] == [
        ("yes", ("f",), "answer_yes"),
        ("no", ("j",), "answer_no"),
    ]
    assert "".join(key.keys[0] for key in scale) == "1234567890"
    assert scale[-1].answer == "10"
    assert [(key.text, key.number) for key in scale if key.text] == [
        ("lowest", "1"),
        ("highest", "10"),
    ]
