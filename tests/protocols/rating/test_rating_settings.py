"""What a study file of ratings may say: one test for each rule, and messages with the key."""

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
