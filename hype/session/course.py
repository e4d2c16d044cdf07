"""The interface of a study's sessions: everything that differs between protocols.

Through it, enrolling, sessions at a window, simulation and verification work for all protocols.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

from hype.session.loop import Script, SimulatedEvaluator
from hype.session.plans import AnyPlan
from hype.session.stage import Seating
from hype.station.config import StationConfig
from hype.study.assignment import HERE, Assignment, Cell
from hype.study.studies import AnyStudy
from hype.study.table import TriggerSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierEvaluators:
    """The earlier evaluators in the record."""

    connection: Connection  # Connection to the record.
    simulated: bool  # Whether simulated evaluators are meant, not people.
    # Checksums of the studies that belong to one version. Evaluators of other versions do not count
    given: Collection[str]
    # Numbers of evaluators by place. ``done``: those who finished. ``taken``: also those who have
    # the place now. ``filled``: also those who may still take it
    done: Mapping[Cell, int]
    taken: Mapping[Cell, int]
    filled: Mapping[Cell, int]
    # Those in ``filled``, and those who declined, wait or were turned away; by place and left key
    arrived: Mapping[tuple[Cell, str], int]
    # The codes of people who passed a test that this study accepts, by the study with the test
    passed: Mapping[str, Collection[str]] = field(default_factory=dict)


PlanT = TypeVar("PlanT", bound=AnyPlan)


class Course(ABC, Generic[PlanT]):
    """One study, its materials, and the course of its sessions."""

    study: AnyStudy
    cells: tuple[Cell, ...]  # The places of the design.
    other_cells: tuple[Cell, ...] = ()  # Places outside the design, such as those of checkers.
    # Possible meanings of the left key; "" if it chooses the left of two images.
    left_means: Collection[str] = ("",)
    countdown_ms: float = 0.0  # Duration of the countdown before a flashed trial.

    @property
    def evaluators_per_cell(self) -> int:
        return self.study.settings.evaluators_per_cell

    @abstractmethod
    def __init__(self, study: Any) -> None:
        """Read the images of a study.

        Raises InputError: a manifest is wrong, or lacks something that the study names.
        """

    def of(self, study: AnyStudy) -> Course[PlanT]:
        """Return the course of another study with the same protocol."""
        return type(self)(study)

    @property
    def prompts(self) -> Iterable[str]:
        """The texts of the prompts whose images evaluators judge."""
        return ()

    @property
    def counted(self) -> bool:
        return True

    @cached_property
    def plans_drawn(self) -> set[str]:
        """Checksums of plans that this program has drawn, so that it need not draw them again."""
        return set()

    @abstractmethod
    def require_enough(self) -> None:
        """Refuse a study with too few materials for a place of its design.

        Raises InputError: there are too few images or masks.
        """

    @abstractmethod
    def assign(self, evaluator: str, earlier: EarlierEvaluators, /) -> Assignment:
        """Assign a new evaluator to a place; nothing is written."""

    @abstractmethod
    def require_place(self, cell: Cell) -> None:
        """Refuse a place that the study no longer has.

        Raises InputError: the study changed.
        """

    @abstractmethod
    def plan(self, assignment: Assignment) -> PlanT:
        """Draw an evaluator's plan; the same assignment gives the same plan on every machine."""

    def qualify(self, assigned: Assignment, earlier: EarlierEvaluators) -> Assignment:
        """Add to an assignment the study in which the evaluator passed the test, if any.

        If the experimenter decides who passes, simulated evaluators pass.
        """
        gate, passed = self.study.settings.gate, earlier.passed.items()
        where = [source for source, codes in passed if assigned.evaluator in codes]
        if earlier.simulated and gate and gate.decide == "ask":
            where.append(HERE)
        return replace(assigned, qualified_in=where[0] if where else "")

    @abstractmethod
    def script(self, plan: PlanT) -> Script:
        """Begin a session."""

    @abstractmethod
    def check_files(self, plan: PlanT, *, simulated: bool = False) -> str | None:
        """Refuse to start if an image or mask of the plan is missing or has changed.

        Returns the SHA-256 of the plan's mask files; None without masks, or for a simulated
        evaluator while masks are being made.
        """

    @abstractmethod
    def observer(self, plan: PlanT, *, seed: int) -> SimulatedEvaluator:
        """Draw a simulated evaluator for a plan."""

    @abstractmethod
    def station_config(self, seating: Seating, assignment: Assignment, /) -> StationConfig:
        """Make the configuration of the station from the study and the command's options."""

    @abstractmethod
    def trigger_ports(self) -> TriggerSettings:
        """Read the ports that receive triggers when images appear and disappear."""

    def refuse_display(self, refresh_hz: float) -> None:
        """Refuse a display that cannot show the study's exposures."""

    @abstractmethod
    def enough(self, earlier: EarlierEvaluators, /) -> str:
        """Return why a study needs no more evaluators despite free places; else ""."""

    def helper(self, _earlier: EarlierEvaluators, _taken: Collection[str], /) -> str:
        """Return the code of an additional simulated evaluator, such as a checker.

        Empty if none is needed. ``_taken``: existing codes.
        """
        return ""
