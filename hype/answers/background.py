"""A study in words for its report: what was run, and on whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.protocols.hype.description import described, methods_in_words
from hype.report.parts import Background
from hype.session.materials import conditions_known, mask_methods
from hype.session.participation import (
    Arrivals,
    Participation,
    participation,
    people_sentences,
    period,
)
from hype.session.records import reading
from hype.study.assignment import design
from hype.study.phrases import Paragraph, Topic, works_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hype.protocols.hype.settings import StudyFile
    from hype.protocols.hype.study import Study

FLOW_COLUMNS: Final = (
    *("Condition", "Method", "Came", "Declined", "Not qualified", "Unfinished", "Complete"),
)
SIMULATED: Final = (
    "The evaluators were simulated, and nobody real was asked. What follows is the design that "
    "they went through."
)


def background_of(study: Study, *, simulated: bool) -> Background:
    with reading(study) as engine, engine.connect() as connection:
        found = participation(connection, simulated=simulated)
    met = (came.cell.condition for came in found.flow)
    conditions = conditions_known(study, met).names
    paragraphs = paragraphs_of(study, conditions, found, simulated=simulated)
    return Background(
        design=((SIMULATED,) if simulated else ()) + tuple(one.text for one in paragraphs),
        people=people_sentences(found, simulated=simulated),
        flow=flow_rows(study.settings, conditions, found.flow),
        flow_columns=FLOW_COLUMNS,
        works=works_of(paragraphs),
        facts=tuple(facts_of(study.settings, conditions, found, simulated=simulated)),
        settles_at=study.settings.time.staircase.rule.settles_at,
    )


def paragraphs_of(
    study: Study, conditions: Sequence[str], found: Participation, *, simulated: bool
) -> tuple[Paragraph, ...]:
    """Describe the study, without what cannot be so of simulated evaluators."""
    paragraphs = described(study.settings, conditions, masks_made=mask_methods(study))
    untrue = {Topic.PAY} if simulated else set()
    if simulated and set(found.modes) <= {"simulated"}:
        untrue.add(Topic.DISPLAY)
    return tuple(one for one in paragraphs if one.topic not in untrue)


def flow_rows(
    settings: StudyFile, conditions: Sequence[str], flow: Sequence[Arrivals]
) -> tuple[tuple[str | int, ...], ...]:
    """Give the rows of the design in its order, then those of places that it has no more."""
    planned = design(settings.evaluated(conditions), settings.methods_of_one_evaluator())
    by_cell = {came.cell: came for came in flow}
    cells = dict.fromkeys((*planned, *by_cell))
    return tuple(row_of(by_cell.get(cell, Arrivals(cell=cell))) for cell in cells)


def row_of(came: Arrivals) -> tuple[str | int, ...]:
    numbers = (came.came, came.declined, came.unqualified, came.active, came.complete)
    names = came.cell.condition, methods_in_words(came.cell.methods)
    return (*names, *numbers)


def facts_of(
    settings: StudyFile, conditions: Sequence[str], found: Participation, *, simulated: bool
) -> Iterator[tuple[str, str]]:
    yield "Protocols", methods_in_words(settings.study.methods)
    yield "Conditions", f"{len(conditions):,}"
    yield "Simulated evaluators" if simulated else "Evaluators", f"{found.whole.complete:,}"
    yield "Judgements", f"{found.judgements:,}"
    if found.first and found.last:
        yield "Simulated" if simulated else "Collected", period(found.first, found.last)
