"""What `hype score` and `hype report` do with comparisons: read, score, lay out, write a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hype.answers.sources import bootstrap
from hype.protocols.comparison.methods import asked_details, described_comparison
from hype.protocols.prompted.report import AskedQuestion, background_of_prompted
from hype.protocols.prompted.scoring import DRAWS, LoadedAnswers, Reader, treatment_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from sqlalchemy import Connection

    from hype.answers.choices import Choices
    from hype.answers.sources import Opened
    from hype.protocols.comparison.results import PairwiseDetails, PairwiseScore
    from hype.protocols.comparison.scoring import PairwiseOptions
    from hype.protocols.comparison.study import ComparisonStudy
    from hype.report.figures.drawing import Drawing
    from hype.report.parts import Background
    from hype.report.tabular import Table
    from hype.session.outgoing import Outgoing

Answers = Mapping[str, Mapping[str, str]]
"""What evaluators said of themselves: question to evaluator to answer, empty where withheld."""


def comparisons_for(source: Opened, choices: Choices) -> LoadedAnswers:
    """Read the comparisons that were chosen."""
    from hype.protocols.comparison.rows import VOTE_COLUMNS
    from hype.protocols.comparison.table import check_comparisons, load_comparisons

    reader = Reader(
        outgoing=outgoing,
        columns={declared.name for declared in VOTE_COLUMNS},
        check=check_comparisons,
        read=load_comparisons,
    )
    return reader.answers(source, choices)


def outgoing() -> Outgoing[Any]:
    from hype.protocols.comparison.export import COMPARED

    return COMPARED


def options_for(comparisons: LoadedAnswers, choices: Choices) -> PairwiseOptions:
    """Translate study and choices for the analysis; those of a table are scored as any."""
    from hype.protocols.comparison.scoring import PairwiseOptions

    study = comparison_study(comparisons)
    options = PairwiseOptions()
    if study is not None:
        about = demographics_of(study, simulated=choices.simulated)
        options = options_of_study(study, about, comparisons.registration)
    return replace(
        options,
        ties=options.ties if choices.ties is None else treatment_of(choices.ties),
        draws=choices.draws or DRAWS,
        seed=choices.seed,
    )


def comparison_study(comparisons: LoadedAnswers) -> ComparisonStudy | None:
    """Give the study that comparisons are of; None where they are a table's."""
    from hype.protocols.comparison.study import ComparisonStudy

    return comparisons.study if isinstance(comparisons.study, ComparisonStudy) else None


def demographics_of(study: ComparisonStudy, *, simulated: bool) -> Answers:
    """Read what the evaluators of a study said of themselves."""
    from hype.session.records import reading

    with reading(study) as engine, engine.connect() as connection:
        return demographic_answers(connection, simulated=simulated)


def demographic_answers(connection: Connection, *, simulated: bool) -> Answers:
    """Read what evaluators said of themselves."""
    from sqlalchemy import select

    from hype.store.schema import demographics, evaluators

    cells = demographics.c
    query = (
        select(cells.question, evaluators.c.evaluator, cells.answer)
        .join(evaluators, cells.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(cells.id)
    )
    answers: dict[str, dict[str, str]] = {}
    for question, evaluator, answer in connection.execute(query):
        answers.setdefault(question, {})[evaluator] = answer
    return answers


def options_of_study(
    study: ComparisonStudy, about: Answers, registered: str | None
) -> PairwiseOptions:
    """Translate the study for the analysis."""
    from hype.protocols.comparison.scoring import AnalysisPlan, PairwiseOptions

    settings, planned = study.settings, study.settings.analysis
    arena, rule = settings.comparison.arena, settings.validation
    asked = {name: about.get(name, {}) for name in settings.demographics}
    return PairwiseOptions(
        ties=planned.ties,
        alpha=planned.alpha,
        criterion=settings.comparison.asked,
        plan=AnalysisPlan(
            win_rate=planned.win_rate,
            alpha=planned.alpha,
            power=planned.power,
            registration=registered,
        ),
        min_correct=None if rule.kind == "off" else rule.min_correct,
        goal=arena.goal if arena else None,
        goal_unit=arena.unit if arena else "vote",
        goal_alpha=arena.alpha if arena else planned.alpha,
        demographics=asked,
        reference={n: one.reference for n, one in settings.demographics.items() if one.reference},
    )


def score_comparisons_loaded(comparisons: LoadedAnswers, choices: Choices) -> PairwiseScore:
    """Score comparisons as their study says, or as the command line overrules it."""
    from hype.protocols.comparison.scoring import score_comparisons

    score = score_comparisons(comparisons.frame, options_for(comparisons, choices))
    return comparisons.beside(score)


def comparisons_laid_out(comparisons: LoadedAnswers, score: PairwiseScore) -> RenderableType:
    from hype.protocols.comparison.wording import comparison_table

    return comparison_table(score, background=comparisons.said)


@dataclass(frozen=True, kw_only=True)
class ComparisonReport:
    """Comparisons that were scored, and what a report makes of them."""

    comparisons: LoadedAnswers
    score: PairwiseScore
    details: PairwiseDetails
    stimuli: Path | None

    @property
    def simulated(self) -> bool:
        return self.score.simulated

    def write_page(self, path: Path) -> Path:
        """Write the report page."""
        from hype.answers.pictures import pictures_in, why_not_pictured
        from hype.protocols.comparison.preferred import named_images
        from hype.protocols.comparison.report import write_comparison_report
        from hype.session.facts import versions

        study = comparison_study(self.comparisons)
        background = background_of_comparisons(study, self.score) if study else None
        return write_comparison_report(
            self.score,
            path,
            details=self.details,
            title=self.comparisons.title,
            provenance={
                **self.comparisons.provenance,
                **bootstrap(self.score.bootstrap),
                **versions(),
            },
            background=why_not_pictured(background, self.stimuli),
            asked=asked_of(study) if study else None,
            registered=self.comparisons.said,
            pictured=pictures_in(self.stimuli, named_images(self.details.images)),
        )

    def drawings(self) -> Sequence[Drawing]:
        from hype.protocols.comparison.figures import comparison_drawings

        return comparison_drawings(self.score, self.details)

    def tables(self) -> Sequence[Table]:
        """Lay out every table."""
        from hype.protocols.comparison.preferred import image_table
        from hype.protocols.comparison.tables import comparison_file_tables

        ends = self.details.images
        images = [image_table(ends)] if ends else []
        return (*comparison_file_tables(self.score), *images)


def comparison_report(source: Opened, choices: Choices, stimuli: Path | None) -> ComparisonReport:
    """Read comparisons and score them; ``stimuli`` is where images lie if not as a study says."""
    from hype.protocols.comparison.scoring import score_in_detail

    comparisons = comparisons_for(source, choices)
    score, details = score_in_detail(comparisons.frame, options_for(comparisons, choices))
    return ComparisonReport(
        comparisons=comparisons,
        score=comparisons.beside(score),
        details=details,
        stimuli=stimuli or comparisons.stimuli,
    )


def asked_of(study: ComparisonStudy) -> AskedQuestion:
    settings = study.settings
    return AskedQuestion(question=settings.comparison.asked, details=asked_details(settings))


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
