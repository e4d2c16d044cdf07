"""A study of comparisons in words for its report: what was asked, what was run, and on whom."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hype.cli.prompted_background import background_of_prompted
from hype.report.page.asked import Asked
from hype.study.described_comparison import asked_details, described_comparison

if TYPE_CHECKING:
    from hype.analysis.pairwise.scores import PairwiseScore
    from hype.report.page.background import Background
    from hype.study.studies import ComparisonStudy


def asked_of(study: ComparisonStudy) -> Asked:
    """Say what evaluators were asked."""
    settings = study.settings
    return Asked(question=settings.comparison.asked, details=asked_details(settings))


def background_of_comparisons(study: ComparisonStudy, score: PairwiseScore) -> Background:
    """Say what was run and on whom, from a study, its record and its score."""
    failed = len(score.validation.failed) if score.validation else 0
    return background_of_prompted(
        study,
        partial(described_comparison, study.settings),
        seen=[row.condition for row in score.conditions],
        simulated=score.simulated,
        more=(("Failed validation", failed),),
    )
