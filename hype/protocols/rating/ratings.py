"""Ratings: how they are read, scored, held against judges, and laid out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hype.cli.sources import study_or_table
from hype.errors import InputError
from hype.judges.command import judges_in
from hype.protocols.prompted.scoring import DRAWS, LoadedAnswers, Reader, treatment_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hype.cli.scoring import Choices
    from hype.cli.sources import Opened
    from hype.protocols.rating.results import RatingScore
    from hype.protocols.rating.scale import Scale
    from hype.protocols.studies import AnyStudy
    from hype.session.outgoing import Outgoing


def ratings_for(source: Opened, choices: Choices) -> LoadedAnswers:
    """Read the ratings that were chosen."""
    from hype.protocols.rating.rows import RATING_COLUMNS
    from hype.protocols.rating.table import check_ratings, load_ratings

    found = study_or_table(source)
    scale = scale_of(None if isinstance(found, Path) else found, choices)
    reader = Reader(
        outgoing=outgoing,
        columns={declared.name for declared in RATING_COLUMNS},
        check=partial(check_ratings, scale=scale),
        read=partial(load_ratings, scale=scale),
    )
    return reader.answers(found, choices)


def outgoing() -> Outgoing[Any]:
    from hype.protocols.rating.exclusion import RATED

    return RATED


def scale_of(study: AnyStudy | None, choices: Choices) -> Scale:
    """Say what could be answered: as the study says, or the command for a table."""
    from hype.protocols.rating.scale import Scale
    from hype.protocols.studies import RatingStudy

    if not isinstance(study, RatingStudy):
        return Scale(**bounds_in(choices.scale)) if choices.scale else Scale()
    if choices.scale:
        raise InputError("--scale", f"is for tables, and {study.path} says what could be answered")
    lowest, highest = study.settings.ends
    return Scale(levels=study.settings.rating.levels, lowest=lowest, highest=highest)


def bounds_in(text: str) -> dict[str, int]:
    """Read what stands behind --scale: 1-7, for pairs that many levels as well."""
    low, mark, high = text.partition("-")
    if not (mark and low.isdigit() and high.isdigit() and int(low) < int(high) <= 100):
        raise InputError("--scale", f"{text!r} is no scale", "its ends, such as 1-5 or 1-10")
    levels = {"levels": int(high)} if int(low) == 1 and int(high) % 2 else {}
    return {"lowest": int(low), "highest": int(high), **levels}


def score_ratings_loaded(ratings: LoadedAnswers, choices: Choices) -> RatingScore:
    """Score ratings, and hold the judges against them that were given."""
    from hype.protocols.rating.leaderboard import read_leaderboard
    from hype.protocols.rating.options import RatingOptions
    from hype.protocols.rating.scoring import score_ratings

    options = RatingOptions(
        axes=axes_of(ratings.study),
        scale=scale_of(ratings.study, choices),
        ties="davidson" if choices.ties is None else treatment_of(choices.ties),
        leaderboard=read_leaderboard(choices.leaderboard) if choices.leaderboard else None,
        draws=choices.draws or DRAWS,
        seed=choices.seed,
    )
    score = ratings.beside(score_ratings(ratings.frame, options))
    if not choices.judges:
        return score
    from hype.judges.of_ratings import judge_ratings
    from hype.judges.options import JudgeOptions
    from hype.protocols.rating.exclusions import scored_ratings

    rated = scored_ratings(ratings.frame)[0]["item"].cat.categories if ratings.study else ()
    judges = judges_in(choices.judges, ratings.study, rated=rated)
    chosen = JudgeOptions(axes=options.axes, scale=options.scale, seed=options.seed)
    return replace(score, judges=judge_ratings(ratings.frame, judges, chosen))


def axes_of(study: AnyStudy | None) -> tuple[str, ...]:
    from hype.protocols.studies import RatingStudy

    return study.settings.axis_names if isinstance(study, RatingStudy) else ()


def ratings_laid_out(ratings: LoadedAnswers, score: RatingScore) -> RenderableType:
    from hype.protocols.rating.terminal import rating_table

    return rating_table(score, background=ratings.said)
