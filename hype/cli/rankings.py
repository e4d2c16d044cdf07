"""Rankings: how they are read, scored, held against preference models, and laid out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hype.cli.answered import Answered, Reader
from hype.cli.comparisons import DRAWS, treatment_of
from hype.cli.judges import judges_in

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hype.analysis.rankings.options import RankingOptions
    from hype.analysis.rankings.scores import RankingScore
    from hype.cli.scoring import Choices
    from hype.cli.sources import Opened
    from hype.sessions.outgoing import Outgoing


def rankings_for(source: Opened, choices: Choices) -> Answered:
    """Read the rankings that were chosen."""
    from hype.analysis.rankings.ranking_columns import RANKING_COLUMNS
    from hype.analysis.rankings.rankings import check_rankings, load_rankings

    reader = Reader(
        outgoing=outgoing,
        columns={declared.name for declared in RANKING_COLUMNS},
        check=check_rankings,
        read=load_rankings,
    )
    return reader.answers(source, choices)


def outgoing() -> Outgoing[Any]:
    """Give how rankings leave a study."""
    from hype.sessions.exported_rankings import RANKED

    return RANKED


def options_for(rankings: Answered, choices: Choices) -> RankingOptions:
    """Translate study and choices for the analysis."""
    from hype.analysis.rankings.options import RankingOptions
    from hype.study.studies import RankingStudy

    options = RankingOptions(
        ties="davidson" if choices.ties is None else treatment_of(choices.ties),
        draws=choices.draws or DRAWS,
        seed=choices.seed,
    )
    if not isinstance(rankings.study, RankingStudy):
        return options
    screening = rankings.study.settings.screening
    return replace(options, min_recall=screening.min_recall, check_share=screening.check_share)


def score_rankings_loaded(rankings: Answered, choices: Choices) -> RankingScore:
    """Score rankings, and hold the preference models against them that were given."""
    from hype.analysis.rankings.scoring import score_rankings

    options = options_for(rankings, choices)
    score = rankings.beside(score_rankings(rankings.frame, options))
    if not choices.judges:
        return score
    from hype.analysis.judges.options import JudgeOptions
    from hype.analysis.judges.ranking_judges import judge_rankings

    models = judge_rankings(
        rankings.frame,
        judges_in(choices.judges, rankings.study),
        JudgeOptions(seed=options.seed),
        failed=score.screening.failed if score.screening else (),
    )
    return replace(score, judges=models)


def rankings_laid_out(rankings: Answered, score: RankingScore) -> RenderableType:
    """Lay out a score for the terminal."""
    from hype.report.ranking_table import ranking_table

    return ranking_table(score, background=rankings.said)
