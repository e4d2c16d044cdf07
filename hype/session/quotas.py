"""Quotas by the record: which groups of a study's evaluators are full."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, select

from hype.session.versions import same_version
from hype.store.people import IN_DESIGN, count_statements, status_now
from hype.store.schema import demographics, evaluators
from hype.study.demographics import Quota, count_groups, takes_one_more
from hype.study.studies import AnyStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupProgress:
    """How full a group is: how many it takes, how many are done, and how many have begun."""

    question: str
    group: str
    wanted: int
    complete: int
    active: int

    @property
    def free(self) -> int:
        return max(0, self.wanted - self.complete - self.active)


def group_has_room(
    study: AnyStudy,
    connection: Connection,
    owner: Mapping[str, object],
    question: str,
    answer: str,
) -> bool:
    """Whether a study takes one more with this answer; ``owner`` gives it and is not counted.

    With its study, this is a `hype.store.recorder.HasRoom`.
    """
    simulated = bool(owner["simulated"])
    quota = study.settings.study.quotas.get(question)
    if quota is None:
        return True
    given = same_version(connection, study, simulated=simulated)
    which = in_design(study, given) & (evaluators.c.id != owner["evaluator_id"])
    statements = count_statements(connection, question, which, simulated=simulated)
    others = {answer: of_status.total() for answer, of_status in statements.items()}
    return takes_one_more(answer, others, quota, study.demographics[question])


def has_group_still(
    connection: Connection, study: AnyStudy, evaluator_id: int, *, simulated: bool
) -> bool:
    """Whether the groups of somebody who left, by what they said, take one more."""
    said = select(demographics.c.question, demographics.c.answer)
    said = said.where(demographics.c.evaluator_id == evaluator_id)
    owner = {"evaluator_id": evaluator_id, "simulated": simulated}
    rows = connection.execute(said).all()
    return all(group_has_room(study, connection, owner, *statement) for statement in rows)


def in_design(study: AnyStudy, given: Collection[str] | None) -> ColumnElement[bool]:
    """Take those who have a place or may still take one, or are done.

    ``given``: they were given one of these studies, by their checksums; None for any.
    """
    counts = status_now(study.place_rule).in_(IN_DESIGN)
    return counts if given is None else counts & evaluators.c.study.in_(given)


def groups_of(
    connection: Connection,
    study: AnyStudy,
    quotas: Mapping[str, Quota],
    given: Collection[str] | None,
    *,
    simulated: bool,
) -> Iterator[GroupProgress]:
    """Yield how full each group is; ``given`` as in `in_design`."""
    which = in_design(study, given)
    for question, quota in quotas.items():
        statements = count_statements(connection, question, which, simulated=simulated)
        numbers = {
            status: count_groups(
                {answer: of_status[status] for answer, of_status in statements.items()},
                quota,
                study.demographics[question],
            )
            for status in ("complete", "active")
        }
        for group, wanted in quota.items():
            complete, active = (numbers[status][group] for status in ("complete", "active"))
            yield GroupProgress(
                question=question, group=group, wanted=wanted, complete=complete, active=active
            )


def groups_that_are_full(
    connection: Connection, study: AnyStudy, given: Collection[str], *, simulated: bool
) -> list[GroupProgress]:
    """Give all groups of a question of which each one has its people; none where there is none."""
    quotas = study.settings.study.quotas
    groups = list(groups_of(connection, study, quotas, given, simulated=simulated))
    for question in quotas:
        theirs = [group for group in groups if group.question == question]
        if not any(group.free for group in theirs):
            return theirs
    return []
