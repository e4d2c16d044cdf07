"""Checkers: what they are given, and how much of everybody's work was ranked again."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from sqlalchemy import Connection, select

from hype.protocols.ranking.evaluators import Ranker
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.ranking.trial import Act, RankingTask
from hype.session.steps import Ending
from hype.store.answer_tables import placements
from hype.store.schema import evaluators
from hype.study.draws import Draws, Purpose, seed_sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What evaluators have done, and what of it checkers have, by the names of groups.

    Attributes
    ----------
    ranked
        The groups of each evaluator who is no checker, in the order in which they ranked them.
    checked
        Groups that a checker has ranked again, or was given to rank.
    """

    ranked: Mapping[str, tuple[str, ...]]
    checked: frozenset[str]

    def missing(self, share: float) -> dict[str, int]:
        """Count how many more groups of each evaluator are to be checked; nobody who has enough."""
        found = {}
        for who, groups in self.ranked.items():
            done = sum(group in self.checked for group in groups)
            if (lacks := math.ceil(share * len(groups) - 1e-9) - done) > 0:
                found[who] = lacks
        return found


def work_so_far(
    connection: Connection,
    settings: RankingFile,
    *,
    simulated: bool,
    of: Collection[str] | None = None,
) -> Work:
    """Read what was ranked, and what was or will be checked.

    ``of`` are checksums of studies: what others than those who were given one of them did does not
    count.
    """
    found = placements.c
    query = (
        select(evaluators.c.evaluator, found.group)
        .join(evaluators, found.evaluator_id == evaluators.c.id)
        .where(found.simulated == simulated, found.answer == Act.ACCEPT.value)
        .where(found.task == RankingTask.RANKING.value)
        .order_by(found.id)
    )
    if of is not None:
        query = query.where(evaluators.c.study.in_(of))
    ranked: dict[str, list[str]] = {}
    for evaluator, group in connection.execute(query):
        ranked.setdefault(evaluator, []).append(group)
    given = select(evaluators.c.groups).where(
        evaluators.c.simulated == simulated,
        evaluators.c.groups.is_not(None),
        evaluators.c.status != Ending.DECLINED.value,
    )
    if of is not None:
        given = given.where(evaluators.c.study.in_(of))
    names = (name for groups in connection.execute(given).scalars() for name in groups.split())
    is_checker = settings.screening.is_checker
    return Work(
        ranked={who: tuple(groups) for who, groups in ranked.items() if not is_checker(who)},
        checked=frozenset(names),
    )


def groups_to_check(
    work: Work,
    checker: str,
    settings: RankingFile,
    *,
    known: Collection[str],
) -> tuple[str, ...]:
    """Choose what a checker ranks, as much as fits a session, those most in need first.

    Parameters
    ----------
    known
        Groups that the design still has.
    """
    most = settings.ranking.blocks * settings.ranking.groups
    draws = Draws(seed_sequence(settings.study.seed, checker, Purpose.ASSIGNMENT))
    chosen: list[str] = []
    while len(chosen) < most:
        earlier = Work(ranked=work.ranked, checked=work.checked | set(chosen))
        missing = earlier.missing(settings.screening.check_share)
        open_to = {who: choices for who in missing if (choices := unchecked(earlier, who, known))}
        if not open_to:
            break
        needs = max(open_to, key=lambda who: missing[who])
        choices = open_to[needs]
        chosen.append(choices[draws.sample(len(choices), 1)[0]])
    return tuple(chosen)


def unchecked(work: Work, evaluator: str, known: Collection[str]) -> list[str]:
    return [one for one in work.ranked[evaluator] if one not in work.checked and one in known]


SOMEBODY: Final = "somebody"

"""A checker who might come: which groups they get is another question than how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckQueue:
    """How far the cross-checks are.

    Attributes
    ----------
    wanted
        The part of everybody's rankings that is to be ranked again by a checker.
    rankings, checked
        Rankings so far, and those of them whose group a checker has ranked again.
    behind
        Evaluators of whose work less was ranked again than is wanted.
    waiting
        Groups that some checker has yet to be given, so that nobody is behind.
    under_way
        Groups that checkers were given and have not ranked yet.
    test_open
        Whether there is a test that no checker has taken.
    checker
        The code by which the next checker is seated, or who is to go on; nothing where nobody need.
    """

    wanted: float
    rankings: int
    checked: int
    behind: int
    waiting: int
    under_way: int
    test_open: bool
    checker: str

    @property
    def share(self) -> float | None:
        """The share that was ranked again; None where nothing was ranked."""
        return self.checked / self.rankings if self.rankings else None


def check_queue(
    connection: Connection,
    settings: RankingFile,
    found: Sequence[Ranker],
    *,
    known: Collection[str] | None,
    simulated: bool,
) -> CheckQueue:
    """Say what waits for a checker.

    Parameters
    ----------
    found
        Everybody who came.
    known
        The groups of the design; None where nobody can say, so that all count that were ranked.
    """
    rule = settings.screening
    work = work_so_far(connection, settings, simulated=simulated)
    ranked = [group for groups in work.ranked.values() for group in groups]
    again = ranked_again(connection, simulated=simulated)
    checkers = [one for one in found if one.checker and one.status != "declined"]
    active = [one for one in checkers if one.status == "active"]
    waiting = number_waiting(work, settings, {*ranked} if known is None else known)
    test_open = bool(rule.test) and not any(one.tested for one in checkers)
    needed = bool(waiting or test_open) and bool(rule.checkers)
    next_one = next(codes(rule.checkers, {one.evaluator for one in found}), "")
    return CheckQueue(
        wanted=rule.check_share,
        rankings=len(ranked),
        checked=sum(group in again for group in ranked),
        behind=len(replace(work, checked=again).missing(rule.check_share)),
        waiting=waiting,
        under_way=sum(one.given - one.checked for one in active),
        test_open=test_open,
        checker=active[0].evaluator if active else next_one if needed else "",
    )


def ranked_again(connection: Connection, *, simulated: bool) -> frozenset[str]:
    """List the groups that a checker has ranked."""
    found = placements.c
    query = select(found.group).where(
        found.simulated == simulated,
        found.task == RankingTask.CHECK.value,
        found.answer == Act.ACCEPT.value,
    )
    return frozenset(connection.execute(query.distinct()).scalars())


def number_waiting(work: Work, settings: RankingFile, known: Collection[str]) -> int:
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
