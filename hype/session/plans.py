"""The plan of a session of any protocol, with the pages and questions around its trials."""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hype.session.steps import (
    YES,
    Comprehension,
    ConfidenceQuestion,
    ConfidenceSlider,
    Ending,
    Outcome,
    Page,
    Pay,
    PictureRequest,
    Question,
    Screen,
    Step,
    Trial,
    TypedQuestion,
)
from hype.study.demographics import LONGEST_WHY, DemographicSettings
from hype.study.draws import STANDARD_NORMAL

if TYPE_CHECKING:
    import numpy as np

    from hype.session.loop import Answered
    from hype.study.assignment import Assignment
    from hype.study.studies import AnyFile, GateSettings
    from hype.study.texts import SessionWords

SAID: Final = "simulated"
"""The text that simulated evaluators type about themselves."""
WITHHELD: Final = 0.1
"""The share of typed answers that simulated evaluators leave empty."""


def terms_of(plan: AnyPlan) -> dict[str, str]:
    """Return the amounts of a session's pay, by their placeholders in texts."""
    pay = plan.pay
    per_answer = pay.per_correct
    return {
        "currency": pay.currency,
        "base": f"{pay.base:.2f}",
        "per_answer": f"{per_answer:.2f}"
        if round(per_answer, 2) == per_answer
        else f"{per_answer:g}",
        "hourly": f"{pay.an_hour(plan.paid, plan.minutes):.2f}",
    }


def opening(plan: AnyPlan) -> Generator[Step, Outcome, Ending | None]:
    """Yield the steps before the first image; return how the session ended, if it ended there.

    A person who does not agree is asked again, since the person may have pressed the wrong key.
    """
    terms = terms_of(plan)
    yield Screen(page=Page.WELCOME, values={"minutes": plan.minutes, **terms})
    if plan.consent:
        said = yield Screen(page=Page.CONSENT, values=terms, choice=True)
        if said.answer != YES.answer:
            said = yield Screen(page=Page.CONSENT_AGAIN, choice=True)
        if said.answer != YES.answer:
            yield Screen(page=Page.DECLINED)
            return Ending.DECLINED
    for question in plan.questions:
        about_you = yield question
        if about_you.is_over:
            yield Screen(page=Page.GROUP_FULL)
            return Ending.FULL
    return None


TRIES: Final = 2
"""How many times an evaluator can answer questions about the instructions, over all sessions."""


def instruct(
    instructions: Screen, asked: Comprehension | None, pay: Pay
) -> Generator[Step, Outcome, Ending | None]:
    """Show instructions, and ask about them; return how the session ended, if it ended there.

    After a wrong answer the instructions are shown once more.
    """
    yield instructions
    while asked is not None:
        outcome = yield asked
        if outcome.answer == asked.right:
            break
        if outcome.is_over:
            owed = pay if asked.paid else replace(pay, base=0.0)
            yield Screen(page=Page.MISUNDERSTOOD, values=owed.values(0))
            return Ending.MISUNDERSTOOD
        yield Screen(page=Page.COMPREHENSION_AGAIN)
        yield instructions
    return None


def comprehension_of(settings: AnyFile) -> Comprehension | None:
    asked = settings.comprehension
    if asked is None:
        return None
    right = str(asked.options.index(asked.right) + 1)
    return Comprehension(text=asked.question, options=asked.options, right=right, paid=asked.paid)


def stop_after_test(
    plan: AnyPlan, values: Mapping[str, Any], *, passed: bool
) -> Generator[Step, Outcome, Ending | None]:
    """If the test ends the session, yield the last page and return how the session ended."""
    asks = plan.gate is not None and plan.gate.decide == "ask"
    if plan.is_admitted if asks else passed:
        return None
    yield Screen(page=Page.WAITING if asks else Page.UNQUALIFIED, values=values)
    return Ending.WAITING if asks else Ending.UNQUALIFIED


