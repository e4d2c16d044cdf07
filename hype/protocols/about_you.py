"""What comes before the images: consent, and questions about the evaluator.

They are steps of a session; and what simulated evaluators say of themselves.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable
from typing import Final

import numpy as np

from hype.session.steps import YES, Ending, Outcome, Page, Question, Screen, Step, TypedQuestion
from hype.study.demographics import DemographicSettings
from hype.study.studies import SharedSettings

SAID: Final = "simulated"
"""What simulated evaluators say of themselves in words of their own."""
WITHHELD: Final = 0.1
"""How often they say nothing where they are to type."""


def opening(
    minutes: int, questions: Iterable[Question], *, consent: bool
) -> Generator[Step, Outcome, Ending | None]:
    """Yield what comes before the images of every session; return how it ended, if it did there.

    Who does not agree is asked once more: it may have been the wrong key.
    """
    yield Screen(page=Page.WELCOME, values={"minutes": minutes})
    if consent:
        said = yield Screen(page=Page.CONSENT, choice=True)
        if said.answer != YES.answer:
            said = yield Screen(page=Page.CONSENT_AGAIN, choice=True)
        if said.answer != YES.answer:
            yield Screen(page=Page.DECLINED)
            return Ending.DECLINED
    for question in questions:
        about_you = yield question
        if about_you.is_full:
            yield Screen(page=Page.GROUP_FULL)
            return Ending.FULL
    return None


def questions_of(settings: SharedSettings, withhold: str) -> tuple[Question, ...]:
    """Give the questions about the evaluator; the last option of each withholds the answer.

    Those with a quota come first: who is not taken has told no more than that takes.
    """
    asked = settings.demographics
    in_order = sorted(asked, key=lambda name: name not in settings.study.quotas)
    return tuple(
        question_of(name, asked[name], (*asked[name].options, withhold)) for name in in_order
    )


def question_of(name: str, asked: DemographicSettings, options: tuple[str, ...]) -> Question:
    page, text = Page.ABOUT_YOU, asked.question
    if asked.kind == "choice":
        return Question(page=page, name=name, text=text, options=options)
    return TypedQuestion(page=page, name=name, text=text, options=options, asked=asked)


def simulated_statement(question: Question, rng: np.random.Generator) -> str:
    """Answer a question about oneself; the last option withholds it."""
    if not isinstance(question, TypedQuestion):
        chosen = int(rng.integers(len(question.options)))
        return "" if chosen == len(question.options) - 1 else question.options[chosen]
    asked = question.asked
    if rng.random() < WITHHELD:
        return ""
    if asked.kind == "text":
        return SAID[: asked.longest]
    lowest, highest = asked.lowest or 0.0, asked.highest or 0.0
    number = lowest + rng.random() * (highest - lowest)
    return asked.taken(f"{math.floor(number) if asked.whole else number:.1f}") or ""
