"""What the evaluators of a study of comparisons were asked, and what they saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hype.report.parts import Block


@dataclass(frozen=True, kw_only=True)
class Asked(Block):
    """The question, and what stood around it.

    Parameters
    ----------
    question
        In the words that stood on the screen.
    details
        Names and values: the criterion, the prompt, ties, the design.
    """

    template: ClassVar[str] = "asked.html"

    question: str
    details: tuple[tuple[str, str], ...] = ()
