"""Comparisons in a browser."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from prompted_window import ASKED, KEYS, LOOK, TRIAL

from hype.protocols.comparison.settings import ComparisonTexts
from hype.station.config import StationConfig
from hype.web.scenes import Scene


def scene_of(*, words_ms: float = 0.0, limit_ms: float | None = None, **asked: Any) -> Scene:
    look = replace(ASKED, **asked)
    trial = replace(TRIAL, words_ms=words_ms, limit_ms=limit_ms)
    texts = ComparisonTexts().model_dump()
    return look.scene(trial, StationConfig(keys=KEYS, appearance=LOOK, texts=texts, trials=look))


def test_answers_stand_from_left_to_right_with_the_tie_between() -> None:
    assert [(b.answer, b.picture) for b in scene_of().buttons] == [
        ("left", 0),
        ("tie", None),
        ("right", 1),
    ]
    assert [b.picture for b in scene_of(ties=False, mouse=False).buttons] == [None, None]


def test_a_prompt_is_hidden_or_comes_at_once_or_word_by_word() -> None:
    assert scene_of().prompt == ""
    shown = scene_of(prompt="shown")
    assert (shown.prompt, shown.word_ms) == ("a bag", 0.0)
    assert scene_of(prompt="words", words_ms=80.0).word_ms == ASKED.word_ms


def test_what_passing_the_limit_comes_to_is_no_button() -> None:
    scene = scene_of(limit_ms=2000.0)

    assert scene.limit
    assert (scene.limit.limit_ms, scene.limit.otherwise) == (2000.0, "none")
    assert scene.answers == {"left", "tie", "right", "none"}
