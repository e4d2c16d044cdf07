"""How far a study of rankings is: its evaluators, its rankings, and what waits for a checker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, func, select

from hype.errors import InputError, quoted
from hype.protocols.prompted.status import (
    AskedStanding,
    SharedProgress,
    in_money,
    listing,
    of_anybody,
    share_of,
    shared_progress,
    shares_in_words,
    standing_object,
    telling,
)
from hype.protocols.ranking.course import CheckedWork, RankingCourse, groups_to_check, work_of
from hype.protocols.ranking.exclusion import screening_in
from hype.protocols.ranking.rows import placements
from hype.protocols.ranking.screening import Recall, ScreenedEvaluator
from hype.protocols.ranking.settings import RankingFile, RankingStudy
from hype.protocols.ranking.trial import Act, RankingTask
from hype.session.participation import all_evaluators, number_of
from hype.session.steps import Due
from hype.statistics.estimate import plain
from hype.status.progress import Listing, Shown, Telling, counts
from hype.store.people import COMING
from hype.study.assignment import Cell
from hype.study.phrases import numbered


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranker(AskedStanding):
    """Where one evaluator stands.

    Attributes
    ----------
    share
        Which part of the groups they were given; 0 for a checker, who has none.
    trials, tested, checked
        Rankings that were accepted: those that are scored, those of the test, and a checker's of
        what others ranked.
    """

    checker: bool
    tested: int
    checked: int
    given: int  # groups that a checker was given to rank again
    seconds: float | None  # time that a ranking took on average, practice apart; None without any
    acts: int
    undone: int  # acts that took something back, of all acts of these


def rankers(connection: Connection, study: RankingStudy, *, simulated: bool) -> list[Ranker]:
    """Give the standing of every evaluator, in the order of their arrival."""
    counted = rankings_counted(connection, simulated=simulated)
    theirs = {who: list(rows) for who, rows in groupby(counted, lambda row: row.evaluator_id)}
    everybody = all_evaluators(connection, study, simulated=simulated)
    return [ranker_of(row, study, theirs.get(row.id, [])) for row in everybody]


def rankings_counted(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Count the acts of each ranking, accepted or not."""
    acts = placements.c
    what = (acts.evaluator_id, acts.task, acts.block, acts.group)
    query = (
        select(
            *what,
            func.count().label("acts"),
            number_of(acts.answer == Act.UNDO.value, "undone"),
            number_of(acts.answer == Act.ACCEPT.value, "accepted"),
            func.sum(acts.rt_ms).label("rt_ms"),
            func.max(acts.onset_unix_s).label("last"),
        )
        .where(acts.simulated == simulated)
        .group_by(*what)
        .order_by(acts.evaluator_id)
    )
    return connection.execute(query).all()


def ranker_of(who: Row[Any], study: RankingStudy, rows: Sequence[Row[Any]]) -> Ranker:
    """Give the standing of a row of evaluators. The base is due once they ranked anything."""
    practice = RankingTask.PRACTICE.value
    done = [row for row in rows if row.accepted and row.task != practice]
    tasks = Counter(row.task for row in done)
    due = study.settings.pay.pay().parts(len(done)) if rows else Due()
    last = max((row.last for row in rows), default=None)
    return Ranker(
        **of_anybody(who, due, last),
        checker=study.settings.screening.is_checker(who.evaluator),
        trials=tasks[RankingTask.RANKING.value],
        tested=tasks[RankingTask.TEST.value],
        checked=tasks[RankingTask.CHECK.value],
        given=len((who.groups or "").split()),
        seconds=round(sum(row.rt_ms for row in done) / 1000 / len(done), 3) if done else None,
        acts=sum(row.acts for row in done),
        undone=sum(row.undone for row in done),
    )


Facts = Mapping[str, Any]

SOMEBODY: Final = "somebody"
"""A checker who might come: which groups they get is another question than how many."""


