"""Ratings in a browser: an item, asked about on one axis after the other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hype.protocols.rating.levels import LevelKey, level_keys, said_of
from hype.protocols.rating.trial import NOT_RELEVANT, YES_NO, RatingTrial
from hype.station.captions import cap_label, filled_text
from hype.station.config import StationConfig
from hype.web.scenes import Button, Scene

if TYPE_CHECKING:
    from hype.protocols.rating.conduct import RatingLook


def scene(trial: RatingTrial, look: RatingLook, config: StationConfig) -> Scene:
    """Say what an axis of an item looks like."""
    axes = int(config.texts["axes"])
    return Scene(
        question=trial.axis.question,
        buttons=(*levels_of(trial, config), *aside_of(trial, config)),
        pictures=trial.pictures,
        prompt=trial.item.prompt if look.prompt else "",
        layout="row" if trial.axis.levels == YES_NO else "scale",
        axis=((trial.number - 1) % axes + 1, axes) if axes > 1 else None,
    )


def levels_of(trial: RatingTrial, config: StationConfig) -> tuple[Button, ...]:
    """Give the levels from left to right. One without words is called by its key."""

    def button(level: LevelKey) -> Button:
        cap = cap_label(level.keys[0], config.speech)
        said = said_of(level, partial(filled_text, config))
        return Button(answer=level.answer, label=said or cap, keys=level.keys, cap=cap)

    return tuple(map(button, level_keys(trial, config.keys)))


def aside_of(trial: RatingTrial, config: StationConfig) -> tuple[Button, ...]:
    """Give what says that an axis does not apply, where that may be said."""
    if not trial.axis.optional:
        return ()
    key = config.keys.not_relevant
    return (
        Button(
            answer=NOT_RELEVANT,
            label=filled_text(config, "not_relevant", {}),
            keys=(key,),
            cap=cap_label(key, config.speech),
            aside=True,
        ),
    )
