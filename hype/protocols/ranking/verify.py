"""What verifying has to know of rankings, which are made of acts.

Which acts there are is not known beforehand, since acts can be taken back. What stood before each
is in its row, and must be what the acts before it come to.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, ClassVar, Final

from sqlalchemy import Row

from hype.protocols.prompted.checks import PromptedChecks
from hype.protocols.ranking.course import RankingCourse
from hype.protocols.ranking.rows import RANKINGS
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.trial import LETTERS, Act, PartialRanking, RankingPlan, RankingTrial
from hype.session.steps import Response
from hype.verify.case import Case, Files, Key, Place, Places
from hype.verify.findings import shown

ANSWERS: Final = frozenset((*LETTERS, *(act.value for act in Act)))
"""Everything that can be done with some group."""


class Rankings(PromptedChecks):
    """The acts of which rankings are made."""

    noun = "act"
    storage = RANKINGS
    every = ANSWERS
    study = RankingStudy
    given = ("share", "groups")
    planned: ClassVar = MappingProxyType(
        {
            "group": "item-unlike-plan",
            "prompt": "prompt-unlike-plan",
            "shown_sha256": "image-unlike-plan",
            "standing": "standing-unlike-acts",
            "image": "image-unlike-plan",
            "image_sha256": "image-unlike-plan",
            "condition": "image-unlike-plan",
        }
    )
    led = frozenset(planned)

    def places(self, plan: RankingPlan) -> Places:
        """Give the places of acts: block by block, and in a block as many as anybody makes."""
        blocks: dict[tuple[object, object], int] = {
            (block.task.value, block.number): at for at, block in enumerate(plan.blocks)
        }

        def place(key: Key) -> Place | None:
            at, number = blocks.get(key[:2]), key[2]
            return (at, number) if at is not None and isinstance(number, int) else None

        return place

    def usual(self, trial: RankingTrial) -> Response:
        return Response(trial.unplaced[0] if trial.unplaced else Act.ACCEPT.value)

    def possible(self, trial: RankingTrial, answer: object) -> bool:
        return answer in trial.acts

    def followed(self, trial: RankingTrial, later: Row[Any], /) -> Response | None:
        """Give the act that lacks: the one after which there stood what the next row says."""
        for act in trial.acts:
            after = trial.after(act)
            if str(after or PartialRanking()) == later.standing:
                return Response(act)
        return None

    def why_impossible(self, trial: RankingTrial, answer: str, /) -> str:
        there = f"after {trial.standing}" if trial.standing.tiers else "at the beginning"
        return f"{answer} {there}, where one can {', '.join(trial.acts)}"

    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        """Give the images that were placed; of others the record has no paths."""
        return Files(images={(r.image, r.image_sha256) for r in rows if r.image is not None})

    def wrong_part(self, case: Case, course: RankingCourse, /) -> str:
        """Compare groups or the share: checkers have groups, others a share."""
        if course.study.settings.screening.is_checker(case.who.evaluator):
            return wrong_groups(case, course)
        if case.who.groups:
            return "groups to check, and their code is none of a checker"
        return super().wrong_part(case, course)


def wrong_groups(case: Case, course: RankingCourse) -> str:
    if case.who.share:
        return f"share {shown(case.who.share)}, and checkers have none"
    groups = case.who.groups
    if len(set(groups)) < len(groups):
        return "a group to check twice"
    groups_of_study = course.pools.groups
    if unknown := [name for name in groups if name not in groups_of_study]:
        return f"the group {shown(unknown[0])} to check, which the study does not have"
    return ""


ANSWER_CHECKS: Final = Rankings()
