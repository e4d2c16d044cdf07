"""Where two images, their keys and the words above them stand, in windows of all sizes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from window_places import LOOK, WINDOWS, assert_apart

from hype.errors import SessionProblem
from hype.protocols.prompted.screen import PairPlaces, pair_places
from hype.station.boxes import Box
from hype.station.config import MOST_SHARES, filling, image_side_px
from hype.station.station import QuestionPlaces, question_places


def side_of(window_px: tuple[int, int], **look: Any) -> int:
    """Give how large images are in a window."""
    return image_side_px(replace(LOOK, **look), window_px=window_px, screen_px=window_px)


def parts(places: PairPlaces) -> dict[str, Box]:
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
def test_nothing_overlaps_whatever_the_window(window_px, prompt, ties):
    for side_px in sides(window_px):
        found = parts(pair_places(window_px, side_px, prompt=prompt, ties=ties))
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
