"""The report page of picks, and a study of picking in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hype.answers.sources import LoadedAnswers
from hype.protocols.facets import Reporting
from hype.protocols.prompted.report import AskedQuestion, background_of_prompted
from hype.registration import Fixed
from hype.report.figures.drawing import Drawing
from hype.report.methods import methods_of, paragraphs_of
from hype.report.page import ReportPage, excluded_by_reason, write_page
from hype.report.parts import Paragraph, PartMaker, Section, heading
from hype.report.tabular import Table
from hype.session.facts import versions
from picking.course import COURSE
from picking.design import DESIGN
from picking.score import MEANING, PickingScore, excluded_table, shares_table
from picking.settings import NAME, PickingStudy

FOLDER = Path(__file__).parent


def design_in_words(study: PickingStudy, conditions: Sequence[str]) -> Sequence[Paragraph]:
    return paragraphs_of(FOLDER / "design.txt", settings=study.settings, conditions=conditions)


@dataclass(frozen=True, kw_only=True)
class PickingReport:
    answers: LoadedAnswers
    score: PickingScore

    @property
    def simulated(self) -> bool:
        return self.score.simulated

    def write_page(self, path: Path) -> Path:
        score, study = self.score, self.answers.study
        part = PartMaker(protocol=NAME, titles={"asked": "What was asked", "picks": "Picks"})
        background, parts = None, (part("picks", table=shares_table(score)),)
        if isinstance(study, PickingStudy):
            asked = AskedQuestion(question=study.settings.picking.question)
            parts = (part("asked", blocks=(asked,)), *parts)
            background = background_of_prompted(
                study,
                partial(design_in_words, study),
                Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
                drawn="picks were drawn from strengths of the conditions that the study sets",
                seen=[row.condition for row in score.conditions],
                simulated=score.simulated,
            )
        computed = paragraphs_of(FOLDER / "statistics.txt")
        provenance = {**self.answers.provenance, **versions()}
        page = ReportPage(
            title=self.answers.title,
            eyebrow="Picking: which is the best",
            simulated=score.simulated,
            facts=(("Picks", f"{score.picks:,}"), *(background.facts if background else ())),
            background=background,
            sections=(Section(key=NAME, title=heading("Picks"), meaning=MEANING, parts=parts),),
            excluded=excluded_by_reason(excluded_table(score), "All picks were scored."),
            methods=methods_of(computed, background=background, programs=provenance),
            provenance=provenance,
        )
        return write_page(page, path)

    def drawings(self) -> Sequence[Drawing]:
        return ()

    def tables(self) -> Sequence[Table]:
        return (shares_table(self.score),)


REPORTING = Reporting(
    report=lambda answers, score, _choices, _stimuli: PickingReport(answers=answers, score=score),
    design_in_words=design_in_words,
    statistics_in_words=lambda _score: paragraphs_of(FOLDER / "statistics.txt"),
)
