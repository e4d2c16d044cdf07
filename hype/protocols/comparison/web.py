"""Comparisons in a browser: two images side by side, and which of the two it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.protocols.comparison.trial import Choice, ComparisonTrial
from hype.station.captions import cap_label, filled_text
from hype.station.config import StationConfig
from hype.web.scenes import Button, Scene, TimeLimit

if TYPE_CHECKING:
    from hype.protocols.comparison.conduct import ComparisonLook


def scene(trial: ComparisonTrial, look: ComparisonLook, config: StationConfig) -> Scene:
    """Say what a comparison looks like."""
    shows_prompt = look.prompt != "hidden"
    return Scene(
        question=look.question,
        buttons=buttons_of(look, config),
        pictures=trial.pictures,
        prompt=trial.prompt if shows_prompt else "",
        word_ms=look.word_ms if trial.words_ms else 0.0,
        limit=TimeLimit(limit_ms=trial.limit_ms, otherwise=Choice.NONE.value)
        if trial.limit_ms is not None
        else None,
    )


def buttons_of(look: ComparisonLook, config: StationConfig) -> tuple[Button, ...]:
    """Give the answers from left to right; images take a click where that was asked for."""
    keys = config.keys
    ties = ((Choice.TIE, keys.tie, None),) if look.ties else ()
    answers = (Choice.LEFT, keys.left, 0), *ties, (Choice.RIGHT, keys.right, 1)
    return tuple(
        Button(
            answer=choice.value,
            label=filled_text(config, choice.value, {}),
            keys=(key,),
            cap=cap_label(key, config.speech),
            picture=picture if look.mouse else None,
        )
        for choice, key, picture in answers
    )
