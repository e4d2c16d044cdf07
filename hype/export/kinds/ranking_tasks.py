"""What each task of a study of rankings was, in words: from its settings and its texts."""

from __future__ import annotations

from collections.abc import Iterator

from hype.export.kinds.base import TaskWords
from hype.export.kinds.task_words import PROMPT, one_line, task_words
from hype.export.naming import TASK_LABELS
from hype.protocol.ranking import RankingTask
from hype.sessions.protocols.ranking import texts_of
from hype.study.phrases import percent
from hype.study.ranking_settings import RankingFile


def tasks_in_words(settings: RankingFile) -> dict[str, TaskWords]:
    """Describe each task by its name in files."""
    texts, question = texts_of(settings), settings.ranking.question
    share = percent(settings.screening.check_share)
    described = {
        RankingTask.PRACTICE: ("practice", "Rankings to learn how it goes, not scored."),
        RankingTask.TEST: (
            "test",
            "Rankings that everybody made first, checkers too, so that evaluators can be held "
            "against them; not scored.",
        ),
        RankingTask.RANKING: ("block", " ".join(sentences(settings))),
        RankingTask.CHECK: (
            "block",
            f"Rankings by checkers of {share} of what each evaluator had ranked before; not "
            "scored.",
        ),
    }
    return {
        TASK_LABELS[task.value]: task_words(
            said, texts["instructions"], texts[page], question, question=question
        )
        for task, (page, said) in described.items()
    }


def sentences(settings: RankingFile) -> Iterator[str]:
    """Say how images were ranked."""
    asked = settings.ranking
    yield (
        "Images of one prompt, made in different ways, were put in order, the best one first; "
        "where each stood on the screen was random. The question was: "
        f"{one_line(asked.question)}"
    )
    if asked.ties:
        yield "Images could share a place."
    yield PROMPT[asked.prompt]
