"""What waits for a checker: how much of everybody's work was ranked again, and what is to come."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from sqlalchemy import Connection, select

from hype.protocol.ranking import Act, RankingTask
from hype.sessions.checking import Work, groups_to_check, work_so_far
from hype.sessions.rankers import Ranker
from hype.store.answer_tables import placements
from hype.study.ranking_settings import RankingFile

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
