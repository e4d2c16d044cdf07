"""Judgements: real or fake."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hype.export.columns import ExportedColumn, Kind, documented_columns, never_empty
from hype.export.kinds.base import ExportKind
from hype.export.kinds.judging_people import OF_WHO_JUDGES, evaluator_table
from hype.export.kinds.judging_tasks import tasks_in_words
from hype.export.kinds.shown import only_image
from hype.sessions.exported import JUDGED
from hype.store.answer_tables import judgements
from hype.store.schema import evaluators, events, removals, sessions, studies
from hype.study.settings import StudyFile


def nothing_more(_settings: StudyFile) -> Mapping[str, str]:
    """Say nothing of what was asked: of an image there is only one question."""
    return {}


JUDGING: Final = ExportKind(
    outgoing=JUDGED,
    columns=tuple(
        never_empty(c) if c.name in OF_WHO_JUDGES else c for c in documented_columns(JUDGED)
    ),
    answered=ExportedColumn(
        name="judged", meaning="how many judgements were made in the session", kind=Kind.WHOLE
    ),
    images=(only_image(),),
    raw=(studies, evaluators, sessions, judgements, events, removals),
    summary=(
        "Judgements whether images are real or were made by a generative model, as HYPE "
        "(Zhou et al., NeurIPS 2019, arXiv:1904.01121) measures how real such images look to "
        "people."
    ),
    reference="Zhou et al. (2019), HYPE, NeurIPS 2019, https://arxiv.org/abs/1904.01121",
    link="https://arxiv.org/abs/1904.01121",
    asked=nothing_more,
    tasks=tasks_in_words,
    people=evaluator_table,
    on_images="Masks are named in the column `masks`, and not here",
)
