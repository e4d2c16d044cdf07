"""What `hype power` asks of ratings."""

from __future__ import annotations

from functools import partial
from typing import Final

from hype.errors import InputError
from hype.planning.planned import ELO, PlannedScore
from hype.protocols.prompted.scoring import planned_strengths
from hype.protocols.rating.course import RatingCourse
from hype.protocols.rating.export import RATED
from hype.protocols.rating.rows import ROW
from hype.protocols.rating.scoring import differences_on, options_of_study
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.table import check_ratings
from hype.study.scales import OVERALL


def planned_ratings(study: RatingStudy, of: str | None) -> PlannedScore:
    """Plan one axis: the one that is named, or the overall one, or the first.

    Raises InputError: there is no such axis, or what the study draws from is wrong.
    """
    names, options = study.settings.axis_names, options_of_study(study)
    axis = of or (OVERALL if OVERALL in names else names[0])
    if axis not in names:
        raise InputError("--method", f"{axis!r} is no axis of {study.path}", ", ".join(names))
    return planned_strengths(
        RatingCourse(study),
        partial(differences_on, axis=axis, options=options),
        title=f"Ratings, {axis}",
        outgoing=RATED,
        columns=ROW.read,
        check=partial(check_ratings, scale=options.scale),
        unit=ELO if study.settings.rating.of == "pairs" else "points of the scale",
    )


PLANNED: Final = planned_ratings
