"""Rankings: how they are read, scored, held against preference models, and laid out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hype.judges.command import judges_in
from hype.protocols.prompted.scoring import DRAWS, LoadedAnswers, Reader, treatment_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hype.cli.scoring import Choices
    from hype.cli.sources import Opened
    from hype.protocols.ranking.options import RankingOptions
    from hype.protocols.ranking.results import RankingScore
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
    from hype.protocols.ranking.options import RankingOptions
    from hype.protocols.studies import RankingStudy

    options = RankingOptions(
        ties="davidson" if choices.ties is None else treatment_of(choices.ties),
        draws=choices.draws or DRAWS,
        seed=choices.seed,
    )
    if not isinstance(rankings.study, RankingStudy):
        return options
    screening = rankings.study.settings.screening
    return replace(options, min_recall=screening.min_recall, check_share=screening.check_share)


def score_rankings_loaded(rankings: LoadedAnswers, choices: Choices) -> RankingScore:
    """Score rankings, and hold the preference models against them that were given."""
    from hype.protocols.ranking.scoring import score_rankings

    options = options_for(rankings, choices)
    score = rankings.beside(score_rankings(rankings.frame, options))
    if not choices.judges:
        return score
    from hype.judges.of_rankings import judge_rankings
    from hype.judges.options import JudgeOptions

    models = judge_rankings(
        rankings.frame,
        judges_in(choices.judges, rankings.study),
        JudgeOptions(seed=options.seed),
        failed=score.screening.failed if score.screening else (),
    )
    return replace(score, judges=models)


def rankings_laid_out(rankings: LoadedAnswers, score: RankingScore) -> RenderableType:
    from hype.protocols.ranking.terminal import ranking_table

    return ranking_table(score, background=rankings.said)
