"""What comes before the images: consent, and questions about the evaluator.

They are steps of a session; and what simulated evaluators say of themselves.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hype.session.steps import YES, Ending, Outcome, Page, Question, Screen, Step, TypedQuestion

if TYPE_CHECKING:
    import numpy as np

    from hype.study.demographics import DemographicSettings
    from hype.study.shared import SharedSettings

ABOUT: Final = "about"
TYPED: Final = "typed"
QUOTAS: Final = "quotas"
"""Groups of a language's texts: of questions about the evaluator, of what is typed there, and of
what is said to those of whom there are enough."""
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


def further_groups(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the groups of texts that a file has beside `ABOUT`, read and not looked at."""
    from hype.study.texts import table_of

    asked = table_of(tables, "demographics")
    kinds = {
        question.get("kind", "choice")
        for question in asked.values()
        if isinstance(question, Mapping)
    }
    typed = (TYPED,) if kinds - {"choice"} else ()
    quotas = (QUOTAS,) if table_of(tables, "study").get("quotas") else ()
    return (*typed, *quotas)


def texts_if_asked(settings: SharedSettings) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Yield which texts are shown, of those about the evaluator."""
    kinds = {asked.kind for asked in settings.demographics.values()}
    yield bool(settings.study.quotas), ("group_full",)
    yield bool(kinds), ("about_you", "withhold")
    yield "choice" in kinds, ("about_you_hint",)
    yield "number" in kinds, ("number_hint",)
    yield "text" in kinds, ("text_hint",)


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
