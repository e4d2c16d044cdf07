"""Comparisons: which of two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hype.export.columns import ExportedColumn, Kind, documented_columns
from hype.export.kinds.base import ExportKind, ShownImage
from hype.export.kinds.comparing_people import evaluator_table
from hype.export.kinds.comparing_tasks import tasks_in_words
from hype.protocol.comparison import Choice
from hype.sessions.exported_comparisons import COMPARED
from hype.store.answer_tables import comparisons
from hype.store.schema import demographics, evaluators, events, removals, sessions, studies
from hype.study.comparison_settings import ComparisonFile

SIDES: Final = (Choice.LEFT.value, Choice.RIGHT.value)


def shown_image(side: str) -> ShownImage:
    """Give the columns of the image on a side."""
    place = ExportedColumn(
        name=f"{side}_stim_file",
        meaning=f"the place under stimuli/ of the image on the {side}: its path, written with "
        "plain characters",
        kind=Kind.TEXT,
    )
    return ShownImage(path=f"{side}_image", sha256=f"{side}_sha256", place=place)


def what_was_asked(settings: ComparisonFile) -> Mapping[str, str]:
    """Give the criterion, and the question as it was asked."""
    asked = settings.comparison
    return {"criterion": asked.criterion, "question": asked.asked}


COMPARING: Final = ExportKind(
    outgoing=COMPARED,
    columns=documented_columns(COMPARED),
    answered=ExportedColumn(
        name="compared", meaning="how many comparisons were made in the session", kind=Kind.WHOLE
    ),
    images=tuple(map(shown_image, SIDES)),
    raw=(studies, evaluators, demographics, sessions, comparisons, events, removals),
    summary=(
        "Comparisons of two images of one prompt, which were made in different ways: which of the "
        "two? The design is that of Christodoulou and Kuhlmann-Jørgensen (2024, "
        "arXiv:2409.11904)."
    ),
    reference="Christodoulou & Kuhlmann-Jørgensen (2024), Finding the Subjective Truth, "
    "https://arxiv.org/abs/2409.11904",
    link="https://arxiv.org/abs/2409.11904",
    asked=what_was_asked,
    tasks=tasks_in_words,
    people=evaluator_table,
)
