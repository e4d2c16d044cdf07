"""The report page of picks, and a study of picking in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.protocols.facets import Reporting
from hype.protocols.prompted.report import (
    AskedQuestion,
    PromptedReport,
    background_of_prompted,
    page_context,
)
from hype.registration import Fixed
from hype.report.figures.drawing import Drawing
from hype.report.methods import paragraphs_of
from hype.report.page import PageFigure
from hype.report.parts import Fact, Paragraph, PartMaker, Section, heading
from hype.report.tabular import Table
from picking.course import COURSE
from picking.design import DESIGN
from picking.score import MEANING, PickingScore, every_table, left_out_table, shares_table
from picking.settings import NAME, PickingStudy

FOLDER = Path(__file__).parent
PART = PartMaker(protocol=NAME, titles={"asked": "What was asked", "picks": "Picks"})


def design_in_words(study: PickingStudy, conditions: Sequence[str]) -> Sequence[Paragraph]:
    return paragraphs_of(FOLDER / "design.txt", settings=study.settings, conditions=conditions)


class PickingReport(PromptedReport):
    eyebrow = "Picking: which is the best"
    answers = "picks"

    score: PickingScore

    def drawings(self) -> Sequence[Drawing]:
        return ()

    def tables(self) -> Sequence[Table]:
        return every_table(self.score)

    def section(self, _figures: Iterable[PageFigure]) -> Section:
        asked = [PART("asked", blocks=(self.context.asked,))] if self.context.asked else []
        picks = PART("picks", table=shares_table(self.score))
        return Section(key=NAME, title=heading("Picks"), meaning=MEANING, parts=(*asked, picks))

    def facts(self) -> Iterator[Fact]:
        yield "Picks", f"{self.score.picks:,}"

    def left_out(self) -> Table:
        return left_out_table(self.score)

    def methods(self, _parts: frozenset[str]) -> Sequence[Paragraph]:
        return paragraphs_of(FOLDER / "statistics.txt")


def picking_report(
    answers: LoadedAnswers, score: PickingScore, _choices: Choices, _stimuli: Path | None
) -> PickingReport:
    study, background, asked = answers.study, None, None
    if study:
        asked = AskedQuestion(question=study.settings.picking.question)
        background = background_of_prompted(
            study,
            partial(design_in_words, study),
            Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
            drawn="picks were drawn from strengths of the conditions that the study sets",
            seen=[row.condition for row in score.conditions],
            simulated=score.simulated,
        )
    context = page_context(answers, background=background, asked=asked)
    return PickingReport(score=score, context=context)


REPORTING = Reporting(
    report=picking_report,
    design_in_words=design_in_words,
    statistics_in_words=lambda _score: paragraphs_of(FOLDER / "statistics.txt"),
)
