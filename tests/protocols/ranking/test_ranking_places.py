"""Where the images of a group stand, in windows of all sizes."""

from dataclasses import replace

import pytest
from long import long_but
from window_places import LOOK, WINDOWS, assert_apart

from hype.protocols.ranking.screen import RankingPlaces, order_of, ranking_places
from hype.protocols.ranking.trial import PartialRanking
from hype.station.boxes import grid_of
from hype.station.config import image_side_px, most_side_px


def usual_px(window_px: tuple[int, int], images: int) -> int:
    """Give how large images are where the study does not say."""
    look = replace(LOOK, abreast=images)
    return image_side_px(look, window_px=window_px, screen_px=window_px)


def sizes(window_px: tuple[int, int], images: int) -> set[int]:
    """Give sizes from tiny to the largest that is allowed."""
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
def test_nothing_overlaps_whatever_the_window(window_px, images):
    for side_px in sizes(window_px, images):
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
    for side_px in sizes(window_px, 12):
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
