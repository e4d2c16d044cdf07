"""Rankings in the record: the table of their acts, the way to it and back, and what goes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Boolean, Float, Integer, Row, String, Table, Text, UniqueConstraint

from hype.protocols.ranking.trial import (
    LETTERS,
    Act,
    PartialRanking,
    RankingTask,
    RankingTrial,
    fingerprint_of,
)
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import answered, column, metadata, owned
from hype.store.recorded import Cells, Gathered, RecordedAnswers, own_columns

RANKING_TASKS: Final = {
    RankingTask.PRACTICE.value: "to learn how it goes; never scored",
    RankingTask.TEST.value: "ranked by everybody first, checkers too; never scored",
    RankingTask.RANKING.value: "images of one prompt by several conditions",
    RankingTask.CHECK.value: "ranked by a checker, after somebody else; never scored",
}

placements = Table(
    "placements",
    metadata,
    *owned("placement"),
    column("task", String(16), "practice, test, ranking or check", levels=RANKING_TASKS),
    column("block", Integer, "block within the task, from 1"),
    column("trial", Integer, "act within the block, from 1"),
    column("group", String(16), "name of the group: 12 digits of its prompt's and images' sum"),
    column("prompt", Text, "what the images are to show, as it may stand above them"),
    column("shown_sha256", String(64), "SHA-256 over the images' sums in the order of the screen"),
    column(
        "standing",
        String(32),
        "what had a place before: the letters of images, the best first, equals together; = at "
        "the end says that the next one shares the last place",
        blank=True,
    ),
    column(
        "answer",
        String(8),
        "the letter of the image that is placed next, from A, in the order of the screen; or tie, "
        "undo or accept",
    ),
    column("image", Text, "path of that image within the stimulus set", null=True),
    column("image_sha256", String(64), "SHA-256 of the file of that image", null=True),
    column("condition", String(64), "condition that made that image", null=True),
    *answered(since="the act before was kept", onset="when the act could be made,"),
    UniqueConstraint("evaluator_id", "task", "block", "trial"),
)


def placement_cells(trial: RankingTrial, _shown: Presentation, response: Response) -> Cells:
    """Give the cells of an act that not all answers have."""
    placed = response.answer in tuple(trial.group.letters)
    image = trial.group.image(response.answer) if placed else None
    return {
        "group": trial.group.name,
        "prompt": trial.group.prompt,
        "shown_sha256": trial.group.sha256,
        "standing": str(trial.standing),
        "image": image.path if image else None,
        "image_sha256": image.sha256 if image else None,
        "condition": image.condition if image else None,
    }


def shown_by(row: Row[Any]) -> str:
    return fingerprint_of(row.shown_sha256, row.standing)


RANKED_COLUMNS: Final = (
    "evaluator",
    column("session", Integer, "number of the session in this record in which it ended"),
    "status",
    column("simulated", Boolean, "whether nobody real was asked"),
    "task",
    "block",
    column("trial", Integer, "group within the block, from 1"),
    "group",
    "prompt",
    column("condition", String(64), "condition that made the image"),
    column("image", Text, "path of the image within the stimulus set"),
    column("image_sha256", String(64), "SHA-256 of the image file"),
    column(
        "rank",
        Integer,
        "place of the image, 1 is the best, equals share one and the next waits; empty where the "
        "ranking was not accepted",
        null=True,
    ),
    column("position", Integer, "where the image stood: its letter on the screen, A is 1"),
    column("acts", Integer, "acts of which the ranking was made"),
    column("undone", Integer, "how many of them took something back"),
    column("rt_ms", Float, "how long all of them took together"),
    column("onset_unix_s", Float, "when the first could be made, by the wall clock"),
    column("onset_monotonic_s", Float, "when the first could be made, by the monotonic clock"),
    column("interruptions", Integer, "how often an act of it was cut off and came again"),
)
"""A row for each image that was given a place."""

Acts = Sequence[Row[Any]]


def ranked_rows(acts: Iterable[Row[Any]]) -> Iterator[tuple[object, ...]]:
    """Make rows of `RANKED_COLUMNS` of acts, which come evaluator by evaluator in their order."""
    for _, in_block in groupby(acts, key=lambda act: (act.evaluator, act.task, act.block)):
        rankings = groupby(in_block, key=lambda act: act.group)
        for trial, (_, own) in enumerate(rankings, start=1):
            yield from rows_of(trial, list(own))


def rows_of(trial: int, acts: Acts) -> Iterator[tuple[object, ...]]:
    """Make the rows of one ranking."""
    first, last = acts[0], acts[-1]
    standing = standing_after(last)
    ranks = standing.ranks() if last.answer == Act.ACCEPT.value else {}
    placed = {act.answer: act for act in acts if act.image is not None}
    for letter in standing.placed:
        if letter not in placed:
            continue  # of a damaged record; `hype verify` says so
        yield (
            *(last.evaluator, last.session, last.status, last.simulated, last.task, last.block),
            *(trial, last.group, last.prompt),
            *(placed[letter].condition, placed[letter].image, placed[letter].image_sha256),
            *(ranks.get(letter), LETTERS.index(letter) + 1, len(acts)),
            sum(act.answer == Act.UNDO.value for act in acts),
            sum(act.rt_ms for act in acts),
            *(first.onset_unix_s, first.onset_monotonic_s),
            sum(act.interruptions for act in acts),
        )


def standing_after(act: Row[Any]) -> PartialRanking:
    """Give what stood after an act, by the record."""
    standing = PartialRanking.read(act.standing)
    if act.answer == Act.ACCEPT.value:
        return standing
    if act.answer == Act.UNDO.value:
        return standing.undo() if standing.tiers else standing
    if act.answer == Act.TIE.value:
        return PartialRanking(standing.tiers, tying=True)
    return standing.place(act.answer) if act.answer in tuple(LETTERS) else standing


RANKINGS: Final = RecordedAnswers(
    name="rankings",
    trial=RankingTrial,
    table=placements,
    cells=placement_cells,
    fingerprint=shown_by,
    exported=("evaluator", "session", "status", *own_columns(placements)),
    gathered=Gathered(declared=RANKED_COLUMNS, rows=ranked_rows),
)
