"""The report on ratings: its page, its figures, its tables, and the study in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hype.cli.provenance import bootstrap
from hype.cli.scoring import Choices
from hype.protocols.prompted.report import background_of_prompted
from hype.protocols.prompted.scoring import LoadedAnswers
from hype.protocols.rating.asked_axes import AskedAxes, AskedAxis
from hype.protocols.rating.description import asked_details, described_rating
from hype.protocols.rating.ratings import ratings_for, score_ratings_loaded
from hype.protocols.rating.sampling import axes_of
from hype.protocols.rating.trial import YES_NO

if TYPE_CHECKING:
    from hype.cli.sources import Opened
    from hype.protocols.rating.results import RatingScore
    from hype.protocols.rating.trial import Axis
    from hype.protocols.studies import RatingStudy
    from hype.report.figures.drawing import Drawing
    from hype.report.parts import Background
    from hype.report.tabular import Table


@dataclass(frozen=True, kw_only=True)
class RatingReport:
    """Ratings that were scored, and what a report makes of them."""

    ratings: LoadedAnswers
    score: RatingScore
    leaderboard: Mapping[str, float]

    @property
    def simulated(self) -> bool:
        return self.score.simulated

    def write_page(self, path: Path) -> Path:
        """Write the report page."""
        from hype.protocols.rating.report import write_rating_report
        from hype.protocols.studies import RatingStudy
        from hype.session.facts import versions

        drawn = next((axis.bootstrap for axis in self.score.axes if axis.bootstrap), None)
        study = self.ratings.study
        background = asked = None
        if isinstance(study, RatingStudy):
            background, asked = background_of_ratings(study, self.score), asked_on_axes(study)
        return write_rating_report(
            self.score,
            path,
            title=self.ratings.title,
            provenance={**self.ratings.provenance, **bootstrap(drawn), **versions()},
            background=background,
            asked=asked,
            registered=self.ratings.said,
            leaderboard=self.leaderboard,
        )

    def drawings(self) -> Sequence[Drawing]:
        from hype.protocols.rating.figures import rating_drawings

        return rating_drawings(self.score, self.leaderboard)

    def tables(self) -> Sequence[Table]:
        from hype.protocols.rating.tables_of_axes import rating_file_tables

        return rating_file_tables(self.score)


def rating_report(source: Opened, choices: Choices, _stimuli: Path | None) -> RatingReport:
    """Read ratings and score them."""
    from hype.protocols.rating.leaderboard import read_leaderboard

    ratings = ratings_for(source, choices)
    return RatingReport(
        ratings=ratings,
        score=score_ratings_loaded(ratings, choices),
        leaderboard=read_leaderboard(choices.leaderboard) if choices.leaderboard else {},
    )


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
