"""What each task was, in words: from the study's settings and its texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hype.protocol.steps import Task
from hype.study.settings import StudyFile

HALF: Final = "half of the images are real, half are fake"


def blocks(number: int) -> str:
    """Give a number of blocks in words."""
    return f"{number} block{'' if number == 1 else 's'}"


def describe_time(settings: StudyFile) -> str:
    """Describe HYPE_time."""
    time, rule = settings.time, settings.time.staircase.rule
    masks = f"covered by {time.masks} masks of {time.mask_ms:g} ms each" if time.masks else "gone"
    return (
        "HYPE_time (Zhou et al. 2019): an image is flashed for as long as an adaptive staircase "
        f"says, then {masks}, and the evaluator says without a time limit whether it was real or "
        f"fake. {blocks(time.blocks)} of {time.trials} trials; {HALF}. The exposure of a block "
        f"begins at {rule.start_ms:g} ms and stays within {rule.min_ms:g} to {rule.max_ms:g} ms: "
        f"{rule.down_ms:g} ms shorter after {rule.correct_to_descend} correct answers in a row, "
        f"{rule.up_ms:g} ms longer after a wrong one."
    )


def describe_infinity(settings: StudyFile) -> str:
    """Describe HYPE_∞."""
    infinity = settings.infinity
    return (
        "HYPE_infinity (Zhou et al. 2019): an image stays until the evaluator says, without a time "
        f"limit, whether it is real or fake. {blocks(infinity.blocks)} of {infinity.trials} "
        f"trials; {HALF}."
    )


def describe_qualification(settings: StudyFile) -> str:
    """Describe the qualification."""
    qualification = settings.qualification
    return (
        f"The qualification: {qualification.trials} images of all conditions without a time limit; "
        f"{HALF}. To go on, {qualification.pass_rate:.0%} of the real ones and "
        f"{qualification.pass_rate:.0%} of the fake ones must be judged correctly. Never scored."
    )


def describe_practice(settings: StudyFile) -> str:
    """Describe the practice."""
    return (
        f"Practice: {settings.practice.trials} images before the first untimed block, and as many "
        "before the first timed one, each followed by feedback. Never scored."
    )


DESCRIBE: Final[Mapping[str, Callable[[StudyFile], str]]] = {
    Task.PRACTICE.value: describe_practice,
    Task.QUALIFICATION.value: describe_qualification,
    Task.TIME.value: describe_time,
    Task.INFINITY.value: describe_infinity,
}
"""How to describe each task, in the order in which they come."""


def instructions(settings: StudyFile, task: str) -> str:
    """Give the words that evaluators read before a task, and with each image of it.

    Names in braces were filled in on the screen.
    """
    texts = settings.texts
    untimed = (texts.instructions_untimed, texts.question_untimed)
    read = {
        Task.PRACTICE.value: (texts.practice,),
        Task.QUALIFICATION.value: (untimed[0], texts.qualification, untimed[1]),
        Task.TIME.value: (texts.instructions_timed, texts.block, texts.question),
        Task.INFINITY.value: (untimed[0], texts.block, untimed[1]),
    }
    return "\n\n".join(read[task])
