"""Whether a judge's answers could have been made from people's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from hype.judges.items import Judged
    from hype.judges.people import People

FEWEST: Final = 20
"""Fewer answers may all agree by chance or because the items are easy."""

_HALF: Final = 0.5 + 1e-9


def copied(judged: Judged, people: People) -> bool:
    """Tell whether every answer is what people said, or the level next to their mean.

    For scores of pairs: whether the higher score is on their side in every case.
    """
    rows = ~np.isnan(people.ratings)
    counted = np.zeros(people.asked.shape)
    total = np.zeros(people.asked.shape)
    np.add.at(counted, people.item, rows)
    np.add.at(total, people.item, np.where(rows, people.ratings, 0.0))
    both = (counted > 0) & ~np.isnan(judged.values)
    mean, mine = total[both] / counted[both], judged.values[both]
    if judged.shape == "answers":
        return len(mine) >= FEWEST and bool((np.abs(mine - mean) <= _HALF).all())
    decided = mean != 0
    same = np.sign(mine[decided]) == np.sign(mean[decided])
    return people.pairs and len(same) >= FEWEST and bool(same.all())