def check_queue(
    connection: Connection,
    settings: RankingFile,
    rankers: Sequence[Ranker],
    *,
    known: Collection[str] | None,
    simulated: bool,
) -> Facts:
    """Say how far the cross-checks are, and what waits for a checker.

    ``known``: the groups of the design; None where nobody can say, so that all count that were
    ranked.

    Gives ``wanted``, the part of everybody's rankings that is to be ranked again by a checker;
    ``rankings`` so far, and how many of them a checker has ``checked``, with their ``share``, None
    where nothing was ranked; how many evaluators are ``behind`` of what is wanted, and how many
    groups are ``waiting`` for some checker, or ``under_way``: given to one and not ranked yet;
    ``test_open``, whether there is a test that no checker has taken; and ``checker``, the code by
    which the next checker is seated, or who is to go on; nothing where nobody need.
    """
    rule = settings.screening
    work = work_of(connection, settings, simulated=simulated)
    ranked = [group for groups in work.ranked.values() for group in groups]
    again = ranked_again(connection, simulated=simulated)
    checked = sum(group in again for group in ranked)
    checkers = [ranker for ranker in rankers if ranker.checker and ranker.status != "declined"]
    active = [r for r in checkers if r.status in ("active", COMING)]
    waiting = number_waiting(work, settings, {*ranked} if known is None else known)
    test_open = bool(rule.test) and not any(ranker.tested for ranker in checkers)
    needed = bool(waiting or test_open) and bool(rule.checkers)
    next_code = next(codes(rule.checkers, {ranker.evaluator for ranker in rankers}), "")
    return {
        "wanted": rule.check_share,
        "rankings": len(ranked),
        "checked": checked,
        "share": checked / len(ranked) if ranked else None,
        "behind": len(replace(work, checked=again).missing(rule.check_share)),
        "waiting": waiting,
        "under_way": sum(ranker.given - ranker.checked for ranker in active),
        "test_open": test_open,
        "checker": active[0].evaluator if active else next_code if needed else "",
    }


def ranked_again(connection: Connection, *, simulated: bool) -> frozenset[str]:
    acts = placements.c
    query = select(acts.group).where(
        acts.simulated == simulated,
        acts.task == RankingTask.CHECK.value,
        acts.answer == Act.ACCEPT.value,
    )
    return frozenset(connection.execute(query.distinct()).scalars())


def number_waiting(work: CheckedWork, settings: RankingFile, known: Collection[str]) -> int:
    """Count the groups that checkers would be given, one checker after the other."""
    number = 0
    while chosen := groups_to_check(work, SOMEBODY, settings, known=known):
        number += len(chosen)
        work = replace(work, checked=work.checked | set(chosen))
    return number


def codes(patterns: Sequence[str], taken: Collection[str]) -> Iterator[str]:
    """Yield codes of checkers that nobody has; they end where no pattern leaves room for more."""
    yield from (pattern for pattern in patterns if "*" not in pattern and pattern not in taken)
    if roomy := [pattern for pattern in patterns if "*" in pattern]:
        named = (roomy[0].replace("*", f"{n:02d}", 1).replace("*", "") for n in count(1))
        yield from (code for code in named if code not in taken)


RANKINGS: Final = "rankings"

Screened = Mapping[str, "ScreenedEvaluator"]
"""What is known of evaluators, against checkers."""


def screened(engine: Engine, study: RankingStudy, *, simulated: bool) -> Screened:
    """Hold evaluators against checkers; nothing where nobody can yet."""
    try:
        screening = screening_in(engine, study, simulated=simulated)
    except InputError:  # nobody has ranked a group yet, or the stimuli are not at hand
        return {}
    return {who.evaluator: who for who in screening.evaluators} if screening else {}


