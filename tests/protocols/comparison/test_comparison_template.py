"""The study file of comparisons to start from."""

from __future__ import annotations

from pathlib import Path

import pytest
from bare_studies import COMMENTED

from hype.protocols.comparison.design import ComparisonShape, comparison_text
from hype.protocols.comparison.settings import ComparisonFile
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
def test_keys_in_a_comment_that_only_comparisons_have(shape: ComparisonShape) -> None:
    text = COMMENTED.sub("", comparison_text("x", shape))
    # Two ways to give a size; a study has one.
    settings = parsed(text.replace("size_px = 384", "# size_px = 384"))

    assert settings.comparison.limit_ms == 20_000
    assert settings.validation.file == "validation.csv"
    assert settings.texts.tie == "cannot decide"
