"""The study files from which users start, for every protocol."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bare_studies import COMMENTED

from hype.protocols.comparison.design import ComparisonShape, comparison_text
from hype.protocols.hype.design import PAPER, FittedDesign, pool_text, study_text
from hype.protocols.load import parse_study
from hype.protocols.prompted.settings import PromptedShape
from hype.protocols.ranking.design import ranking_text
from hype.protocols.rating.design import TEMPLATES
from hype.protocols.registry import protocol_of_methods

rating_text = TEMPLATES["rating"].text

INDENTED = re.compile(r"^#   (?=\[axes|\w+ = )", re.MULTILINE)
"""The comment sign and indentation before a key that only single images have."""
ONE = PromptedShape(images=1)
SMALL = PromptedShape(images=3, real_too=True)
LARGE = PromptedShape(conditions=20, prompts=40)
TEXTS: dict[str, Callable[[str], str]] = {
    "time": lambda name: study_text(name, FittedDesign(methods=("time",))),
    "infinity": lambda name: study_text(name, FittedDesign(methods=("infinity",))),
    "few": lambda name: study_text(name, FittedDesign(methods=("time",), steps_ms=(15, 5))),
    "qualification": lambda name: pool_text(name, PAPER),
    "comparison": lambda name: comparison_text(
        name, ComparisonShape(images=3, real_too=True, prompts=10)
    ),
    "one prompt": lambda name: comparison_text(
        name, ComparisonShape(images=3, real_too=True, prompts=1)
    ),
    "arena": lambda name: comparison_text(
        name, ComparisonShape(arena=True, images=3, real_too=True, prompts=10)
    ),
    "arena of one prompt": lambda name: comparison_text(
        name, ComparisonShape(arena=True, images=3, real_too=True, prompts=1)
    ),
    "rating": lambda name: rating_text(name, SMALL),
    "ranking": lambda name: ranking_text(name, SMALL),
}
BESIDE_HYPE = [kind for kind in TEXTS if kind not in {"time", "few", "infinity", "qualification"}]
CHOSEN = {
    "comparison": {"criterion", "question", "prompt", "arena"},
    "rating": {"axes", "ratings"},
    "ranking": set(),
}
"""Keys that a template chooses itself, apart from the images."""


def parsed(text: str) -> Any:
    return parse_study(Path("study.toml"), text)


@pytest.mark.parametrize("kind", TEXTS)
def test_a_study_file_has_any_name_that_a_folder_can_have(kind):
    name = 'Köln "lab" [study] C:\\studies, 50 % real $5'
    assert parsed(TEXTS[kind](name)).study.name == name


@pytest.mark.parametrize(
    "text",
    [*(write("x") for write in TEXTS.values()), rating_text("x", LARGE), ranking_text("x", LARGE)],
    ids=[*TEXTS, "rating much", "ranking much"],
)
def test_lines_are_short_enough_to_read(text):
    a_text = r"'{3}.*?'{3}"  # each of its lines is a paragraph
    assert max(map(len, re.sub(a_text, "", text, flags=re.DOTALL).splitlines())) <= 100


@pytest.mark.parametrize("kind", BESIDE_HYPE)
def test_what_is_set_is_what_it_would_be_anyhow(kind):
    """Only the keys that the template chooses itself may differ from the defaults."""
    settings = parsed(TEXTS[kind]("x"))
    protocol = protocol_of_methods(settings.study.methods)
    fields = protocol.settings.model_fields
    chosen = CHOSEN[protocol.name] | {"images", "real_too"}
    chosen |= {"trials"} if "arena" in kind else set()
    asked, usual = getattr(settings, protocol.name), fields[protocol.name].default

    for table in {"keys", "pay", "display", "texts", "people", "analysis"} & fields.keys():
        assert getattr(settings, table) == fields[table].default
    assert (asked.images, asked.real_too) == (3, True)
    assert asked.model_dump(exclude=chosen) == usual.model_dump(exclude=chosen)


@pytest.mark.parametrize("kind", BESIDE_HYPE)
def test_every_key_in_a_comment_is_known_too(kind):
    text, number = COMMENTED.subn("", TEXTS[kind]("x"))
    # A study gives the image size in one of two ways, and screening needs a test.
    text = text.replace("size_px = 384", "# size_px = 384").replace("test = 0 ", "test = 30 ")
    settings = parsed(text)
    protocol = protocol_of_methods(settings.study.methods)

    assert number >= (20 if protocol.name == "comparison" else 15)
    assert getattr(settings, protocol.name).prompts == {"sneaker": "a sneaker"}
    assert settings.demographics["age"].reference == {
        "18 to 29": 0.3,
        "30 to 49": 0.4,
        "50 or older": 0.3,
    }
    assert settings.observers["mymodel"].strength == 0.5


def test_a_comment_repeats_no_key_of_the_staircase():
    text = COMMENTED.sub("", TEXTS["few"]("x")).replace("size_px = 384", "# size_px = 384")
    assert parsed(text).rule.down_ms == 15


def test_ratings_have_all_axes_and_more_than_one_rater():
    settings = parsed(rating_text("x", ONE))

    assert settings.axis_names == tuple(settings.known_axes)
    assert settings.rating.ratings == 3
    own = parsed(COMMENTED.sub("", rating_text("x", ONE)).replace("size_px", "# size_px"))
    assert own.axis("overall").question == "Which image would you rather keep?"


def test_single_images_go_as_the_comment_says():
    text = INDENTED.sub("", rating_text("x", ONE)).replace('of = "pairs"', 'of = "images"')
    axes = '["anatomy", "aesthetics", "realism", "vividness"]'
    settings = parsed(re.sub(r"^axes = \[.*?\]", f"axes = {axes}", text, flags=re.MULTILINE))

    assert settings.levels_of("anatomy") == ("yes", "no")
    assert settings.levels_of("aesthetics")[-1] == "10"
    assert settings.levels_of("realism")[-1] == "7"
    assert settings.levels_of("vividness")[-3:] == ("99", "99.5", "100")
    assert settings.axis("realism").truth_column == "real"


@pytest.mark.parametrize(
    ("shape", "group", "test"),
    [
        (PromptedShape(conditions=12, prompts=10), None, 0),
        (PromptedShape(conditions=13, prompts=10), 9, 0),
        (PromptedShape(conditions=4, prompts=15), None, 20),
    ],
)
def test_groups_and_the_test_fit_what_there_is(shape, group, test):
    settings = parsed(ranking_text("x", shape))

    assert (settings.ranking.group, settings.screening.test) == (group, test)
    assert settings.is_checker("check07")
