"""The report on rankings: its page, its figures, its tables, and the study in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from hype.cli.provenance import bootstrap
from hype.cli.scoring import Choices
from hype.protocols.prompted.report import AskedQuestion, background_of_prompted
from hype.protocols.ranking.description import asked_details, described_ranking
from hype.protocols.ranking.rankings import rankings_for, score_rankings_loaded

if TYPE_CHECKING:
    from hype.cli.sources import Opened
    from hype.protocols.prompted.scoring import LoadedAnswers
    from hype.protocols.ranking.images import ImageEnds
    from hype.protocols.ranking.results import RankingScore
    from hype.protocols.studies import RankingStudy
    from hype.report.figures.drawing import Drawing
    from hype.report.parts import Background
    from hype.report.tabular import Table


@dataclass(frozen=True, kw_only=True)
class RankingReport:
    """Rankings that were scored, and what a report makes of them."""

    rankings: LoadedAnswers
    score: RankingScore
    stimuli: Path | None

    @property
    def simulated(self) -> bool:
        return self.score.simulated

    @cached_property
    def _ends(self) -> tuple[ImageEnds, ...]:
        from hype.protocols.ranking.exclusions import reasons_of
        from hype.protocols.ranking.ranked_images import ends_of
        from hype.protocols.ranking.scoring import scored_rows

        screened = self.score.screening
        frame = self.rankings.frame
        reasons = reasons_of(frame, failed=screened.failed if screened else ())
        return ends_of(scored_rows(frame, reasons), confidence=self.score.confidence)

    def write_page(self, path: Path) -> Path:
        """Write the report page."""
        from hype.cli.pictures import pictures_in, why_not_pictured
        from hype.protocols.ranking.ranked_images import named_images
        from hype.protocols.ranking.report import write_ranking_report
        from hype.session.facts import versions

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
        from hype.protocols.ranking.figures import ranking_drawings

        return ranking_drawings(self.score)

    def tables(self) -> Sequence[Table]:
        """Lay out every table."""
        from hype.protocols.ranking.ranked_images import image_table
        from hype.protocols.ranking.tables import ranking_file_tables

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


def ranking_study(rankings: LoadedAnswers) -> RankingStudy | None:
    """Give the study that rankings are of; None where they are a table's."""
    from hype.protocols.studies import RankingStudy

    return rankings.study if isinstance(rankings.study, RankingStudy) else None


def asked_of(study: RankingStudy) -> AskedQuestion:
    settings = study.settings
    return AskedQuestion(question=settings.ranking.question, details=asked_details(settings))


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
