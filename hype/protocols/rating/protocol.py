"""Ratings, as the program asks of every protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hype.errors import InputError
from hype.protocols.prompted.protocol import (
    PromptedProtocol,
    PromptedShape,
    PromptedTemplate,
    prompted_text,
)
from hype.protocols.protocol import ALPHA, Json, TextsIf

if TYPE_CHECKING:
    from rich.console import RenderableType
    from sqlalchemy import Connection

    from hype.answers.choices import Choices
    from hype.answers.groups import GroupMeasure
    from hype.answers.sources import LoadedAnswers, Opened
    from hype.asking.questions import ImageQuestion
    from hype.check.findings import Preflight
    from hype.export.kind import ExportKind
    from hype.leaderboard.boards import Measured
    from hype.planning.planned import PlannedScore
    from hype.protocols.rating.course import RatingCourse
    from hype.protocols.rating.report import RatingReport
    from hype.protocols.rating.results import RatingScore
    from hype.protocols.rating.settings import RatingFile, RatingStudy
    from hype.protocols.rating.verify import Ratings
    from hype.report.methods import Paragraph
    from hype.statistics.agreement import Alpha
    from hype.status.progress import Telling
    from hype.store.columns import RecordedAnswers
    from hype.study.texts import Pack

TESTS: Final = (
    "strengths on each axis: Bradley and Terry's model of who was better, the middle a tie, "
    "intervals for other evaluators and other images, 95%",
    "pairs on each axis: differences of strengths, max-|t| over all pairs stepping down, or Holm's "
    "rule where people or prompts are few",
    "pairs of axes: Pearson's r, for other evaluators and other images, 95%",
    "agreement on each axis: Krippendorff's α, ordinal",
)
TESTS_OF_IMAGES: Final = (
    "means of the conditions on each axis: for other evaluators and other images, 95%",
    "pairs of conditions on each axis: differences of means, Holm's rule over all pairs",
    *TESTS[2:],
    "answers against what is right: accuracy, or Pearson's r of a scale",
)


def rated_in(tables: Mapping[str, Any]) -> str:
    """Tell whether a file is about pairs or single images."""
    match tables:
        case {"rating": {"of": "images"}}:
            return "images"
    return "pairs"


class RatingProtocol(PromptedProtocol):
    """How much better one of two images is, or how good one is, axis by axis."""

    name = "rating"
    answers = "ratings"
    drawn = "answers were drawn from strengths of the conditions on each axis, as the study sets"
    asks = "how much better, axis by axis (rating)"
    own_choices = frozenset(("ties", "strengths", "judges", "margin", "leaderboard", "scale"))

    @property
    def settings(self) -> type[RatingFile]:
        from hype.protocols.rating.settings import RatingFile

        return RatingFile

    def study(self, file: Path, settings: Any) -> RatingStudy:
        from hype.protocols.rating.settings import RatingStudy

        return RatingStudy(path=file, settings=settings)

    def course(self, study: RatingStudy) -> RatingCourse:
        from hype.protocols.rating.course import RatingCourse

        return RatingCourse(study)

    @property
    def recorded(self) -> RecordedAnswers:
        from hype.protocols.rating.record import RATINGS

        return RATINGS

    def texts_if(self, settings: RatingFile) -> Iterator[TextsIf]:
        from hype.protocols.rating.course import meanings
        from hype.protocols.rating.trial import YES_NO

        yield from super().texts_if(settings)
        asked, axes = settings.rating, settings.axis_names
        pairs, levels = asked.of == "pairs", [settings.levels_of(name) for name in axes]
        sides = meanings(asked.levels) if pairs else ()
        for name in ("left_much", "left", "equal", "right", "right_much"):
            yield name in sides, (name,)
        yield not pairs and YES_NO in levels, ("answer_yes", "answer_no")
        yield not pairs and any(each != YES_NO for each in levels), ("lowest", "highest")
        yield any(map(settings.optional, axes)), ("not_relevant", "instructions_not_relevant")
        yield asked.mouse, ("instructions_mouse",)
        yield asked.practice > 0, ("practice",)

    def text_groups(self, tables: Mapping[str, Any], /) -> tuple[str, ...]:
        return (*super().text_groups(tables), rated_in(tables))

    def worded(self, tables: Mapping[str, Any], pack: Pack) -> dict[str, Any]:
        from hype.protocols.rating.settings import axes_in

        axes = axes_in(tables, pack.questions[rated_in(tables)])
        return {**super().worded(tables, pack), "axes": axes}

    def words_asked(self, study: RatingStudy) -> Iterator[tuple[str, str]]:
        settings = study.settings
        for name in settings.axis_names:
            yield f"axes.{name}", settings.axis(name).question or settings.known_axes[name]
        yield from super().words_asked(study)

    @property
    def templates(self) -> Mapping[str, PromptedTemplate]:
        template = PromptedTemplate(
            words="rate how much better, axis by axis",
            wanted="ratings",
            of_each=" for each pair of images",
            usual=PromptedShape(images=1),
            shape=PromptedShape,
            text=partial(prompted_text, Path(__file__).parent, method="rating", done="rated"),
        )
        return {"rating": template}

    def prompts(self, study: RatingStudy) -> Iterator[str]:
        from hype.protocols.rating.sampling import read_rating_pools

        return (prompt.text for prompt in read_rating_pools(study).prompts)

    def questions(self, study: RatingStudy) -> Iterator[ImageQuestion]:
        from hype.protocols.rating.export import questions_of

        return questions_of(study)

    def check(self, study: RatingStudy) -> Preflight:
        from hype.protocols.rating.checks import check_rating_study

        return check_rating_study(study)

    def lines_of_check(self, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        from hype.protocols.rating.checks import lines_of_ratings

        return lines_of_ratings(facts) if "prompts" in facts else iter(())

    def planned_analysis(self, study: RatingStudy) -> Json:
        from hype.protocols.rating.sampling import axes_of

        settings = study.settings
        asked = settings.rating
        is_optional = any(map(settings.optional, settings.axis_names))
        return {
            "methods": list(settings.study.methods),
            "seed": settings.study.seed,
            "of": asked.of,
            "axes": [
                {"axis": axis.name, "question": axis.question, "answers": list(axis.answers)}
                for axis in axes_of(settings)
            ],
            "ratings": asked.ratings,
            "alpha": ALPHA,
            "margin": settings.analysis.margin,
            "judge_margin": settings.analysis.judge_margin,
            "not_scored": [
                "evaluators who declined or did not finish",
                "practice",
                *(["axes said not to be relevant (missing)"] if is_optional else []),
            ],
            "tests": list(TESTS if asked.of == "pairs" else TESTS_OF_IMAGES),
        }

    def look(self, connection: Connection, study: RatingStudy, *, simulated: bool) -> Telling:
        from hype.protocols.rating.status import look_at_ratings

        return look_at_ratings(connection, study, simulated=simulated)

    @property
    def verified(self) -> Ratings:
        from hype.protocols.rating.verify import Ratings

        return Ratings()

    def exported(self, study: RatingStudy) -> ExportKind:
        from hype.protocols.rating.export import rating_kind

        return rating_kind(study.settings)

    def is_table_of(self, names: Collection[str]) -> bool:
        return "axis" in names or ("item" in names and "truth" not in names)

    def read(self, source: Opened, choices: Choices) -> LoadedAnswers[Any]:
        from hype.protocols.rating.scoring import ratings_for

        return ratings_for(source, choices)

    def score(self, answers: LoadedAnswers[Any], choices: Choices) -> RatingScore:
        from hype.protocols.rating.scoring import score_ratings_loaded

        return score_ratings_loaded(answers, choices)

    def agreement(self, answers: LoadedAnswers[Any], choices: Choices) -> Alpha | None:
        from hype.protocols.rating.scoring import main_alpha, options_of

        return main_alpha(answers.frame, options_of(answers, choices))

    def group_measures(
        self, answers: LoadedAnswers[Any], choices: Choices
    ) -> Iterator[GroupMeasure]:
        from hype.protocols.rating.scoring import rating_measures

        return rating_measures(answers, choices)

    def measured(
        self, answers: LoadedAnswers[Any], scored: RatingScore, _choices: Choices, /
    ) -> Iterator[Measured]:
        from hype.leaderboard.boards import Measured, entry_of
        from hype.protocols.prompted.scoring import people_by_condition
        from hype.protocols.rating.exclusion import scored_ratings
        from hype.statistics.strength_table import ConditionStrength

        ratings, _ = scored_ratings(answers.frame)
        relevant = ratings[ratings["value"].notna()]
        for axis in scored.axes:
            on_axis = relevant[relevant["axis"].eq(axis.axis)]
            people = people_by_condition(on_axis, "first", "second")
            number = {row.condition: row.ratings for row in axis.means}
            rows = axis.strengths or axis.means
            yield Measured(
                title=f"Ratings: {axis.axis}",
                unit="Elo" if axis.strengths else "",
                decimals=0 if axis.strengths else 2,
                about="Strengths by Bradley and Terry of which image was better, on Elo's scale: "
                "400 points are odds of 10 to 1."
                if axis.strengths
                else "The mean answer on single images; of yes and no the share of yes.",
                simulated=scored.simulated,
                entries=tuple(
                    entry_of(
                        row.condition,
                        row.elo if isinstance(row, ConditionStrength) else row.mean,
                        evaluators=people.get(row.condition),
                        answers=number.get(row.condition, 0),
                        ranks=(row.rank_low, row.rank_high)
                        if isinstance(row, ConditionStrength)
                        else (None, None),
                    )
                    for row in rows
                ),
                pairs=axis.pairs,
            )

    def design_in_words(
        self, study: RatingStudy, conditions: Sequence[str], /
    ) -> Sequence[Paragraph]:
        from hype.protocols.rating.wording import design_in_words

        return design_in_words(study.settings, conditions)

    def statistics_in_words(self, scored: RatingScore, /) -> Sequence[Paragraph]:
        from hype.protocols.rating.wording import statistics_in_words

        return statistics_in_words(scored)

    def planned(self, study: RatingStudy, of: str | None) -> PlannedScore:
        from hype.planning.planned import ELO
        from hype.protocols.prompted.planning import planned_strengths
        from hype.protocols.rating.course import RatingCourse
        from hype.protocols.rating.exclusion import RATED
        from hype.protocols.rating.rows import RATING_COLUMNS
        from hype.protocols.rating.scoring import differences_on, options_of_study
        from hype.protocols.rating.table import check_ratings
        from hype.tables.scales import OVERALL

        names, options = study.settings.axis_names, options_of_study(study)
        axis = of or (OVERALL if OVERALL in names else names[0])
        if axis not in names:
            raise InputError("--method", f"{axis!r} is no axis of {study.path}", ", ".join(names))
        return planned_strengths(
            RatingCourse(study),
            partial(differences_on, axis=axis, options=options),
            title=f"Ratings, {axis}",
            outgoing=RATED,
            columns=RATING_COLUMNS,
            check=partial(check_ratings, scale=options.scale),
            unit=ELO if study.settings.rating.of == "pairs" else "points of the scale",
        )

    def laid_out(self, answers: LoadedAnswers[Any], scored: RatingScore) -> RenderableType:
        from hype.protocols.rating.wording import rating_table

        return rating_table(scored, background=answers.said)

    def report(
        self,
        answers: LoadedAnswers[Any],
        scored: RatingScore,
        choices: Choices,
        _stimuli: Path | None = None,
    ) -> RatingReport:
        from hype.protocols.rating.report import rating_report

        return rating_report(answers, scored, choices)
