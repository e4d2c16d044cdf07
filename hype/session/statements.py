"""What those who took part said of themselves, in few words: never what they wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from sqlalchemy import Connection, select

from hype.store.schema import demographics, evaluators
from hype.study.demographics import DemographicSettings


def statements_in_words(
    connection: Connection, asked: Mapping[str, DemographicSettings], *, simulated: bool
) -> tuple[tuple[str | int, ...], ...]:
    """Give a row of each question: its words, how many answered and withheld, and what was said.

    Of those whose part is over, as scores are.
    """
    columns = demographics.c
    query = (
        select(columns.question, columns.answer)
        .join(evaluators, columns.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated, evaluators.c.status == "complete")
    )
    given: dict[str, list[str]] = {name: [] for name in asked}
    for question, answer in connection.execute(query):
        if question in given:
            given[question].append(answer)
    return tuple(row_of(asked[name], answers) for name, answers in given.items())


def row_of(asked: DemographicSettings, given: Sequence[str]) -> tuple[str | int, ...]:
    answers = [answer for answer in given if answer]
    return asked.question, len(answers), len(given) - len(answers), in_short(asked, answers)


def in_short(asked: DemographicSettings, answers: Sequence[str]) -> str:
    """Sum answers up: options by how many chose them, numbers by their median and range."""
    if asked.kind == "text":
        return "in words of their own" if answers else ""
    if asked.kind == "number":
        numbers = [float(answer) for answer in answers if asked.taken(answer)]
        if not numbers:
            return ""
        return f"median {median(numbers):g}, from {min(numbers):g} to {max(numbers):g}"
    return ", ".join(chosen(asked, answers))


def chosen(asked: DemographicSettings, answers: Sequence[str]) -> Iterator[str]:
    counts = Counter(answers)
    for option in dict.fromkeys((*asked.options, *counts)):
        yield f"{option} {counts[option]}"
