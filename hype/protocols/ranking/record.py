"""Rankings in the record: their table, and how to write and read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Row as RecordRow

from hype.protocols.ranking.rows import ACT, ROW, SCORED_TASK
from hype.protocols.ranking.trial import LETTERS, Act, PartialRanking, RankingTrial, fingerprint_of
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table
from hype.study.exclusion import GivenAnswer

placements = answer_table(ACT, "evaluator_id", "task", "block", "trial")


def placement_cells(trial: RankingTrial, _shown: Presentation, response: Response) -> Cells:
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
        "why": None,
    }


def seen_hash(row: RecordRow[Any]) -> str:
    return fingerprint_of(row.shown_sha256, row.standing)


Acts = Sequence[RecordRow[Any]]


def make_rows(acts: Iterable[RecordRow[Any]]) -> Iterator[tuple[object, ...]]:
    """Make rows of `ROW` from acts, which are sorted by evaluator and time."""
    for _, in_block in groupby(acts, key=attrgetter("evaluator", "task", "block")):
        rankings = groupby(in_block, key=attrgetter("group"))
        for trial, (_, own) in enumerate(rankings, start=1):
            yield from rows_of(trial, list(own))


def rows_of(trial: int, acts: Acts) -> Iterator[tuple[object, ...]]:
    first, last = acts[0], acts[-1]
    standing = PartialRanking.read(last.standing).after(last.answer)
    ranks = standing.ranks() if last.answer == Act.ACCEPT.value else {}
    placed = {act.answer: act for act in acts if act.image is not None}
    of_all = (
        *(last.evaluator, last.session, last.status, last.simulated, last.task, last.block),
        *(trial, last.group, last.prompt),
    )
    acted = (
        len(acts),
        sum(act.answer == Act.UNDO.value for act in acts),
        sum(act.rt_ms for act in acts),
        *(first.onset_unix_s, first.onset_monotonic_s),
        sum(act.interruptions for act in acts),
        last.why,
    )
    for letter in standing.placed:
        # if no step placed the image, the record is damaged; `hype verify` reports it
        if act := placed.get(letter):
            image = (act.condition, act.image, act.image_sha256)
            yield (*of_all, *image, ranks.get(letter), LETTERS.index(letter) + 1, *acted)


def give_rankings(acts: Iterable[RecordRow[Any]], _study: object) -> Iterator[GivenAnswer]:
    """Yield the scored rankings: the final order and the total time of each."""
    for (task, _, _), group in groupby(acts, key=attrgetter("task", "block", "group")):
        own = list(group)
        if task == SCORED_TASK and own[-1].answer == Act.ACCEPT.value:
            yield GivenAnswer(own[0].trial, own[-1].standing, sum(act.rt_ms for act in own))


KEPT: Final = RecordedAnswers(
    name="rankings",
    declared=ACT,
    trial=RankingTrial,
    table=placements,
    cells=placement_cells,
    fingerprint=seen_hash,
    given=give_rankings,
    gather=make_rows,
    gathered=ROW,
    counted={"rankings": "answer = 'accept'", "acts": ""},
)
