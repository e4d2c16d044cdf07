"""How far a study of rankings is: its evaluators, its rankings, and what waits for a checker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count, groupby
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, func, select

from hype.errors import InputError, quoted
from hype.protocols.prompted.status import (
    AskedStanding,
    SharedProgress,
    cells_by_share,
    in_money,
    listing,
    of_anybody,
    share_of,
    shares_in_words,
    standing_object,
    telling,
)
from hype.protocols.ranking.course import CheckedWork, RankingCourse, groups_to_check, work_of
from hype.protocols.ranking.exclusion import screening_in
from hype.protocols.ranking.record import placements
from hype.protocols.ranking.screening import Recall, ScreenedEvaluator
from hype.protocols.ranking.settings import RankingFile, RankingStudy
from hype.protocols.ranking.trial import Act, RankingTask
from hype.session.participation import all_evaluators, number_of
from hype.session.steps import Due
from hype.statistics.estimate import plain
from hype.status.progress import Listing, Shown, Telling, counts, remaining_of, together
from hype.store.people import COMING
from hype.study.assignment import Cell


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


SOMEBODY: Final = "somebody"
"""A checker who might come: which groups they get is another question than how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckQueue:
    """How far the cross-checks are."""

    wanted: float  # the part of everybody's rankings that is to be ranked again by a checker
    # rankings, checked: rankings so far, and those of them whose group a checker has ranked again
    rankings: int
    checked: int
    behind: int  # evaluators of whose work less was ranked again than is wanted
    waiting: int  # groups that some checker has yet to be given, so that nobody is behind
    under_way: int  # groups that checkers were given and have not ranked yet
    test_open: bool  # whether there is a test that no checker has taken
    # The code by which the next checker is seated, or who is to go on; nothing where nobody need
    checker: str

    @property
    def share(self) -> float | None:
        """The share that was ranked again; None where nothing was ranked."""
        return self.checked / self.rankings if self.rankings else None


def check_queue(
    connection: Connection,
    settings: RankingFile,
    rankers: Sequence[Ranker],
    *,
    known: Collection[str] | None,
    simulated: bool,
) -> CheckQueue:
    """Say what waits for a checker.

    ``known``: the groups of the design; None where nobody can say, so that all count that were
    ranked.
    """
    rule = settings.screening
    work = work_of(connection, settings, simulated=simulated)
    ranked = [group for groups in work.ranked.values() for group in groups]
    again = ranked_again(connection, simulated=simulated)
    checkers = [ranker for ranker in rankers if ranker.checker and ranker.status != "declined"]
    active = [r for r in checkers if r.status in ("active", COMING)]
    waiting = number_waiting(work, settings, {*ranked} if known is None else known)
    test_open = bool(rule.test) and not any(ranker.tested for ranker in checkers)
    needed = bool(waiting or test_open) and bool(rule.checkers)
    next_code = next(codes(rule.checkers, {ranker.evaluator for ranker in rankers}), "")
    return CheckQueue(
        wanted=rule.check_share,
        rankings=len(ranked),
        checked=sum(group in again for group in ranked),
        behind=len(replace(work, checked=again).missing(rule.check_share)),
        waiting=waiting,
        under_way=sum(ranker.given - ranker.checked for ranker in active),
        test_open=test_open,
        checker=active[0].evaluator if active else next_code if needed else "",
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingDesign:
    """What a study asks for, as far as its stimuli can be read.

    ``groups``: the names of all groups but the test's; None where nobody can say.
    """

    cells: tuple[Cell, ...] = ()
    groups: frozenset[str] | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingProgress(SharedProgress):
    """How far a study is.

    ``cells``, ``whole``, ``remaining``: of those who are no checkers. ``wanted``: rankings that are
    planned; None where nobody can say.
    """

    wanted: int | None
    queue: CheckQueue


def ranking_design(study: RankingStudy) -> RankingDesign:
    """Give what a study asks for, whether or not its stimuli can be read."""
    try:
        protocol = RankingCourse(study)
    except InputError as error:
        return RankingDesign(problem=str(error))
    return RankingDesign(cells=protocol.cells, groups=frozenset(protocol.pools.groups))


def ranking_progress(
    connection: Connection,
    study: RankingStudy,
    design: RankingDesign,
    rankers: Sequence[Ranker],
    *,
    simulated: bool,
) -> RankingProgress:
    settings, each = study.settings, study.settings.ranking.rankings
    theirs = [ranker for ranker in rankers if not ranker.checker]
    cells = cells_by_share(design.cells, theirs, each)
    return RankingProgress(
        cells=cells,
        whole=together([cell.places for cell in cells]),
        wanted=None if design.groups is None else len(design.groups) * each,
        queue=check_queue(connection, settings, rankers, known=design.groups, simulated=simulated),
        remaining=remaining_of(theirs, cells),
    )


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
    study: RankingStudy, progress: RankingProgress, against_checkers: Screened, *, simulated: bool
) -> Iterator[str]:
    """Say how many rankings there are, and what checkers found and are still to do."""
    yield from shares_in_words(progress.cells)
    of = "" if progress.wanted is None else f" of {progress.wanted:,}"
    yield f"Rankings: {progress.whole.judgements:,}{of}"
    least = study.settings.screening.min_recall
    if least is not None and against_checkers:
        failed = sum(evaluator.failed for evaluator in against_checkers.values())
        yield f"Screening: {failed} of {len(against_checkers)} evaluators below {least:.0%}"
    queue = progress.queue
    if queue.wanted and queue.share is not None:
        yield from lines_on_checks(queue)
    yield from lines_on_what_is_next(study, queue, simulated=simulated)


