"""Comparisons: which of two, all pairs or an arena."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from hype.errors import InputError
from hype.observers.comparing import ComparingObserver, Tastes
from hype.protocol.comparison import Candidate, ComparisonPlan
from hype.protocol.comparison_script import comparison_session
from hype.protocol.loop import Answered, Script
from hype.sessions.arenas import chosen_pairs, votes_so_far, why_enough
from hype.sessions.comparison_pools import read_comparison_pools
from hype.sessions.integrity import check_image
from hype.sessions.protocols.base import SoFar, StudyProtocol
from hype.sessions.seating import Seating
from hype.sessions.stage import appearance_of
from hype.station.config import Comparing, Keys, StationConfig
from hype.station.pictures import Want, upcoming
from hype.station.triggers import TriggerPorts
from hype.store.votes import VoteCounts
from hype.study.assignment import Assignment, Cell, least_filled
from hype.study.comparing import (
    ComparisonPools,
    comparison_cells,
    evaluators_per_cell,
    plan_comparisons,
)
from hype.study.comparison_settings import ComparisonFile
from hype.study.draws import Draws, Purpose, seed_sequence
from hype.study.station_settings import TriggerSettings
from hype.study.studies import ComparisonStudy


class ComparisonProtocol(StudyProtocol[ComparisonPlan]):
    """A study of comparisons, and what it draws from."""

    def __init__(self, study: ComparisonStudy, pools: ComparisonPools | None = None) -> None:
        self._study = study
        self.pools = pools or read_comparison_pools(study)
        self.cells = comparison_cells(study.settings, self.pools)
        self.evaluators_per_cell = evaluators_per_cell(study.settings)

    @property
    def study(self) -> ComparisonStudy:
        """The study."""
        return self._study

    def require_enough(self) -> None:
        """Refuse nothing: the pools are what is compared, and were checked when they were read."""

    def assign(self, evaluator: str, so_far: SoFar, /) -> Assignment:
        """Give a new evaluator a share of the comparisons, or the pairs of an arena."""
        seed = self._study.settings.study.seed
        cell = least_filled(evaluator, cells=self.cells, filled=so_far.filled, seed=seed)
        asked = self._study.settings.comparison
        if asked.arena is None:
            return Assignment(evaluator=evaluator, cell=cell)
        draws = Draws(seed_sequence(seed, evaluator, Purpose.ASSIGNMENT))
        number = asked.blocks * asked.trials
        chosen = chosen_pairs(asked.arena, self._votes(so_far), draws.uniform(number))
        names = self.pools.conditions
        pairs = tuple((names[i], names[j]) for i, j in chosen)
        return Assignment(evaluator=evaluator, cell=cell, pairs=pairs)

    def require_place(self, cell: Cell) -> None:
        """Refuse a share that the study does not have any more."""
        if cell not in self.cells:
            raise InputError(self._study.path, "its comparisons are shared out differently now")

    def plan(self, assignment: Assignment) -> ComparisonPlan:
        """Draw the plan of an evaluator.

        Raises
        ------
        InputError
            An arena chose pairs for them that it could not choose now.
        """
        self._require_pairs(assignment)
        return plan_comparisons(self._study.settings, self.pools, assignment)

    def script(self, plan: ComparisonPlan) -> Script:
        """Begin a session."""
        return comparison_session(plan)

    def upcoming(self, plan: ComparisonPlan, answered: Sequence[Answered]) -> Iterator[Want]:
        """Yield the pictures that the trials still to be answered will need, in order."""
        return upcoming(plan, answered)

    def check_files(self, plan: ComparisonPlan) -> str | None:
        """Refuse to begin when an image of the plan is missing or is not what it was."""
        for image in images_of(plan):
            check_image(self._study, image.path, image.sha256)
        return None

    @cached_property
    def tastes(self) -> Tastes:
        """The simulated people."""
        settings = self._study.settings
        strengths = {
            name: settings.observers[name].strength if name in settings.observers else 0.0
            for name in self.pools.conditions
        }
        return Tastes(
            strengths=strengths,
            image_seed=settings.study.seed,
            ties=settings.comparison.ties,
            **settings.people.model_dump(),
        )

    def observer(self, plan: ComparisonPlan, *, seed: int) -> ComparingObserver:
        """Draw the simulated person who goes through a plan."""
        rng = np.random.default_rng(seed_sequence(seed, plan.evaluator, Purpose.OBSERVER))
        return ComparingObserver(self.tastes, rng)

    def station_config(self, seating: Seating, assignment: Assignment) -> StationConfig:
        """Take from the study and the command what the station needs to know."""
        settings = self._study.settings
        keys, asked = settings.keys, settings.comparison
        return StationConfig(
            keys=Keys(
                left=keys.left,
                right=keys.right,
                go_on=keys.go_on,
                pause=keys.pause,
                left_means=assignment.left_means,
                tie=keys.tie,
            ),
            appearance=appearance_of(self._study, seating, abreast=2),
            texts=texts_of(settings),
            countdown_from=0,
            countdown_ms=0.0,
            comparing=Comparing(
                question=asked.asked,
                prompt=asked.shown_prompt,
                word_ms=asked.word_ms,
                mouse=asked.mouse,
                ties=asked.ties,
            ),
        )

    def trigger_ports(self) -> TriggerPorts:
        """Tell nobody: nothing is flashed."""
        return TriggerPorts(**TriggerSettings().model_dump())

    def enough(self, so_far: SoFar, /) -> str:
        """Say why an arena needs nobody more."""
        arena = self._study.settings.comparison.arena
        return why_enough(arena, self._votes(so_far), self.pools.conditions) if arena else ""

    def _require_pairs(self, assignment: Assignment) -> None:
        """Refuse pairs that the study does not have any more."""
        if bool(assignment.pairs) != bool(self._study.settings.comparison.arena):
            raise InputError(self._study.path, "its pairs are chosen in another way now")
        known = set(self.pools.conditions)
        if unknown := [name for pair in assignment.pairs for name in pair if name not in known]:
            raise InputError(self._study.path, f"the condition {unknown[0]!r} is gone")

    def _votes(self, so_far: SoFar) -> VoteCounts:
        """Count the votes so far."""
        return votes_so_far(
            so_far.connection, self._study, self.pools.conditions, simulated=so_far.simulated
        )


def texts_of(settings: ComparisonFile) -> dict[str, str]:
    """Give the words on the screens; the instructions say only what there is."""
    texts: dict[str, str] = settings.texts.model_dump()
    asked = settings.comparison
    extra = ("instructions_ties", asked.ties), ("instructions_mouse", asked.mouse)
    more = " ".join(texts[name] for name, wanted in extra if wanted)
    if more:
        texts["instructions"] += f"\n\n{more}"
    return texts


def images_of(plan: ComparisonPlan) -> tuple[Candidate, ...]:
    """List the images that a plan shows, each once."""
    every = (image for block in plan.blocks for p in block.planned for image in (p.left, p.right))
    return tuple({image.path: image for image in every}.values())
