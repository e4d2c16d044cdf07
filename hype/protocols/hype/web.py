"""Judgements in a browser: one image, real or fake, flashed or left until the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.protocols.hype.trial import JudgementTrial
from hype.station.captions import cap_label
from hype.station.config import StationConfig
from hype.web.scenes import Button, Countdown, Flash, Scene

if TYPE_CHECKING:
    from hype.protocols.hype.conduct import JudgementLook


def scene(trial: JudgementTrial, look: JudgementLook, config: StationConfig) -> Scene:
    """Say what a judgement looks like."""
    keys, texts = config.keys, config.texts
    sides = ((keys.left_means, keys.left), (keys.right_means, keys.right))
    timed = trial.exposure_ms is not None
    return Scene(
        question=texts["question" if timed else "question_untimed"],
        buttons=tuple(
            Button(
                answer=answer,
                label=texts[answer],
                keys=(key,),
                cap=cap_label(key, config.speech),
            )
            for answer, key in sides
        ),
        pictures=trial.pictures,
        flash=flash_of(trial, look),
    )


def flash_of(trial: JudgementTrial, look: JudgementLook) -> Flash | None:
    if trial.exposure_ms is None:
        return None
    return Flash(
        exposures_ms=(trial.exposure_ms, *(trial.mask_ms for _ in trial.masks)),
        countdown=Countdown(first=look.countdown_from, each_ms=look.countdown_ms),
        tolerance_ms=look.tolerance_ms,
    )
