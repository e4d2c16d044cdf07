"""The places of images, keys and texts in windows of all sizes."""

from dataclasses import fields, replace
from itertools import pairwise, product
from typing import Any

import pytest
from long import long_but
from window_places import LOOK, WINDOWS, assert_apart

from hype.errors import SessionProblem
from hype.protocols.prompted.screen import pair_places
from hype.protocols.prompted.trial import Candidate
from hype.protocols.ranking.screen import ranking_places
from hype.protocols.ranking.trial import PartialRanking
from hype.protocols.rating.course import buttons_of
from hype.protocols.rating.screen import level_places, rating_places, reach_px
from hype.protocols.rating.trial import Axis, PlannedItem, RatedItem, RatingTask, RatingTrial
from hype.session.steps import Button
from hype.station.boxes import Box, grid_of
from hype.station.config import Keys, image_side_px, most_side_px
from hype.station.station import question_places

SCREEN = (1920, 1080)


def side_of(window_px: tuple[int, int], **look: Any) -> int:
    """Return the size of images in a window; by default one image is shown."""
    own = replace(LOOK, **{"images_shown": 1} | look)
    return image_side_px(own, window_px=window_px, screen_px=SCREEN)


def sizes(window_px: tuple[int, int], images_shown: int, **how: Any) -> list[int]:
    """Return sizes from very small to the largest that is allowed."""
    most = most_side_px(replace(LOOK, images_shown=images_shown, **how), window_px)
    usual = side_of(window_px, images_shown=images_shown, **how)
    return sorted({16, most // 2, most // 3 * 2 + 1, most - 1, most, min(usual, most)})


def boxes_in(places: Any, *without: str) -> dict[str, Box]:
    """Return all boxes on a screen by name: also those of keys, their texts, and rows of keys."""
    found: dict[str, Box] = {}
    for field in fields(places):
        value = getattr(places, field.name)
        if field.name in without or value is None:
            continue
        for number, one in enumerate(value if isinstance(value, tuple) else (value,)):
            name = f"{field.name} {number}"
            found |= {name: one} if isinstance(one, Box) else boxes_of_key(name, one)
    return found


def boxes_of_key(name: str, key: Any) -> dict[str, Box]:
    return {f"{name} cap": key.cap, f"{name} meaning": key.meaning}


@pytest.mark.parametrize("window_px", WINDOWS)
@pytest.mark.parametrize("prompt", [True, False])
@pytest.mark.parametrize("neither", range(3))
@pytest.mark.parametrize("reference", [None, "above", "beside"])
def test_parts_of_a_pair_never_overlap(window_px, prompt, neither, reference):
    for side_px in sizes(window_px, 2, reference=reference):
        how = {"prompt": prompt, "neither": neither, "reference": reference}
        places = pair_places(window_px, side_px, **how)
        assert_apart(boxes_in(places), window_px)
        assert (places.prompt is not None, len(places.neither_keys)) == (prompt, neither)
        if own := places.reference:
            assert (own.x, own.width, own.height) == (0, side_px, side_px)
            assert own.y == places.left.y if reference == "beside" else own.bottom > places.left.top
            assert places.label.bottom == pytest.approx(own.top)


@pytest.mark.parametrize("window_px", WINDOWS)
def test_images_are_alike_and_level_and_each_key_is_under_its_own(window_px):
    places = pair_places(window_px, side_of(window_px, images_shown=2), prompt=True, neither=1)
    left, right = places.left, places.right

    assert (left.width, left.height, left.y) == (right.width, right.height, right.y)
    assert left.x == -right.x == int(left.x)
    assert left.y == int(left.y)
    assert left.width == left.height == side_of(window_px, images_shown=2)
    assert places.left_key.cap.x == left.x
    assert places.right_key.cap.x == right.x
    assert places.neither_keys[0].cap.x == 0
    assert places.left_key.cap.top < left.bottom < left.top < places.question.bottom
    assert left.top < places.prompt.bottom < places.prompt.top <= places.question.bottom


@pytest.mark.parametrize("window_px", WINDOWS[:4])
def test_without_a_size_a_pair_is_as_large_as_its_shares(window_px):
    side_px = side_of(window_px, images_shown=2)
    width, height = window_px

    assert side_px <= 0.44 * width + 1
    assert side_px <= 0.6 * height
    assert side_px >= min(0.43 * width, 0.53 * height)


@pytest.mark.parametrize(
    ("images_shown", "captioned", "most_px"),
    [(2, False, 471), (9, False, 182), (2, True, 471), (1, True, 522)],
    ids=["pair", "group", "rated pair", "rated image"],
)
def test_images_that_do_not_fit_are_refused_with_what_would(images_shown, captioned, most_px):
    look = {"images_shown": images_shown, "captioned": captioned}
    with pytest.raises(
        SessionProblem, match=rf" px high.* room for {images_shown} of {most_px} px"
    ):
        side_of((1024, 768), **look, size_px=most_px + 1.0)
    assert side_of((1024, 768), **look, size_px=float(most_px)) == most_px


def test_one_image_has_the_size_that_the_study_says_or_half_the_height():
    # A common rule of thumb: at 57 cm, 1 degree spans 1 cm (exactly 0.995 cm).
    assert side_of(SCREEN, size_deg=1.0) == round(0.99486 / 53 * 1920)
    assert side_of(SCREEN, size_deg=25.0) > 5 * side_of(SCREEN, size_deg=5.0)
    assert side_of((800, 600), size_deg=5.0) == side_of(SCREEN, size_deg=5.0)
    assert side_of(SCREEN, size_deg=8.0, images_shown=2) == side_of(SCREEN, size_deg=8.0)
    assert side_of(SCREEN, size_px=321.0, images_shown=2) == side_of(SCREEN, size_px=321.0) == 321
    assert [side_of((1920, height)) for height in (600, 1080)] == [300, 540]
    with pytest.raises(
        SessionProblem, match="should be 900 px high and wide, but the window has 800"
    ):
        side_of((800, 600), size_px=900.0)


@pytest.mark.parametrize("window_px", WINDOWS)
@pytest.mark.parametrize("options", [2, 9])
@pytest.mark.parametrize("widest_px", [0.0, 5000.0])
def test_answers_stand_one_under_the_other(window_px, options, widest_px):
    places = question_places(window_px, options, widest_px)
    assert len(places.rows) == options
    assert_apart(boxes_in(places), window_px)
    gaps = [upper.bottom - lower.top for upper, lower in pairwise(places.rows)]
    assert gaps[-1] > 0.2 * places.rows[0].height, "the button for no answer is apart"
    assert max(gaps[:-1], default=0) < 1e-6


KEYS = Keys(left="f", right="j", go_on="space", pause="escape", not_relevant="n")
FIRST, SECOND = (Candidate(path=f"{c}.png", condition=c, sha256=c) for c in ("flow", "pca"))


def trial_of(*levels: str, images: tuple[Candidate, ...], swapped: bool = False) -> RatingTrial:
    """Return a trial with these levels."""
    return RatingTrial(
        task=RatingTask.RATING,
        block=1,
        number=1,
        planned=PlannedItem(item=RatedItem(prompt="a bag", images=images), swapped=swapped),
        axis=Axis(name="overall", question="Which?", levels=levels, optional=True),
    )


@pytest.mark.parametrize("window_px", WINDOWS)
@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("prompt", [True, False])
@pytest.mark.parametrize("reference", [None, "above", "beside"])
def test_parts_of_a_rating_never_overlap(window_px, pairs, prompt, reference):
    for side_px in sizes(window_px, 1 + pairs, captioned=True, reference=reference):
        how = {"pairs": pairs, "prompt": prompt, "reference": reference}
        places = rating_places(window_px, side_px, **how)
        assert_apart(boxes_in(places), window_px)
        shown = 1 + pairs + (reference is not None)
        assert (places.prompt is not None, len(places.images)) == (prompt, shown)
        for image in places.images:
            assert (image.x, image.y) == (int(image.x), int(image.y))
            assert places.levels.top < image.bottom < image.top < places.question.bottom
        if places.prompt:
            assert places.prompt.bottom >= places.question.top
        for levels, named in ((2, (0, 1)), (3, (0, 1, 2)), (5, range(5)), (9, (0, 4, 8))):
            keys = level_places(places.levels, levels, reach_px(window_px[0], places.images), named)
            caps = {f"cap {number}": key.cap for number, key in enumerate(keys)}
            meanings = {f"meaning {number}": keys[number].meaning for number in named}
            assert_apart(boxes_in(places, "levels") | caps | meanings, window_px)
            assert all(left.cap.x < right.cap.x for left, right in pairwise(keys))


def test_keys_of_a_pair_stand_under_their_images_where_these_are_large():
    images = (Box(x=-400, y=0, width=700, height=700), Box(x=400, y=0, width=700, height=700))
    row = Box(x=0, y=-500, width=1800, height=120)
    keys = level_places(row, 3, reach_px(1920, images), (0, 1, 2))
    assert [key.cap.x for key in keys] == [-400, 0, 400]


def levels_of(*levels: str, **trial: object) -> tuple[Button, ...]:
    """Return the levels of a trial whose texts are their names."""
    buttons = buttons_of(trial_of(*levels, **trial), KEYS, {}, lambda name, _values: name)
    return tuple(button for button in buttons if not button.aside)


@pytest.mark.parametrize(
    ("swapped", "answers"), [(False, ["1", "2", "3", "4", "5"]), (True, ["5", "4", "3", "2", "1"])]
)
def test_the_leftmost_key_is_for_the_image_on_the_left_and_the_answer_about_the_first(
    swapped, answers
):
    keys = levels_of(*"12345", images=(FIRST, SECOND), swapped=swapped)
    assert [key.keys for key in keys] == [(d, f"num_{d}") for d in "12345"]
    assert [key.answer for key in keys] == answers
    assert [key.label for key in keys] == ["left_much", "left", "equal", "right", "right_much"]


def test_fewer_levels_are_not_much_better_and_of_more_only_some_are_named():
    three, seven = (levels_of(*levels, images=(FIRST, SECOND)) for levels in ("123", "1234567"))
    assert [key.label for key in three] == ["left", "equal", "right"]
    assert [key.label for key in seven] == ["left_much", "", "", "equal", "", "", "right_much"]


def test_one_image_is_rated_by_yes_and_no_or_on_a_scale_whose_ten_has_the_key_0():
    yes, no = levels_of("yes", "no", images=(FIRST,))
    scale = levels_of(*map(str, range(1, 11)), images=(FIRST,))

    assert [(k.answer, k.keys, k.label) for k in (yes, no)] == [
        ("yes", ("f",), "answer_yes"),
        ("no", ("j",), "answer_no"),
    ]
    assert "".join(key.keys[0] for key in scale) == "1234567890"
    assert scale[-1].answer == "10"
    assert [key.label for key in scale if key.label] == ["1: lowest", "10: highest"]


@pytest.mark.parametrize("window_px", WINDOWS)
@pytest.mark.parametrize("images", long_but([2, 5, 12], range(2, 13)))
def test_parts_of_a_group_never_overlap(window_px, images):
    """This is also true for a small group whose images have the size of a large group's."""
    for side_px, prompt in product(
        (*sizes(window_px, images), *sizes(window_px, 12)), (True, False)
    ):
        places = ranking_places(window_px, side_px, images=images, prompt=prompt)
        assert_apart(boxes_in(places), window_px)
        assert (places.prompt is not None) == prompt
        assert len(places.images) == len(places.letters) == images
        for box in places.images:
            assert (box.width, box.height) == (side_px, side_px)
            assert (box.x, box.y) == (int(box.x), int(box.y))


@pytest.mark.parametrize(
    ("window_px", "images", "columns", "rows"),
    [
        ((1920, 1080), 4, 4, 1),
        ((768, 1024), 4, 2, 2),
        ((1920, 1080), 9, 5, 2),
        ((768, 1024), 9, 3, 3),
        ((1024, 768), 10, 5, 2),
        ((1920, 1080), 12, 6, 2),
        ((768, 1024), 12, 4, 3),
    ],
)
def test_rows_follow_the_shape_of_the_window(window_px, images, columns, rows):
    grid = grid_of(window_px, images)
    assert (grid.columns, grid.rows) == (columns, rows)


@pytest.mark.parametrize("images", [5, 9, 11])
def test_images_go_from_left_to_right_and_down_and_a_short_row_is_centred(images):
    window_px = (1920, 1080)
    places = ranking_places(
        window_px, side_of(window_px, images_shown=images), images=images, prompt=True
    )
    boxes = places.images
    assert list(boxes) == sorted(boxes, key=lambda box: (-box.y, box.x))
    last = [box.x for box in boxes if box.y == boxes[-1].y]
    assert abs(last[0] + last[-1]) <= 1
    for image, letter in zip(boxes, places.letters, strict=True):
        assert letter.x == image.x
        assert 0 <= image.bottom - letter.top < letter.height


@pytest.mark.parametrize(
    ("standing", "ups", "moved"),
    [
        (PartialRanking(), {}, {}),
        (PartialRanking(("B",)), {}, {}),
        (PartialRanking(("B", "A"), tying=True), {}, {}),
        (PartialRanking(("B", "A")), {"A": "A1"}, {"A1": "A>B", "B2": "A>B"}),
        (
            PartialRanking(("B", "AD", "C")),
            {"A": "A2", "D": "D2", "C": "C2"},
            {"A1": "A>B>D>C", "A2": "B>A>D>C", "A4": "B>D>C>A", "B3": "AD>C>B", "C2": "B>C>AD"},
        ),
    ],
)
def test_an_image_that_has_a_place_moves_to_another(standing, ups, moved):
    moves = {act: str(after) for act, after in standing.moves().items()}

    assert standing.steps_up() == ups
    assert moved.items() <= moves.items()
    assert str(standing) not in moves.values()
    assert all(set(after.placed) == set(standing.placed) for after in standing.moves().values())
