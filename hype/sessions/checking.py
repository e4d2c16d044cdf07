"""What checkers are given: groups that others ranked, until a part of everybody's was ranked again.

The record tells who ranked what; the share that is to be checked is the study's
(`screening.check_share`). Wu et al. (2023), section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from hype.protocol.ranking import Act, RankingTask
from hype.protocol.steps import Ending
from hype.store.answer_tables import placements
from hype.store.schema import evaluators
from hype.study.draws import Draws, Purpose, seed_sequence
from hype.study.ranking_settings import RankingFile


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
        so_far = Work(ranked=work.ranked, checked=work.checked | set(chosen))
        missing = so_far.missing(settings.screening.check_share)
        open_to = {who: choices for who in missing if (choices := unchecked(so_far, who, known))}
        if not open_to:
            break
        needs = max(open_to, key=lambda who: missing[who])
        choices = open_to[needs]
        chosen.append(choices[draws.sample(len(choices), 1)[0]])
    return tuple(chosen)


def unchecked(work: Work, evaluator: str, known: Collection[str]) -> list[str]:
    """List the groups of an evaluator that nobody has checked, in their order."""
    return [one for one in work.ranked[evaluator] if one not in work.checked and one in known]
