"""Ratings: how much better one of two images is, or how good one is, axis by axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hype.export.columns import ExportedColumn, Kind, documented_columns
from hype.export.kinds.base import ExportKind, PreferredPairs
from hype.export.kinds.rating_answers import answers_of
from hype.export.kinds.rating_items import items_of
from hype.export.kinds.rating_people import evaluator_table
from hype.export.kinds.rating_tasks import tasks_in_words
from hype.export.kinds.rating_votes import votes_of
from hype.export.kinds.shown import image_of, raw_with
from hype.sessions.exported_ratings import RATED
from hype.store.answer_tables import ratings
from hype.study.rating import axes_of
from hype.study.rating_settings import RatingFile

OF_PAIRS: Final = ("second", "second_image", "second_sha256", "first_side")
"""Columns that are empty where single images are rated."""


def what_was_asked(settings: RatingFile) -> Mapping[str, str]:
    """Say what was rated, and on which axes; the column `axis` has the questions."""
    return {"rated": settings.rating.of, "axes": ", ".join(settings.axis_names)}


RATING: Final = ExportKind(
    outgoing=RATED,
    columns=documented_columns(RATED),
    answered=ExportedColumn(
        name="rated", meaning="how many ratings were made in the session", kind=Kind.WHOLE
    ),
    images=(image_of("first", "the first image"), image_of("second", "the second image")),
    raw=raw_with(ratings),
    summary=(
        "Ratings of images, made in different ways, on several axes. The design is that of "
        "Parthasarathy, Collins and Stephenson (2025, arXiv:2509.12750)."
    ),
    reference="Parthasarathy, Collins & Stephenson (2025), What Makes a Good Generated Image?, "
    "https://arxiv.org/abs/2509.12750",
    link="https://arxiv.org/abs/2509.12750",
    asked=what_was_asked,
    tasks=tasks_in_words,
    people=evaluator_table,
    items=items_of,
)
"""Of any study; `rating_kind` knows what one asks."""


def rating_kind(settings: RatingFile) -> ExportKind:
    """Give the kind of a study's ratings: its axes and answers are in its columns."""
    pairs = settings.rating.of == "pairs"
    axes = axes_of(settings)
    answers = {key: said for axis in axes for key, said in answers_of(axis, pairs=pairs).items()}
    levels = {"axis": {axis.name: axis.question for axis in axes}, "answer": answers}
    columns = (
        replace(column, levels=levels.get(column.name, column.levels)) for column in RATING.columns
    )
    return replace(
        RATING,
        columns=tuple(
            replace(c, gaps=c.gaps and not (pairs and c.name in OF_PAIRS)) for c in columns
        ),
        images=RATING.images if pairs else RATING.images[:1],
        pairs=PreferredPairs(votes=votes_of) if pairs else None,
    )
