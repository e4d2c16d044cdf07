"""How picks leave a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection

from hype.export.kind import (
    ExportedColumn,
    ExportKind,
    Fact,
    Tally,
    TaskWords,
    documented_columns,
    only_image,
)
from hype.export.people import answered, prompted_facts, scored
from hype.protocols.prompted.wording import one_line, task_words
from hype.session.outgoing import Outgoing
from hype.tables.columns import CellType
from picking.rows import PICKS, REASONS, why_excluded
from picking.settings import PickingFile, PickingStudy
from picking.trial import PickingTask

OUTGOING = Outgoing(
    answers=PICKS,
    needed=("evaluator", "status"),
    adding=lambda *_: lambda _evaluator, status: (why_excluded(status=status),),
)


def facts_of_people(
    connection: Connection, study: PickingStudy, tally: Tally, simulated: bool
) -> Iterator[Fact]:
    did = (
        answered(tally, "picks", "how many picks they made"),
        *scored(
            tally,
            "picks",
            {reason.name: reason.meaning for reason in REASONS},
            lambda who: why_excluded(status=who.status),
        ),
    )
    return prompted_facts(connection, study, did, simulated=simulated)


def what_was_asked(settings: PickingFile) -> Mapping[str, str]:
    return {"question": settings.picking.question}


def tasks_in_words(settings: PickingFile) -> Mapping[str, TaskWords]:
    question = settings.picking.question
    description = f"One of a row of images was picked. The question was: {one_line(question)}"
    read = (settings.texts.instructions, settings.texts.block, question)
    return {PickingTask.PICK.value: task_words(description, *read, question=question)}


PICKING = ExportKind(
    outgoing=OUTGOING,
    columns=documented_columns(OUTGOING),
    answered=ExportedColumn("picked_from", "how many picks", CellType.WHOLE),
    images=(only_image(),),
    summary="Picks of the best of several images of one prompt, made in different ways.",
    reference="Luce (1959), Individual choice behavior, https://example.org/",
    asked=what_was_asked,
    tasks=tasks_in_words,
    labels={PickingTask.PICK.value: PickingTask.PICK.value},
    people=facts_of_people,
    per_answer="a row for each image of the row that was shown",
)


def export_kind(_study: PickingStudy) -> ExportKind:
    return PICKING
