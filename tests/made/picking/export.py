"""The export of picks."""

from hype.export import kind
from hype.export.people import evaluator_facts
from hype.protocols.prompted.wording import task_words
from hype.session.outgoing import Outgoing
from hype.tables.columns import Column, Kind
from picking.course import PickingTask
from picking.record import KEPT, why_excluded
from picking.settings import PickingStudy

OUTGOING = Outgoing(
    answers=KEPT,
    needed=("evaluator", "status"),
    adding=lambda *_: lambda _evaluator, status: (why_excluded(status=status),),
)


def tasks_in_words(study: PickingStudy) -> dict[str, kind.TaskWords]:
    settings = study.settings
    read = (settings.texts.instructions, settings.texts.block, settings.picking.question)
    return {PickingTask.PICK.value: task_words("One of a row of images was picked.", *read)}


EXPORTED = kind.ExportKind(
    outgoing=OUTGOING,
    columns=kind.describe_columns(OUTGOING),
    answered=Column("picks", Kind.WHOLE, "how many picks"),
    images=(),
    summary="Picks of the best of several images of one prompt, made in different ways.",
    reference="Luce (1959), Individual choice behavior, https://example.org/",
    asked=lambda settings: {"question": settings.picking.question},
    tasks=tasks_in_words,
    labels={PickingTask.PICK.value: PickingTask.PICK.value},
    people=lambda connection, study, _tally, simulated: evaluator_facts(
        connection, study, (), simulated=simulated
    ),
)


def export_kind(_study: PickingStudy) -> kind.ExportKind:
    return EXPORTED
