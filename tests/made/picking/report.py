"""The report page of picks, and a study of picking in words."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.protocols.facets import Reporting
from hype.protocols.prompted import report
from hype.registration import Fixed
from hype.report.methods import paragraphs_of
from hype.report.page import PageFigure
from hype.report.parts import Fact, Paragraph, Part, PartMaker, Place
from hype.report.tabular import Table
from picking.course import COURSE
from picking.design import DESIGN
from picking.score import PickingScore
from picking.settings import NAME

FOLDER = Path(__file__).parent
PART = PartMaker(protocol=NAME, titles={"picks": "Picks"})


class PickingReport(report.PromptedReport):
    eyebrow = "Picking: which is the best"
    answers = "picks"
    title, part, places = "Picks", PART, {Place.RESULT: ("picks",)}
    meaning = ""
    score: PickingScore

    def tables(self) -> Sequence[Table]:
        return [self.score.conditions, self.left_out()]

    def parts(self, _figures: Iterable[PageFigure]) -> Iterable[Part]:
        return [PART("picks", table=self.score.conditions)]

    def facts(self) -> Iterator[Fact]:
        yield "Picks", f"{self.score.picks:,}"

    def methods(self, _parts: frozenset[str]) -> Sequence[Paragraph]:
        return paragraphs_of(FOLDER / "statistics.txt")


WORDS = report.StudyWords(
    asked=lambda study: report.AskedQuestion(question=study.settings.picking.question),
    described=lambda settings, conditions: paragraphs_of(
        FOLDER / "design.txt", settings=settings, conditions=conditions
    ),
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="picks were drawn from strengths of the conditions that the study sets",
)


def picking_report(
    answers: LoadedAnswers, score: PickingScore, _choices: Choices, _stimuli: Path | None
) -> PickingReport:
    seen = score.conditions.values()["condition"]
    context = report.page_context(answers, WORDS, seen, simulated=score.simulated)
    return PickingReport(score=score, context=context)


REPORTING = Reporting(
    report=picking_report,
    design_in_words=WORDS.design,
    statistics_in_words=lambda _score: paragraphs_of(FOLDER / "statistics.txt"),
)
