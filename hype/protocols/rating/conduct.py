"""Ratings: how much better, axis by axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.protocols.prompted.conduct import PromptedConduct, keys_of
from hype.protocols.rating import texts as rating_texts
from hype.protocols.rating.observer import RatingObserver, RatingTastes
from hype.protocols.rating.sampling import (
    RatingPools,
    plan_ratings,
    rating_cells,
    read_rating_pools,
)
from hype.protocols.rating.script import rating_session
from hype.protocols.rating.settings import RatingFile, RatingStudy
from hype.protocols.rating.trial import RatingPlan, RatingTrial
from hype.protocols.words import words_shown
from hype.session.loop import Script
from hype.session.stage import Seating, appearance_of, speech_of
from hype.session.steps import Step
from hype.station.config import StationConfig
from hype.station.trials import Stage, StepPresenter
from hype.study.assignment import Assignment
from hype.study.draws import Purpose, seed_sequence

NO_TASTE: Final = 0.0
"""Strength of a condition that the study says nothing of."""

if TYPE_CHECKING:
    from hype.web.scenes import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingLook:
    """How ratings are shown; what is asked is the trials' own.

    Attributes
    ----------
    pairs
        Whether two images are rated against each other, or single ones.
    prompt
        Whether the prompt stands above the images.
    mouse
        Whether answers may be clicked on as well.
    """

    pairs: bool
    prompt: bool
    mouse: bool

    @property
    def question(self) -> str:
        """Nothing: each axis has its own."""
        return ""

    def presenters(self, stage: Stage, /) -> Mapping[type[Step], StepPresenter]:
        from hype.protocols.rating.screen import RatingItems, RatingLayout

        items = RatingLayout(stage.layout, self)
        return {RatingTrial: RatingItems(stage.window, items, stage.pictures)}

    def scene(self, trial: RatingTrial, config: StationConfig, /) -> Scene:
        from hype.protocols.rating.web import scene

        return scene(trial, self, config)


class RatingConduct(PromptedConduct[RatingPlan]):
    """A study of ratings, and what it draws from."""

    shared_out = "items"

    def __init__(self, study: RatingStudy, pools: RatingPools | None = None) -> None:
        self._study = study
        self.pools = pools or read_rating_pools(study)
        self.cells = rating_cells(self.pools)
        self.evaluators_per_cell = study.settings.rating.ratings

    @property
    def study(self) -> RatingStudy:
        return self._study

    def plan(self, assignment: Assignment) -> RatingPlan:
        return plan_ratings(self._study.settings, self.pools, assignment)

    def script(self, plan: RatingPlan) -> Script:
        return rating_session(plan)

    @cached_property
    def tastes(self) -> RatingTastes:
        """The simulated people."""
        settings = self._study.settings

        def strength(axis: str, name: str) -> float:
            taste = settings.observers.get(name)
            return taste.axes.get(axis, taste.strength) if taste else NO_TASTE

        return RatingTastes(
            strengths={
                axis: {name: strength(axis, name) for name in self.pools.conditions}
                for axis in settings.axis_names
            },
            image_seed=settings.study.seed,
            **settings.people.model_dump(),
        )

    def observer(self, plan: RatingPlan, *, seed: int) -> RatingObserver:
        rng = np.random.default_rng(seed_sequence(seed, plan.evaluator, Purpose.OBSERVER))
        return RatingObserver(self.tastes, rng)

    def station_config(self, seating: Seating, _assignment: Assignment, /) -> StationConfig:
        """Take from the study and the command what the station needs to know."""
        settings = self._study.settings
        keys, asked = settings.keys, settings.rating
        return StationConfig(
            keys=keys_of(keys, not_relevant=keys.not_relevant),
            appearance=appearance_of(
                self._study,
                seating,
                abreast=2 if asked.of == "pairs" else 1,
                captioned=asked.of == "images",
            ),
            texts=texts_of(settings, in_browser=seating.in_browser),
            speech=speech_of(settings),
            trials=RatingLook(
                pairs=asked.of == "pairs", prompt=asked.prompt == "shown", mouse=asked.mouse
            ),
        )


def texts_of(settings: RatingFile, *, in_browser: bool = False) -> dict[str, str]:
    """Give the words on the screens; the instructions say only what there is."""
    words = words_shown(settings, settings.texts, in_browser=in_browser)
    texts: dict[str, str] = words.model_dump()
    asked = settings.rating
    pairs = asked.of == "pairs"
    usual = {
        "welcome": rating_texts.WELCOME_PAIRS if pairs else rating_texts.WELCOME_IMAGES,
        "instructions": (
            rating_texts.INSTRUCTIONS_PAIRS if pairs else rating_texts.INSTRUCTIONS_IMAGES
        ),
    }
    texts |= {name: text for name, text in usual.items() if not texts[name]}
    optional = any(map(settings.optional, settings.axis_names))
    extra = ("instructions_not_relevant", optional), ("instructions_mouse", asked.mouse)
    more = " ".join(texts[name] for name, is_shown in extra if is_shown)
    if more:
        texts["instructions"] += f"\n\n{more}"
    return texts | {"axes": str(len(settings.axis_names))}
