"""What each task of a study of ratings was, in words: from its settings and its texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hype.export.kinds.base import TaskWords
from hype.export.kinds.task_words import PROMPT, one_line, task_words
from hype.export.naming import TASK_LABELS
from hype.protocol.rating import Axis, RatingTask
from hype.sessions.protocols.rating import texts_of
from hype.study.phrases import counted, listed
from hype.study.rating import axes_of
from hype.study.rating_settings import RatingFile

ITEMS: Final = {
    "pairs": "Two images of one prompt, made in different ways, were shown side by side; which of "
    "them was on the left was random.",
    "images": "One image was shown at a time.",
}
ORDER: Final = {"fixed": "one after the other", "random": "in an order of the evaluator's own"}
FIRST: Final = (
    "Answers are about the pair's first image, on whichever side it stood: the lowest says that "
    "it is much better than the second, the highest that the second is."
)


def tasks_in_words(settings: RatingFile) -> dict[str, TaskWords]:
    """Describe each task by its name in files: the practice, and the ratings."""
    texts, axes = texts_of(settings), axes_of(settings)
    questions = [axis.question for axis in axes]
    return {
        TASK_LABELS[RatingTask.PRACTICE.value]: task_words(
            "Ratings to learn how it goes, not scored.",
            *(texts["instructions"], texts["practice"], *questions),
        ),
        TASK_LABELS[RatingTask.RATING.value]: task_words(
            " ".join(sentences(settings, axes)),
            *(texts["instructions"], texts["block"], *questions),
        ),
    }


def sentences(settings: RatingFile, axes: tuple[Axis, ...]) -> Iterator[str]:
    """Say how images were rated."""
    asked = settings.rating
    yield ITEMS[asked.of]
    how = f", {ORDER[asked.axis_order]}" if len(axes) > 1 else ""
    said = "; ".join(f"{axis.name}, {one_line(axis.question)} ({ends(axis)})" for axis in axes)
    each = "pair" if asked.of == "pairs" else "image"
    yield f"Each {each} was rated on {counted(len(axes), 'axis', 'axes')}{how}: {said}."
    if asked.of == "pairs":
        yield FIRST
    if optional := [axis.name for axis in axes if axis.optional]:
        yield (
            f"It could be said that an axis is not relevant ({listed(optional)}); that is a "
            "missing answer, and not the middle."
        )
    yield PROMPT[asked.prompt]


def ends(axis: Axis) -> str:
    """Say what could be answered: a few answers, or the ends of many."""
    lowest, *others, highest = axis.levels
    return f"{lowest} to {highest}" if others else f"{lowest} or {highest}"
