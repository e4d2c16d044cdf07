"""The kinds of answers in a record. Protocols declare them, so this package names no protocol.

The function that returns the declarations is set once, by the registry of protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Table

    from hype.session.steps import Trial
    from hype.store.columns import RecordedAnswers

_sources: list[Callable[[], Iterable[RecordedAnswers]]] = []


def answers_come_from(source: Callable[[], Iterable[RecordedAnswers]]) -> None:
    """Set the function that returns the kinds of answers of all protocols."""
    _sources[:] = [source]
    recorders.cache_clear()
    recorders_by_trial.cache_clear()


def keep_these(answers: RecordedAnswers) -> None:
    """Set the only kind of answers in a process without a registry, such as a worker of a pool."""
    if not _sources:
        answers_come_from(lambda: (answers,))


@cache
def recorders() -> tuple[RecordedAnswers, ...]:
    """Return the kinds of answers of all protocols, which must be set before a record is opened."""
    (source,) = _sources
    return tuple(source())


@cache
def recorders_by_trial() -> dict[type[Trial], RecordedAnswers]:
    """Return the kinds of answers of all protocols, by the type of their trials."""
    return {answers.trial: answers for answers in recorders()}


def answer_tables() -> tuple[Table, ...]:
    return tuple(answers.table for answers in recorders())
