"""Comparisons: which of two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hype.export.columns import ExportedColumn, Kind, documented_columns
from hype.export.kinds.base import ExportKind, PreferredPairs
from hype.export.kinds.comparing_people import evaluator_table
from hype.export.kinds.comparing_tasks import tasks_in_words
from hype.export.kinds.comparing_votes import votes_of
from hype.export.kinds.shown import image_of, raw_with
from hype.protocol.comparison import Choice
from hype.sessions.exported_comparisons import COMPARED
from hype.store.answer_tables import comparisons
from hype.study.comparison_settings import ComparisonFile

SIDES: Final = (Choice.LEFT.value, Choice.RIGHT.value)


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
    images=tuple(image_of(side, f"the image on the {side}") for side in SIDES),
    raw=raw_with(comparisons),
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
    pairs=PreferredPairs(votes=votes_of),
)
