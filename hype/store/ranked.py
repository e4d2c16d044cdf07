"""Rankings, as they are gathered from the acts of which they were made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Boolean, Float, Integer, Row, String, Text

from hype.protocols.ranking.trial import LETTERS, Act, PartialRanking
from hype.store.answer_tables import placements
from hype.store.columns import column
from hype.store.schema import evaluators

RANKED_COLUMNS: Final = (
    evaluators.c.evaluator,
    column("session", Integer, "number of the session in this record in which it ended"),
    evaluators.c.status,
    column("simulated", Boolean, "whether nobody real was asked"),
    placements.c.task,
    placements.c.block,
    column("trial", Integer, "group within the block, from 1"),
    placements.c.group,
    placements.c.prompt,
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