def lines_on_checks(queue: CheckQueue) -> Iterator[str]:
    number = f"{queue.checked:,} of {queue.rankings:,} rankings ({queue.share:.0%})"
    yield f"Cross-checks: {number} were ranked again"
    if queue.behind:
        who = "1 evaluator has" if queue.behind == 1 else f"{queue.behind:,} evaluators have"
        yield f"{queue.wanted:.0%} of everybody's own are wanted; {who} less so far"


def lines_on_what_is_next(
    study: RankingStudy, queue: CheckQueue, *, simulated: bool
) -> Iterator[str]:
    """Say what checkers are to do, and by which command."""
    reasons = []
    if queue.test_open:
        reasons.append("no checker has taken the test")
    if queue.waiting:
        number = "1 group waits" if queue.waiting == 1 else f"{queue.waiting:,} groups wait"
        reasons.append(f"{number} for a checker")
    if queue.under_way:
        reasons.append(f"{queue.checker} has {queue.under_way} left to check")
    if not reasons:
        return
    if not queue.checker:
        what = "name one in screening.checkers"
    elif simulated:
        what = "hype simulate lets simulated checkers come"
    else:
        what = f"hype run {quoted(study.folder)} --evaluator {queue.checker}"
    text = ", and ".join(reasons)
    yield f"{text[:1].upper()}{text[1:]}: {what}"


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
    """Look at a study of rankings, and hold its evaluators against its checkers."""
    everybody = rankers(connection, study, simulated=simulated)
    design = ranking_design(study)
    progress = ranking_progress(connection, study, design, everybody, simulated=simulated)
    checked = any(ranker.tested or ranker.checked for ranker in everybody if ranker.checker)
    against_checkers = screened(connection.engine, study, simulated=simulated) if checked else {}

    def members() -> dict[str, object]:
        checks = asdict(progress.queue) | {"share": progress.queue.share}
        return {"rankings_wanted": progress.wanted, "checks": checks}

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
        problem=design.problem,
        simulated=simulated,
        members=members,
        standing=standing,
        lines=lambda: lines_of(study, progress, against_checkers, simulated=simulated),
        people=lambda: list_of_rankers(everybody, against_checkers),
    )
