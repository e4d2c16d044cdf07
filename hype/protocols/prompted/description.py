"""Sentences that studies have in common that ask about images of prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hype.protocols.prompted.settings import AnswerPaySettings, DemographicSettings, PromptSettings
from hype.study.phrases import at_most, background, money, square
from hype.study.shared import SharedSettings, SharedStudySettings

SIDE_BY_SIDE: Final = "so that two of them fitted side by side"
"""How large images of a pair were, where the study does not say."""


def real_sentence(asked: PromptSettings) -> str:
    """Say whether real images took part; nothing where they did not."""
    return "Real images took part like those of a condition." if asked.real_too else ""


def drawn_sentences(study: SharedStudySettings) -> Iterator[str]:
    """Say what random draws followed from, and whether anybody was asked for consent."""
    yield f"All random draws followed from the seed {study.seed} and the evaluator's code."
    if study.consent:
        yield "Evaluators were asked for their consent on the screen before the first image."


def rest_sentence(blocks: int, *, breaks: bool) -> str:
    if blocks == 1 or not breaks:
        return ""
    return "Between blocks evaluators rested for as long as they wished."


def demographic_sentences(demographics: Mapping[str, DemographicSettings]) -> Iterator[str]:
    """Say what evaluators were asked about themselves."""
    questions = [f"“{one.question}”" for one in demographics.values()]
    if questions:
        yield (
            f"Evaluators were asked about themselves ({', '.join(questions)}) and could withhold "
            "each answer."
        )


def pay_sentences(pay: AnswerPaySettings, answer: str) -> Iterator[str]:
    """Say what evaluators received, for each ``answer``; nothing where the study pays nothing."""
    base, each = money(pay.base, pay.currency), money(pay.per_answer, pay.currency)
    bonus = f"{each} for each {answer}"
    if pay.base and pay.per_answer:
        yield f"Evaluators received {base}, and {bonus}."
    elif pay.base or pay.per_answer:
        yield f"Evaluators received {base if pay.base else bonus}."


def scaled_sentence(settings: SharedSettings, otherwise: str) -> str:
    """Say how large images were, or ``otherwise`` where the study gives no size, and on what."""
    display = settings.display
    given = display.size_px is not None or display.size_deg is not None
    size = f"to fit a square {square(settings)}" if given else otherwise
    return f"Images were scaled {size}{at_most(settings)}, on {background(display.background_rgb)}."
