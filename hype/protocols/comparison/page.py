"""The report on comparisons: its page, its figures, its tables, and the study in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from hype.cli.provenance import bootstrap
from hype.cli.scoring import Choices
from hype.protocols.comparison.comparisons import (
    comparison_study,
    comparisons_for,
    score_comparisons_loaded,
)
from hype.protocols.comparison.description import asked_details, described_comparison
from hype.protocols.prompted.report import Asked, background_of_prompted

if TYPE_CHECKING:
    import pandas as pd

    from hype.cli.sources import Opened
    from hype.protocols.comparison.images import PromptEnds
    from hype.protocols.comparison.results import PairwiseScore
    from hype.protocols.prompted.scoring import Answered
    from hype.protocols.studies import ComparisonStudy
    from hype.report.figures.drawing import Drawing
    from hype.report.parts import Background
    from hype.report.tabular import Table


@dataclass(frozen=True, kw_only=True)
class ComparisonReport:
    """Comparisons that were scored, and what a report makes of them."""

    comparisons: Answered
    score: PairwiseScore
    stimuli: Path | None

    @property
    def simulated(self) -> bool:
        return self.score.simulated

    @cached_property
    def _rows(self) -> pd.DataFrame:
        from hype.protocols.comparison.exclusions import scored_rows

        return scored_rows(self.comparisons.frame, self.score)

    @cached_property
    def _ends(self) -> tuple[PromptEnds, ...]:
        from hype.protocols.comparison.preferred import extreme_images

        return extreme_images(self._rows, confidence=self.score.confidence)

    def write_page(self, path: Path) -> Path:
        """Write the report page."""
        from hype.cli.pictures import pictures_in, why_not_pictured
        from hype.protocols.comparison.preferred import named_images
        from hype.protocols.comparison.report import write_comparison_report
        from hype.session.facts import versions

        study = comparison_study(self.comparisons)
        background = background_of_comparisons(study, self.score) if study else None
        return write_comparison_report(
            self.score,
            path,
            votes=self.comparisons.frame,
            title=self.comparisons.title,
            provenance={
                **self.comparisons.provenance,
                **bootstrap(self.score.bootstrap),
                **versions(),
            },
            background=why_not_pictured(background, self.stimuli),
            asked=asked_of(study) if study else None,
            registered=self.comparisons.said,
            pictured=pictures_in(self.stimuli, named_images(self._ends)),
        )

    def drawings(self) -> Sequence[Drawing]:
        from hype.protocols.comparison.figures import comparison_drawings

        return comparison_drawings(self.score, self._rows)

    def tables(self) -> Sequence[Table]:
        """Lay out every table."""
        from hype.protocols.comparison.preferred import image_table
        from hype.protocols.comparison.tables import comparison_file_tables

        images = [image_table(self._ends)] if self._ends else []
        return (*comparison_file_tables(self.score), *images)


def comparison_report(source: Opened, choices: Choices, stimuli: Path | None) -> ComparisonReport:
    """Read comparisons and score them; ``stimuli`` is where images lie if not as a study says."""
    comparisons = comparisons_for(source, choices)
    return ComparisonReport(
        comparisons=comparisons,
        score=score_comparisons_loaded(comparisons, choices),
        stimuli=stimuli or comparisons.stimuli,
    )


def asked_of(study: ComparisonStudy) -> Asked:
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
