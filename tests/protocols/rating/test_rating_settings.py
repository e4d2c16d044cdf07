"""What a study file of ratings may say: one test for each rule, and messages with the key."""

from typing import Any

import pytest
from bare_studies import assert_refused
from prompted_builders import rating_settings

from hype.protocols.rating.settings import RatingSettings
from hype.protocols.rating.trial import NOT_RELEVANT

IMAGES = {"rating": {"of": "images"}}
SEVEN = ("aesthetics", "composition", "style", "artifacts", "anatomy", "objects", "overall")


def test_the_sources_numbers_are_the_defaults():
    asked, settings = RatingSettings(), rating_settings()

    assert (asked.of, asked.levels, asked.not_relevant, asked.prompt) == (
        *("pairs", 5, True, "shown"),
    )
    assert asked.ratings == 1
    assert settings.axis_names == SEVEN
    assert settings.allowed("overall") == ("1", "2", "3", "4", "5", NOT_RELEVANT)


def test_single_images_have_their_own_axes_and_answers():
    settings = rating_settings(**IMAGES)

    assert settings.axis_names == ("anatomy", "composition", "style", "aesthetics")
    assert settings.levels_of("anatomy") == ("yes", "no")
    assert settings.levels_of("aesthetics") == tuple(map(str, range(1, 11)))


def test_an_axis_of_ones_own():
    own = {"question": "How bright?", "kind": "scale", "lowest": 0, "highest": 3}
    settings = rating_settings(
        rating={"of": "images", "axes": ["brightness", "style"], "not_relevant": False},
        axes={"brightness": own, "style": {"not_relevant": True}},
    )

    assert settings.levels_of("brightness") == ("0", "1", "2", "3")
    assert settings.allowed("brightness") == ("0", "1", "2", "3")
    assert settings.allowed("style") == ("yes", "no", NOT_RELEVANT)


def test_levels_of_a_pair_are_as_many_as_the_study_says():
    assert rating_settings(rating={"levels": 9}).levels_of("style") == tuple("123456789")


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"rating": {"axis": 3}}, r"rating\.axis: unknown key; .*\baxes\b"),
    "neither pairs nor images": ({"rating": {"of": "videos"}}, r"rating\.of = 'videos'"),
    "no axis": ({"rating": {"axes": []}}, r"rating\.axes"),
    "an axis twice": ({"rating": {"axes": ["style", "style"]}}, r"names an axis twice"),
    "an axis without a name": ({"rating": {"axes": [" style"]}}, r"' style' is no name of an axis"),
    "an axis with a long name": ({"rating": {"axes": ["x" * 65]}}, r"is no name of an axis"),
    "an axis without a question": (
        {"rating": {"axes": ["brightness"]}},
        r"axes\.brightness needs a question; those without are aesthetics, .*, overall",
    ),
    "an axis of pairs for images": (
        {"rating": {"of": "images", "axes": ["overall"]}},
        r"axes\.overall needs a question; those without are anatomy, composition, style, aesth",
    ),
    "words on an axis that is not asked": (
        {"rating": {"axes": ["style"]}, "axes": {"overall": {"question": "?"}}},
        r"axes\.overall is not among rating\.axes",
    ),
    "people on an axis that is not asked": (
        {"rating": {"axes": ["style"]}, "people": {"not_relevant": {"overall": 0.1}}},
        r"people\.not_relevant\.overall is not among rating\.axes",
    ),
    "an even number of levels": (
        {"rating": {"levels": 4}},
        r"rating\.levels = 4: must be odd, so that the middle one says that both are alike",
    ),
    "two levels": ({"rating": {"levels": 1}}, r"rating\.levels = 1"),
    "more levels than keys": ({"rating": {"levels": 11}}, r"rating\.levels = 11"),
    "no rating": ({"rating": {"ratings": 0}}, r"rating\.ratings = 0"),
    "no item": ({"rating": {"items": 0}}, r"rating\.items = 0"),
    "no image": ({"rating": {"images": 0}}, r"rating\.images = 0"),
    "practice below none": ({"rating": {"practice": -1}}, r"rating\.practice = -1"),
    "order": ({"rating": {"axis_order": "sorted"}}, r"rating\.axis_order = 'sorted'"),
    "a kind for pairs": (
        {"axes": {"style": {"kind": "scale"}}},
        r'axes\.style: kind and truth_column need rating\.of = "images"',
    ),
    "a truth for pairs": (
        {"axes": {"style": {"truth_column": "style"}}},
        r'axes\.style: kind and truth_column need rating\.of = "images"',
    ),
    "a scale of one step": (
        {**IMAGES, "axes": {"aesthetics": {"lowest": 3, "highest": 3}}},
        r"axes\.aesthetics.*a scale from 3 to 3 has 1 steps; allowed are 2 to 10",
    ),
    "a scale of eleven steps": (
        {**IMAGES, "axes": {"aesthetics": {"lowest": 0, "highest": 10}}},
        r"a scale from 0 to 10 has 11 steps; allowed are 2 to 10",
    ),
    "a scale beyond ten": (
        {**IMAGES, "axes": {"aesthetics": {"highest": 11}}},
        r"axes\.aesthetics\.highest = 11",
    ),
    "a digit": ({"keys": {"not_relevant": "5"}}, r"is no key, or a digit, which the levels have"),
    "a digit of the number pad": ({"keys": {"left": "num_5"}}, r"cannot be digits, which the"),
    "one key for two": (
        {"keys": {"not_relevant": "j", "right": "j"}},
        r"not_relevant must be another key than left, right, go_on and pause",
    ),
    "more halo than all": ({"people": {"halo": 1.5}}, r"people\.halo = 1\.5"),
    "no step": ({"people": {"step": 0}}, r"people\.step = 0"),
    "more than always": (
        {"people": {"not_relevant": {"style": 2.0}}},
        r"people\.not_relevant\.style = 2\.0",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_refused_with_its_key(what, tmp_path):
    assert_refused("rating", tmp_path, *REFUSED[what])
