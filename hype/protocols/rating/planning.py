"""What planning asks of ratings: their verdict on one axis."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from hype.errors import InputError
from hype.planning.planned import Told
from hype.protocols.prompted.planning import ELO, planned_strengths, told_by
from hype.protocols.rating.conduct import RatingConduct

if TYPE_CHECKING:
    import pandas as pd

    from hype.planning.planned import PlannedScore
    from hype.protocols.rating.scoring import RatingOptions
    from hype.protocols.rating.settings import RatingStudy


def planned_ratings(study: RatingStudy, axis: str | None) -> PlannedScore:
    """Plan one axis of a study; without a word the overall one, or else the first.

    Raises InputError: there is no such axis.
    """
    from hype.protocols.rating.exclusion import RATED
    from hype.protocols.rating.rows import RATING_COLUMNS
    from hype.protocols.rating.scoring import OVERALL, options_of_study
    from hype.protocols.rating.table import check_ratings

    names, options = study.settings.axis_names, options_of_study(study)
    chosen = axis or (OVERALL if OVERALL in names else names[0])
    if chosen not in names:
        raise InputError("--method", f"{chosen!r} is no axis of {study.path}", ", ".join(names))
    pairs = study.settings.rating.of == "pairs"
    return planned_strengths(
        RatingConduct(study),
        title=f"Ratings, {chosen}",
        outgoing=RATED,
        columns=RATING_COLUMNS,
        check=partial(check_ratings, scale=options.scale),
        told=partial(ratings_told, axis=chosen, options=options),
        unit=ELO if pairs else "points of the scale",
    )


def ratings_told(
    frame: pd.DataFrame, baseline: str, rival: str, *, axis: str, options: RatingOptions
) -> Told:
    from hype.protocols.rating.axes import strengths_of
    from hype.protocols.rating.exclusion import scored_ratings
    from hype.protocols.rating.scoring import pairs_of_means
    from hype.protocols.rating.table import is_pairs

    scored, _ = scored_ratings(frame)
    rows = scored[(scored["axis"].eq(axis) & scored["value"].notna()).to_numpy()]
    if is_pairs(rows):
        return told_by(strengths_of(rows, options).differences, baseline, rival)
    for pair in pairs_of_means(rows, options):
        if {pair.a, pair.b} == {baseline, rival}:
            difference = pair.difference.value * (1 if pair.a == rival else -1)
            return Told(difference=difference, separable=bool(pair.separable))
    return Told(difference=math.nan, separable=False)
