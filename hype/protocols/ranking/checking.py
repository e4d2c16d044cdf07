"""Cross-checks: a checker ranks groups of other evaluators again."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from hype.protocols.ranking.record import placements
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.ranking.trial import Act, RankingTask
from hype.store.people import COMING, IN_DESIGN, status_now
from hype.store.schema import evaluators
from hype.study.draws import Draws, Purpose, seed_sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedWork:
    """The names of the groups that evaluators ranked, and of those that checkers ranked again."""

    # The groups of each evaluator except checkers, in the order in which they were ranked
    ranked: Mapping[str, tuple[str, ...]]
    checked: frozenset[str]  # groups that a checker has ranked again or has been assigned
    under_way: frozenset[str] = frozenset()  # assigned groups that no checker has ranked yet

    def missing(self, share: float) -> dict[str, int]:
        """Count, for each evaluator with too few checked groups, how many more need a check."""
        lacking = {}
        for who, groups in self.ranked.items():
            done = sum(group in self.checked for group in groups)
            if (lacks := math.ceil(share * len(groups) - 1e-9) - done) > 0:
                lacking[who] = lacks
        return lacking


def work_of(
    connection: Connection,
    settings: RankingFile,
    *,
    simulated: bool,
    of: Collection[str] | None = None,
) -> CheckedWork:
    """Read which groups were ranked, and which were checked or are assigned to a checker.

    ``of``: checksums of studies; only evaluators of these studies count.
    """
    acts = placements.c
    query = (
        select(evaluators.c.evaluator, acts.group)
        .join(evaluators, acts.evaluator_id == evaluators.c.id)
        .where(acts.simulated == simulated, acts.answer == Act.ACCEPT.value)
        .where(acts.task == RankingTask.RANKING.value)
        .order_by(acts.id)
    )
    who: ColumnElement[bool] = evaluators.c.evaluator.not_in(settings.study.left_out)
    if of is not None:
        who &= evaluators.c.study.in_(of)
    ranked: dict[str, list[str]] = {}
    for evaluator, group in connection.execute(query.where(who)):
        ranked.setdefault(evaluator, []).append(group)
    given = select(evaluators.c.groups).where(
        evaluators.c.simulated == simulated,
        evaluators.c.groups.is_not(None),
        status_now((settings.web.release_minutes, ())).in_(IN_DESIGN),
    )
    again = select(acts.group).join(evaluators, acts.evaluator_id == evaluators.c.id)
    again = again.where(acts.simulated == simulated, acts.answer == Act.ACCEPT.value)
    again = again.where(acts.task == RankingTask.CHECK.value)
    given, again = given.where(who), again.where(who)
    done = frozenset(connection.execute(again).scalars())
    names = {name for groups in connection.execute(given).scalars() for name in groups.split()}
    is_checker = settings.is_checker
    return CheckedWork(
        ranked={who: tuple(groups) for who, groups in ranked.items() if not is_checker(who)},
        checked=done | names,
        under_way=frozenset(names - done),
    )


def groups_to_check(
    work: CheckedWork, checker: str, settings: RankingFile, *, known: Collection[str]
) -> tuple[str, ...]:
    """Choose groups for a checker's session, each from the evaluator who lacks the most checks.

    ``known``: the groups that are still in the design.
    """
    most = settings.ranking.blocks * settings.ranking.groups
    draws = Draws(seed_sequence(settings.study.seed, checker, Purpose.ASSIGNMENT))
    chosen: list[str] = []
    while len(chosen) < most:
        so_far = CheckedWork(ranked=work.ranked, checked=work.checked | set(chosen))
        missing = so_far.missing(settings.screening.check_share)
        open_to = {
            who: choices for who in missing if (choices := find_unchecked(so_far, who, known))
        }
        if not open_to:
            break
        needs = max(open_to, key=lambda who: missing[who])
        choices = open_to[needs]
        chosen.append(choices[draws.sample(len(choices), 1)[0]])
    return tuple(chosen)


def find_unchecked(work: CheckedWork, evaluator: str, known: Collection[str]) -> list[str]:
    return [
        group for group in work.ranked[evaluator] if group not in work.checked and group in known
    ]


def queue_of_checks(
    connection: Connection,
    settings: RankingFile,
    people: Sequence[Mapping[str, Any]],
    known: Collection[str] | None,
    simulated: bool,
) -> dict[str, object]:
    """Return the progress of the cross-checks, and the work for the next checker.

    ``people``: the facts about each evaluator. ``known``: the groups of the design; None if
    unknown, so that all ranked groups count. Returns ``wanted``: the share of each person's
    rankings that a checker should rank again; ``rankings`` and ``checked``: how many rankings there
    are, and how many were checked; ``waiting`` and ``under_way``: how many groups wait for a
    checker, and how many are assigned but not ranked yet; ``test_open``: whether no checker has
    taken the test yet; ``checker``: the code of the next checker, empty if none is needed.
    """
    rule = settings.screening
    work = work_of(connection, settings, simulated=simulated)
    ranked = [group for groups in work.ranked.values() for group in groups]
    again = work.checked - work.under_way
    checkers = [who for who in people if who["checker"] and who["status"] != "declined"]
    active = [who for who in checkers if who["status"] in ("active", COMING)]
    known = {*ranked} if known is None else known
    waiting, left = 0, work
    # The groups that a checker gets are random, but their number is not
    while chosen := groups_to_check(left, "somebody", settings, known=known):
        waiting += len(chosen)
        left = replace(left, checked=left.checked | set(chosen))
    test_open = bool(rule.test) and not any(who["tested"] for who in checkers)
    needed = bool(waiting or test_open) and bool(rule.checkers)
    next_code = next(codes(settings, {who["evaluator"] for who in people}), "")
    return {
        "wanted": rule.check_share,
        "rankings": len(ranked),
        "checked": sum(group in again for group in ranked),
        "waiting": waiting,
        "under_way": len(work.under_way),
        "test_open": test_open,
        "checker": active[0]["evaluator"] if active else next_code if needed else "",
    }


def codes(settings: RankingFile, taken: Collection[str], middle: str = "{:02}") -> Iterator[str]:
    """Yield unused codes for checkers, as many as the patterns in the study file allow."""
    yield from (one for one in settings.checkers if "*" not in one and one not in taken)
    if settings.name_checker(middle):
        named = (settings.name_checker(middle.format(n)) for n in count(1))
        yield from (code for code in named if code not in taken)
