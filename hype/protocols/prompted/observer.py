"""What simulated people have in common who look at images of prompts."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from hype.session.steps import GO_ON, YES, Question, Response, Screen, Step
from hype.study.draws import BATCH, STANDARD_NORMAL, batched


def normal_of(*names: object) -> float:
    """Give a standard normal number that follows from names alone: the same for everyone."""
    digest = hashlib.sha256(" ".join(map(str, names)).encode()).digest()
    uniform = (int.from_bytes(digest[:6], "big") + 0.5) / 2**48
    return STANDARD_NORMAL.inv_cdf(uniform)


def drawn_around(
    typical: Mapping[str, float], spread: float, rng: np.random.Generator
) -> dict[str, float]:
    own = rng.standard_normal(len(typical)).tolist()
    return {name: at + spread * z for (name, at), z in zip(typical.items(), own, strict=True)}


def told_of_themselves(options: tuple[str, ...], rng: np.random.Generator) -> str:
    """Choose an answer to a question about oneself; the last option withholds it."""
    chosen = int(rng.integers(len(options)))
    return "" if chosen == len(options) - 1 else options[chosen]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptedTastes:
    """What simulated people like, and how they differ."""

    # taste_spread, image_spread: standard deviation of a condition's strength between people, and
    # between images of one condition
    taste_spread: float
    image_spread: float
    image_seed: int  # what the images' own strengths follow from, together with their paths
    # rt_median_ms, rt_spread: median response time, and standard deviation of its logarithm
    rt_median_ms: float
    rt_spread: float

    def looks(self, path: str) -> float:
        return self.image_spread * normal_of(self.image_seed, path) if self.image_spread else 0.0


class PromptedObserver(ABC):
    """One simulated evaluator. The answers follow from the generator alone.

    ``trial``, ``noun``: what it answers. ``uniforms``: numbers that a trial takes, used or not, so
    that some can be passed over.
    """

    trial: ClassVar[type]
    noun: ClassVar[str]
    uniforms: ClassVar[int]

    def __init__(self, tastes: PromptedTastes, rng: np.random.Generator) -> None:
        answers, times, self._about = rng.spawn(3)
        self._uniforms = batched(lambda: answers.random(BATCH))
        self._rt_ms = batched(
            lambda: tastes.rt_median_ms * np.exp(tastes.rt_spread * times.standard_normal(BATCH))
        )

    def skip(self, trials: int) -> None:
        """Pass over ``trials`` trials, as if they had been answered: for resuming."""
        for stream, each in ((self._uniforms, self.uniforms), (self._rt_ms, 1)):
            next(islice(stream, each * trials, each * trials), None)

    def respond_to(self, step: Step) -> Response:
        """Answer a trial or a question, agree to a choice, go on from a screen."""
        if isinstance(step, Question):
            return Response(told_of_themselves(step.options, self._about))
        if isinstance(step, Screen):
            return YES if step.choice else GO_ON
        if not isinstance(step, self.trial):
            raise TypeError(f"{step.name.task} is no {self.noun}")
        uniforms = tuple(islice(self._uniforms, self.uniforms))
        return self.answer(step, uniforms, next(self._rt_ms))

    @abstractmethod
    def answer(self, trial: Any, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        """Answer a trial by uniform numbers, within a time."""
