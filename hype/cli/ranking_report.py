"""The report on rankings: its page, its figures, its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hype.cli.provenance import bootstrap
from hype.cli.rankings import rankings_for, score_rankings_loaded
from hype.cli.scoring import Choices

if TYPE_CHECKING:
    from hype.analysis.rankings.image_places import ImageEnds
    from hype.analysis.rankings.scores import RankingScore
    from hype.cli.answered import Answered
    from hype.cli.sources import Opened
    from hype.report.figures.drawing import Drawing
    from hype.report.tables.tabular import Table
    from hype.study.studies import RankingStudy


@dataclass(frozen=True, kw_only=True)
class RankingReport:
    """Rankings that were scored, and what a report makes of them."""

    rankings: Answered
    score: RankingScore
    stimuli: Path | None

    @property
    def simulated(self) -> bool:
        """Whether the evaluators are simulated ones."""
        return self.score.simulated

    @cached_property
    def _ends(self) -> tuple[ImageEnds, ...]:
        from hype.analysis.rankings.scoring import scored_rows
        from hype.analysis.rankings.unscored import reasons_of
        from hype.report.page.ranked_images import ends_of

        screened = self.score.screening
        frame = self.rankings.frame
        reasons = reasons_of(frame, failed=screened.failed if screened else ())
        return ends_of(scored_rows(frame, reasons), confidence=self.score.confidence)

    def write_page(self, path: Path) -> Path:
        """Write the report page."""
        from hype.cli.pictures import pictures_in, why_not_pictured
        from hype.cli.ranking_background import asked_of, background_of_rankings
        from hype.report.page.ranked_images import named_images
        from hype.report.page.ranking_report import write_ranking_report
        from hype.sessions.facts import versions

        study = ranking_study(self.rankings)
        background = background_of_rankings(study, self.score) if study else None
        return write_ranking_report(
            self.score,
            path,
            ends=self._ends,
            title=self.rankings.title,
            provenance={
                **self.rankings.provenance,
                **bootstrap(self.score.bootstrap),
                **versions(),
            },
            background=why_not_pictured(background, self.stimuli),
            asked=asked_of(study) if study else None,
            registered=self.rankings.said,
            pictured=pictures_in(self.stimuli, named_images(self._ends)),
        )

    def drawings(self) -> Sequence[Drawing]:
        """Prepare every figure."""
        from hype.report.figures.ranking_catalogue import ranking_drawings

        return ranking_drawings(self.score)

    def tables(self) -> Sequence[Table]:
        """Lay out every table."""
        from hype.report.page.ranked_images import image_table
        from hype.report.tables.ranking_catalogue import ranking_file_tables

        images = [image_table(self._ends)] if self._ends else []
        return (*ranking_file_tables(self.score), *images)


def ranking_report(source: Opened, choices: Choices, stimuli: Path | None) -> RankingReport:
    """Read rankings and score them; ``stimuli`` is where images lie if not as a study says."""
    rankings = rankings_for(source, choices)
    return RankingReport(
        rankings=rankings,
        score=score_rankings_loaded(rankings, choices),
        stimuli=stimuli or rankings.stimuli,
    )


def ranking_study(rankings: Answered) -> RankingStudy | None:
    """Give the study that rankings are of; None where they are a table's."""
    from hype.study.studies import RankingStudy

    return rankings.study if isinstance(rankings.study, RankingStudy) else None
