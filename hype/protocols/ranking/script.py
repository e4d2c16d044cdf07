"""A session of rankings as a script: each group act by act, until its order is accepted."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from itertools import count

from hype.protocols.prompted.script import course
from hype.protocols.ranking.trial import (
    PartialRanking,
    RankingBlock,
    RankingPlan,
    RankingTask,
    RankingTrial,
)
from hype.session.loop import Script
from hype.session.steps import Outcome, Step


def ranking_session(plan: RankingPlan) -> Script:
    """Yield the steps of ``plan``; to be sent each step's outcome; return how it ended."""
    return course(plan, partial(rank, plan))


def rank(plan: RankingPlan, block: RankingBlock) -> Generator[Step, Outcome, int]:
    """Yield the acts of a block; returns how many rankings are paid."""
    numbers = count(1)
    for place, group in enumerate(block.groups, start=1):
        standing: PartialRanking | None = PartialRanking()
        while standing is not None:
            trial = RankingTrial(
                task=block.task,
                block=block.number,
                number=next(numbers),
                group=group,
                standing=standing,
                ties=plan.ties,
                done=place / len(block.groups),
            )
            outcome = yield trial
            standing = trial.after(outcome.answer)
    return 0 if block.task is RankingTask.PRACTICE else len(block.groups)