def lines_of(
    study: RankingStudy,
    progress: SharedProgress,
    queue: Facts,
    wanted: int | None,
    against_checkers: Screened,
    *,
    simulated: bool,
) -> Iterator[str]:
    """Say how many rankings there are, what checkers found, and what they are to do next."""
    yield from shares_in_words(progress.cells)
    of = "" if wanted is None else f" of {wanted:,}"
    yield f"Rankings: {progress.whole.judgements:,}{of}"
    least = study.settings.screening.min_recall
    if least is not None and against_checkers:
        failed = sum(evaluator.failed for evaluator in against_checkers.values())
        yield f"Screening: {failed} of {len(against_checkers)} evaluators below {least:.0%}"
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
        text = ", and ".join(reasons)
        yield f"{text[:1].upper()}{text[1:]}: {next_command(study, queue, simulated=simulated)}"


def next_command(study: RankingStudy, queue: Facts, *, simulated: bool) -> str:
    """Say by which command the next checker comes."""
    if not queue["checker"]:
        return "name one in screening.checkers"
    if simulated:
        return "hype simulate lets simulated checkers come"
    return f"hype run {quoted(study.folder)} --evaluator {queue['checker']}"


def list_of_rankers(rankers: Sequence[Ranker], against_checkers: Screened) -> Listing:
    """Make the table of evaluators; recall@2 only where checkers did the same."""
    checked = bool(against_checkers)
    tested = any(evaluator.test for evaluator in against_checkers.values())

    def cells(ranker: Ranker) -> tuple[Shown, ...]:
        screened = against_checkers.get(ranker.evaluator)
        return (
            *counts([ranker.checked if ranker.checker else ranker.trials]),
            "–" if ranker.seconds is None else f"{ranker.seconds:.0f}",
            f"{ranker.undone / ranker.acts:.0%}" if ranker.acts else "–",
            *((recalled(screened.test if screened else None),) if tested else ()),
            *((recalled(screened.check if screened else None),) if checked else ()),
            *in_money(ranker.pay),
        )

    recall = (
        *(["Recall@2\nin test"] if tested else []),
        *(["Recall@2\nin checks"] if checked else []),
    )
    return listing(
        [(ranker, cells(ranker)) for ranker in rankers],
        ("Rank-\nings", "Sec-\nonds", "Un-\ndone", *recall, "Pay"),
        lambda ranker: "checks" if ranker.checker else share_of(ranker),
    )


def recalled(recall: Recall | None) -> str:
    """Write recall@2, and in how many groups; a dash where there is none."""
    return "–" if recall is None else f"{recall.recall.value:.0%} of {recall.groups}"


def look_at_rankings(connection: Connection, study: RankingStudy, *, simulated: bool) -> Telling:
    """Look at a study, and hold its evaluators against its checkers.

    Where its stimuli cannot be read, nobody can say how many rankings are wanted.
    """
    everybody = rankers(connection, study, simulated=simulated)
    settings, each = study.settings, study.settings.ranking.rankings
    cells: tuple[Cell, ...] = ()
    groups: Collection[str] | None = None
    problem = ""
    try:
        course = RankingCourse(study)
    except InputError as error:
        problem = str(error)
    else:
        cells, groups = course.cells, course.pools.groups
    theirs = [ranker for ranker in everybody if not ranker.checker]
    progress = shared_progress(cells, theirs, each)
    wanted = None if groups is None else len(groups) * each
    queue = check_queue(connection, settings, everybody, known=groups, simulated=simulated)
    checked = any(ranker.tested or ranker.checked for ranker in everybody if ranker.checker)
    against_checkers = screened(connection.engine, study, simulated=simulated) if checked else {}

    def standing(ranker: Ranker) -> dict[str, object]:
        known = against_checkers.get(ranker.evaluator)
        return standing_object(ranker, RANKINGS) | {
            "recall_in_test": plain(known.test) if known else None,
            "recall_in_checks": plain(known.check) if known else None,
            "failed": known.failed if known else None,
        }

    return telling(
        study,
        everybody,
        progress,
        answers=RANKINGS,
        problem=problem,
        simulated=simulated,
        members=lambda: {"rankings_wanted": wanted, "checks": queue},
        standing=standing,
        lines=lambda: lines_of(
            study, progress, queue, wanted, against_checkers, simulated=simulated
        ),
        people=lambda: list_of_rankers(everybody, against_checkers),
    )
