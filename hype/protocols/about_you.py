"""What evaluators are asked about themselves, as steps of a session; what simulated ones say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hype.session.steps import Page, Question, TypedQuestion

if TYPE_CHECKING:
    import numpy as np

    from hype.study.demographics import DemographicSettings

ABOUT: Final = "about"
TYPED: Final = "typed"
"""Groups of a language's texts: of questions about the evaluator, and of what is typed there."""
SAID: Final = "simulated"
"""What simulated evaluators say of themselves in words of their own."""


def questions_of(
    demographics: Mapping[str, DemographicSettings], withhold: str
) -> tuple[Question, ...]:
    """Give the questions about the evaluator; the last option of each withholds the answer."""
    return tuple(
        question_of(name, asked, (*asked.options, withhold)) for name, asked in demographics.items()
    )


def question_of(name: str, asked: DemographicSettings, options: tuple[str, ...]) -> Question:
    page, text = Page.ABOUT_YOU, asked.question
    if asked.kind == "choice":
        return Question(page=page, name=name, text=text, options=options)
    return TypedQuestion(page=page, name=name, text=text, options=options, asked=asked)


def typed_groups(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the group of texts that a file has, read and not looked at, if something is typed."""
    asked = tables.get("demographics", {})
    questions = asked.values() if isinstance(asked, Mapping) else ()
    kinds = {
        question.get("kind", "choice") for question in questions if isinstance(question, Mapping)
    }
    return (TYPED,) if kinds - {"choice"} else ()


def texts_if_asked(
    demographics: Mapping[str, DemographicSettings],
) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Yield which texts are shown, of those about the evaluator."""
    kinds = {asked.kind for asked in demographics.values()}
    yield bool(kinds), ("about_you", "withhold")
    yield "choice" in kinds, ("about_you_hint",)
    yield "number" in kinds, ("number_hint",)
    yield "text" in kinds, ("text_hint",)


def simulated_statement(question: Question, rng: np.random.Generator) -> str:
    """Answer a question about oneself; the last option withholds it."""
    if isinstance(question, TypedQuestion):
        return typed(question.asked, rng)
    chosen = int(rng.integers(len(question.options)))
    return "" if chosen == len(question.options) - 1 else question.options[chosen]


def typed(asked: DemographicSettings, rng: np.random.Generator) -> str:
    """Say a number or a word; now and then nothing."""
    if rng.random() < WITHHELD:
        return ""
    if asked.kind == "text":
        return SAID[: asked.longest]
    lowest, highest = asked.lowest or 0.0, asked.highest or 0.0
    number = lowest + rng.random() * (highest - lowest)
    return asked.taken(f"{math.floor(number) if asked.whole else number:.1f}") or ""


WITHHELD: Final = 0.1
