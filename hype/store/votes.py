"""The votes of a study of comparisons, counted in the record."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, func, select

from hype.protocol.comparison import Choice, ComparisonTask
from hype.store.answer_tables import comparisons
from hype.store.schema import evaluators

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class VoteCounts:
    """Who was chosen over whom, by each evaluator, in the order of the conditions.

    Attributes
    ----------
    wins
        (evaluators, K, K) numbers of votes, ``wins[e, i, j]`` for i over j.
    ties
        (evaluators, K, K) numbers of ties, each in ``[e, i, j]`` and in ``[e, j, i]``.
    """

    wins: Counts
    ties: Counts


def count_votes(
    connection: Connection,
    conditions: Sequence[str],
    *,
    simulated: bool,
    without: Collection[str] = (),
    given: Collection[str] | None = None,
) -> VoteCounts:
    """Count the votes of people, or of simulated evaluators.

    All votes count, also of those who are still at it: an arena lives on what there is. Evaluators
    whose code is in ``without`` and conditions that are not among ``conditions`` are passed over,
    and so is who was not ``given`` one of some studies, if their checksums are.
    """
    found = comparisons.c
    what = (evaluators.c.evaluator, found.left, found.right, found.answer)
    query = (
        select(*what, func.count())
        .join(evaluators, found.evaluator_id == evaluators.c.id)
        .where(found.simulated == simulated, found.task == ComparisonTask.COMPARISON.value)
        .group_by(evaluators.c.id, *what)
        .order_by(evaluators.c.id)
    )
    if given is not None:
        query = query.where(evaluators.c.study.in_(given))
    rows = [row for row in connection.execute(query) if row[0] not in without]
    place = {name: at for at, name in enumerate(conditions)}
    number = {who: at for at, who in enumerate(dict.fromkeys(row[0] for row in rows))}
    wins = np.zeros((len(number), len(place), len(place)), dtype=np.int64)
    ties = np.zeros_like(wins)
    for who, left, right, answer, times in rows:
        if left not in place or right not in place:
            continue
        one, other = place[left], place[right]
        if answer == Choice.LEFT.value:
            wins[number[who], one, other] += times
        elif answer == Choice.RIGHT.value:
            wins[number[who], other, one] += times
        elif answer == Choice.TIE.value:
            ties[number[who], one, other] += times
            ties[number[who], other, one] += times
    return VoteCounts(wins=wins, ties=ties)
