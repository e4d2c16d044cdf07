"""The report on ratings: its page, its figures, its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hype.cli.answered import Answered
from hype.cli.provenance import bootstrap
from hype.cli.ratings import ratings_for, score_ratings_loaded
from hype.cli.scoring import Choices

if TYPE_CHECKING:
    from hype.analysis.ratings.scores import RatingScore
    from hype.cli.sources import Opened
    from hype.report.figures.drawing import Drawing
    from hype.report.tables.tabular import Table


@dataclass(frozen=True, kw_only=True)
class RatingReport:
    """Ratings that were scored, and what a report makes of them."""

    ratings: Answered
    score: RatingScore
    leaderboard: Mapping[str, float]

    @property
    def simulated(self) -> bool:
        """Whether the evaluators are simulated ones."""
        return self.score.simulated

    def write_page(self, path: Path) -> Path:
        """Write the report page."""
        from hype.report.page.rating_report import write_rating_report
        from hype.sessions.facts import versions
        from hype.study.studies import RatingStudy

        drawn = next((axis.bootstrap for axis in self.score.axes if axis.bootstrap), None)
        study = self.ratings.study
        background = asked = None
        if isinstance(study, RatingStudy):
            from hype.cli.rating_background import asked_on_axes, background_of_ratings

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
        """Prepare every figure."""
        from hype.report.figures.rating_catalogue import rating_drawings

        return rating_drawings(self.score, self.leaderboard)

    def tables(self) -> Sequence[Table]:
        """Lay out every table."""
        from hype.report.tables.rating_catalogue import rating_file_tables

        return rating_file_tables(self.score)


def rating_report(source: Opened, choices: Choices, _stimuli: Path | None) -> RatingReport:
    """Read ratings and score them."""
    from hype.analysis.ratings.leaderboard import read_leaderboard

    ratings = ratings_for(source, choices)
    return RatingReport(
        ratings=ratings,
        score=score_ratings_loaded(ratings, choices),
        leaderboard=read_leaderboard(choices.leaderboard) if choices.leaderboard else {},
    )
