"""HYPE's own protocol: images judged one by one, flashed or at leisure (Zhou et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from hype.errors import InputError
from hype.observers.observer import Observer
from hype.observers.population import Population
from hype.protocol.loop import Answered, Script
from hype.protocol.plan import SessionPlan
from hype.protocol.script import hype_session
from hype.sessions.check_exposures import refuse_rounding
from hype.sessions.integrity import check_plan_files
from hype.sessions.pools import population, read_pools
from hype.sessions.protocols.base import SoFar, StudyProtocol
from hype.sessions.seating import Seating
from hype.sessions.stage import station_config, trigger_ports
from hype.station.config import StationConfig
from hype.station.pictures import Want, upcoming
from hype.station.triggers import TriggerPorts
from hype.store import people
from hype.store.record import RECORD_FILE, reading_record
from hype.study.assignment import Assignment, Cell, assign, design
from hype.study.draws import Purpose, seed_sequence
from hype.study.sampling import Pools, plan_session, require_enough
from hype.study.studies import Study


class HypeProtocol(StudyProtocol[SessionPlan]):
    """A study of HYPE's methods, and what it draws from."""

    def __init__(self, study: Study, pools: Pools | None = None) -> None:
        settings = study.settings
        self._study = study
        self.pools = pools or read_pools(study)
        self.cells = design(tuple(self.pools.fake), settings.methods_of_one_evaluator())
        self.evaluators_per_cell = settings.study.evaluators
        self.countdown_ms = settings.time.countdown_from * settings.time.countdown_ms

    @property
    def study(self) -> Study:
        """The study."""
        return self._study

    def require_enough(self) -> None:
        """Refuse a study that has too few images or masks for a place of its design."""
        for cell in self.cells:
            require_enough(self._study.settings, self.pools, cell)

    def assign(self, evaluator: str, so_far: SoFar, /) -> Assignment:
        """Give a new evaluator a condition, methods and a meaning of the keys."""
        assigned = assign(
            evaluator,
            cells=self.cells,
            filled=so_far.filled,
            arrived=so_far.arrived,
            keys=self._study.settings.keys,
            seed=self._study.settings.study.seed,
        )
        where = self.qualified_in(evaluator, simulated=so_far.simulated)
        return replace(assigned, qualified_in=where)

    def require_place(self, cell: Cell) -> None:
        """Refuse a condition that is gone."""
        if cell.condition not in self.pools.fake:
            raise InputError(self._study.path, f"the condition {cell.condition!r} is gone")

    def plan(self, assignment: Assignment) -> SessionPlan:
        """Draw the plan of an evaluator."""
        qualified = bool(assignment.qualified_in)
        return plan_session(self._study.settings, self.pools, assignment, qualified=qualified)

    def script(self, plan: SessionPlan) -> Script:
        """Begin a session."""
        return hype_session(plan)

    def upcoming(self, plan: SessionPlan, answered: Sequence[Answered]) -> Iterator[Want]:
        """Yield the pictures that the trials still to be answered will need, in order."""
        return upcoming(plan, answered)

    def check_files(self, plan: SessionPlan) -> str | None:
        """Refuse to begin when an image or mask of the plan is missing or is not what it was."""
        return check_plan_files(self._study, plan)

    @cached_property
    def people(self) -> Population:
        """The simulated people."""
        return population(self._study, self.pools)

    def observer(self, plan: SessionPlan, *, seed: int) -> Observer:
        """Draw the simulated person who goes through a plan."""
        return observer_of(self.people, plan, seed=seed)

    def station_config(self, seating: Seating, assignment: Assignment, /) -> StationConfig:
        """Take from the study and the command what the station needs to know."""
        return station_config(self._study, seating, left_means=assignment.left_means)

    def trigger_ports(self) -> TriggerPorts:
        """Take from the study whom to tell of images coming and going."""
        return trigger_ports(self._study)

    def refuse_display(self, refresh_hz: float) -> None:
        """Refuse a display whose frames are too far from the study's exposures."""
        refuse_rounding(self._study, refresh_hz)

    def enough(self, _so_far: SoFar, /) -> str:
        """Say nothing: places are filled."""
        return ""

    def qualified_in(self, evaluator: str, *, simulated: bool) -> str:
        """Give the first study of ``qualification.valid_from`` where they qualified, or nothing.

        Raises
        ------
        InputError
            A study named there has no record.
        """
        for name in self._study.settings.qualification.valid_from:
            with (
                reading_record(self._study.folder / name / RECORD_FILE) as engine,
                engine.connect() as earlier,
            ):
                if people.has_qualified(earlier, evaluator, simulated=simulated):
                    return name
        return ""


def observer_of(folk: Population, plan: SessionPlan, *, seed: int) -> Observer:
    """Draw the person who goes through a plan; the same for the same seed and code."""
    rng = np.random.default_rng(seed_sequence(seed, plan.evaluator, Purpose.OBSERVER))
    return Observer(folk, plan.condition, rng)
