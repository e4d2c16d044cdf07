"""The report page of picks, and a study of picking in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.protocols.facets import Reporting
from hype.protocols.prompted.report import (
    AskedQuestion,
    PromptedReport,
    StudyWords,
    page_context,
)
from hype.registration import Fixed
from hype.report.methods import paragraphs_of
from hype.report.page import PageFigure
from hype.report.parts import Fact, Paragraph, PartMaker, Section, heading
from hype.report.tabular import Table
from picking.course import COURSE
from picking.design import DESIGN
from picking.score import MEANING, PickingScore, every_table
from picking.settings import NAME

FOLDER = Path(__file__).parent
PART = PartMaker(protocol=NAME, titles={"asked": "What was asked", "picks": "Picks"})


class PickingReport(PromptedReport):
    eyebrow = "Picking: which is the best"
    answers = "picks"

    score: PickingScore

    def tables(self) -> Sequence[Table]:
        return every_table(self.score)

    def section(self, _figures: Iterable[PageFigure]) -> Section:
        asked = [PART("asked", blocks=(self.context.asked,))] if self.context.asked else []
        picks = PART("picks", table=self.score.conditions)
        return Section(key=NAME, title=heading("Picks"), meaning=MEANING, parts=(*asked, picks))

    def facts(self) -> Iterator[Fact]:
        yield "Picks", f"{self.score.picks:,}"

    def methods(self, _parts: frozenset[str]) -> Sequence[Paragraph]:
        return paragraphs_of(FOLDER / "statistics.txt")


def picking_report(
    answers: LoadedAnswers, score: PickingScore, _choices: Choices, _stimuli: Path | None
) -> PickingReport:
    seen = score.conditions.values()["condition"]
    context = page_context(answers, WORDS, seen, simulated=score.simulated)
    return PickingReport(score=score, context=context)


WORDS = StudyWords(
    asked=lambda study: AskedQuestion(question=study.settings.picking.question),
    described=lambda settings, conditions: paragraphs_of(
        FOLDER / "design.txt", settings=settings, conditions=conditions
    ),
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="picks were drawn from strengths of the conditions that the study sets",
)
REPORTING = Reporting(
    report=picking_report,
    design_in_words=WORDS.design,
    statistics_in_words=lambda _score: paragraphs_of(FOLDER / "statistics.txt"),
)
