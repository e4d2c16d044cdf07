"""What is said alike of all tasks about images of prompts."""

from __future__ import annotations

from typing import Final

from hype.export.kind import TaskWords

PROMPT: Final = {
    "hidden": "The prompt was not shown.",
    "shown": "The prompt stood above.",
}
"""How the prompt was shown."""


def task_words(description: str, *read: str, question: str = "") -> TaskWords:
    """Put together what was done, and what was read before a task and with each of its trials."""
    filled = (text.replace("{question}", question) if question else text for text in read)
    return TaskWords(description=description, instructions="\n\n".join(filled))


def one_line(question: str) -> str:
    return f"“{' '.join(question.split())}”"
