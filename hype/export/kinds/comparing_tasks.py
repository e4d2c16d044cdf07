"""What each task of a study of comparisons was, in words: from its settings and its texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hype.export.kinds.base import TaskWords
from hype.export.kinds.task_words import PROMPT, one_line, task_words
from hype.export.naming import TASK_LABELS
from hype.protocol.comparison import ComparisonTask
from hype.study.comparison_settings import ComparisonFile, ComparisonSettings
from hype.study.phrases import percent

OBVIOUS: Final = {
    "mismatch": "one of the two images was of another prompt",
    "listed": "one of the two images was plainly the right one",
}


def tasks_in_words(settings: ComparisonFile) -> dict[str, TaskWords]:
    """Describe each task by its name in files: the practice, and the comparisons."""
    texts, question = settings.texts, settings.comparison.asked
    return {
        TASK_LABELS[ComparisonTask.PRACTICE.value]: task_words(
            "Comparisons with an obvious answer, with feedback and not scored.",
            *(texts.instructions, texts.practice, question),
            question=question,
        ),
        TASK_LABELS[ComparisonTask.COMPARISON.value]: task_words(
            " ".join(sentences(settings)),
            *(texts.instructions, texts.block, question),
            question=question,
        ),
    }


def sentences(settings: ComparisonFile) -> Iterator[str]:
    """Say how images were compared."""
    asked, rule = settings.comparison, settings.validation
    yield (
        "Two images of one prompt, made in different ways, were shown side by side; which of them "
        f"was on the left was random. The question was: {one_line(asked.asked)}"
    )
    yield answers(asked)
    yield PROMPT.get(
        asked.shown_prompt,
        f"The prompt appeared above them word by word, a word each {asked.word_ms:g} ms.",
    )
    if asked.limit_ms is not None:
        yield f"There were {asked.limit_ms / 1000:g} s for an answer."
    if asked.min_ms:
        yield (
            f"An answer within {asked.min_ms:g} ms was marked as hasty and cost a wait of "
            f"{asked.wait_ms / 1000:g} s."
        )
    if rule.kind != "off":
        yield (
            f"About {percent(rule.share)} of the comparisons had an obvious answer "
            f"({OBVIOUS[rule.kind]}; task “validation”). Evaluators who answered fewer than "
            f"{percent(rule.min_correct)} of these correctly are not scored."
        )


def answers(asked: ComparisonSettings) -> str:
    """Say what could be answered."""
    could = "left, right or no difference (a tie)" if asked.ties else "left or right"
    return f"Answers were {could}."
