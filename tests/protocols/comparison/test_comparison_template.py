"""The study file of comparisons to start from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.comparison.template import ComparisonShape, comparison_text
from hype.protocols.load import parse_study

SHAPES = [
    ComparisonShape(arena=arena, images=images, real_too=real_too, prompts=prompts)
    for arena, images, real_too, prompts in (
        (False, 4, False, 10),
        (False, 1, True, 1),
        (True, 4, False, 10),
        (True, 2, True, 1),
    )
]
COMMENTED = re.compile(r"^# (?=\[|[\w\"]+(?: [\w\"]+)* = )", re.MULTILINE)
"""What stands before a key that is not set."""


def parsed(text: str) -> ComparisonFile:
    settings = parse_study(Path("study.toml"), text)
    assert isinstance(settings, ComparisonFile)
    return settings


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_it_is_a_study_file(shape: ComparisonShape) -> None:
    settings = parsed(comparison_text('a "fine" [study]', shape))

    assert settings.study.name == 'a "fine" [study]'
    assert (settings.comparison.arena is not None) == shape.arena
    assert (settings.comparison.images, settings.comparison.real_too) == (
        shape.images,
        shape.real_too,
    )
    assert settings.validation.kind == ("mismatch" if shape == SHAPES[0] else "off")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_what_is_set_is_what_it_would_be_anyhow(shape: ComparisonShape) -> None:
    """But for what the template is there to choose."""
    settings = parsed(comparison_text("x", shape))

    assert settings.analysis == ComparisonFile.model_fields["analysis"].default
    assert settings.keys == ComparisonFile.model_fields["keys"].default
    assert settings.pay == ComparisonFile.model_fields["pay"].default
    assert settings.display == ComparisonFile.model_fields["display"].default
    plain = ComparisonFile.model_fields["comparison"].default
    chosen = {"criterion", "prompt", "images", "real_too", "arena"} | (
        {"trials"} if shape.arena else set()
    )
    same = settings.comparison.model_dump(exclude=chosen)
    assert same == plain.model_dump(exclude=chosen)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_key_in_a_comment_is_known_too(shape: ComparisonShape) -> None:
    text, number = COMMENTED.subn("", comparison_text("x", shape))
    # Two ways to give a size; a study has one.
    settings = parsed(text.replace("size_px = 384", "# size_px = 384"))

    assert number >= 20
    assert settings.comparison.prompts == {"sneaker": "a sneaker"}
    assert settings.comparison.limit_ms == 20_000
    assert settings.validation.file == "validation.csv"
    assert settings.demographics["age"].reference == {
        "18 to 29": 0.3,
        "30 to 49": 0.4,
        "50 or older": 0.3,
    }
    assert settings.monitor is not None
    assert settings.observers["mymodel"].strength == 0.5
    assert settings.texts.tie == "cannot decide"


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_lines_are_short_enough_to_read(shape: ComparisonShape) -> None:
    assert max(map(len, comparison_text("x", shape).splitlines())) <= 100
