"""What the evaluators of a study of ratings were asked: one question for each axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hype.report.parts import Block


@dataclass(frozen=True, kw_only=True)
class AskedAxis:
    """An axis.

    Parameters
    ----------
    name
        What it is called.
    question
        In the words that stood on the screen.
    answers
        What could be answered, in words.
    """

    name: str
    question: str
    answers: str = ""


@dataclass(frozen=True, kw_only=True)
class AskedAxes(Block):
    """The questions, and what stood around them.

    Parameters
    ----------
    axes
        In the order in which they were asked.
    details
        Names and values: the prompt, the answers, the design.
    """

    template: ClassVar[str] = "asked_axes.html"

    axes: tuple[AskedAxis, ...]
    details: tuple[tuple[str, str], ...] = ()
