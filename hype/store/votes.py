"""The votes of a study of comparisons, counted in the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, func, select

from hype.protocol.comparison import Choice, ComparisonTask
from hype.store.schema import comparisons

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
    connection: Connection, conditions: Sequence[str], *, simulated: bool
) -> VoteCounts:
    """Count the votes of people, or of simulated evaluators.

    All votes count, also of those who are still at it: an arena lives on what there is. Conditions
    that are not among ``conditions`` are passed over.
    """
    found = comparisons.c
    what = (found.evaluator_id, found.left, found.right, found.answer)
    query = select(*what, func.count()).where(
        found.simulated == simulated, found.task == ComparisonTask.COMPARISON.value
    )
    rows = connection.execute(query.group_by(*what)).all()
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
