"""A row of images in a browser, each with its number beneath it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.web.scenes import Button, Scene
from picking.trial import PickingTrial

if TYPE_CHECKING:
    from picking.conduct import PickingLook


def scene(trial: PickingTrial, look: PickingLook) -> Scene:
    return Scene(
        question=look.question,
        buttons=tuple(
            Button(
                answer=answer,
                label=answer,
                keys=(answer, f"num_{answer}"),
                cap=answer,
                picture=place,
            )
            for place, answer in enumerate(trial.answers)
        ),
        pictures=trial.pictures,
        captions=trial.answers,
    )
