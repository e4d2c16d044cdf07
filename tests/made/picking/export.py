"""How picks leave a study."""

from __future__ import annotations

from hype.export import kind
from hype.export.people import prompted_table
from hype.protocols.prompted.wording import task_words
from hype.session.outgoing import Outgoing
from hype.store.columns import added_columns
from hype.tables.columns import CellType
from hype.tables.reasons import reason_of_status
from picking.course import PickingTask
from picking.record import KEPT, ROW, picks
from picking.settings import PickingFile, PickingStudy

OUTGOING = Outgoing(
    answers=KEPT,
    added=added_columns(ROW),
    needed=("evaluator", "status"),
    adding=lambda *_: lambda _evaluator, status: (reason_of_status(str(status)),),
)


def tasks_in_words(settings: PickingFile) -> dict[str, kind.TaskWords]:
    read = (settings.texts.instructions, settings.texts.block, settings.picking.question)
    return {PickingTask.PICK.value: task_words("One of a row of images was picked.", *read)}


PICKING = kind.ExportKind(
    outgoing=OUTGOING,
    columns=kind.documented_columns(OUTGOING),
    answered=kind.ExportedColumn(name="picks", meaning="how many picks", kind=CellType.WHOLE),
    images=(),
    raw=kind.raw_with(picks),
    summary="Picks of the best of several images of one prompt, made in different ways.",
    reference="Luce (1959), Individual choice behavior",
    link="https://example.org/",
    asked=lambda settings: {"question": settings.picking.question},
    tasks=tasks_in_words,
    labels={PickingTask.PICK.value: PickingTask.PICK.value},
    people=lambda connection, study, _tally, simulated: prompted_table(
        connection, study, (), simulated=simulated
    ),
)


def export_kind(_study: PickingStudy) -> kind.ExportKind:
    return PICKING
