"""Whether a judge prefers an image for where it stands among the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hype.judges.results import Position
from hype.statistics.proportions import even_chance_p

if TYPE_CHECKING:
    from hype.judges.items import Judged
    from hype.judges.people import People


def position(judged: Judged, people: People) -> Position | None:
    """Count how often a judge and people take the first image; None for single images.

    Notes
    -----
    The test is McNemar's, exact: axes of one item are answered alike, so that an item counts once,
    by most of its answers, and items on which both take the same image say nothing.
    """
    if not people.pairs:
        return None
    mine = np.where(people.asked, np.sign(judged.values), np.nan)
    theirs = np.where(np.isnan(mine[people.item]), np.nan, np.sign(people.ratings))
    first, decided = int((mine == 1).sum()), int((np.abs(mine) == 1).sum())
    shown, chosen = int((theirs == 1).sum()), int((np.abs(theirs) == 1).sum())
    of_judge = np.sign(np.nansum(mine, axis=1))
    rows = np.nansum(theirs, axis=1)
    of_people = np.sign(np.bincount(people.item, weights=rows, minlength=len(people.items)))
    alone = int(((of_judge == 1) & (of_people == -1)).sum())
    other = int(((of_judge == -1) & (of_people == 1)).sum())
    p = float(even_chance_p(alone, alone + other))
    return Position(
        first=first,
        decided=decided,
        share=first / decided if decided else None,
        people_share=shown / chosen if chosen else None,
        judge_only=alone,
        people_only=other,
        p=p,
        p_holm=p,
    )
