"""Sessions of rankings, and simulated evaluators with known preferences.

A simulated evaluator chooses image i among the images without a place with probability
exp(sᵢ) / Σ exp(sⱼ), where s are strengths (Plackett 1975, Luce 1959), which differ between people
and between images. Sometimes evaluators undo a step; then they choose again by the same rule.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from hype.errors import InputError, NobodyNeeded
from hype.protocols.prompted.course import (
    PromptedCourse,
    PromptedObserver,
    PromptedTastes,
    draw_around,
)
from hype.protocols.prompted.pools import cells_of_shares
from hype.protocols.prompted.trial import Candidate
from hype.protocols.ranking.checking import CheckedWork, codes, groups_to_check, work_of
from hype.protocols.ranking.sampling import (
    CHECKERS,
    RankingPools,
    plan_rankings,
    read_ranking_pools,
)
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.trial import (
    Act,
    RankingPlan,
    RankingTrial,
)
from hype.session.course import EarlierEvaluators
from hype.session.steps import Button, Response, Scene, Step
from hype.station.config import Keys, Stage, StationConfig, TrialPresenter, cap_label, fill_text
from hype.study.assignment import Assignment

PLAIN: Final = 3.0
"""The strength added to the best images of a test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingTastes(PromptedTastes):
    """The preferences of simulated people, and how often they undo steps and tie images."""

    undo_share: float  # how often a step undoes the last step
    tie_share: float  # how often an image shares the previous place, if ties are allowed


