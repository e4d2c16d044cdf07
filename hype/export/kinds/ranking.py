"""Rankings: images of one prompt put in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hype.export.columns import ExportedColumn, Kind, documented_columns
from hype.export.kinds.base import ExportKind, PreferredPairs
from hype.export.kinds.ranking_items import items_of
from hype.export.kinds.ranking_people import evaluator_table
from hype.export.kinds.ranking_screened import SCREENED
from hype.export.kinds.ranking_tasks import tasks_in_words
from hype.export.kinds.ranking_votes import ABOUT, votes_of
from hype.export.kinds.shown import only_image, raw_with
from hype.store.answer_tables import placements
from hype.study.ranking_settings import RankingFile


def what_was_asked(settings: RankingFile) -> Mapping[str, str]:
    """Say what the order is by."""
    return {"question": settings.ranking.question}


RANKING: Final = ExportKind(
    outgoing=SCREENED,
    columns=documented_columns(SCREENED),
    answered=ExportedColumn(
        name="ranked",
        meaning="how many rankings ended in the session, accepted or not",
        kind=Kind.WHOLE,
    ),
    images=(only_image(),),
    raw=raw_with(placements),
    summary=(
        "Rankings of images of one prompt, which were made in different ways, from the best to "
        "the worst. The design is that of Wu et al. (2023, arXiv:2306.09341)."
    ),
    reference="Wu et al. (2023), Human Preference Score v2, https://arxiv.org/abs/2306.09341",
    link="https://arxiv.org/abs/2306.09341",
    asked=what_was_asked,
    tasks=tasks_in_words,
    people=evaluator_table,
    per_answer=(
        "a row for each image that was ranked, with the times of the whole ranking; the acts of "
        "which rankings are made, each with its time, are rows of `placements.jsonl` in the record"
    ),
    pairs=PreferredPairs(votes=votes_of, columns=ABOUT),
    items=items_of,
)
