"""What `hype power` asks of rankings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from hype.planning.planned import PlannedScore
from hype.protocols.prompted.scoring import planned_strengths
from hype.protocols.ranking.course import RankingCourse
from hype.protocols.ranking.exclusion import RANKED
from hype.protocols.ranking.rows import ROW
from hype.protocols.ranking.scoring import count_groups, differences_alone, options_of_study
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.table import check_rankings


def planned_rankings(study: RankingStudy, _of: str | None) -> PlannedScore:
    planned = planned_strengths(
        RankingCourse(study),
        partial(differences_alone, options=options_of_study(study)),
        title="Rankings",
        outgoing=RANKED,
        columns=ROW.read,
        check=check_rankings,
    )
    return replace(planned, paid=count_groups, numbered="ranking")


PLANNED: Final = planned_rankings
