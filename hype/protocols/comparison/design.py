"""The design of a study of comparisons: registration, progress, and new study files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Final

from hype.errors import NothingRecorded
from hype.files import inside
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.record import comparisons, is_enough
from hype.protocols.comparison.sampling import read_comparison_pools, times_met
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.facets import Json, StudyDesign, join_without_votes
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate, write_study
from hype.protocols.prompted.trial import Choice
from hype.report import tabular
from hype.status.design import Facts, OpenStudy, StatusDesign, tally
from hype.store.record import record_of

IS_ANSWERED: Final = comparisons.c.answer != Choice.NONE.value
IS_NO_PRACTICE: Final = comparisons.c.task != ComparisonTask.PRACTICE.value
IS_VOTE: Final = (comparisons.c.task == ComparisonTask.COMPARISON.value) & IS_ANSWERED
IS_TEST: Final = comparisons.c.task == ComparisonTask.TEST.value
IS_OBVIOUS: Final = comparisons.c.task == ComparisonTask.VALIDATION.value


def facts_of(here: OpenStudy, people: Sequence[Facts]) -> Iterator[Facts]:
    """Yield each evaluator's results on obvious comparisons, and the number of "both are bad".

    A value is None if the study does not measure it, or the evaluator has no answers for it yet.
    """
    rule, asked = here.study.settings.validation, here.study.settings.comparison
    for who in people:
        met, right = who["validation_met"], who["validation_right"]
        judged = met and rule.kind != "off"
        yield {
            "test_correct": who["test_right"] / who["tested"] if who["tested"] else None,
            "validation_correct": right / met if met else None,
            "passed": is_enough(right, met, rule.min_correct) if judged else None,
            "both_bad": who["both_bad"] if asked.both_bad else None,
        }


def votes_wanted(course: ComparisonCourse) -> int | None:
    asked, pools = course.study.settings.comparison, course.pools
    pairs = combinations(pools.conditions, 2)
    met = sum(times_met(pools, *pair) for pair in pairs)
    return None if asked.arena else int(met * asked.votes * len(asked.questions))


def facts_of_arena(here: OpenStudy, _people: object) -> Facts:
    if here.study.settings.comparison.arena is None:
        return {"arena": None}
    from hype.protocols.comparison.arena import arena_facts  # loads statistics

    conditions = here.course.pools.conditions if here.course else ()
    arena = arena_facts(here.connection, here.study, conditions, simulated=here.simulated)
    return {"arena": arena, "enough": arena["enough"] if arena else ""}


def lines_of_arena(facts: Facts) -> Iterator[str]:
    """Say that an arena's goal is not reached yet, and when the stopping rule will look next."""
    arena = facts["arena"]
    if arena is None or arena["enough"]:
        return
    what = "the ranking" if arena["goal"] == "ranking" else "the best condition"
    so_far = f"{arena['votes']:,} of at most {arena['most_votes']:,} votes"
    yield f"Arena: {what} is not known yet; {so_far}"
    if arena["next_look"] is not None:
        finished = f"{arena['evaluators']:,} evaluators finished"
        yield f"Stopping rule: {finished}; the next test comes after {arena['next_look']:,}"


STATUS: Final = StatusDesign(
    course=ComparisonCourse,
    table=comparisons,
    heading="Votes",
    scored=IS_VOTE,
    paid=IS_ANSWERED & IS_NO_PRACTICE,
    wanted=votes_wanted,
    counted={
        "hasty": comparisons.c.hasty & IS_NO_PRACTICE,
        "both_bad": (comparisons.c.answer == Choice.BOTH_BAD.value) & IS_NO_PRACTICE,
        "unanswered": ~IS_ANSWERED & IS_NO_PRACTICE,
        "tested": IS_TEST,
        "test_right": IS_TEST & comparisons.c.correct,
        "validation_met": IS_OBVIOUS,
        "validation_right": IS_OBVIOUS & comparisons.c.correct,
    },
    test="Validation",
    facts=facts_of,
    facts_of_study=facts_of_arena,
    lines=lines_of_arena,
    columns=(
        tally("Hasty", "hasty"),
        tabular.share("Test", "test_correct"),
        tabular.whole("Both\nbad", "both_bad"),
        tabular.share("Valida-\ntion", "validation_correct"),
        tabular.yes_or_no("Passed", "passed"),
    ),
)

TESTS: Final = (
    "pairs: tests of the differences of strengths, corrected for the number of pairs by step-down "
    "max-|t|, or by Holm's rule with few people or prompts",
    "win rates: Wilson's 95% interval, for the equivalent number of independent comparisons",
    "strengths (Bradley & Terry): 95% intervals that generalise to other evaluators and other "
    "prompts or images",
)
OVER_CRITERIA: Final = "pairs of all criteria together: Holm's rule"


def analysis_plan(study: ComparisonStudy) -> Json:
    settings = study.settings
    rule = settings.validation
    bound = f"evaluators with fewer than {rule.min_correct:.0%} of validation comparisons right"
    return {
        "methods": list(settings.study.methods),
        "question": settings.comparison.asked,
        "not_scored": [
            *settings.not_scored,
            *([bound] if rule.kind != "off" else []),
            "practice, the test, and validation",
            "comparisons that were not answered in time",
        ],
        "alpha": settings.analysis.alpha,
        "tests": [*TESTS, *([OVER_CRITERIA] if settings.analysis.over_criteria else [])],
    }


def list_fixed_files(study: ComparisonStudy) -> Mapping[str, Path]:
    rule = study.settings.validation
    return {"validation": inside(study.folder, rule.file)} if rule.kind == "listed" else {}


def join_with_votes(study: ComparisonStudy, votes: int | None) -> Mapping[str, object]:
    if study.settings.comparison.arena is None:
        return join_without_votes(study, votes)
    from hype.protocols.comparison.arena import joining

    names = read_comparison_pools(study).conditions
    try:
        with record_of(study).reading() as engine, engine.connect() as record:
            return joining(record, study, names, votes)
    except NothingRecorded:
        return joining(None, study, names, votes)


DESIGN: Final = StudyDesign(
    conditions=taking_part,
    planned_analysis=analysis_plan,
    status=STATUS,
    fixed_files=list_fixed_files,
    joining=join_with_votes,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonShape(PromptedShape):
    """The properties of a new study of comparisons.

    ``arena``: whether pairs are chosen when an evaluator starts. ``pairs``: how many images have
    degraded copies for validation.
    """

    arena: bool = False
    pairs: int = 0


def comparison_text(name: str, shape: ComparisonShape) -> str:
    return write_study(
        *(Path(__file__).parent, name, shape),
        method="comparison",
        done="compared",
        arena=shape.arena,
        listed=shape.pairs > 0,
        mismatched=not shape.arena and shape.prompts > 1,
    )


def remarks_on(shape: ComparisonShape) -> Iterator[str]:
    """Explain how the study checks attention, or why it does not."""
    if shape.pairs:
        yield f"Validation: {shape.pairs} images with their degraded copies (validation.csv)."
    elif shape.prompts == 1:
        yield (
            "With one prompt, verdicts will be about these few images only. Comparisons with an "
            "obvious answer are off, since they need an image of another prompt."
        )


TEMPLATES: Final = {
    "comparison": PromptedTemplate(
        wanted="votes",
        usual=ComparisonShape(),
        shape=ComparisonShape,
        text=comparison_text,
        remarks=remarks_on,
        trial="power",
    ),
    "arena": PromptedTemplate(
        usual=ComparisonShape(arena=True),
        shape=partial(ComparisonShape, arena=True),
        text=comparison_text,
        trial="power",
        complete=True,
    ),
}
