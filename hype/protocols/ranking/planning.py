"""What planning asks of rankings: their verdict on two conditions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hype.protocols.prompted.planning import planned_strengths, told_by
from hype.protocols.ranking.conduct import RankingConduct

if TYPE_CHECKING:
    import pandas as pd

    from hype.planning.planned import PlannedScore, Told
    from hype.protocols.ranking.scoring import RankingOptions
    from hype.protocols.ranking.settings import RankingStudy


def planned_rankings(study: RankingStudy) -> PlannedScore:
    from hype.protocols.ranking.exclusion import RANKED
    from hype.protocols.ranking.rows import RANKING_COLUMNS
    from hype.protocols.ranking.scoring import options_of_study
    from hype.protocols.ranking.table import check_rankings

    planned = planned_strengths(
        RankingConduct(study),
        title="Rankings",
        outgoing=RANKED,
        columns=RANKING_COLUMNS,
        check=check_rankings,
        told=partial(rankings_told, options=options_of_study(study)),
    )
    return replace(planned, paid=count_groups, numbered="ranking")


def rankings_told(
    frame: pd.DataFrame, baseline: str, rival: str, *, options: RankingOptions
) -> Told:
    from hype.protocols.ranking.scoring import scored_rankings, strengths_alone

    strengths = strengths_alone(scored_rankings(frame, options).rows, options)
    return told_by(strengths.differences, baseline, rival)


def count_groups(frame: pd.DataFrame) -> int:
    return len(frame.drop_duplicates(["evaluator", "group"]))
