"""A study of HYPE's methods in words for its report: what was run, and on whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hype.protocols.hype.methods import design_in_words, methods_in_words
from hype.report.methods import true_of, works_of
from hype.report.parts import SIMULATED, Background
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

if TYPE_CHECKING:
    from hype.protocols.hype.settings import StudyFile
    from hype.protocols.hype.study import Study

FLOW_COLUMNS: Final = (
    *("Condition", "Method", "Came", "Declined", "Not qualified", "Unfinished", "Complete"),
)


def background_of(study: Study, *, simulated: bool) -> Background:
    with reading(study) as engine, engine.connect() as connection:
        found = participation(connection, simulated=simulated)
    met = (came.cell.condition for came in found.flow)
    conditions = conditions_known(study, met).names
    described = design_in_words(study.settings, conditions, masks_made=mask_methods(study))
    paragraphs = true_of(described, found.modes, simulated=simulated)
    return Background(
        design=((SIMULATED,) if simulated else ()) + tuple(one.text for one in paragraphs),
        people=people_sentences(found, simulated=simulated),
        flow=flow_rows(study.settings, conditions, found.flow),
        flow_columns=FLOW_COLUMNS,
        works=works_of(paragraphs),
        facts=tuple(facts_of(study.settings, conditions, found, simulated=simulated)),
        settles_at=study.settings.time.staircase.rule.settles_at,
    )


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
