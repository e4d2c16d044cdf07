"""Ratings in the record: their table, and how to write and read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Row as RecordRow

from hype.protocols.prompted.trial import Choice
from hype.protocols.rating.rows import ROW, SCORED_TASK
from hype.protocols.rating.trial import RatingTrial, fingerprint_of
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table
from hype.study.exclusion import GivenAnswer

if TYPE_CHECKING:  # imported only for types, since settings take long to load
    from hype.protocols.rating.settings import RatingStudy

ratings = answer_table(ROW, "evaluator_id", "task", "block", "trial")


def rating_cells(trial: RatingTrial, _shown: Presentation, _response: Response) -> Cells:
    first, *others = trial.item.images
    second = others[0] if others else None
    side = Choice.RIGHT if trial.planned.swapped else Choice.LEFT
    return {
        "item": trial.item.name,
        "prompt": trial.item.prompt,
        "axis": trial.axis.name,
        "first": first.condition,
        "first_image": first.path,
        "first_sha256": first.sha256,
        "second": second.condition if second else None,
        "second_image": second.path if second else None,
        "second_sha256": second.sha256 if second else None,
        "first_side": side.value if second else None,
        "truth": trial.item.truth(trial.axis.name),
        "why": None,
    }


def seen_hash(row: RecordRow[Any]) -> str:
    sums = [row.first_sha256, *([row.second_sha256] if row.second_sha256 else [])]
    seen = sums[::-1] if row.first_side == Choice.RIGHT.value else sums
    return fingerprint_of(*map(str, (row.axis, *seen)))  # a damaged cell may contain anything


def give_ratings(rows: Iterable[RecordRow[Any]], study: RatingStudy) -> Iterator[GivenAnswer]:
    """Yield the scored ratings. Levels of a pair are counted from the left of the screen."""
    for row in rows:
        answer = str(row.answer)
        if row.first_side == Choice.RIGHT.value and answer.isdecimal():
            answer = str(study.settings.rating.levels + 1 - int(answer))
        if row.task == SCORED_TASK:
            yield GivenAnswer(row.trial, answer, row.rt_ms)


KEPT: Final = RecordedAnswers(
    name="ratings",
    declared=ROW,
    trial=RatingTrial,
    table=ratings,
    cells=rating_cells,
    fingerprint=seen_hash,
    given=give_ratings,
)
