"""One row for each answered trial: which table it goes to, and how it comes back for replaying."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Connection, Row, Table, select

from hype.protocols.comparison.trial import Choice, ComparisonTrial
from hype.protocols.hype.trial import JudgementTrial
from hype.protocols.ranking import trial as ranking
from hype.protocols.ranking.trial import RankingTrial
from hype.protocols.rating import trial as rating
from hype.protocols.rating.trial import RatingTrial
from hype.session.loop import Answered, Presentation
from hype.session.steps import Response, Trial, TrialName
from hype.session.timing import Timing, Verdict
from hype.store.answer_tables import comparisons, judgements, placements, ratings

Cells = dict[str, object]


def judgement_row(trial: JudgementTrial, shown: Presentation, response: Response) -> Cells:
    """Give the row of one judgement, without whose it is; without a timing, without its cells."""
    stimulus = trial.stimulus
    timed = trial.exposure_ms is not None
    return {
        "task": trial.task.value,
        "block": trial.block,
        "trial": trial.number,
        "image": stimulus.path,
        "image_sha256": stimulus.sha256,
        "source": stimulus.condition,
        "truth": stimulus.truth.value,
        "repeats": trial.repeats,
        "exposure_ms": trial.exposure_ms,
        "mask_ms": trial.mask_ms if timed else None,
        "masks": " ".join(trial.masks) if timed else None,
        **(timing_cells(shown.timing) if shown.timing else {}),
        "answer": response.answer,
        "correct": trial.correct(response.answer),
        "rt_ms": response.rt_ms,
        "key": response.key,
        "onset_unix_s": shown.onset_unix_s,
        "onset_monotonic_s": shown.onset_monotonic_s,
    }


def timing_cells(timing: Timing) -> Cells:
    """Give the cells of a row that say how long image and masks lasted."""
    image, masks = timing.image, timing.masks
    return {
        "exposure_frames": image.frames,
        "exposure_nominal_ms": round(image.nominal_ms, 3),
        "exposure_measured_ms": round(image.measured_ms, 3),
        "exposure_deviation_ms": round(image.deviation_ms, 3),
        "mask_frames": masks[0].frames if masks else None,
        "mask_nominal_ms": round(masks[0].nominal_ms, 3) if masks else None,
        "mask_measured_ms": " ".join(f"{m.measured_ms:.3f}" for m in masks) if masks else None,
        "flips_s": " ".join(f"{flip.at_s:.6f}" for flip in timing.flips),
        "flip_uncertainty_ms": round(timing.uncertainty_ms, 3),
        "missed_frames": timing.missed_frames,
        "verdict": timing.verdict.value,
    }


def judgement_of(row: Row[Any]) -> Answered:
    """Give a recorded judgement as replaying needs it."""
    return Answered(
        TrialName(row.task, row.block, row.trial),
        row.image_sha256,
        Response(row.answer, row.key, row.rt_ms),
        spoiled=row.verdict not in (None, Verdict.OK.value),
    )


def comparison_row(trial: ComparisonTrial, shown: Presentation, response: Response) -> Cells:
    """Give the row of one comparison, without whose it is."""
    return {
        "task": trial.task.value,
        "block": trial.block,
        "trial": trial.number,
        "prompt": trial.prompt,
        "left_image": trial.left.path,
        "left_sha256": trial.left.sha256,
        "left": trial.left.condition,
        "right_image": trial.right.path,
        "right_sha256": trial.right.sha256,
        "right": trial.right.condition,
        "obvious": trial.obvious.value if trial.obvious else None,
        "answer": response.answer,
        "correct": trial.correct(response.answer),
        "hasty": trial.hasty(response.answer, response.rt_ms),
        "rt_ms": response.rt_ms,
        "key": response.key,
        "onset_unix_s": shown.onset_unix_s,
        "onset_monotonic_s": shown.onset_monotonic_s,
    }


def comparison_of(row: Row[Any]) -> Answered:
    """Give a recorded comparison as replaying needs it."""
    return Answered(
        TrialName(row.task, row.block, row.trial),
        f"{row.left_sha256} {row.right_sha256}",
        Response(row.answer, row.key, row.rt_ms),
    )


def rating_row(trial: RatingTrial, shown: Presentation, response: Response) -> Cells:
    """Give the row of one rating, without whose it is."""
    first, *others = trial.item.images
    second = others[0] if others else None
    side = Choice.RIGHT if trial.planned.swapped else Choice.LEFT
    return {
        "task": trial.task.value,
        "block": trial.block,
        "trial": trial.number,
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
        "answer": response.answer,
        "truth": trial.item.truth(trial.axis.name),
        "rt_ms": response.rt_ms,
        "key": response.key,
        "onset_unix_s": shown.onset_unix_s,
        "onset_monotonic_s": shown.onset_monotonic_s,
    }


def rating_of(row: Row[Any]) -> Answered:
    """Give a recorded rating as replaying needs it."""
    sums = [row.first_sha256, *([row.second_sha256] if row.second_sha256 else [])]
    seen = sums[::-1] if row.first_side == Choice.RIGHT.value else sums
    return Answered(
        TrialName(row.task, row.block, row.trial),
        rating.fingerprint_of(*map(str, (row.axis, *seen))),  # a damaged cell may hold anything
        Response(row.answer, row.key, row.rt_ms),
    )


def placement_row(trial: RankingTrial, shown: Presentation, response: Response) -> Cells:
    """Give the row of one act of a ranking, without whose it is."""
    placed = response.answer in tuple(trial.group.letters)
    image = trial.group.image(response.answer) if placed else None
    return {
        "task": trial.task.value,
        "block": trial.block,
        "trial": trial.number,
        "group": trial.group.name,
        "prompt": trial.group.prompt,
        "shown_sha256": trial.group.sha256,
        "standing": str(trial.standing),
        "answer": response.answer,
        "image": image.path if image else None,
        "image_sha256": image.sha256 if image else None,
        "condition": image.condition if image else None,
        "rt_ms": response.rt_ms,
        "key": response.key,
        "onset_unix_s": shown.onset_unix_s,
        "onset_monotonic_s": shown.onset_monotonic_s,
    }


def placement_of(row: Row[Any]) -> Answered:
    """Give a recorded act as replaying needs it."""
    return Answered(
        TrialName(row.task, row.block, row.trial),
        ranking.fingerprint_of(row.shown_sha256, row.standing),
        Response(row.answer, row.key, row.rt_ms),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKind:
    """How answers to one kind of trial are kept: their table, the way to it and back."""

    table: Table
    row: Callable[[Any, Presentation, Response], Cells]
    answered: Callable[[Row[Any]], Answered]


KINDS: Final[Mapping[type[Trial], AnswerKind]] = MappingProxyType(
    {
        JudgementTrial: AnswerKind(table=judgements, row=judgement_row, answered=judgement_of),
        ComparisonTrial: AnswerKind(table=comparisons, row=comparison_row, answered=comparison_of),
        RatingTrial: AnswerKind(table=ratings, row=rating_row, answered=rating_of),
        RankingTrial: AnswerKind(table=placements, row=placement_row, answered=placement_of),
    }
)
"""Every kind of trial that the record knows."""
ANSWER_TABLES: Final = tuple(kind.table for kind in KINDS.values())


def answers_of(connection: Connection, evaluator_id: int) -> Sequence[Answered]:
    """Read an evaluator's answered trials in order, for replaying them.

    A study has one protocol, so that all of them are in one table.
    """

    def in_table(kind: AnswerKind) -> list[Answered]:
        columns = kind.table.c
        query = select(kind.table).where(columns.evaluator_id == evaluator_id)
        return [kind.answered(row) for row in connection.execute(query.order_by(columns.id))]

    return list(chain.from_iterable(map(in_table, KINDS.values())))
