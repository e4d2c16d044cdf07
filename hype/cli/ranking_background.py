"""A study of rankings in words for its report: what was asked, what was run, and on whom."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hype.cli.prompted_background import background_of_prompted
from hype.report.page.asked import Asked
from hype.study.described_ranking import asked_details, described_ranking

if TYPE_CHECKING:
    from hype.analysis.rankings.scores import RankingScore
    from hype.report.page.background import Background
    from hype.study.studies import RankingStudy


def asked_of(study: RankingStudy) -> Asked:
    """Say what evaluators were asked."""
    settings = study.settings
    return Asked(question=settings.ranking.question, details=asked_details(settings))


def background_of_rankings(study: RankingStudy, score: RankingScore) -> Background:
    """Say what was run and on whom, from a study, its record and its score."""
    failed = len(score.screening.failed) if score.screening else 0
    return background_of_prompted(
        study,
        partial(described_ranking, study.settings),
        seen=[row.condition for row in score.conditions],
        simulated=score.simulated,
        more=(("Failed screening", failed),),
    )
