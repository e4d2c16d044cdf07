"""Rankings: how they are read, scored, held against preference models, laid out and reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hype.answers.sources import bootstrap
from hype.judges.files import judges_in
from hype.protocols.prompted.report import AskedQuestion, background_of_prompted
from hype.protocols.prompted.scoring import DRAWS, LoadedAnswers, Reader, treatment_of
from hype.protocols.ranking.methods import asked_details, described_ranking

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hype.answers.choices import Choices
    from hype.answers.sources import Opened
    from hype.protocols.ranking.results import RankingScore
    from hype.protocols.ranking.scoring import RankingOptions
    from hype.protocols.ranking.study import RankingStudy
    from hype.report.figures.drawing import Drawing
    from hype.report.parts import Background
    from hype.report.tabular import Table
    from hype.session.outgoing import Outgoing


def rankings_for(source: Opened, choices: Choices) -> LoadedAnswers:
    """Read the rankings that were chosen."""
    from hype.protocols.ranking.rows import RANKING_COLUMNS
    from hype.protocols.ranking.table import check_rankings, load_rankings

    reader = Reader(
        outgoing=outgoing,
        columns={declared.name for declared in RANKING_COLUMNS},
        check=check_rankings,
        read=load_rankings,
    )
    return reader.answers(source, choices)


def outgoing() -> Outgoing[Any]:
    from hype.protocols.ranking.exclusion import RANKED

    return RANKED


def options_for(rankings: LoadedAnswers, choices: Choices) -> RankingOptions:
    """Translate study and choices for the analysis."""
    from hype.protocols.ranking.scoring import RankingOptions
    from hype.protocols.ranking.study import RankingStudy

    options = RankingOptions(
        ties="davidson" if choices.ties is None else treatment_of(choices.ties),
        draws=choices.draws or DRAWS,
        seed=choices.seed,
    )
    if not isinstance(rankings.study, RankingStudy):
        return options
    screening = rankings.study.settings.screening
    return replace(options, min_recall=screening.min_recall, check_share=screening.check_share)


def score_rankings_loaded(
    rankings: LoadedAnswers, choices: Choices, *, with_images: bool = False
) -> RankingScore:
    """Score rankings, and hold the preference models against them that were given.

    ``with_images`` finds the images at either end of some prompts too, which reports show.
    """
    from hype.protocols.ranking.scoring import score_of, scored_rankings

    options = options_for(rankings, choices)
    scored = scored_rankings(rankings.frame, options)
    score = rankings.beside(score_of(scored, options))
    if with_images:
        from hype.protocols.prompted.results import EACH, MOST_PROMPTS
        from hype.protocols.ranking.places import image_ends

        ends = image_ends(scored.rows, MOST_PROMPTS, EACH, confidence=options.confidence)
        score = replace(score, images=ends)
    if not choices.judges:
        return score
    from hype.judges.rankings import judge_rankings
    from hype.judges.results import JudgeOptions

    judges = judges_in(choices.judges, rankings.study)
    models = judge_rankings(scored.rows, judges, JudgeOptions(seed=options.seed))
    return replace(score, judges=models)


def rankings_laid_out(rankings: LoadedAnswers, score: RankingScore) -> RenderableType:
    from hype.protocols.ranking.wording import ranking_table

    return ranking_table(score, background=rankings.said)


@dataclass(frozen=True, kw_only=True)
class RankingReport:
    """Rankings that were scored, and what a report makes of them."""

    rankings: LoadedAnswers
    score: RankingScore
    stimuli: Path | None

    @property
    def simulated(self) -> bool:
        return self.score.simulated

    def write_page(self, path: Path) -> Path:
        """Write the report page."""
        from hype.answers.pictures import pictures_in, why_not_pictured
        from hype.protocols.ranking.report import named_images, write_ranking_report
        from hype.session.facts import versions

        study = ranking_study(self.rankings)
        background = background_of_rankings(study, self.score) if study else None
        return write_ranking_report(
            self.score,
            path,
            title=self.rankings.title,
            provenance={
                **self.rankings.provenance,
                **bootstrap(self.score.bootstrap),
                **versions(),
            },
            background=why_not_pictured(background, self.stimuli),
            asked=asked_of(study) if study else None,
            registered=self.rankings.said,
            pictured=pictures_in(self.stimuli, named_images(self.score.images)),
        )

    def drawings(self) -> Sequence[Drawing]:
        from hype.protocols.ranking.figures import ranking_drawings

        return ranking_drawings(self.score)

    def tables(self) -> Sequence[Table]:
        """Lay out every table."""
        from hype.protocols.ranking.tables import ranking_file_tables

        return ranking_file_tables(self.score)


def ranking_report(source: Opened, choices: Choices, stimuli: Path | None) -> RankingReport:
    """Read rankings and score them; ``stimuli`` is where images lie if not as a study says."""
    rankings = rankings_for(source, choices)
    return RankingReport(
        rankings=rankings,
        score=score_rankings_loaded(rankings, choices, with_images=True),
        stimuli=stimuli or rankings.stimuli,
    )


def ranking_study(rankings: LoadedAnswers) -> RankingStudy | None:
    """Give the study that rankings are of; None where they are a table's."""
    from hype.protocols.ranking.study import RankingStudy

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
