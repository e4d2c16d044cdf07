"""Sessions that ask about images of prompts, without flashes, and their simulated people."""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, TypeVar

import numpy as np

from hype.errors import InputError
from hype.protocols.prompted.pools import PromptedPools
from hype.protocols.prompted.settings import PromptedStudy
from hype.protocols.prompted.trial import PromptedPlan, course
from hype.session.course import Course, EarlierEvaluators
from hype.session.loop import Script
from hype.session.materials import check_image
from hype.session.plans import simulate_statement
from hype.session.stage import Seating, appearance_of, speech_of, tell_pay
from hype.session.steps import Question, Response, Screen, Step
from hype.station.config import Keys, StationConfig, TrialLook
from hype.study.assignment import Assignment, Cell, least_filled
from hype.study.draws import BATCH, STANDARD_NORMAL, Purpose, draw_in_batches, seed_sequence
from hype.study.studies import words_shown
from hype.study.table import TriggerSettings


def normal_of(*names: object) -> float:
    """Return a standard normal number that depends only on ``names``."""
    digest = hashlib.sha256(" ".join(map(str, names)).encode()).digest()
    uniform = (int.from_bytes(digest[:6], "big") + 0.5) / 2**48
    return STANDARD_NORMAL.inv_cdf(uniform)


def draw_around(
    typical: Mapping[str, float], spread: float, rng: np.random.Generator
) -> dict[str, float]:
    own = rng.standard_normal(len(typical)).tolist()
    return {name: at + spread * z for (name, at), z in zip(typical.items(), own, strict=True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedTastes:
    """The preferences of simulated people, and how they differ between people and images."""

    strengths: Mapping[str, Any]  # how much the typical person likes each condition
    # taste_spread, image_spread: standard deviation of a condition's strength between people, and
    # between images of one condition
    taste_spread: float
    image_spread: float
    image_seed: int  # this seed and an image's path decide its strength
    # rt_median_ms, rt_spread: median response time, and standard deviation of its logarithm
    rt_median_ms: float
    rt_spread: float

    def looks(self, path: str) -> float:
        return self.image_spread * normal_of(self.image_seed, path) if self.image_spread else 0.0

    def draw(self, rng: np.random.Generator) -> dict[str, dict[str, float]]:
        """Draw how much one person likes each condition on each axis or criterion."""
        return {
            axis: draw_around(typical, self.taste_spread, rng)
            for axis, typical in self.strengths.items()
        }

    def looks_on(self, axis: str, path: str) -> float:
        """Return by how much an image is stronger than its condition on an axis.

        Half of the variance between images is common to all axes.
        """
        if not self.image_spread:
            return 0.0
        common, own = (normal_of(self.image_seed, path, name) for name in ("", f"axis {axis}"))
        return self.image_spread * math.sqrt(0.5) * (common + own)


class PromptedObserver(ABC):
    """One simulated evaluator.

    The same ``rng`` and trials give the same answers. ``trial``, ``noun``: the class of trials, and
    its name in messages. ``uniforms``: the number of random numbers that each trial draws, even if
    unused, so that trials can be skipped.
    """

    trial: ClassVar[type]
    noun: ClassVar[str]
    uniforms: ClassVar[int]
    _latest: tuple[float, ...] = ()  # the random numbers that decided the last answer

    def __init__(self, tastes: PromptedTastes, rng: np.random.Generator) -> None:
        answers, times, self._about = rng.spawn(3)
        self._uniforms = draw_in_batches(lambda: answers.random(BATCH))
        self._rt_ms = draw_in_batches(
            lambda: tastes.rt_median_ms * np.exp(tastes.rt_spread * times.standard_normal(BATCH))
        )

    def skip(self, trials: int) -> None:
        """Skip trials that were answered before the session was resumed."""
        for _ in range(trials):
            self._latest, _ = tuple(islice(self._uniforms, self.uniforms)), next(self._rt_ms)

    def respond_to(self, step: Step) -> Response:
        """Answer a trial or a question, or continue from a screen."""
        if isinstance(step, Question):
            return Response(simulate_statement(step, self._about))
        if isinstance(step, Screen):
            return step.passing
        if not isinstance(step, self.trial):
            raise TypeError(f"{step.name.task} is not a {self.noun}")
        self._latest = tuple(islice(self._uniforms, self.uniforms))
        return self.answer(step, self._latest, next(self._rt_ms))

    @abstractmethod
    def answer(self, trial: Any, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        """Answer a trial, given uniform random numbers and a response time."""


PlanT = TypeVar("PlanT", bound=PromptedPlan)


class PromptedCourse(Course[PlanT]):
    """A study that asks about images of prompts."""

    shared_out: ClassVar[str]  # what is divided into shares, such as "comparisons"
    simulated: ClassVar[type[PromptedObserver]]  # the class of simulated evaluators
    study: PromptedStudy
    pools: PromptedPools

    @property
    def prompts(self) -> Iterable[str]:
        return [prompt.text for prompt in self.pools.prompts]

    @property
    @abstractmethod
    def tastes(self) -> PromptedTastes:
        """The simulated people."""

    @property
    @abstractmethod
    def look(self) -> TrialLook:
        """The appearance of the trials."""

    @property
    @abstractmethod
    def arrangement(self) -> Mapping[str, Any]:
        """Arguments of `appearance_of`: the number of images, the captions, and the reference."""

    def texts(self, *, in_browser: bool) -> dict[str, str]:
        return texts_shown(self.study, in_browser=in_browser)

    def script(self, plan: PlanT) -> Script:
        return course(plan)

    def station_config(self, seating: Seating, _assignment: Assignment, /) -> StationConfig:
        settings = self.study.settings
        return StationConfig(
            keys=Keys(**settings.keys.model_dump(exclude={"left_means", "names"})),
            appearance=appearance_of(self.study, seating, **self.arrangement),
            texts=self.texts(in_browser=seating.in_browser),
            speech=speech_of(settings),
            trials=self.look,
        )

    def strengths(self, axis: str = "") -> dict[str, float]:
        """Return how much people like each condition; 0 by default."""
        observers = self.study.settings.observers
        return {
            name: observers[name].strength_on(axis) if name in observers else 0.0
            for name in self.pools.conditions
        }

    def observer(self, plan: PlanT, *, seed: int) -> PromptedObserver:
        rng = np.random.default_rng(seed_sequence(seed, plan.evaluator, Purpose.OBSERVER))
        return self.simulated(self.tastes, rng)

    def require_enough(self) -> None:
        """Do nothing, since the images were checked when they were read."""

    def require_place(self, cell: Cell) -> None:
        """Refuse a share that the study no longer has."""
        if cell not in (*self.cells, *self.other_cells):
            raise InputError(
                self.study.path, f"the evaluator's share of {self.shared_out} no longer exists"
            )

    def assign(self, evaluator: str, earlier: EarlierEvaluators, /) -> Assignment:
        seed = self.study.settings.study.seed
        cell = least_filled(evaluator, cells=self.cells, filled=earlier.filled, seed=seed)
        return self.qualify(Assignment(evaluator=evaluator, cell=cell), earlier)

    def check_files(self, plan: PlanT, *, simulated: bool = False) -> str | None:  # noqa: ARG002 - it shows no masks
        """Refuse to start if an image of the plan is missing or has changed."""
        for image in plan.images():
            check_image(self.study, image.path, image.sha256)
        return None

    def trigger_ports(self) -> TriggerSettings:
        """Return settings without triggers, since nothing is flashed."""
        return TriggerSettings()

    def enough(self, _earlier: EarlierEvaluators, /) -> str:
        """Return no reason to stop: a study with free places always needs more evaluators."""
        return ""


def texts_shown(study: PromptedStudy, *, in_browser: bool = False) -> dict[str, str]:
    """Return the texts of the screens; the instructions have only the paragraphs for this study."""
    settings = study.settings
    words = words_shown(settings, settings.texts, in_browser=in_browser)
    texts = tell_pay(words.model_dump(), settings)
    shown = (name for is_shown, names in study.texts_if() if is_shown for name in names)
    if more := " ".join(texts[name] for name in shown if name.startswith("instructions_")):
        texts["instructions"] += f"\n\n{more}"
    return texts
