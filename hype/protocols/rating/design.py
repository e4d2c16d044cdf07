"""The design of a study of ratings: registration, progress, and new study files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Final

from sqlalchemy import select

from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate, write_study
from hype.protocols.rating.course import RatingCourse
from hype.protocols.rating.record import ratings
from hype.protocols.rating.sampling import axes_of
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.trial import NOT_RELEVANT, RatingTask, agrees
from hype.report import tabular
from hype.status.design import Facts, OpenStudy, StatusDesign, tally
from hype.store.schema import evaluators

IS_SCORED: Final = ratings.c.task == RatingTask.RATING.value


def answers_wanted(course: RatingCourse) -> int:
    asked = course.study.settings
    return len(asked.axis_names) * asked.rating.ratings * sum(map(len, course.pools.shares))


def facts_of(here: OpenStudy, people: Sequence[Facts]) -> Iterator[Facts]:
    """State each evaluator's share of right answers in the test; None if there is no test."""
    row, settings = ratings.c, here.study.settings
    query = (
        select(evaluators.c.evaluator, row.axis, row.answer, row.truth, row.second)
        .join(ratings, row.evaluator_id == evaluators.c.id)
        .where(row.simulated == here.simulated, row.task == RatingTask.TEST.value)
        .where(row.truth.is_not(None))
    )
    right: dict[str, list[bool]] = {}
    for evaluator, axis, answer, truth, second in here.connection.execute(query):
        levels, pair = settings.levels_of(axis), second is not None
        right.setdefault(evaluator, []).append(agrees(answer, truth, levels, pair=pair))
    for who in people:
        own = right.get(who["evaluator"])
        yield {"test_correct": fmean(own) if own else None}


STATUS: Final = StatusDesign(
    course=RatingCourse,
    table=ratings,
    heading="Answers",
    scored=IS_SCORED,
    paid=ratings.c.task != RatingTask.PRACTICE.value,
    wanted=answers_wanted,
    counted={"not_relevant": IS_SCORED & (ratings.c.answer == NOT_RELEVANT)},
    facts=facts_of,
    columns=(tabular.share("Test", "test_correct"), tally("Not re-\nlevant", "not_relevant")),
)

TESTS: Final = (
    "strengths on each axis: Bradley and Terry's model of which image is better, with the middle "
    "level as a tie; 95% intervals generalise to other evaluators and other images",
    "pairs on each axis: tests of the differences of strengths, corrected by step-down max-|t| "
    "over all pairs, or by Holm's rule if there are few people or prompts",
    "pairs of axes: Pearson's r; 95% intervals generalise to other evaluators and other images",
    "agreement on each axis: Krippendorff's α, ordinal",
)
TESTS_OF_IMAGES: Final = (
    "means of conditions on each axis; 95% intervals generalise to other evaluators and images",
    "pairs of conditions on each axis: differences of means, corrected by Holm's rule",
    *TESTS[2:],
    "answers compared with the right answers: accuracy, or Pearson's r for a scale",
)


def analysis_plan(study: RatingStudy) -> Json:
    settings = study.settings
    asked = settings.rating
    is_optional = any(map(settings.optional, settings.axis_names))
    return {
        "methods": list(settings.study.methods),
        "axes": [
            {"axis": axis.name, "question": axis.question, "answers": list(axis.answers)}
            for axis in axes_of(settings)
        ],
        "alpha": ALPHA,
        "not_scored": [
            *settings.not_scored,
            "practice and the test",
            *(['answers "not relevant" (missing)'] if is_optional else []),
        ],
        "tests": list(TESTS if asked.of == "pairs" else TESTS_OF_IMAGES),
    }


DESIGN: Final = StudyDesign(conditions=taking_part, planned_analysis=analysis_plan, status=STATUS)

TEMPLATES: Final = {
    "rating": PromptedTemplate(
        wanted="ratings",
        usual=PromptedShape(images=1),
        shape=PromptedShape,
        text=partial(write_study, Path(__file__).parent, method="rating", done="rated"),
    )
}
