"""What each task of a study of judgements was, in words: from its settings and its texts."""

from __future__ import annotations

from hype.export.kinds.base import TaskWords
from hype.export.naming import TASK_LABELS
from hype.protocol.steps import Task
from hype.study.described import described
from hype.study.settings import StudyFile


def tasks_in_words(settings: StudyFile) -> dict[str, TaskWords]:
    """Describe each task, as a methods section would; those that the study has not, with nothing.

    In the order in which the sections of a paper have them.
    """
    said = {one.topic.value: one.text for one in described(settings, ())}
    tasks = [task.value for task in Task]
    order = [*(topic for topic in said if topic in tasks), *(t for t in tasks if t not in said)]
    return {
        TASK_LABELS[task]: TaskWords(
            description=said.get(task, ""), instructions=instructions(settings, task)
        )
        for task in order
    }


def instructions(settings: StudyFile, task: str) -> str:
    """Give the words that evaluators read before a task, and with each image of it."""
    texts = settings.texts
    untimed = (texts.instructions_untimed, texts.question_untimed)
    read = {
        Task.PRACTICE.value: (texts.practice,),
        Task.QUALIFICATION.value: (untimed[0], texts.qualification, untimed[1]),
        Task.TIME.value: (texts.instructions_timed, texts.block, texts.question),
        Task.INFINITY.value: (untimed[0], texts.block, untimed[1]),
        Task.CATCH.value: (texts.question, texts.question_untimed),
    }
    return "\n\n".join(read[task])
