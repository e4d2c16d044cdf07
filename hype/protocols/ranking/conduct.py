"""Rankings: a group of images put in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import product

import numpy as np

from hype.errors import InputError, SessionProblem
from hype.protocols.base import EarlierEvaluators
from hype.protocols.prompted.conduct import PromptedProtocol, keys_of
from hype.protocols.ranking.checkers import Work, groups_to_check, work_so_far
from hype.protocols.ranking.observer import RankingObserver, RankingTastes
from hype.protocols.ranking.pools import read_ranking_pools
from hype.protocols.ranking.sampling import CHECKERS, RankingPools, plan_rankings, ranking_cells
from hype.protocols.ranking.script import ranking_session
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.ranking.trial import RankingPlan
from hype.protocols.studies import RankingStudy
from hype.session.loop import Answered, Script
from hype.session.stage import Seating, appearance_of, speech_of
from hype.station.config import Ranking, StationConfig
from hype.station.pictures import PictureRequest, upcoming_groups
from hype.study.assignment import Assignment
from hype.study.draws import Purpose, seed_sequence


class RankingProtocol(PromptedProtocol[RankingPlan]):
    """A study of rankings, and what it draws from."""

    shared_out = "groups"
    other_cells = (CHECKERS,)

    def __init__(self, study: RankingStudy, pools: RankingPools | None = None) -> None:
        self._study = study
        self.pools = pools or read_ranking_pools(study)
        self.cells = ranking_cells(self.pools)
        self.evaluators_per_cell = study.settings.ranking.rankings

    @property
    def study(self) -> RankingStudy:
        return self._study

    def assign(self, evaluator: str, earlier: EarlierEvaluators, /) -> Assignment:
        """Give a new evaluator a share of the groups, or a checker what is to be checked.

        Raises
        ------
        SessionProblem
            A checker came, and there is nothing to check and no test.
        """
        settings = self._study.settings
        if settings.screening.is_checker(evaluator):
            return self._to_check(evaluator, earlier)
        return super().assign(evaluator, earlier)

    def plan(self, assignment: Assignment) -> RankingPlan:
        """Draw the plan of an evaluator.

        Raises
        ------
        InputError
            A checker was given a group that is no longer there.
        """
        known = self.pools.groups
        if lost := [name for name in assignment.groups if name not in known]:
            raise InputError(self._study.path, f"the group {lost[0]} is gone")
        return plan_rankings(self._study.settings, self.pools, assignment)

    def script(self, plan: RankingPlan) -> Script:
        return ranking_session(plan)

    def upcoming(self, plan: RankingPlan, answered: Sequence[Answered]) -> Iterator[PictureRequest]:
        return upcoming_groups(plan, answered)

    @cached_property
    def tastes(self) -> RankingTastes:
        """The simulated people."""
        settings = self._study.settings
        strengths = {
            name: settings.observers[name].strength if name in settings.observers else 0.0
            for name in self.pools.conditions
        }
        return RankingTastes(
            strengths=strengths, image_seed=settings.study.seed, **settings.people.model_dump()
        )

    def observer(self, plan: RankingPlan, *, seed: int) -> RankingObserver:
        rng = np.random.default_rng(seed_sequence(seed, plan.evaluator, Purpose.OBSERVER))
        return RankingObserver(self.tastes, rng)

    def station_config(self, seating: Seating, _assignment: Assignment, /) -> StationConfig:
        """Take from the study and the command what the station needs to know."""
        settings = self._study.settings
        keys, asked = settings.keys, settings.ranking
        return StationConfig(
            keys=keys_of(keys, tie=keys.tie, undo=keys.undo),
            appearance=appearance_of(self._study, seating, abreast=most_images(self.pools)),
            texts=texts_of(settings),
            speech=speech_of(settings),
            countdown_from=0,
            countdown_ms=0.0,
            ranking=Ranking(
                question=asked.question,
                prompt=asked.prompt == "shown",
                mouse=asked.mouse,
                most=most_images(self.pools),
            ),
        )

    def helper(self, earlier: EarlierEvaluators, taken: Collection[str], /) -> str:
        """Give the code of a checker, as long as there is something to check."""
        screening = self._study.settings.screening
        code = next(codes_of_checkers(screening.checkers, taken), "")
        if not code:
            return ""
        work = self._work(earlier)
        first = self.pools.test and not any(map(screening.is_checker, taken))
        return code if first or work.missing(screening.check_share) else ""

    def _work(self, earlier: EarlierEvaluators) -> Work:
        """Read what was ranked and checked so far."""
        return work_so_far(
            *(earlier.connection, self._study.settings),
            simulated=earlier.simulated,
            of=earlier.given,
        )

    def _to_check(self, checker: str, earlier: EarlierEvaluators) -> Assignment:
        """Give a checker groups that others have ranked."""
        settings = self._study.settings
        work = self._work(earlier)
        groups = groups_to_check(work, checker, settings, known=self.pools.groups)
        if not groups and not self.pools.test:
            raise SessionProblem(
                f"{self._study.path}: there is nothing for the checker {checker!r}: of everybody's "
                f"rankings {settings.screening.check_share:.0%} are checked, or nobody has ranked "
                "any yet"
            )
        return Assignment(evaluator=checker, cell=CHECKERS, groups=groups)


def codes_of_checkers(patterns: Sequence[str], taken: Collection[str]) -> Iterator[str]:
    """Yield codes that the study takes for those of checkers, and that nobody has."""
    for number, pattern in product(range(1, len(taken) + 2), patterns):
        code = pattern.replace("*", f"-sim-{number:04d}", 1).replace("*", "")
        if code not in taken:
            yield code


def texts_of(settings: RankingFile) -> dict[str, str]:
    """Give the words on the screens; the instructions say only what there is."""
    texts: dict[str, str] = settings.texts.model_dump()
    asked = settings.ranking
    extra = ("instructions_ties", asked.ties), ("instructions_mouse", asked.mouse)
    more = " ".join(texts[name] for name, wanted in extra if wanted)
    if more:
        texts["instructions"] += f"\n\n{more}"
    return texts


def most_images(pools: RankingPools) -> int:
    return max(len(group.images) for group in (*pools.test, *pools.groups.values()))
