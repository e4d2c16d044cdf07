"""Names that file names can be made of."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.export.kind import labels, paths


def test_who_has_a_plain_code_keeps_it_whoever_came_first():
    assert labels(["p-01", "p01", "P01", "--", "_"]) == {
        "p-01": "p01x3",
        "p01": "p01",
        "P01": "P01x2",
        "--": "x",
        "_": "xx2",
    }


@given(st.lists(st.text("ab-_A1", min_size=1, max_size=4), unique=True))
def test_labels_are_letters_and_digits_and_differ_even_without_capitals(codes):
    made = labels(codes)

    assert list(made) == codes
    assert all(re.fullmatch("[A-Za-z0-9]+", one) for one in made.values())
    assert len({one.lower() for one in made.values()}) == len(codes)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("fake/good/001.png", "fake/good/001.png"),
        ("fake/=cmd()/001.png", "fake/-cmd--/001.png"),
        ("=cmd()/001.png", "image-cmd--/001.png"),
        ("stimuli/001.png", "imagestimuli/001.png"),
        ("real/<b>ü 1.png", "real/-b---1.png"),
        (".hidden.png", "image.hidden.png"),
    ],
)
def test_images_lie_at_plain_paths(path, place):
    assert paths([path]) == {path: place}


def test_two_images_whose_plain_paths_are_one_are_numbered():
    assert paths(["real/a+b.png", "real/a-b.png", "real/A&B.png"]) == {
        "real/a+b.png": "real/a-b-2.png",
        "real/a-b.png": "real/a-b.png",
        "real/A&B.png": "real/A-B-3.png",
    }
