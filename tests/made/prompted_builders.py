"""Settings and pools of ratings and of rankings without image files, for plans."""

from collections.abc import Mapping, Sequence
from typing import Any

from bare_studies import base
from builders import merged, prompts_of

from hype.protocols.ranking.sampling import RankingPools, ranking_pools
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.rating.sampling import RatingPools, rating_pools
from hype.protocols.rating.settings import RatingFile
from hype.study.assignment import Assignment, Cell


def rating_settings(**changes: Any) -> RatingFile:
    """Return the settings of a study of ratings with some tables changed."""
    return RatingFile.model_validate(merged(base("rating"), changes))


def ranking_settings(**changes: Any) -> RankingFile:
    """Return the settings of a study of rankings with some tables changed."""
    return RankingFile.model_validate(merged(base("ranking"), changes))


def pools_to_rate(
    settings: RatingFile,
    prompts: int = 3,
    conditions: str | Sequence[str] = "abcd",
    truths: Mapping[str, tuple[tuple[str, str], ...]] | None = None,
) -> RatingPools:
    """Return the pools of images for ratings, with as many images as the settings say."""
    made = prompts_of(prompts, settings.rating.images, conditions)
    return rating_pools(settings, tuple(conditions), made, truths or {})


def pools_to_rank(
    settings: RankingFile, prompts: int = 3, conditions: str | Sequence[str] = "abcd"
) -> RankingPools:
    """Return the pools of images for rankings, with as many images as the settings say."""
    made = prompts_of(prompts, settings.ranking.images, conditions)
    return ranking_pools(settings, tuple(conditions), made)


def rater(evaluator: str = "p01", share: int = 1) -> Assignment:
    """Return the assignment of an evaluator to a share of the items."""
    return Assignment(
        evaluator=evaluator, cell=Cell(condition="", methods=("rating",), share=share)
    )


def ranker(evaluator: str = "p01", share: int = 1, groups: tuple[str, ...] = ()) -> Assignment:
    """Return the assignment of an evaluator to a share, or of a checker (share 0) to ``groups``."""
    cell = Cell(condition="", methods=("ranking",), share=share)
    return Assignment(evaluator=evaluator, cell=cell, groups=groups)
