"""The study files of ratings and of rankings to start from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bare_studies import COMMENTED

from hype.protocols.load import parse_study
from hype.protocols.prompted.settings import PromptedShape
from hype.protocols.ranking.design import ranking_text
from hype.protocols.rating.design import TEMPLATES

rating_text = TEMPLATES["rating"].text

INDENTED = re.compile(r"^#   (?=\[axes|\w+ = )", re.MULTILINE)
"""What stands before a key that only single images have."""
SMALL = PromptedShape(images=1)


def parsed(text: str) -> Any:
    return parse_study(Path("study.toml"), text)


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