class RankingObserver(PromptedObserver):
    """One simulated evaluator, who makes rankings act by act."""

    trial, noun, uniforms = RankingTrial, "ranking", 2

    def __init__(self, tastes: RankingTastes, rng: np.random.Generator) -> None:
        self._tastes = tastes
        self._own = draw_around(tastes.strengths, tastes.taste_spread, rng)
        super().__init__(tastes, rng)

    def answer(self, trial: RankingTrial, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        """Choose an act with two uniform numbers: one for its kind, one for the image."""
        (which, where), acts, tastes = uniforms, trial.acts, self._tastes
        if Act.UNDO.value in acts and which < tastes.undo_share:
            act = Act.UNDO.value
        elif not trial.unplaced:
            act = Act.ACCEPT.value
        elif Act.TIE.value in acts and which > 1 - tastes.tie_share:
            act = Act.TIE.value
        else:
            act = self._next(trial, where)
        return Response(act, "", rt_ms)

    def _next(self, trial: RankingTrial, uniform: float) -> str:
        weights = [
            math.exp(self._appeal(trial.group.image(letter), trial.best))
            for letter in trial.unplaced
        ]
        left = uniform * sum(weights)
        for letter, weight in zip(trial.unplaced, weights, strict=True):
            left -= weight
            if left < 0:
                return letter
        return trial.unplaced[-1]

    def _appeal(self, image: Candidate, best: Collection[str]) -> float:
        own = self._own.get(image.condition, 0.0) + self._tastes.looks(image.path)
        return own + PLAIN * (image.path in best)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingLook:
    """How rankings look."""

    question: str  # the question, such as which image is best
    prompt: bool  # whether the prompt is above the images
    mouse: bool  # whether images and keys may also be clicked

    def presenters(self, stage: Stage, /) -> Mapping[type[Step], TrialPresenter]:
        from hype.protocols.ranking.screen import RankingGroups, RankingLayout

        groups = RankingLayout(stage.layout, self)
        return {RankingTrial: RankingGroups(stage.window, groups, stage.pictures)}

    def scene(self, trial: RankingTrial, config: StationConfig, /) -> Scene:
        letters, ranks = trial.group.letters, trial.standing.ranks()
        images = tuple(
            Button(
                answer=letter,
                label=letter,
                keys=(letter.lower(),),
                cap=cap_label(letter.lower(), config.speech),
                picture=letters.index(letter) if self.mouse else None,
            )
            for letter in trial.unplaced
        )
        return Scene(
            question=self.question,
            buttons=(*images, *acts_of(trial, config)),
            pictures=trial.pictures,
            prompt=trial.group.prompt if self.prompt else "",
            captions=tuple(letters),
            ranks=tuple(map(ranks.get, letters)),
            moves=tuple(trial.standing.moves()),
            pressed=Act.TIE.value if trial.standing.tying else "",
        )


class RankingCourse(PromptedCourse[RankingPlan]):
    """A study of rankings, with its images."""

    shared_out = "groups"
    simulated = RankingObserver
    other_cells = (CHECKERS,)

    study: RankingStudy
    pools: RankingPools

    def __init__(self, study: RankingStudy, pools: RankingPools | None = None) -> None:
        self.study = study
        self.pools = pools or read_ranking_pools(study)
        self.cells = cells_of_shares("ranking", self.pools.shares)

    def assign(self, evaluator: str, earlier: EarlierEvaluators, /) -> Assignment:
        """Assign a share of the groups to a new evaluator, or the groups to check to a checker.

        Raises NobodyNeeded: a checker has nothing to check, and no test to take.
        """
        settings = self.study.settings
        if not settings.is_checker(evaluator):
            return super().assign(evaluator, earlier)
        work = self._work(earlier)
        groups = groups_to_check(work, evaluator, settings, known=self.pools.groups)
        if not groups and not self.pools.test:
            raise NobodyNeeded(
                f"{self.study.path}: the checker {evaluator!r} has nothing to do, since "
                "enough rankings are checked, or there are no rankings yet",
                "full",
            )
        return Assignment(evaluator=evaluator, cell=CHECKERS, groups=groups)

    def plan(self, assignment: Assignment) -> RankingPlan:
        """Draw an evaluator's plan from the study's seed, so that all machines draw the same plan.

        Raises InputError: a checker was assigned a group that no longer exists.
        """
        groups = self.pools.groups
        if lost := [name for name in assignment.groups if name not in groups]:
            raise InputError(self.study.path, f"the group {lost[0]} no longer exists")
        return plan_rankings(self.study.settings, self.pools, assignment)

    @cached_property
    def tastes(self) -> RankingTastes:
        settings = self.study.settings
        return RankingTastes(
            strengths=self.strengths(),
            image_seed=settings.study.seed,
            **settings.people.model_dump(),
        )

    @property
    def look(self) -> RankingLook:
        asked = self.study.settings.ranking
        return RankingLook(
            question=asked.question, prompt=asked.prompt == "shown", mouse=asked.mouse
        )

    @property
    def arrangement(self) -> Mapping[str, Any]:
        groups = (*self.pools.test, *self.pools.groups.values())
        return {"images_shown": max(len(group.images) for group in groups)}

    def helper(self, earlier: EarlierEvaluators, taken: Collection[str], /) -> str:
        """Return the code of the next simulated checker, or "" if there is nothing to check."""
        settings = self.study.settings
        code = next(codes(settings, taken, "-sim-{:04}"), "")
        first = self.pools.test and not any(map(settings.is_checker, taken))
        is_needed = first or self._work(earlier).missing(settings.screening.check_share)
        return code if is_needed else ""

    def _work(self, earlier: EarlierEvaluators) -> CheckedWork:
        """Read which groups have been ranked and checked so far."""
        return work_of(
            *(earlier.connection, self.study.settings),
            simulated=earlier.simulated,
            of=earlier.given,
        )


TYING: Final = "tying"
"""The name of the text on the tie key after it was pressed."""


def keys_of_acts(keys: Keys) -> dict[Act, str]:
    """Return the keys that do not place an image, from left to right."""
    return {Act.UNDO: keys.undo, Act.TIE: keys.tie, Act.ACCEPT: keys.go_on}


def acts_of(trial: RankingTrial, config: StationConfig) -> tuple[Button, ...]:
    """Return the buttons that do not place an image.

    The label of the tie button changes after it was pressed.
    """
    names: dict[Act, str] = {act: act.value for act in Act if act.value in trial.acts}
    if trial.standing.tying:
        names[Act.TIE] = TYING
    return tuple(
        Button(
            answer=act.value,
            label=fill_text(config, names[act], {}),
            keys=(key,),
            cap=cap_label(key, config.speech),
        )
        for act, key in keys_of_acts(config.keys).items()
        if act in names
    )


COURSE: Final = RankingCourse
