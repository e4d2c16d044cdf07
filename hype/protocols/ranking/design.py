"""The design of a study of rankings: registration, progress, and new study files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate, write_study
from hype.protocols.ranking.checking import queue_of_checks
from hype.protocols.ranking.course import RankingCourse
from hype.protocols.ranking.record import placements
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.trial import MOST_RANKED, Act, RankingTask
from hype.report import tabular
from hype.session.steps import Ending
from hype.status.design import Facts, OpenStudy, StatusDesign, tally

IS_ACCEPTED: Final = placements.c.answer == Act.ACCEPT.value
IS_RANKING: Final = placements.c.task == RankingTask.RANKING.value
IS_NO_PRACTICE: Final = placements.c.task != RankingTask.PRACTICE.value


def facts_of(here: OpenStudy, people: Sequence[Facts]) -> Iterator[Facts]:
    """Yield whether each person is a checker, and their recall@2 against checkers if known.

    Recall@2 is computed on request, or while an evaluator waits for the result of the test.
    """
    settings, screening = here.study.settings, None
    min_recall = settings.screening.min_recall
    if here.agreement or any(who["status"] == Ending.WAITING.value for who in people):
        from hype.protocols.ranking.export import screening_in  # with pandas

        with suppress(InputError):  # there are no rankings yet, or the stimuli cannot be read
            engine = here.connection.engine
            screening = screening_in(engine, here.study, simulated=here.simulated)
    screened = {who["evaluator"]: who for who in screening["evaluators"]} if screening else {}
    for who in people:
        is_checker = settings.is_checker(who["evaluator"])
        recall = screened.get(who["evaluator"], {})
        test, check, failed = map(recall.get, ("test", "check", "failed"))
        yield {
            "checker": is_checker,
            "checked": who["checked"] if is_checker else None,
            "recall_in_test": test["recall"].value if test else None,
            "recall_in_checks": check["recall"].value if check else None,
            "passed": None if failed is None or min_recall is None else not failed,
        }


def facts_of_checks(here: OpenStudy, people: Sequence[Facts]) -> Facts:
    known = here.course.pools.groups if here.course else None
    settings = here.study.settings
    return {"checks": queue_of_checks(here.connection, settings, people, known, here.simulated)}


def lines_of_checks(facts: Facts) -> Iterator[str]:
    """State what checkers have checked, and what the next checker should do."""
    queue = facts["checks"]
    if queue["wanted"] and queue["rankings"]:
        number = f"{queue['checked']:,} of {queue['rankings']:,} rankings"
        yield f"Cross-checks: {number} were repeated by checkers; the aim is {queue['wanted']:.0%}"
    if queue["checker"]:
        left = f"{queue['waiting']} waiting, {queue['under_way']} being checked"
        yield f"Groups to check: {left}; the next checker is {queue['checker']}"


STATUS: Final = StatusDesign(
    course=RankingCourse,
    table=placements,
    heading="Rank-\nings",
    scored=IS_ACCEPTED & IS_RANKING,
    paid=IS_ACCEPTED & IS_NO_PRACTICE,
    wanted=lambda course: len(course.pools.groups) * course.study.settings.ranking.rankings,
    counted={
        "tested": IS_ACCEPTED & (placements.c.task == RankingTask.TEST.value),
        "checked": IS_ACCEPTED & (placements.c.task == RankingTask.CHECK.value),
    },
    test="Screening",
    facts=facts_of,
    facts_of_study=facts_of_checks,
    lines=lines_of_checks,
    columns=(
        tally("Checks", "checked"),
        tabular.share("Recall@2\ntest", "recall_in_test"),
        tabular.share("Recall@2\nchecks", "recall_in_checks"),
    ),
)

TESTS: Final = (
    "strengths: Plackett and Luce's model, and Bradley and Terry's model of the pairs in a ranking;"
    " 95% intervals generalise to other evaluators and other images",
    "pairs: tests of the differences of strengths, corrected by step-down max-|t| over all pairs, "
    "or by Holm's rule if there are few people or prompts",
    "agreement: of two people, and of one person with the mean rank of the others",
    "evaluators compared with checkers: recall@2, with Wilson's 95% interval",
)


def analysis_plan(study: RankingStudy) -> Json:
    settings = study.settings
    bound = settings.screening.min_recall
    below = f"evaluators whose recall@2 in the test is below {bound or 0:.0%}"
    return {
        "methods": list(settings.study.methods),
        "question": settings.ranking.question,
        "not_scored": [
            *settings.not_scored,
            *([below] if bound is not None else []),
            "practice, the test, and rankings by checkers",
            "rankings that were not accepted",
        ],
        "alpha": ALPHA,
        "tests": list(TESTS),
    }


DESIGN: Final = StudyDesign(conditions=taking_part, planned_analysis=analysis_plan, status=STATUS)

MANY: Final = 9
"""Images per group if there are too many conditions for one group, as in Wu et al. (2023)."""
TEST: Final = 20
"""The number of groups in a test."""
SPARED: Final = 3
"""A new study has a test if it has at least `SPARED` times as many groups as a test."""


def ranking_text(name: str, shape: PromptedShape) -> str:
    return write_study(
        *(Path(__file__).parent, name, shape),
        method="ranking",
        done="ranked",
        together=shape.conditions <= MOST_RANKED,
        many=MANY,
        tested=shape.prompts * shape.images >= SPARED * TEST,
        groups=TEST,
    )


def remarks_on(shape: PromptedShape) -> Iterator[str]:
    """State how many images a group has, if there are too many conditions for one group."""
    if shape.conditions > MOST_RANKED:
        yield (
            f"{shape.conditions} conditions are too many for one group, so each group has images "
            f"of {MANY} conditions in turn (see study.toml)."
        )


TEMPLATES: Final = {
    "ranking": PromptedTemplate(
        wanted="rankings",
        usual=PromptedShape(),
        shape=PromptedShape,
        text=ranking_text,
        remarks=remarks_on,
    )
}
