"""What each task was, in words: from the study's settings and its texts."""

from __future__ import annotations

from hype.protocol.steps import Task
from hype.study.described import described
from hype.study.settings import StudyFile


def descriptions(settings: StudyFile) -> dict[str, str]:
    """Describe each task that the study has, as a methods section would."""
    tasks = {task.value for task in Task}
    return {
        one.topic.value: one.text for one in described(settings, ()) if one.topic.value in tasks
    }


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
