"""Ratings: how much better, axis by axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from hype.errors import InputError
from hype.observers.rating import RatingObserver, RatingTastes
from hype.protocol.comparison import Candidate
from hype.protocol.loop import Answered, Script
from hype.protocol.rating import RatingPlan
from hype.protocol.rating_script import rating_session
from hype.sessions.integrity import check_image
from hype.sessions.protocols.base import SoFar, StudyProtocol
from hype.sessions.rating_pools import read_rating_pools
from hype.sessions.seating import Seating
from hype.sessions.stage import appearance_of
from hype.station.config import Keys, Rating, StationConfig
from hype.station.pictures import Want, upcoming
from hype.station.triggers import TriggerPorts
from hype.study import rating_texts
from hype.study.assignment import Assignment, Cell, least_filled
from hype.study.draws import Purpose, seed_sequence
from hype.study.rating import RatingPools, plan_ratings, rating_cells
from hype.study.rating_settings import RatingFile
from hype.study.station_settings import TriggerSettings
from hype.study.studies import RatingStudy

NO_TASTE: Final = 0.0
"""Strength of a condition that the study says nothing of."""


class RatingProtocol(StudyProtocol[RatingPlan]):
    """A study of ratings, and what it draws from."""

    def __init__(self, study: RatingStudy, pools: RatingPools | None = None) -> None:
        self._study = study
        self.pools = pools or read_rating_pools(study)
        self.cells = rating_cells(self.pools)
        self.evaluators_per_cell = study.settings.rating.ratings

    @property
    def study(self) -> RatingStudy:
        """The study."""
        return self._study

    def require_enough(self) -> None:
        """Refuse nothing: the pools are what is rated, and were checked when they were read."""

    def assign(self, evaluator: str, so_far: SoFar, /) -> Assignment:
        """Give a new evaluator a share of the items."""
        seed = self._study.settings.study.seed
        cell = least_filled(evaluator, cells=self.cells, filled=so_far.filled, seed=seed)
        return Assignment(evaluator=evaluator, cell=cell)

    def require_place(self, cell: Cell) -> None:
        """Refuse a share that the study does not have any more."""
        if cell not in self.cells:
            raise InputError(self._study.path, "its items are shared out differently now")

    def plan(self, assignment: Assignment) -> RatingPlan:
        """Draw the plan of an evaluator."""
        return plan_ratings(self._study.settings, self.pools, assignment)

    def script(self, plan: RatingPlan) -> Script:
        """Begin a session."""
        return rating_session(plan)

    def upcoming(self, plan: RatingPlan, answered: Sequence[Answered]) -> Iterator[Want]:
        """Yield the pictures that the items still to be rated will need, in order."""
        return upcoming(plan, answered)

    def check_files(self, plan: RatingPlan) -> str | None:
        """Refuse to begin when an image of the plan is missing or is not what it was."""
        for image in images_of(plan):
            check_image(self._study, image.path, image.sha256)
        return None

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
        """Draw the simulated person who goes through a plan."""
        rng = np.random.default_rng(seed_sequence(seed, plan.evaluator, Purpose.OBSERVER))
        return RatingObserver(self.tastes, rng)

    def station_config(self, seating: Seating, assignment: Assignment) -> StationConfig:
        """Take from the study and the command what the station needs to know."""
        settings = self._study.settings
        keys, asked = settings.keys, settings.rating
        return StationConfig(
            keys=Keys(
                left=keys.left,
                right=keys.right,
                go_on=keys.go_on,
                pause=keys.pause,
                left_means=assignment.left_means,
                not_relevant=keys.not_relevant,
            ),
            appearance=appearance_of(
                self._study,
                seating,
                abreast=2 if asked.of == "pairs" else 1,
                captioned=asked.of == "images",
            ),
            texts=texts_of(settings),
            countdown_from=0,
            countdown_ms=0.0,
            rating=Rating(
                pairs=asked.of == "pairs", prompt=asked.prompt == "shown", mouse=asked.mouse
            ),
        )

    def trigger_ports(self) -> TriggerPorts:
        """Tell nobody: nothing is flashed."""
        return TriggerPorts(**TriggerSettings().model_dump())

    def enough(self, _so_far: SoFar, /) -> str:
        """Say nothing: places are filled."""
        return ""


def texts_of(settings: RatingFile) -> dict[str, str]:
    """Give the words on the screens; the instructions say only what there is."""
    texts: dict[str, str] = settings.texts.model_dump()
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
    more = " ".join(texts[name] for name, wanted in extra if wanted)
    if more:
        texts["instructions"] += f"\n\n{more}"
    return texts | {"axes": str(len(settings.axis_names))}


def images_of(plan: RatingPlan) -> tuple[Candidate, ...]:
    """List the images that a plan shows, each once."""
    every = (image for block in plan.blocks for one in block.items for image in one.item.images)
    return tuple({image.path: image for image in every}.values())
