"""The report on judgements: its page, its figures, its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from hype.answers.sources import bootstrap
from hype.protocols.hype.judgements import Judgements, judgements_for, score_judgements, spoiled_by

if TYPE_CHECKING:
    from hype.answers.choices import Choices
    from hype.answers.sources import Opened
    from hype.protocols.hype.answers import JudgementAnswers
    from hype.protocols.hype.exclusion import Treatment
    from hype.protocols.hype.results import Score
    from hype.protocols.hype.study import Study
    from hype.report.figures.drawing import Drawing
    from hype.report.parts import Background
    from hype.report.tabular import Table


@dataclass(frozen=True, kw_only=True)
class JudgementReport:
    """Judgements that were scored, and what a report makes of them."""

    judgements: Judgements
    scores: tuple[Score, ...]
    background: Background | None
    spoiled: Treatment

    @property
    def simulated(self) -> bool:
        return any(score.simulated for score in self.scores)

    def write_page(self, path: Path) -> Path:
        """Write the report page."""
        from hype.answers.pictures import pictures_in, why_not_pictured
        from hype.protocols.hype.gallery import gallery_images
        from hype.protocols.hype.report import write_report
        from hype.session.facts import versions

        judgements, scores = self.judgements, self.scores
        return write_report(
            scores,
            path,
            answers=self._answers,
            title=judgements.title,
            provenance={**judgements.provenance, **bootstrap(scores[0]), **versions()},
            background=why_not_pictured(self.background, judgements.stimuli),
            pictured=pictures_in(judgements.stimuli, gallery_images(scores)),
        )

    @cached_property
    def _answers(self) -> JudgementAnswers:
        from hype.protocols.hype.answers import answers_behind

        return answers_behind(self.scores, self.judgements.frame, self.spoiled)

    def drawings(self) -> Sequence[Drawing]:
        """Prepare every figure."""
        from hype.protocols.hype.figures import drawings, timing_drawings

        settles_at = self.background.settles_at if self.background else None
        answers = self._answers
        of_scores = (
            drawings(score, answers.of_protocols[score.protocol], settles_at=settles_at)
            for score in self.scores
        )
        return (*chain.from_iterable(of_scores), *timing_drawings(answers.measured))

    def tables(self) -> Sequence[Table]:
        """Lay out every table."""
        from hype.protocols.hype.further_tables import answer_times, file_tables
        from hype.report import terminal as timing

        of_protocols, measured = self._answers.of_protocols, self._answers.measured
        besides = [
            *(answer_times(s, of_protocols[s.protocol].response_times) for s in self.scores),
            timing.durations(measured.timing),
        ]
        return (
            *(table for score in self.scores for table in file_tables(score)),
            *(table for table in besides if table.says_something),
        )


def judgement_report(source: Opened, choices: Choices, stimuli: Path | None) -> JudgementReport:
    """Read judgements and score them; ``stimuli`` is where images lie if not where a study says."""
    judgements = judgements_for(source, choices)
    if stimuli:
        judgements = replace(judgements, stimuli=stimuli)
    return JudgementReport(
        judgements=judgements,
        scores=score_judgements(judgements, choices),
        background=background_of_study(judgements.study, choices) if judgements.study else None,
        spoiled=spoiled_by(judgements, choices),
    )


def background_of_study(study: Study, choices: Choices) -> Background:
    """Say what was run, and on whom."""
    from hype.answers.background import background_of

    return background_of(study, simulated=choices.simulated)
