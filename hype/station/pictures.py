"""The pictures of a trial, on their way from a file to a texture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from PIL import Image

from hype.protocol.loop import Answered
from hype.protocol.plan import SessionPlan
from hype.protocol.steps import JudgementTrial


@dataclass(frozen=True, slots=True)
class Want:
    """An image or a mask that a trial needs, by its path in its set."""

    path: str
    mask: bool


class Pictures(Protocol):
    """Where a station gets pictures from, scaled and ready to be uploaded."""

    def take(self, key: Want, /) -> Image.Image:
        """Give a picture."""
        ...

    def pause(self) -> None:
        """See that nothing is decoded until `resume`; return when that is so."""
        ...

    def resume(self) -> None:
        """Let pictures be decoded ahead again."""
        ...


def wants_of(trial: JudgementTrial) -> list[Want]:
    """List what a trial needs: its image, then its masks."""
    return [Want(trial.stimulus.path, mask=False), *(Want(name, mask=True) for name in trial.masks)]


def upcoming(plan: SessionPlan, answered: Sequence[Answered] = ()) -> Iterator[Want]:
    """Yield what the trials of a plan that are still to be answered will need, in order."""
    done = {(past.task, past.block, past.number) for past in answered}
    for block in plan.blocks:
        masks = block.masks or ((),) * len(block.stimuli)
        for number, (stimulus, row) in enumerate(zip(block.stimuli, masks, strict=True), start=1):
            if (block.task.value, block.number, number) not in done:
                yield Want(stimulus.path, mask=False)
                yield from (Want(name, mask=True) for name in row)


def fitted(image: Image.Image, side_px: int, *, cover: bool) -> Image.Image:
    """Scale an image to fill a square without being distorted; a mask is made to ``cover`` it.

    Done here, once and well, so that texture and screen pixels are the same.
    """
    scale = side_px / max(image.size)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.convert("RGB").resize(
        (side_px, side_px) if cover else size, Image.Resampling.LANCZOS
    )
