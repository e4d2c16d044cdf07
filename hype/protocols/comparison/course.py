"""Sessions of comparisons, and simulated evaluators with known preferences.

Simulated people choose image i over j with probability σ(sᵢ − sⱼ) (Bradley & Terry 1952); if ties
are allowed, Davidson's model (1970) gives the probability of a tie. Strengths differ between people
and between images.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hype.errors import InputError
from hype.protocols.comparison.sampling import (
    ComparisonPools,
    comparison_cells,
    plan_comparisons,
    read_comparison_pools,
)
from hype.protocols.comparison.screen import ComparingPairs, ComparisonLayout
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.trial import ComparisonPlan, ComparisonTrial, PromptShown
from hype.protocols.prompted.course import PromptedCourse, PromptedObserver, PromptedTastes
from hype.protocols.prompted.trial import Choice
from hype.session.course import EarlierEvaluators
from hype.session.enrol import pairs_of
from hype.session.plans import step_of_confidence
from hype.session.steps import (
    Button,
    ConfidenceQuestion,
    ReferencePlace,
    Response,
    Scene,
    Step,
    TimeLimit,
)
from hype.station.config import Stage, StationConfig, TrialPresenter, cap_label, fill_text
from hype.store.people import first_who_left
from hype.study.assignment import Assignment
from hype.study.draws import Draws, Purpose, seed_sequence

if TYPE_CHECKING:  # only arenas need this module and its statistics
    from hype.protocols.comparison.arena import ArenaVotes

CARELESS_MS = 150.0
"""The response time of simulated people who do not look at the images."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tastes(PromptedTastes):
    """The preferences of simulated people, and how they differ."""

    # The strength of each condition, by criterion and condition
    strengths: Mapping[str, Mapping[str, float]]
    left_bias: float  # added to the log-odds of the left image
    ties: bool  # whether ties are allowed
    tie_share: float  # the share of ties if people like two images equally
    bad_below: float  # both images are bad if people like both less than this
    lapse: float  # share of comparisons answered at random
    careless: float  # share of people who always press the same key immediately

    @property
    def tie_weight(self) -> float:
        """Davidson's ν: for two equal images, a tie has the probability ν/(2 + ν)."""
        return 2 * self.tie_share / (1 - self.tie_share) if self.ties else 0.0


