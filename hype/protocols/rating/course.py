"""Sessions of ratings, and simulated evaluators with known preferences.

A person's impression of a pair on an axis is a number: the difference between the strengths of the
two conditions, plus the difference between the two images, plus normal noise. Part of the noise is
common to all axes of an item (people who like an image like everything about it). All levels are
equally wide, and the middle level is centred on 0. The impression of a single image is its
condition's strength plus its own plus noise; above 0 means yes, and 0 is the middle of a scale. A
known right answer adds 1 for yes, -1 for no, or its distance from the middle of the scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from hype.protocols.prompted.course import (
    PromptedCourse,
    PromptedObserver,
    PromptedTastes,
    normal_of,
)
from hype.protocols.prompted.pools import cells_of_shares
from hype.protocols.rating.sampling import RatingPools, plan_ratings, read_rating_pools
from hype.protocols.rating.settings import RatingStudy, meanings
from hype.protocols.rating.trial import (
    MOST_STEPS,
    NOT_RELEVANT,
    YES_NO,
    Axis,
    RatingPlan,
    RatingTrial,
)
from hype.session.steps import Button, ReferencePlace, Response, Scene, Slider, Step
from hype.station.config import (
    RESUME,
    Keys,
    Stage,
    StationConfig,
    TrialPresenter,
    cap_label,
    fill_text,
)
from hype.study.assignment import Assignment
from hype.study.draws import STANDARD_NORMAL


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingTastes(PromptedTastes):
    """The opinions of simulated people, and how they differ."""

    # The strength of each condition for the typical person, by axis and condition, in the unit of
    # ``step``
    strengths: Mapping[str, Mapping[str, float]]
    # The standard deviation of the noise, and the share of its variance that is common to all axes
    # of an item
    noise: float
    halo: float
    step: float  # Width of a level.
    not_relevant: Mapping[str, float]  # Proportion of answers "not relevant", by axis.
    lapse: float  # Proportion of random answers.


class RatingObserver(PromptedObserver):
    """One simulated evaluator of ratings."""

    trial, noun, uniforms = RatingTrial, "rating", 3

    def __init__(self, tastes: RatingTastes, rng: np.random.Generator) -> None:
        self._tastes = tastes
        self._own = tastes.draw(rng)
        self._seed = int(rng.integers(2**62))
        super().__init__(tastes, rng)

    def answer(self, trial: RatingTrial, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        relevant, lapse, noise = uniforms
        axis = trial.axis
        if axis.optional and relevant < self._tastes.not_relevant.get(axis.name, 0.0):
            return Response(NOT_RELEVANT, "", rt_ms)
        if lapse < self._tastes.lapse:
            return Response(axis.levels[int(noise * len(axis.levels))], "", rt_ms)
        pair, seen = len(trial.item.images) > 1, self._seen(trial, noise)
        return Response(level_of(axis, seen, self._tastes.step, pair=pair), "", rt_ms)

    def _seen(self, trial: RatingTrial, uniform: float) -> float:
        """Return the impression of an item; above 0, the first image of a pair is better."""
        tastes, axis, item = self._tastes, trial.axis.name, trial.item
        liked = [
            self._own[axis].get(image.condition, 0.0) + tastes.looks_on(axis, image.path)
            for image in item.images
        ]
        own = STANDARD_NORMAL.inv_cdf(min(max(uniform, 1e-12), 1 - 1e-12))
        common = normal_of(self._seed, item.name)
        noise = math.sqrt(tastes.halo) * common + math.sqrt(1 - tastes.halo) * own
        right = leaning(trial.axis, item.truth(axis), tastes.step)
        right = -right if len(item.images) > 1 else right  # the first level favours the first image
        return liked[0] - (liked[1] if len(liked) > 1 else 0.0) + right + tastes.noise * noise


def leaning(axis: Axis, truth: str | None, step: float) -> float:
    """Return how far a known right answer shifts the impression; 0 if it is not known."""
    if truth is None:
        return 0.0
    if axis.levels == YES_NO:
        return 1.0 if truth == YES_NO[0] else -1.0
    lowest, highest = float(axis.levels[0]), float(axis.levels[-1])
    steps = min(len(axis.levels), MOST_STEPS) - 1
    return step * steps / (highest - lowest) * (float(truth) - (lowest + highest) / 2)


def level_of(axis: Axis, seen: float, step: float, *, pair: bool) -> str:
    """Turn an impression into a level.

    The first level of a pair means that the first image is better; that of a scale is the lowest
    number. One ``step`` of impression is 1 / (`MOST_STEPS` - 1) of the length of a slider.
    """
    if axis.levels == YES_NO:
        return YES_NO[0] if seen > 0 else YES_NO[1]
    finer = max(1.0, (len(axis.levels) - 1) / (MOST_STEPS - 1))
    place = (len(axis.levels) - 1) / 2 + (-seen if pair else finer * seen) / step
    return axis.levels[min(max(round(place), 0), len(axis.levels) - 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingLook:
    """How ratings look on the screen, apart from the question, which each trial contains."""

    pairs: bool  # Whether people rate pairs, not single images.
    prompt: bool  # Whether the prompt is above the images.
    mouse: bool  # Whether people can also click on answers.
    reference: ReferencePlace | None = None  # Place of the reference image, if shown.
    axes: tuple[Axis, ...] = ()  # All axes of an item.

    @property
    def question(self) -> str:
        """An empty text, because each axis has its own question."""
        return ""

    def presenters(self, stage: Stage, /) -> Mapping[type[Step], TrialPresenter]:
        from hype.protocols.rating.screen import RatingItems, RatingLayout

        items = RatingLayout(stage.layout, self)
        return {RatingTrial: RatingItems(stage.window, items, stage.pictures)}

    def scene(self, trial: RatingTrial, config: StationConfig, /) -> Scene:
        axes = int(config.texts["axes"])
        others = (replace(trial, axis=axis) for axis in self.axes if axis != trial.axis)
        return replace(
            self._scene_of(trial, config),
            others=tuple(self._scene_of(other, config) for other in others),
            pictures=trial.pictures,
            prompt=trial.item.prompt if self.prompt else "",
            axis=((trial.number - 1) % axes + 1, axes) if axes > 1 else None,
            reference=(config.texts["reference"], self.reference) if self.reference else None,
        )

    def _scene_of(self, trial: RatingTrial, config: StationConfig) -> Scene:
        """Return the question and the answers of a trial, without its images."""
        fill = partial(fill_text, config)
        slider = slider_of(trial, config.texts, fill)
        buttons = buttons_of(trial, config.keys, config.texts, fill)
        caps = [cap_label(button.keys[0], config.speech) for button in buttons]
        return Scene(
            question=trial.axis.question,
            buttons=tuple(  # a level without words is labelled with its key
                replace(button, label=button.label or cap, cap=cap)
                for button, cap in zip(buttons, caps, strict=True)
            ),
            layout="row" if slider or trial.axis.levels == YES_NO else "scale",
            slider=slider,
        )


class RatingCourse(PromptedCourse[RatingPlan]):
    """A study of ratings, with its images."""

    shared_out = "items"
    simulated = RatingObserver

    study: RatingStudy
    pools: RatingPools

    def __init__(self, study: RatingStudy, pools: RatingPools | None = None) -> None:
        self.study = study
        self.pools = pools or read_rating_pools(study)
        self.cells = cells_of_shares("rating", self.pools.shares)

    def plan(self, assignment: Assignment) -> RatingPlan:
        return plan_ratings(self.study.settings, self.pools, assignment)

    @cached_property
    def tastes(self) -> RatingTastes:
        settings = self.study.settings
        return RatingTastes(
            strengths={axis: self.strengths(axis) for axis in settings.axis_names},
            image_seed=settings.study.seed,
            **settings.people.model_dump(),
        )

    @property
    def look(self) -> RatingLook:
        asked = self.study.settings.rating
        return RatingLook(
            pairs=asked.of == "pairs",
            prompt=asked.prompt == "shown",
            mouse=asked.mouse,
            reference=asked.show_reference,
            axes=self.pools.axes,
        )

    @property
    def arrangement(self) -> Mapping[str, Any]:
        asked = self.study.settings.rating
        pairs = asked.of == "pairs"
        return {
            "images_shown": 1 + pairs,
            "captioned": not pairs,
            "reference": asked.show_reference,
        }

    def texts(self, *, in_browser: bool) -> dict[str, str]:
        """Return the texts that all studies have, the words for steps, and the number of axes."""
        settings = self.study.settings
        steps = {
            step_text(name, level): word.replace("{", "{{").replace("}", "}}")
            for name in settings.axis_names
            for level, word in settings.axis(name).words_by_level.items()
        }
        axes = {"axes": str(len(settings.axis_names))}
        return super().texts(in_browser=in_browser) | steps | axes


def step_text(axis: str, level: str) -> str:
    return f"step {level} of {axis}"


Fill = Callable[[str, Mapping[str, object]], str]
"""Takes a text's name and values; returns the text with the values filled in."""


