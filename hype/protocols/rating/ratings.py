"""Ratings: how they are read, scored, held against judges, laid out, and reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hype.answers.sources import bootstrap, study_or_table
from hype.errors import InputError
from hype.judges.files import judges_in
from hype.protocols.prompted.report import background_of_prompted
from hype.protocols.prompted.scoring import DRAWS, LoadedAnswers, Reader, treatment_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hype.answers.choices import Choices
    from hype.answers.sources import Opened
    from hype.protocols.rating.report import AskedAxes
    from hype.protocols.rating.results import RatingScore
    from hype.protocols.rating.scoring import RatingOptions
    from hype.protocols.rating.study import RatingStudy
    from hype.protocols.rating.table import Scale
    from hype.protocols.rating.trial import Axis
    from hype.protocols.studies import AnyStudy
    from hype.report.figures.drawing import Drawing
    from hype.report.parts import Background
    from hype.report.tabular import Table
    from hype.session.outgoing import Outgoing


def ratings_for(source: Opened, choices: Choices) -> LoadedAnswers:
    """Read the ratings that were chosen."""
    from hype.protocols.rating.rows import RATING_COLUMNS
    from hype.protocols.rating.table import check_ratings, load_ratings

    opened = study_or_table(source)
    scale = scale_of(None if isinstance(opened, Path) else opened, choices)
    reader = Reader(
        outgoing=outgoing,
        columns={declared.name for declared in RATING_COLUMNS},
        check=partial(check_ratings, scale=scale),
        read=partial(load_ratings, scale=scale),
    )
    return reader.answers(opened, choices)


def outgoing() -> Outgoing[Any]:
    from hype.protocols.rating.exclusion import RATED

    return RATED


def scale_of(study: AnyStudy | None, choices: Choices) -> Scale:
    """Say what could be answered: as the study says, or the command for a table."""
    from hype.protocols.rating.study import RatingStudy
    from hype.protocols.rating.table import Scale

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


def options_of(ratings: LoadedAnswers, choices: Choices) -> RatingOptions:
    """Give the choices of the study and of the command; the leaderboard is read."""
    from hype.protocols.rating.leaderboard import read_leaderboard
    from hype.protocols.rating.scoring import RatingOptions

    return RatingOptions(
        axes=axis_names_of(ratings.study),
        scale=scale_of(ratings.study, choices),
        ties="davidson" if choices.ties is None else treatment_of(choices.ties),
        leaderboard=read_leaderboard(choices.leaderboard) if choices.leaderboard else None,
        draws=choices.draws or DRAWS,
        seed=choices.seed,
    )


def score_ratings_loaded(ratings: LoadedAnswers, choices: Choices) -> RatingScore:
    """Score ratings, and hold the judges against them that were given."""
    return score_with(ratings, options_of(ratings, choices), choices)


def score_with(ratings: LoadedAnswers, options: RatingOptions, choices: Choices) -> RatingScore:
    from hype.protocols.rating.scoring import score_ratings

    score = ratings.beside(score_ratings(ratings.frame, options))
    if not choices.judges:
        return score
    from hype.judges.ratings import judge_ratings
    from hype.judges.results import JudgeOptions
    from hype.protocols.rating.exclusion import scored_ratings

    rated = scored_ratings(ratings.frame)[0]["item"].cat.categories if ratings.study else ()
    judges = judges_in(choices.judges, ratings.study, rated=rated)
    chosen = JudgeOptions(axes=options.axes, scale=options.scale, seed=options.seed)
    return replace(score, judges=judge_ratings(ratings.frame, judges, chosen))


def axis_names_of(study: AnyStudy | None) -> tuple[str, ...]:
    from hype.protocols.rating.study import RatingStudy

    return study.settings.axis_names if isinstance(study, RatingStudy) else ()


def ratings_laid_out(ratings: LoadedAnswers, score: RatingScore) -> RenderableType:
    from hype.protocols.rating.wording import rating_table

    return rating_table(score, background=ratings.said)


@dataclass(frozen=True, kw_only=True)
class RatingReport:
    """Ratings that were scored, and what a report makes of them."""

    ratings: LoadedAnswers
    score: RatingScore
    leaderboard: Mapping[str, float]

    @property
    def simulated(self) -> bool:
        return self.score.simulated

    def write_page(self, path: Path) -> Path:
        """Write the report page."""
        from hype.protocols.rating.report import write_rating_report
        from hype.protocols.rating.study import RatingStudy
        from hype.session.facts import versions

        drawn = next((axis.bootstrap for axis in self.score.axes if axis.bootstrap), None)
        study = self.ratings.study
        background = asked = None
        if isinstance(study, RatingStudy):
            background, asked = background_of_ratings(study, self.score), asked_on_axes(study)
        return write_rating_report(
            self.score,
            path,
            title=self.ratings.title,
            provenance={**self.ratings.provenance, **bootstrap(drawn), **versions()},
            background=background,
            asked=asked,
            registered=self.ratings.said,
            leaderboard=self.leaderboard,
        )

    def drawings(self) -> Sequence[Drawing]:
        from hype.protocols.rating.figures import rating_drawings

        return rating_drawings(self.score, self.leaderboard)

    def tables(self) -> Sequence[Table]:
        from hype.protocols.rating.tables import rating_file_tables

        return rating_file_tables(self.score)


def rating_report(source: Opened, choices: Choices, _stimuli: Path | None) -> RatingReport:
    """Read ratings and score them."""
    ratings = ratings_for(source, choices)
    options = options_of(ratings, choices)
    return RatingReport(
        ratings=ratings,
        score=score_with(ratings, options, choices),
        leaderboard=options.leaderboard or {},
    )


_NOT_RELEVANT: Final = ", or not relevant"


def asked_on_axes(study: RatingStudy) -> AskedAxes:
    """Say what evaluators were asked on each axis."""
    from hype.protocols.rating.methods import asked_details
    from hype.protocols.rating.report import AskedAxes, AskedAxis
    from hype.protocols.rating.sampling import axes_of

    settings = study.settings
    return AskedAxes(
        axes=tuple(
            AskedAxis(name=axis.name, question=axis.question, answers=answers_of(axis))
            for axis in axes_of(settings)
        ),
        details=tuple(
            detail for detail in asked_details(settings) if detail[0] not in settings.axis_names
        ),
    )


def answers_of(axis: Axis) -> str:
    from hype.protocols.rating.trial import YES_NO

    ends = "yes or no" if axis.levels == YES_NO else f"{axis.levels[0]} to {axis.levels[-1]}"
    return f"{ends}{_NOT_RELEVANT if axis.optional else ''}"


def background_of_ratings(study: RatingStudy, score: RatingScore) -> Background:
    """Say what was run and on whom, from a study, its record and its score."""
    from hype.protocols.rating.methods import described_rating

    return background_of_prompted(
        study,
        partial(described_rating, study.settings),
        seen=score.conditions,
        simulated=score.simulated,
    )