class ComparingObserver(PromptedObserver):
    """One simulated evaluator of comparisons."""

    trial, noun, uniforms = ComparisonTrial, "comparison", 1

    def __init__(self, tastes: Tastes, rng: np.random.Generator) -> None:
        self._tastes = tastes
        self._own = tastes.draw(rng)
        careless, which = rng.random(2)
        self._always = ("left" if which < 0.5 else "right") if careless < tastes.careless else ""
        super().__init__(tastes, rng)

    def answer(self, trial: ComparisonTrial, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        if self._always:
            return Response(self._always, "", CARELESS_MS)
        if trial.limit_ms is not None and rt_ms >= trial.limit_ms:
            return Response(Choice.NONE.value, "", trial.limit_ms)
        return Response(self._chosen(trial, *uniforms).value, "", rt_ms)

    def _chosen(self, trial: ComparisonTrial, uniform: float) -> Choice:
        if uniform < self._tastes.lapse:
            return Choice.LEFT if uniform < self._tastes.lapse / 2 else Choice.RIGHT
        uniform = (uniform - self._tastes.lapse) / (1 - self._tastes.lapse)
        if trial.obvious:
            return trial.obvious
        if Choice.BOTH_BAD in trial.neither and max(self._appeals(trial)) < self._tastes.bad_below:
            return Choice.BOTH_BAD
        left, tie = self.probabilities(trial)
        if uniform < left:
            return Choice.LEFT
        return Choice.TIE if uniform < left + tie else Choice.RIGHT

    def respond_to(self, step: Step) -> Response:
        """Answer a step; the confidence depends on the random number that decided the answer."""
        if not isinstance(step, ConfidenceQuestion):
            return super().respond_to(step)
        steps, bounds = len(step.answers), self._bounds(step.about)
        return Response(step.answers[step_of_confidence(bounds, self._latest[0], steps) - 1])

    def _bounds(self, trial: Any) -> tuple[float, ...]:
        """Return the bounds of the random number between the answers left, tie and right."""
        if trial.obvious:  # everybody knows the answer
            return (1.0 if trial.obvious is Choice.LEFT else 0.0,)
        left, tie = self.probabilities(trial)
        lapse = self._tastes.lapse
        return tuple(lapse + (1 - lapse) * bound for bound in {left, left + tie})

    def probabilities(self, trial: ComparisonTrial) -> tuple[float, float]:
        """Return the probabilities of choosing the left image and of a tie, without lapses."""
        liked, other = self._appeals(trial)
        log_odds = liked - other + self._tastes.left_bias
        better = math.exp(log_odds / 2)
        total = better + 1 / better + self._tastes.tie_weight
        return better / total, self._tastes.tie_weight / total

    def _appeals(self, trial: ComparisonTrial) -> list[float]:
        tastes, own = self._tastes, self._own[trial.criterion]
        looks = partial(tastes.looks_on, trial.criterion) if len(self._own) > 1 else tastes.looks
        return [own[image.condition] + looks(image.path) for image in (trial.left, trial.right)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonLook:
    """How comparisons look."""

    questions: Mapping[str, str]  # the question of each criterion, in order
    prompt: PromptShown  # whether and how the prompt appears above the images
    word_ms: float  # time for each word, if words appear one by one
    mouse: bool  # whether people can also click on answers
    neither: tuple[Choice, ...] = ()  # the answers that choose neither image: a tie, both bad
    reference: ReferencePlace | None = None  # place of the reference, if shown

    @property
    def question(self) -> str:
        return "\n".join(self.questions.values())

    def presenters(self, stage: Stage, /) -> Mapping[type[Step], TrialPresenter]:
        pairs = ComparisonLayout(stage.layout, self)
        presenter = ComparingPairs(stage.window, pairs, stage.pictures, self.word_ms)
        return {ComparisonTrial: presenter}

    def scene(self, trial: ComparisonTrial, config: StationConfig, /) -> Scene:
        shows_prompt = self.prompt != "hidden"
        buttons = buttons_of(self, config)
        others = (text for name, text in self.questions.items() if name != trial.criterion)
        return Scene(
            question=self.questions[trial.criterion],
            buttons=buttons,
            others=tuple(Scene(question=text, buttons=buttons) for text in others),
            pictures=trial.pictures,
            prompt=trial.prompt if shows_prompt else "",
            word_ms=self.word_ms if trial.words_ms else 0.0,
            limit=TimeLimit(limit_ms=trial.limit_ms, otherwise=Choice.NONE.value)
            if trial.limit_ms is not None
            else None,
            reference=(config.texts["reference"], self.reference) if self.reference else None,
        )


class ComparisonCourse(PromptedCourse[ComparisonPlan]):
    """A study of comparisons, with its images."""

    shared_out = "comparisons"
    simulated = ComparingObserver

    study: ComparisonStudy
    pools: ComparisonPools

    def __init__(self, study: ComparisonStudy, pools: ComparisonPools | None = None) -> None:
        self.study = study
        self.pools = pools or read_comparison_pools(study)
        self.cells = comparison_cells(study.settings, self.pools)

    @property
    def counted(self) -> bool:
        """Whether the number of evaluators is fixed. It is not in an arena, which counts votes."""
        return self.study.settings.comparison.arena is None

    def assign(self, evaluator: str, earlier: EarlierEvaluators, /) -> Assignment:
        """Assign a new evaluator a share of the comparisons, or pairs in an arena."""
        assigned = super().assign(evaluator, earlier)
        asked = self.study.settings.comparison
        if asked.arena is None:
            return assigned
        counted = (earlier.connection, self.study.place_rule, earlier.given)
        if left := first_who_left(*counted, simulated=earlier.simulated):
            return replace(assigned, pairs=pairs_of(left))
        from hype.protocols.comparison.arena import choose_pairs

        seed = self.study.settings.study.seed
        draws = Draws(seed_sequence(seed, evaluator, Purpose.ASSIGNMENT))
        number = asked.blocks * asked.trials
        names, settings = self.pools.conditions, self.study.settings
        chosen = choose_pairs(settings, self._votes(earlier), names, draws.uniform(number))
        pairs = tuple((names[i], names[j]) for i, j in chosen)
        return replace(assigned, pairs=pairs)

    def plan(self, assignment: Assignment) -> ComparisonPlan:
        """Draw an evaluator's plan from the study's seed, so that all machines draw the same plan.

        Raises InputError: the study has changed, so the assigned pairs are no longer possible.
        """
        if bool(assignment.pairs) != bool(self.study.settings.comparison.arena):
            raise InputError(self.study.path, "comparison.arena was added or removed")
        names = (name for pair in assignment.pairs for name in pair)
        if unknown := [name for name in names if name not in self.pools.conditions]:
            raise InputError(self.study.path, f"the condition {unknown[0]!r} was removed")
        return plan_comparisons(self.study.settings, self.pools, assignment)

    @cached_property
    def tastes(self) -> Tastes:
        settings = self.study.settings
        return Tastes(
            strengths={name: self.strengths(name) for name in settings.comparison.questions},
            image_seed=settings.study.seed,
            ties=settings.comparison.ties,
            **settings.people.model_dump(),
        )

    @property
    def look(self) -> ComparisonLook:
        asked = self.study.settings.comparison
        return ComparisonLook(
            questions=asked.questions,
            prompt=asked.shown_prompt,
            word_ms=asked.word_ms,
            mouse=asked.mouse,
            neither=asked.neither,
            reference=asked.show_reference,
        )

    @property
    def arrangement(self) -> Mapping[str, Any]:
        return {"images_shown": 2, "reference": self.study.settings.comparison.show_reference}

    def enough(self, earlier: EarlierEvaluators, /) -> str:
        settings = self.study.settings
        if settings.comparison.arena is None:
            return ""
        from hype.protocols.comparison.arena import why_enough

        return why_enough(settings, self._votes(earlier), self.pools.conditions)

    def _votes(self, earlier: EarlierEvaluators) -> ArenaVotes:
        from hype.protocols.comparison.arena import arena_votes

        return arena_votes(
            *(earlier.connection, self.study, self.pools.conditions),
            simulated=earlier.simulated,
            given=earlier.given,
        )


def buttons_of(look: ComparisonLook, config: StationConfig) -> tuple[Button, ...]:
    """Return the answers from left to right; images can be clicked if the study allows it."""
    pictures = {Choice.LEFT: 0, Choice.RIGHT: 1} if look.mouse else {}
    answers = Choice.LEFT, *look.neither, Choice.RIGHT
    return tuple(
        Button(
            answer=choice.value,
            label=fill_text(config, choice.text, {}),
            keys=(key,),
            cap=cap_label(key, config.speech),
            picture=pictures.get(choice),
            aside=choice is Choice.BOTH_BAD,
        )
        for choice, key in ((each, getattr(config.keys, each.text)) for each in answers)
    )


COURSE: Final = ComparisonCourse