def questions_of(settings: AnyFile, withhold: str) -> tuple[Question, ...]:
    """Return the questions about the evaluator; the last option of each withholds the answer.

    Questions with a quota come first, so that people who are turned away answer as few questions
    as possible.
    """
    asked = settings.demographics
    in_order = sorted(asked, key=lambda name: name not in settings.study.quotas)
    questions: list[Question] = []
    for name in in_order:
        one = asked[name]
        common: dict[str, Any] = {"name": name, "text": one.question}
        common |= {"page": Page.ABOUT_YOU, "options": (*one.options, withhold)}
        is_typed = one.kind != "choice"
        questions.append(TypedQuestion(**common, asked=one) if is_typed else Question(**common))
    return tuple(questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyPlan(ABC):
    """The plan of a session of any protocol.

    ``questions`` are about the evaluator, ``comprehension`` about the instructions, ``follow_ups``
    about answers. ``minutes``: the expected duration. ``gate``: the rule that decides after a test
    who continues; ``is_admitted``: whether the experimenter admitted the evaluator.
    """

    evaluator: str
    questions: tuple[Question, ...] = ()
    comprehension: Comprehension | None = None
    follow_ups: tuple[Question, ...] = ()
    pay: Pay
    minutes: int
    consent: bool
    breaks: bool
    blocks: Sequence[Any]
    gate: GateSettings | None = None
    is_admitted: bool = False

    @property
    @abstractmethod
    def paid(self) -> float:
        """The expected number of paid answers."""

    @abstractmethod
    def checksum(self) -> str:
        """Return a SHA-256 (hex) that is the same for plans with the same trials."""

    @abstractmethod
    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
        """Yield the pictures of the trials that are not answered yet, in order."""


def session_members(settings: Any, assignment: Assignment, minutes: int) -> dict[str, Any]:
    """Return the fields of an `AnyPlan`; ``gate`` is None for checkers, who need no test."""
    return {
        "evaluator": assignment.evaluator,
        "questions": questions_of(settings, settings.texts.withhold),
        "comprehension": comprehension_of(settings),
        "follow_ups": tuple(follow_ups_of(settings, assignment.evaluator)),
        "pay": settings.pay_of(assignment.evaluator),
        "minutes": minutes,
        "consent": settings.study.consent,
        "breaks": settings.study.breaks,
        "gate": None if settings.is_checker(assignment.evaluator) else settings.gate,
        "is_admitted": assignment.is_admitted,
    }


def follow_up(questions: Iterable[Question], trial: Trial, *, scored: bool) -> Iterator[Question]:
    """Yield questions about a trial's answer; "why" is asked after only some of the scored trials.

    The question's seed and the trial's name decide whether a question is asked.
    """
    for question in questions:
        name = " ".join(map(str, (question.seed, *trial.name)))
        drawn = int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big") / 2**48
        if isinstance(question, ConfidenceQuestion) or (scored and drawn < question.share):
            yield replace(question, about=trial)


def name_steps(texts: SessionWords, steps: int) -> tuple[str, ...]:
    """Return the names of the steps of confidence, from the least sure to the surest."""
    words = texts.confidence_steps.split(" / ")
    return tuple(words[int(5 * step / (steps - 1) + 0.5)] for step in range(steps))


def follow_ups_of(settings: AnyFile, evaluator: str) -> Iterator[Question]:
    """Yield the questions that a study asks an evaluator about answers."""
    asked, texts = settings.follow_up, settings.texts
    words = DemographicSettings(question=texts.why_question, kind="text", longest=LONGEST_WHY)
    if asked.asks_confidence:
        slides = asked.confidence == "slider"
        yield (ConfidenceSlider if slides else ConfidenceQuestion)(
            page=Page.CONFIDENCE,
            name="confidence",
            text=texts.confidence_question,
            options=name_steps(texts, 2 if slides else int(asked.confidence)),
        )
    if asked.why:
        yield TypedQuestion(
            page=Page.WHY,
            name="why",
            text=texts.why_question,
            options=(texts.no_reason,),
            asked=words,
            share=asked.why,
            seed=f"{settings.study.seed} {evaluator}",
        )


def step_of_confidence(bounds: Iterable[float], drawn: float, steps: int) -> int:
    """Return how sure a simulated evaluator is of an answer, as a step from 1 to ``steps``.

    ``drawn`` is the number from 0 to 1 that decided the answer; ``bounds`` are the limits between
    answers. ``drawn`` and the bounds become quantiles of the normal distribution. Confidence grows
    with the distance of ``drawn`` from the nearest bound: by one step for each 2 / ``steps`` SD.
    """
    least, most = 1e-9, 1 - 1e-9
    signal, *criteria = (
        STANDARD_NORMAL.inv_cdf(min(max(number, least), most)) for number in (drawn, *bounds)
    )
    distance = min(abs(signal - criterion) for criterion in criteria)
    return 1 + min(steps - 1, int(distance * steps / 2))


def simulate_statement(question: Question, rng: np.random.Generator) -> str:
    """Answer a demographic question; the last option withholds the answer.

    Simulated people give no reasons.
    """
    if question.about:
        return ""
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
    return asked.accept(f"{math.floor(number) if asked.whole else number:.1f}") or ""
