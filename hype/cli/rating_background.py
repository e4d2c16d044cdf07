"""A study of ratings in words for its report: what was asked, what was run, and on whom."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from hype.cli.prompted_background import background_of_prompted
from hype.protocol.rating import YES_NO
from hype.report.page.asked_axes import AskedAxes, AskedAxis
from hype.study.described_rating import asked_details, described_rating
from hype.study.rating import axes_of

if TYPE_CHECKING:
    from hype.analysis.ratings.scores import RatingScore
    from hype.protocol.rating import Axis
    from hype.report.page.background import Background
    from hype.study.studies import RatingStudy

_NOT_RELEVANT: Final = ", or not relevant"


def asked_on_axes(study: RatingStudy) -> AskedAxes:
    """Say what evaluators were asked on each axis."""
    settings = study.settings
    return AskedAxes(
        axes=tuple(
            AskedAxis(name=axis.name, question=axis.question, answers=answers_of(axis))
            for axis in axes_of(settings)
        ),
        details=tuple(one for one in asked_details(settings) if one[0] not in settings.axis_names),
    )


def answers_of(axis: Axis) -> str:
    """Say what could be answered."""
    ends = "yes or no" if axis.levels == YES_NO else f"{axis.levels[0]} to {axis.levels[-1]}"
    return f"{ends}{_NOT_RELEVANT if axis.optional else ''}"


def background_of_ratings(study: RatingStudy, score: RatingScore) -> Background:
    """Say what was run and on whom, from a study, its record and its score."""
    return background_of_prompted(
        study,
        partial(described_rating, study.settings),
        seen=score.conditions,
        simulated=score.simulated,
    )
