"""What a study of comparisons is to find out, how far it is, and the files to begin with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import Final

from sqlalchemy import func, select

from hype.errors import NothingRecorded
from hype.files import inside
from hype.protocols.comparison.arena import arena_facts, joining
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.record import Validated, comparisons
from hype.protocols.comparison.sampling import read_comparison_pools, times_met
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.facets import Json, StudyDesign, join_without_votes
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate, prompted_text
from hype.protocols.prompted.trial import Choice
from hype.status.design import (
    Column,
    Counted,
    Facts,
    OpenStudy,
    StatusDesign,
    answers_in_words,
    as_count,
    as_percent,
    number_of,
)
from hype.store.record import record_of

IS_ANSWERED: Final = comparisons.c.answer != Choice.NONE.value
IS_NO_PRACTICE: Final = comparisons.c.task != ComparisonTask.PRACTICE.value
IS_VOTE: Final = (comparisons.c.task == ComparisonTask.COMPARISON.value) & IS_ANSWERED
IS_OBVIOUS: Final = comparisons.c.task == ComparisonTask.VALIDATION.value


def facts_of(here: OpenStudy, people: Sequence[Counted]) -> Iterator[Facts]:
    """Count comparisons with an obvious answer, and those answered too fast or not at all.

    ``passed``: whether they got enough of the obvious ones right, by the study's rule; None
    if it does not ask, or has not yet.
    """
    rule = here.study.settings.validation
    for _, counts in people:
        met, correct = counts["validation_met"], counts["validation_correct"]
        passed = Validated(met=met, correct=correct).passes(rule)
        yield {
            "validation_met": met,
            "validation_correct": correct / met if met else None,
            "passed": passed if met and rule.kind != "off" else None,
            "hasty": counts["hasty"],
            "unanswered": counts["unanswered"],
        }


def facts_of_study(here: OpenStudy, _people: object) -> Facts:
    """Count votes by pair; say what an arena knows.

    Without stimuli, the conditions are those that were met in the record.
    """
    settings, cells = here.study.settings, comparisons.c
    sides = cells.left, cells.right
    query = select(*sides, func.count()).where(cells.simulated == here.simulated, IS_VOTE)
    votes: Counter[frozenset[str]] = Counter()
    for left, right, number in here.connection.execute(query.group_by(*sides)):
        votes[frozenset((left, right))] += number
    conditions = tuple(sorted({*settings.stimuli.conditions, *chain.from_iterable(votes)}))
    if here.course:
        conditions = here.course.pools.conditions

    def wanted(one: str, other: str) -> int | None:
        if here.course is None or settings.comparison.arena is not None:
            return None
        return int(times_met(here.course.pools, one, other) * settings.comparison.votes)

    return {
        "pairs": [
            {
                "name": f"{one} and {other}",
                "a": one,
                "b": other,
                "answers": votes[frozenset((one, other))],
                "wanted": wanted(one, other),
            }
            for one, other in combinations(conditions, 2)
        ],
        "arena": arena_facts(here.connection, here.study, conditions, simulated=here.simulated),
    }


def lines_of(study: ComparisonStudy, facts: Facts) -> Iterator[str]:
    """State what an arena knows, the number of votes, and which evaluators looked."""
    if arena := facts["arena"]:
        yield from lines_of_arena(arena)
    yield f"Votes: {answers_in_words(facts['pairs'], 'pair')}"
    people = facts["evaluators"]
    hasty, unanswered = (sum(who[name] for who in people) for name in ("hasty", "unanswered"))
    if hasty or unanswered:
        yield f"Answered too fast: {hasty:,}; not in time: {unanswered:,}"
    if tested := [who for who in people if who["passed"] is not None]:
        met = sum(who["validation_met"] for who in tested)
        correct = sum(who["validation_met"] * who["validation_correct"] for who in tested) / met
        failed = sum(not who["passed"] for who in tested)
        below = f"{failed} of {len(tested)} evaluators below"
        least = study.settings.validation.min_correct
        yield f"Validation: {correct:.0%} of {met:,} correct; {below} {least:.0%}"


def lines_of_arena(arena: Facts) -> Iterator[str]:
    """State what an arena knows, and whether it needs more evaluators."""
    if arena["enough"]:
        yield f"Arena: {arena['enough']}; nobody more is needed"
        return
    what = "the ranking" if arena["goal"] == "ranking" else "the top"
    so_far = f"{arena['votes']:,} of at most {arena['most_votes']:,} votes"
    yield f"Arena: {what} is not known yet; {so_far}"
    if arena["next_look"] is not None:
        finished = f"{arena['evaluators']:,} evaluators finished"
        yield f"Looks: {finished}; the next one is at {arena['next_look']:,}"


STATUS: Final = StatusDesign(
    course=ComparisonCourse,
    table=comparisons,
    heading="Votes",
    scored=IS_VOTE,
    paid=IS_ANSWERED & IS_NO_PRACTICE,
    counted={
        "hasty": number_of(comparisons.c.hasty & IS_NO_PRACTICE),
        "unanswered": number_of(~IS_ANSWERED & IS_NO_PRACTICE),
        "validation_met": number_of(IS_OBVIOUS),
        "validation_correct": number_of(IS_OBVIOUS & comparisons.c.correct),
    },
    facts=facts_of,
    facts_of_study=facts_of_study,
    lines=lines_of,
    columns=(
        Column("Hasty", "hasty", as_count),
        Column("Valida-\ntion", "validation_correct", as_percent),
        Column("Passed", "passed", {True: "yes", False: "no"}.__getitem__),
    ),
    is_enough=lambda facts: bool(facts["arena"] and facts["arena"]["enough"]),
)


TESTS: Final = (
    "pairs: differences of strengths, max-|t| over all pairs stepping down, or Holm's rule where "
    "people or prompts are few",
    "win rates: Wilson's interval for as many comparisons as these are worth, 95%",
    "strengths: Bradley and Terry's model, sandwich of evaluators and prompts or images, 95%",
)


def planned_analysis(study: ComparisonStudy) -> Json:
    settings = study.settings
    rule = settings.validation
    bound = f"evaluators with fewer than {rule.min_correct:.0%} of validation comparisons right"
    return {
        "methods": list(settings.study.methods),
        "question": settings.comparison.asked,
        "not_scored": [
            "evaluators who declined or did not finish",
            *([bound] if rule.kind != "off" else []),
            "practice and validation",
            "comparisons that were not answered in time",
        ],
        "alpha": settings.analysis.alpha,
        "tests": list(TESTS),
    }


def fixed_files(study: ComparisonStudy) -> Mapping[str, Path]:
    rule = study.settings.validation
    return {"validation": inside(study.folder, rule.file)} if rule.kind == "listed" else {}


def join_with_votes(study: ComparisonStudy, votes: int | None) -> Mapping[str, object]:
    if study.settings.comparison.arena is None:
        return join_without_votes(study, votes)
    names = read_comparison_pools(study).conditions
    try:
        with record_of(study).reading() as engine, engine.connect() as record:
            return joining(record, study, names, votes)
    except NothingRecorded:
        return joining(None, study, names, votes)


DESIGN: Final = StudyDesign(
    conditions=taking_part,
    planned_analysis=planned_analysis,
    status=STATUS,
    fixed_files=fixed_files,
    joining=join_with_votes,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonShape(PromptedShape):
    """What a study of comparisons is made of.

    ``arena``: pairs are chosen as evaluators come. With one prompt there is no other to mismatch
    it.
    """

    arena: bool = False


def comparison_text(name: str, shape: ComparisonShape) -> str:
    """Write the commented study file."""
    return prompted_text(
        *(Path(__file__).parent, name, shape),
        method="comparison",
        done="compared",
        arena=shape.arena,
        mismatched=not shape.arena and shape.prompts > 1,
    )


def remarks_on(shape: PromptedShape) -> Iterator[str]:
    """Explain why attention is not checked."""
    if shape.prompts == 1:
        yield (
            "With one prompt there is no other to mismatch it: comparisons with an obvious answer "
            "are off (see study.toml)."
        )


TEMPLATES: Final = {
    "comparison": PromptedTemplate(
        words="say which of two images is better: every pair",
        wanted="votes",
        of_each=" for each pair of images",
        usual=ComparisonShape(),
        shape=ComparisonShape,
        text=comparison_text,
        remarks=remarks_on,
        trial="power",
    ),
    "arena": PromptedTemplate(
        words="say which of two images is better: pairs chosen on the way, an arena",
        usual=ComparisonShape(arena=True),
        shape=partial(ComparisonShape, arena=True),
        text=comparison_text,
        trial="power",
        complete=True,
    ),
}
