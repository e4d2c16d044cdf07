"""The study files of ratings and of rankings to start from."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hype.protocols.load import parse_study
from hype.protocols.prompted.template import PromptedShape
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.ranking.template import ranking_text
from hype.protocols.rating.settings import RatingFile
from hype.protocols.rating.template import rating_text

COMMENTED = re.compile(r"^# (?=\[|[\w\"]+(?: [\w\"]+)* = )", re.MULTILINE)
"""What stands before a key that is not set."""
INDENTED = re.compile(r"^#   (?=\[axes|\w+ = )", re.MULTILINE)
"""What stands before a key that only single images have."""
TEXTS: dict[str, tuple[Callable[[str, PromptedShape], str], type[RatingFile | RankingFile]]] = {
    "rating": (rating_text, RatingFile),
    "ranking": (ranking_text, RankingFile),
}
SMALL = PromptedShape(images=1)


def parsed(text: str) -> Any:
    return parse_study(Path("study.toml"), text)


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_set_is_what_it_would_be_anyhow(kind: str) -> None:
    """But for what the template is there to choose."""
    write, model = TEXTS[kind]
    settings = parsed(write('a "fine" [study]', PromptedShape(images=3, real_too=True)))

    assert settings.study.name == 'a "fine" [study]'
    for table in ("keys", "pay", "display", "texts", "people"):
        assert getattr(settings, table) == model.model_fields[table].default
    asked, usual = getattr(settings, kind), model.model_fields[kind].default
    chosen = {"images", "real_too", *({"axes", "ratings"} if kind == "rating" else ())}
    assert (asked.images, asked.real_too) == (3, True)
    assert asked.model_dump(exclude=chosen) == usual.model_dump(exclude=chosen)


@pytest.mark.parametrize("kind", TEXTS)
def test_every_key_in_a_comment_is_known_too(kind: str) -> None:
    text, number = COMMENTED.subn("", TEXTS[kind][0]("x", SMALL))
    text = text.replace("size_px = 384", "# size_px = 384").replace("test = 0 ", "test = 30 ")
    settings = parsed(text)

    assert number >= 15
    assert getattr(settings, kind).prompts == {"sneaker": "a sneaker"}
    assert settings.demographics["age"].reference["18 to 29"] == 0.3
    assert settings.observers["mymodel"].strength == 0.5
    assert settings.monitor is not None


def test_ratings_have_all_axes_and_more_than_one_rater() -> None:
    settings = parsed(rating_text("x", SMALL))

    assert settings.axis_names == tuple(settings.known_axes)
    assert settings.rating.ratings == 3
    own = parsed(COMMENTED.sub("", rating_text("x", SMALL)).replace("size_px", "# size_px"))
    assert own.axis("overall").question == "Which image would you rather keep?"


def test_single_images_go_as_the_comment_says() -> None:
    text = INDENTED.sub("", rating_text("x", SMALL)).replace('of = "pairs"', 'of = "images"')
    axes = '["anatomy", "aesthetics", "realism"]'
    settings = parsed(re.sub(r"^axes = \[.*?\]", f"axes = {axes}", text, flags=re.MULTILINE))

    assert settings.levels_of("anatomy") == ("yes", "no")
    assert settings.levels_of("aesthetics")[-1] == "10"
    assert settings.levels_of("realism")[-1] == "7"
    assert settings.axis("realism").truth_column == "real"


@pytest.mark.parametrize(
    ("shape", "group", "test"),
    [
        (PromptedShape(conditions=12, prompts=10), None, 0),
        (PromptedShape(conditions=13, prompts=10), 9, 0),
        (PromptedShape(conditions=4, prompts=15), None, 20),
    ],
)
def test_groups_and_the_test_fit_what_there_is(
    shape: PromptedShape, group: int | None, test: int
) -> None:
    settings = parsed(ranking_text("x", shape))

    assert (settings.ranking.group, settings.screening.test) == (group, test)
    assert settings.screening.is_checker("check07")


@pytest.mark.parametrize("kind", TEXTS)
def test_lines_are_short_enough_to_read(kind: str) -> None:
    text = TEXTS[kind][0]("x", PromptedShape(conditions=20, prompts=40))
    assert max(map(len, text.splitlines())) <= 100
