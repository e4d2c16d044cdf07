"""How picks leave a study."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection

from hype.export.kind import (
    ExportedColumn,
    ExportKind,
    PeopleTable,
    Tally,
    TaskWords,
    documented_columns,
    only_image,
    raw_with,
)
from hype.export.people import answered, prompted_table, scored
from hype.protocols.prompted.wording import one_line, task_words
from hype.session.outgoing import Outgoing
from hype.tables.columns import CellType
from picking.rows import PICKS, REASONS, picks, why_excluded
from picking.settings import PickingFile, PickingStudy
from picking.trial import PickingTask

OUTGOING = Outgoing(
    answers=PICKS,
    needed=("evaluator", "status"),
    adding=lambda *_: lambda _evaluator, status: (why_excluded(status=status),),
)


def evaluator_table(
    connection: Connection, study: PickingStudy, tally: Tally, simulated: bool
) -> PeopleTable:
    did = (
        answered(tally, "picks", "how many picks they made"),
        *scored(
            tally,
            "picks",
            {reason.name: reason.meaning for reason in REASONS},
            lambda who: why_excluded(status=who.status),
        ),
    )
    return prompted_table(connection, study, did, simulated=simulated)


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
    answered=ExportedColumn(name="picked_from", meaning="how many picks", kind=CellType.WHOLE),
    images=(only_image(),),
    raw=raw_with(picks),
    summary="Picks of the best of several images of one prompt, made in different ways.",
    reference="Luce (1959), Individual choice behavior",
    link="https://example.org/",
    asked=what_was_asked,
    tasks=tasks_in_words,
    labels={PickingTask.PICK.value: PickingTask.PICK.value},
    people=evaluator_table,
    per_answer="a row for each image of the row that was shown",
)


def export_kind(_study: PickingStudy) -> ExportKind:
    return PICKING
