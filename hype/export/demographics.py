"""What evaluators said about themselves: a column for each question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, select

from hype.export.columns import ExportedColumn, Kind
from hype.export.naming import unique
from hype.store.schema import demographics, evaluators
from hype.study.shared import PromptedSettings

PREFIX: Final = "about_"
"""Of the columns: a question may be called like any other column."""

Said = Mapping[int, Mapping[str, str]]
"""What each evaluator, by number, answered to each question; empty where it was withheld."""


def read_said(connection: Connection, *, simulated: bool) -> Said:
    """Read what evaluators said about themselves."""
    found: dict[int, dict[str, str]] = {}
    query = (
        select(demographics.c.evaluator_id, demographics.c.question, demographics.c.answer)
        .join(evaluators, demographics.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(demographics.c.id)
    )
    for evaluator_id, question, answer in connection.execute(query):
        found.setdefault(evaluator_id, {})[question] = answer
    return found


def questions_in(settings: PromptedSettings, said: Said) -> tuple[str, ...]:
    """Give the study's questions, and after them those that were asked and are in it no more."""
    asked = (question for answers in said.values() for question in answers)
    return tuple(dict.fromkeys((*settings.demographics, *asked)))


def columns_of(
    settings: PromptedSettings, questions: Sequence[str], said: Said
) -> tuple[ExportedColumn, ...]:
    """Describe the column of each question."""
    names = unique(questions, column_name, lambda made, number: f"{made}_{number}")
    return tuple(
        ExportedColumn(
            name=names[question],
            meaning=f"{meaning_of(settings, question)}; empty where that was withheld or not asked",
            kind=Kind.TEXT,
            levels=dict.fromkeys(options(settings, question, said), "chosen answer"),
            gaps=True,
        )
        for question in questions
    )


def column_name(question: str) -> str:
    """Give the name of a question's column: plain letters and digits."""
    return PREFIX + (re.sub(r"[^A-Za-z0-9]+", "_", question).strip("_") or "you")


def meaning_of(settings: PromptedSettings, question: str) -> str:
    asked = settings.demographics.get(question)
    words = asked.question if asked else question
    return f"answer to the question “{words}”"


def options(settings: PromptedSettings, question: str, said: Said) -> tuple[str, ...]:
    """Give the answers that could be chosen, also those that only were so before."""
    asked = settings.demographics.get(question)
    given = (answers.get(question, "") for answers in said.values())
    return tuple(filter(None, dict.fromkeys((*(asked.options if asked else ()), *given))))
