"""The pictures of a trial, on their way from a file to a texture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import islice
from typing import Protocol

from PIL import Image

from hype.protocols.comparison.trial import ComparisonPlan, ComparisonTrial
from hype.protocols.hype.trial import JudgementTrial, SessionPlan
from hype.protocols.ranking.trial import Act, RankingPlan, RankingTrial
from hype.protocols.rating.script import trials_of
from hype.protocols.rating.trial import RatingPlan, RatingTrial
from hype.session.loop import Answered
from hype.session.plan import AnyPlan
from hype.session.steps import Trial, TrialName


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """An image or a mask that a trial needs, by its path in its set."""

    path: str
    mask: bool


class Pictures(Protocol):
    """Where a station gets pictures from, scaled and ready to be uploaded."""

    def take(self, key: PictureRequest, /) -> Image.Image:
        """Give a picture."""
        ...

    def pause(self) -> None:
        """See that nothing is decoded until `resume`; return when that is so."""
        ...

    def resume(self) -> None:
        """Let pictures be decoded ahead again."""
        ...


@singledispatch
def picture_requests(trial: Trial) -> list[PictureRequest]:
    raise TypeError(f"the station shows no {type(trial).__name__}")


@picture_requests.register
def _(trial: JudgementTrial) -> list[PictureRequest]:
    return [
        PictureRequest(trial.stimulus.path, mask=False),
        *(PictureRequest(name, mask=True) for name in trial.masks),
    ]


@picture_requests.register
def _(trial: ComparisonTrial) -> list[PictureRequest]:
    return [
        PictureRequest(trial.left.path, mask=False),
        PictureRequest(trial.right.path, mask=False),
    ]


@picture_requests.register
def _(trial: RatingTrial) -> list[PictureRequest]:
    return [PictureRequest(image.path, mask=False) for image in trial.shown]


@picture_requests.register
def _(trial: RankingTrial) -> list[PictureRequest]:
    return [PictureRequest(image.path, mask=False) for image in trial.group.images]


def upcoming(plan: AnyPlan, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
    """Yield what the trials of a plan that are still to be answered will need, in order."""
    done = {past.name for past in answered}
    for name, requests in planned(plan):
        if name not in done:
            yield from requests


@singledispatch
def planned(plan: AnyPlan) -> Iterator[tuple[TrialName, list[PictureRequest]]]:
    raise TypeError(f"the station knows no {type(plan).__name__}")


@planned.register
def _(plan: SessionPlan) -> Iterator[tuple[TrialName, list[PictureRequest]]]:
    """Images with their masks; what a spoiled trial repeats is not foreseen."""
    for block in plan.blocks:
        for number, (task, of_block, stimulus, masks) in enumerate(block.planned(), start=1):
            requests = [
                PictureRequest(stimulus.path, mask=False),
                *(PictureRequest(name, mask=True) for name in masks),
            ]
            yield TrialName(task.value, of_block, number), requests


@planned.register
def _(plan: ComparisonPlan) -> Iterator[tuple[TrialName, list[PictureRequest]]]:
    """Both images of each comparison."""
    for block in plan.blocks:
        for number, pair in enumerate(block.planned, start=1):
            requests = [PictureRequest(image.path, mask=False) for image in (pair.left, pair.right)]
            yield TrialName(pair.task.value, block.number, number), requests


@planned.register
def _(plan: RatingPlan) -> Iterator[tuple[TrialName, list[PictureRequest]]]:
    """Yield the images of each item once, for its last rating: till then they stand."""
    for block in plan.blocks:
        for trial in islice(trials_of(plan, block), len(plan.axes) - 1, None, len(plan.axes)):
            yield trial.name, picture_requests(trial)


def upcoming_groups(
    plan: RankingPlan, answered: Sequence[Answered] = ()
) -> Iterator[PictureRequest]:
    """Yield what the groups of a plan that are still to be accepted will need, in order."""
    accepted = Counter(
        past.name[:2] for past in answered if past.response.answer == Act.ACCEPT.value
    )
    for block in plan.blocks:
        for group in block.groups[accepted[block.task.value, block.number] :]:
            yield from (PictureRequest(image.path, mask=False) for image in group.images)


def fitted(image: Image.Image, side_px: int, *, cover: bool, enlarge: bool = True) -> Image.Image:
    """Scale an image to fill a square without being distorted; a mask is made to ``cover`` it.

    Done here, once and well, so that texture and screen pixels are the same. Without ``enlarge``
    an image that is smaller than the square keeps its own pixels.
    """
    scale = side_px / max(image.size)
    if not enlarge:
        scale = min(scale, 1.0)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.convert("RGB").resize(
        (side_px, side_px) if cover else size, Image.Resampling.LANCZOS
    )