def buttons_of(
    trial: RatingTrial, keys: Keys, texts: Mapping[str, str], fill: Fill
) -> tuple[Button, ...]:
    """Return a button for each level, from left to right, and then one for "not relevant".

    The keys of a pair's levels are numbered from left to right, even if its first image is on the
    right. On a scale, step 10 has the key 0, which is next to 9 on the keyboard; so that nobody
    takes it for the lowest step, words start with their step's number. A slider has a button with
    the answer "", which sends the mark. ``texts``: the texts of the study by name.
    """
    levels = trial.levels
    each: Sequence[tuple[str, ...]] = [(level[-1], f"num_{level[-1]}") for level in levels]
    if trial.axis.is_slider:
        levels, words, each = ("",), [fill(RESUME, {})], [(keys.go_on,)]
    elif len(trial.shown) > 1:
        each = [(f"{number}", f"num_{number}") for number in range(1, len(levels) + 1)]
        words = [fill(text, {}) if text else "" for text in meanings(len(levels))]
    elif trial.axis.levels == YES_NO:
        each = [(keys.left,), (keys.right,)]
        words = [fill(f"answer_{level}", {}) for level in levels]
    else:
        said = words_of(trial, texts, fill)
        words = [said.get(level, "") for level in levels]
    buttons = tuple(
        Button(answer=level, label=label, keys=own_keys)
        for level, label, own_keys in zip(levels, words, each, strict=True)
    )
    if not trial.axis.optional:
        return buttons
    label = fill("not_relevant", {})
    aside = Button(answer=NOT_RELEVANT, label=label, keys=(keys.not_relevant,), aside=True)
    return (*buttons, aside)


def words_of(trial: RatingTrial, texts: Mapping[str, str], fill: Fill) -> dict[str, str]:
    """Return "number: words" for each step with words; by default, only the two ends have words."""
    levels = trial.levels
    own = {level: step_text(trial.axis.name, level) for level in levels}
    names = {level: name for level, name in own.items() if name in texts}
    ends = {levels[0]: "lowest", levels[-1]: "highest"}
    said = {level: fill(name, {}) for level, name in (names or ends).items()}
    return {level: f"{level}: {word}" for level, word in said.items() if word}


def slider_of(trial: RatingTrial, texts: Mapping[str, str], fill: Fill) -> Slider | None:
    """Return the slider of an axis, if it has one."""
    if not trial.axis.is_slider:
        return None
    said = words_of(trial, texts, fill)
    ends = tuple(said.get(level, level) for level in (trial.levels[0], trial.levels[-1]))
    return Slider(answers=trial.levels, ends=ends)


COURSE: Final = RatingCourse
