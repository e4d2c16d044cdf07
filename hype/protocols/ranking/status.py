"""How far a study of rankings is: its rankings, and what waits for a checker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sqlalchemy import func

from hype.errors import InputError, quoted
from hype.protocols.ranking.checking import queue_of_checks
from hype.protocols.ranking.course import RankingCourse
from hype.protocols.ranking.exclusion import screening_in
from hype.protocols.ranking.record import placements
from hype.protocols.ranking.settings import RankingFile, RankingStudy
from hype.protocols.ranking.trial import Act, RankingTask
from hype.status.design import (
    Column,
    Counted,
    Facts,
    OpenStudy,
    StatusDesign,
    as_count,
    as_percent,
    number_of,
)
from hype.study.phrases import numbered

IS_ACCEPTED: Final = placements.c.answer == Act.ACCEPT.value
IS_RANKING: Final = placements.c.task == RankingTask.RANKING.value
IS_CHECK: Final = placements.c.task == RankingTask.CHECK.value
IS_NO_PRACTICE: Final = placements.c.task != RankingTask.PRACTICE.value


def facts_of(here: OpenStudy, people: Sequence[Counted]) -> Iterator[Facts]:
    """Count rankings that were accepted, and say how they came about; practice apart.

    ``tested``, ``checked``: those of the test, and a checker's of what others ranked. ``given``:
    groups that a checker was given to rank again. ``seconds``: what a ranking took on average.
    ``undone``: the share of acts that took something back. Recall says how an evaluator compares
    with checkers; None where nobody can say.
    """
    is_checker = here.study.settings.screening.is_checker
    checks = (one for one in people if is_checker(one.who.evaluator))
    were_checked = any(one.counts["tested"] or one.counts["checked"] for one in checks)
    recall = recall_in(here) if were_checked else {}
    for one in people:
        code, counts = one.who.evaluator, one.counts
        done = [row for row in one.rows if row.paid]
        acts = sum(row.acts for row in done)
        taken_ms = sum(row.rt_ms for row in done)
        screened = recall.get(code, {})
        yield {
            "checker": is_checker(code),
            "tested": counts["tested"],
            "checked": counts["checked"] if is_checker(code) else None,
            "given": len((one.who.groups or "").split()) if is_checker(code) else None,
            "seconds": round(taken_ms / 1000 / len(done), 3) if done else None,
            "undone": sum(row.undone for row in done) / acts if acts else None,
            "recall_in_test": flat(screened.get("test")),
            "recall_in_checks": flat(screened.get("check")),
            "failed": screened.get("failed"),
        }


def recall_in(here: OpenStudy) -> Mapping[str, Facts]:
    """Hold evaluators against checkers, by their codes; nothing where nobody can yet."""
    try:
        screening = screening_in(here.connection.engine, here.study, simulated=here.simulated)
    except InputError:  # nobody has ranked a group yet, or the stimuli cannot be read
        return {}
    return {who["evaluator"]: who for who in screening["evaluators"]} if screening else {}


def flat(recall: Facts | None) -> Facts | None:
    if recall is None:
        return None
    share = recall["recall"]
    return {**recall, "recall": share.value, "ci_low": share.low, "ci_high": share.high}


def facts_of_study(here: OpenStudy, people: Sequence[Facts]) -> Facts:
    """Say how many rankings are wanted, None where nobody can, and what waits for a checker."""
    settings: RankingFile = here.study.settings
    known = here.course.pools.groups if here.course else None
    return {
        "rankings_wanted": None if known is None else len(known) * settings.ranking.rankings,
        "checks": queue_of_checks(here.connection, settings, people, known, here.simulated),
    }


def lines_of(study: RankingStudy, facts: Facts) -> Iterator[str]:
    """Say how many rankings there are, what checkers found, and what they are to do next."""
    queue, wanted = facts["checks"], facts["rankings_wanted"]
    of = "" if wanted is None else f" of {wanted:,}"
    yield f"Rankings: {facts['whole']['answers']:,}{of}"
    least = study.settings.screening.min_recall
    screened = [who["failed"] for who in facts["evaluators"] if who["failed"] is not None]
    if least is not None and screened:
        yield f"Screening: {sum(screened)} of {len(screened)} evaluators below {least:.0%}"
    if queue["wanted"] and queue["share"] is not None:
        number = f"{queue['checked']:,} of {queue['rankings']:,} rankings ({queue['share']:.0%})"
        yield f"Cross-checks: {number} were ranked again"
        if behind := queue["behind"]:
            who = numbered(behind, "evaluator has", "evaluators have")
            yield f"{queue['wanted']:.0%} of everybody's own are wanted; {who} less so far"
    reasons = []
    if queue["test_open"]:
        reasons.append("no checker has taken the test")
    if waiting := queue["waiting"]:
        reasons.append(f"{numbered(waiting, 'group waits', 'groups wait')} for a checker")
    if queue["under_way"]:
        reasons.append(f"{queue['checker']} has {queue['under_way']} left to check")
    if reasons:
        command = f"hype run {quoted(study.folder)} --evaluator {queue['checker']}"
        if not queue["checker"]:
            command = "name one in screening.checkers"
        elif facts["simulated"]:
            command = "hype simulate lets simulated checkers come"
        text = ", and ".join(reasons)
        yield f"{text[:1].upper()}{text[1:]}: {command}"


def as_recall(recall: Facts) -> str:
    return f"{recall['recall']:.0%}"


STATUS: Final = StatusDesign(
    course=RankingCourse,
    table=placements,
    heading="Rank-\nings",
    scored=IS_ACCEPTED & IS_RANKING,
    paid=IS_ACCEPTED & IS_NO_PRACTICE,
    counted={
        "tested": number_of(IS_ACCEPTED & (placements.c.task == RankingTask.TEST.value)),
        "checked": number_of(IS_ACCEPTED & IS_CHECK),
        "acts": func.count(),
        "undone": number_of(placements.c.answer == Act.UNDO.value),
        "rt_ms": func.sum(placements.c.rt_ms),
    },
    by=(placements.c.task, placements.c.block, placements.c.group),
    facts=facts_of,
    facts_of_study=facts_of_study,
    lines=lines_of,
    columns=(
        Column("Checks", "checked", as_count),
        Column("Sec-\nonds", "seconds", "{:.0f}".format),
        Column("Un-\ndone", "undone", as_percent),
        Column("Recall@2\ntest", "recall_in_test", as_recall),
        Column("Recall@2\nchecks", "recall_in_checks", as_recall),
    ),
)
