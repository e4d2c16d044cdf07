"""Quotas by the record: which groups of a study's evaluators are full."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from hype.session.versions import same_version
from hype.store.people import TURNED_AWAY, count_statements
from hype.study.quotas import Quota, count_groups, takes_one_more

if TYPE_CHECKING:
    from hype.protocols.studies import AnyStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupProgress:
    """How full a group is: how many it takes, of whom some are done and some have begun."""

    question: str
    group: str
    wanted: int
    complete: int
    active: int

    @property
    def free(self) -> int:
        return max(0, self.wanted - self.complete - self.active)


@dataclass(frozen=True, slots=True)
class StudyQuotas:
    """The quotas of a study, as a record is held against them: `hype.store.recorder.HasRoom`."""

    study: AnyStudy

    def __call__(
        self, connection: Connection, owner: Mapping[str, object], question: str, answer: str
    ) -> bool:
        """Tell whether the study takes one more who answers so, whoever ``owner`` is."""
        simulated = bool(owner["simulated"])
        quota = self.study.settings.study.quotas.get(question)
        if quota is None:
            return True
        given = same_version(connection, self.study, simulated=simulated)
        statements = count_statements(
            connection, question, given, simulated=simulated, but=owner["evaluator_id"]
        )
        others = {
            answer: sum(number for status, number in of_status.items() if status not in TURNED_AWAY)
            for answer, of_status in statements.items()
        }
        return takes_one_more(answer, others, quota, self.study.demographics[question])


def groups_of(
    connection: Connection,
    study: AnyStudy,
    quotas: Mapping[str, Quota],
    given: Collection[str] | None,
    *,
    simulated: bool,
) -> Iterator[GroupProgress]:
    """Yield how full each group is; ``given`` as in `hype.store.people.count_statements`."""
    for question, quota in quotas.items():
        statements = count_statements(connection, question, given, simulated=simulated)
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


def question_that_is_full(
    connection: Connection, study: AnyStudy, given: Collection[str], *, simulated: bool
) -> str:
    """Name a question of which each group has its people; nothing where there is none."""
    quotas = study.settings.study.quotas
    room: dict[str, int] = {}
    for group in groups_of(connection, study, quotas, given, simulated=simulated):
        room[group.question] = room.get(group.question, 0) + group.free
    return next((question for question, free in room.items() if not free), "")
