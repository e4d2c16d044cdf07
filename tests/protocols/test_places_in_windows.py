"""Where images, keys and words stand, in windows of all sizes."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from long import long_but
from window_places import LOOK, WINDOWS, assert_apart

from hype.errors import SessionProblem
from hype.protocols.prompted.screen import PairPlaces, pair_places
from hype.protocols.prompted.trial import Candidate
from hype.protocols.ranking.screen import RankingPlaces, order_of, ranking_places
from hype.protocols.ranking.trial import PartialRanking
from hype.protocols.rating.course import level_keys
from hype.protocols.rating.screen import level_places, rating_places, reach_px
from hype.protocols.rating.trial import Axis, PlannedItem, RatedItem, RatingTask, RatingTrial
from hype.station.boxes import Box, grid_of
from hype.station.config import MOST_SHARES, Appearance, Keys, filling, image_side_px, most_side_px
from hype.station.station import QuestionPlaces, question_places


def side_of(window_px: tuple[int, int], **look: Any) -> int:
    """Give how large images are in a window."""
    return image_side_px(replace(LOOK, **look), window_px=window_px, screen_px=window_px)


def parts_of_pair(places: PairPlaces) -> dict[str, Box]:
    """Name all that stands on the screen."""
    found = {"question": places.question, "left": places.left, "right": places.right}
    if places.prompt:
        found["prompt"] = places.prompt
    for name in ("left_key", "right_key", "tie_key"):
        key = getattr(places, name)
        if key:
            found |= {f"{name} cap": key.cap, f"{name} meaning": key.meaning}
    return found


def sides(window_px: tuple[int, int]) -> Iterator[int]:
    """Give sizes from tiny to the largest that is allowed."""
    most = filling(MOST_SHARES[2], window_px)
    yield from (side_of(window_px), most, most - 1, 16, most // 2, most // 3 * 2 + 1)


@pytest.mark.parametrize("window_px", WINDOWS)
@pytest.mark.parametrize("prompt", [True, False])
@pytest.mark.parametrize("ties", [True, False])
def test_parts_of_a_pair_never_overlap(window_px, prompt, ties):
    for side_px in sides(window_px):
        found = parts_of_pair(pair_places(window_px, side_px, prompt=prompt, ties=ties))
        assert_apart(found, window_px)
        assert ("prompt" in found, "tie_key cap" in found) == (prompt, ties)


@pytest.mark.parametrize("window_px", WINDOWS)
def test_images_are_alike_and_level_and_each_key_is_under_its_own(window_px):
    places = pair_places(window_px, side_of(window_px), prompt=True, ties=True)
    left, right = places.left, places.right

    assert (left.width, left.height, left.y) == (right.width, right.height, right.y)
    assert left.x == -right.x == int(left.x)
    assert left.y == int(left.y)
    assert left.width == left.height == side_of(window_px)
    assert places.left_key.cap.x == left.x
    assert places.right_key.cap.x == right.x
    assert places.tie_key is not None
    assert places.tie_key.cap.x == 0
    assert places.left_key.cap.top < left.bottom < left.top < places.question.bottom
    assert places.prompt is not None
    assert left.top < places.prompt.bottom < places.prompt.top <= places.question.bottom


@pytest.mark.parametrize("window_px", WINDOWS[:4])
def test_without_a_size_a_pair_is_as_large_as_its_shares(window_px):
    side_px = side_of(window_px)
    width, height = window_px

    assert side_px <= 0.44 * width + 1
    assert side_px <= 0.6 * height
    assert side_px >= min(0.43 * width, 0.53 * height)


def test_the_size_that_a_study_gives_is_that_of_each():
    assert side_of((1920, 1080), size_px=321.0) == 321
    one = image_side_px(
        replace(LOOK, size_deg=8.0, abreast=1), window_px=(1920, 1080), screen_px=(1920, 1080)
    )
    assert side_of((1920, 1080), size_deg=8.0) == one


@pytest.mark.parametrize(
    ("abreast", "captioned", "most_px"),
    [(2, False, 471), (9, False, 182), (2, True, 471), (1, True, 522)],
    ids=["pair", "group", "rated pair", "rated image"],
)
def test_images_that_do_not_fit_are_refused_with_what_would(abreast, captioned, most_px):
    look = {"abreast": abreast, "captioned": captioned}
    with pytest.raises(SessionProblem, match=rf" px high.* room for {abreast} of {most_px} px"):
        side_of((1024, 768), **look, size_px=most_px + 1.0)
    assert side_of((1024, 768), **look, size_px=float(most_px)) == most_px


def question_parts(places: QuestionPlaces) -> dict[str, Box]:
    """Name all that stands on the screen of a question."""
    rows = {f"row {number}": row for number, row in enumerate(places.rows)}
    return rows | {"title": places.title, "asked": places.asked, "hint": places.hint}


@pytest.mark.parametrize("window_px", WINDOWS)
@pytest.mark.parametrize("options", [2, 9])
@pytest.mark.parametrize("widest_px", [0.0, 5000.0])
def test_answers_stand_one_under_the_other(window_px, options, widest_px):
    places = question_places(window_px, options, widest_px)
    assert len(places.rows) == options
    assert_apart(question_parts(places), window_px)
    gaps = [
        upper.bottom - lower.top for upper, lower in zip(places.rows, places.rows[1:], strict=False)
    ]
    assert gaps[-1] > 0.2 * places.rows[0].height, "the one that withholds stands apart"
    assert max(gaps[:-1], default=0) < 1e-6


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


def sizes_rated(window_px: tuple[int, int], *, pairs: bool) -> set[int]:
    """Give sizes_rated from tiny to the largest that is allowed."""
    abreast = 2 if pairs else 1
    most = most_side_px(window_px, abreast, captioned=True)
    look = replace(LOOK, abreast=abreast, captioned=True)
    usual = image_side_px(look, window_px=window_px, screen_px=window_px)
    return {usual, most, most - 1, 16, most // 2}


@pytest.mark.parametrize("window_px", WINDOWS)
@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("prompt", [True, False])
def test_parts_of_a_rating_never_overlap(window_px, pairs, prompt):
    for side_px in sizes_rated(window_px, pairs=pairs):
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


def usual_px(window_px: tuple[int, int], images: int) -> int:
    """Give how large images are where the study does not say."""
    look = replace(LOOK, abreast=images)
    return image_side_px(look, window_px=window_px, screen_px=window_px)


def sizes_ranked(window_px: tuple[int, int], images: int) -> set[int]:
    """Give sizes_ranked from tiny to the largest that is allowed."""
    usual, most = usual_px(window_px, images), most_side_px(window_px, images)
    return {usual, usual + 1, usual - 1, most, most - 1, 16, most // 2} & set(range(16, most + 1))


def assert_fits(places: RankingPlaces, window_px: tuple[int, int]) -> None:
    """Nothing is out of the window, nothing on anything else."""
    parts = {"question": places.question, "order": places.order}
    parts |= {"prompt": places.prompt} if places.prompt else {}
    for name in ("images", "letters", "keys"):
        parts |= {f"{name} {number}": box for number, box in enumerate(getattr(places, name))}
    assert_apart(parts, window_px)


@pytest.mark.parametrize("window_px", WINDOWS)
@pytest.mark.parametrize("images", long_but([2, 5, 12], range(2, 13)))
def test_parts_of_a_group_never_overlap(window_px, images):
    for side_px in sizes_ranked(window_px, images):
        for prompt in (True, False):
            places = ranking_places(window_px, side_px, images=images, prompt=prompt)
            assert_fits(places, window_px)
            assert (places.prompt is not None) == prompt
            assert len(places.images) == len(places.letters) == images
            for box in places.images:
                assert (box.width, box.height) == (side_px, side_px)
                assert (box.x, box.y) == (int(box.x), int(box.y))


@pytest.mark.parametrize("window_px", WINDOWS)
def test_a_smaller_group_has_room_for_images_of_the_same_size(window_px):
    for side_px in sizes_ranked(window_px, 12):
        for images in range(2, 12):
            places = ranking_places(window_px, side_px, images=images, prompt=True)
            assert_fits(places, window_px)


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
    places = ranking_places(window_px, usual_px(window_px, images), images=images, prompt=True)
    boxes = places.images
    assert list(boxes) == sorted(boxes, key=lambda box: (-box.y, box.x))
    last = [box.x for box in boxes if box.y == boxes[-1].y]
    assert abs(last[0] + last[-1]) <= 1
    for image, letter in zip(boxes, places.letters, strict=True):
        assert letter.x == image.x
        assert 0 <= image.bottom - letter.top < letter.height


@pytest.mark.parametrize(
    ("standing", "written"),
    [
        (PartialRanking(), ""),
        (PartialRanking(("B",)), "1 B"),
        (PartialRanking(("B", "AD", "C")), "1 B · 2 A = D · 4 C"),
        (PartialRanking(("B", "A"), tying=True), "1 B · 2 A ="),
    ],
)
def test_the_order_so_far_is_written_with_its_ranks(standing, written):
    assert order_of(standing) == written


ALONE = Appearance(
    size_px=None,
    size_deg=None,
    monitor_cm=(53.0, 57.0),
    screen=0,
    fullscreen=True,
    window_px=(1920, 1080),
    refresh_hz=60.0,
    background_rgb=(128, 128, 128),
    text_rgb=(255, 255, 255),
    font="DejaVu Sans",
)
SCREEN = {"window_px": (1920, 1080), "screen_px": (1920, 1080)}


def test_one_degree_at_57_cm_is_a_centimetre():
    # The rule of thumb of every lab: at 57 cm, 1 cm spans 1 degree (0.995 cm exactly).
    assert image_side_px(replace(ALONE, size_deg=1.0), **SCREEN) == round(0.99486 / 53 * 1920)


def test_large_angles_grow_faster_than_in_proportion():
    small = image_side_px(replace(ALONE, size_deg=5.0), **SCREEN)
    large = image_side_px(replace(ALONE, size_deg=25.0), **SCREEN)
    assert large > 5 * small


def test_pixels_are_taken_as_they_are():
    assert image_side_px(replace(ALONE, size_px=321.0), **SCREEN) == 321


@pytest.mark.parametrize("height", [600, 1080])
def test_without_a_size_half_the_height(height):
    assert image_side_px(ALONE, window_px=(1920, height), screen_px=(1920, 1080)) == height // 2


def test_a_degree_is_the_same_in_a_small_window():
    look = replace(ALONE, size_deg=5.0)
    small = image_side_px(look, window_px=(800, 600), screen_px=(1920, 1080))
    assert small == image_side_px(look, **SCREEN)


def test_an_image_that_does_not_fit_is_refused():
    with pytest.raises(SessionProblem, match="to be 900 px high and wide, and the window has 800"):
        image_side_px(replace(ALONE, size_px=900.0), window_px=(800, 600), screen_px=(1920, 1080))
