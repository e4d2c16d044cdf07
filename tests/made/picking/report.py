"""The report page of picks, and the description of a study of picking."""

from pathlib import Path

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.protocols.facets import Reporting
from hype.protocols.prompted import report
from hype.registration import Fixed
from hype.report.methods import paragraphs_of
from hype.report.scores import Scores
from picking.course import COURSE
from picking.design import DESIGN
from picking.score import LAYOUT

FOLDER = Path(__file__).parent
WORDS = report.StudyWords(
    asked=lambda study: report.AskedQuestion(question=study.settings.picking.question),
    described=lambda settings, conditions: paragraphs_of(
        FOLDER / "design.txt", settings=settings, conditions=conditions
    ),
    fixed=Fixed(COURSE, DESIGN.planned_analysis, DESIGN.fixed_files),
    drawn="picks were drawn from strengths of the conditions that the study sets",
)


PAGE = report.PromptedPage(
    eyebrow="Picking: which is the best",
    title="Picks",
    answers="picks",
    meaning=lambda _scores: "",
    layout=LAYOUT,
    facts=lambda scores: [("Picks", f"{scores.facts['picks']:,}")],
    sentences=lambda *_: {},
    blocks=lambda *_: {},
    methods=lambda _scores: paragraphs_of(FOLDER / "statistics.txt"),
)


def picking_report(
    answers: LoadedAnswers, scores: Scores, _choices: Choices, _stimuli: Path | None
) -> report.PromptedReport:
    context = report.page_context(answers, WORDS, scores)
    return report.PromptedReport(page=PAGE, scores=scores, context=context, draw=tuple)


REPORTING = Reporting(
    report=picking_report, design_in_words=WORDS.design, statistics_in_words=PAGE.methods
)
