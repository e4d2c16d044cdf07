"""The request for a plan, and the interface between planning and a protocol.

The protocol returns a `PlannedScore`. `people` simulates people and draws studies; `power` changes
the rival's parameter, counts verdicts and searches for the number of evaluators.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pandas as pd

from hype.errors import InputError
from hype.session.steps import Pay
from hype.statistics.strengths import ELO_PER_UNIT
from hype.study.assignment import Cell

if TYPE_CHECKING:
    from hype.session.course import Course
    from hype.session.outgoing import Outgoing

ELO: Final = "Elo points"
STUDIES: Final = 200
FEWEST_STUDIES, MOST_STUDIES = 20, 100_000
MOST_EVALUATORS: Final = 10_000


def elo_of(win_rate: float) -> float:
    return ELO_PER_UNIT * abs(math.log(win_rate / (1 - win_rate)))


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The request for a plan.

    ``difference``: the rival's score minus the baseline's, 0 or more; None if observers stay as in
    the study. ``numbers``: evaluators per condition; if empty, search for 80 % power.
    """

    difference: float | None = None
    numbers: tuple[int, ...] = ()
    condition: str | None = None
    studies: int = STUDIES
    seed: int = 0
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.difference is not None and not 0 <= self.difference < math.inf:
            raise InputError("--difference", f"{self.difference:g}", "0 or more")
        if not FEWEST_STUDIES <= self.studies <= MOST_STUDIES:
            allowed = f"{FEWEST_STUDIES} to {MOST_STUDIES:,}"
            raise InputError("--studies", f"{self.studies} is out of range", allowed)
        for number in self.numbers:
            if not 2 <= number <= MOST_EVALUATORS:
                allowed = f"whole numbers from 2 to {MOST_EVALUATORS:,}, such as 10,20,30,60"
                raise InputError("--evaluators", f"{number} is out of range", allowed)


class PairVerdict(NamedTuple):
    """The result of `hype score` for two conditions."""

    a: str
    b: str
    difference: float  # score of the first minus score of the second; NaN if one is missing
    separable: bool


@dataclass(frozen=True, kw_only=True)
class PlannedScore:
    """A score of a study, and what planning needs to know about it.

    ``groups``: the sets of conditions that one person may judge, each with its cells; people who
    judge the same set are interchangeable. ``pairs``: computes the verdicts of `hype score` from a
    checked frame. ``paid``: counts the paid answers of a frame. ``planned``: the difference that
    the study plans to detect. ``parameter``: the field of an observer that changes its condition's
    score. ``move``: takes an observer and a step and returns the changed fields; a larger step
    gives a higher score. ``sign``: -1 if a larger parameter gives a lower score. ``setting``: the
    study file's key for people per cell, or empty; ``places``: the number of cells.
    """

    course: Course[Any]
    title: str
    unit: str
    conditions: tuple[str, ...]
    groups: Mapping[tuple[str, ...], tuple[Cell, ...]]
    outgoing: Outgoing[Any]
    columns: frozenset[str]
    check: Callable[..., pd.DataFrame]
    pairs: Callable[[pd.DataFrame], Iterable[PairVerdict]]
    pay: Pay
    paid: Callable[[pd.DataFrame], int]
    parameter: str
    move: Callable[[Any, float], Mapping[str, Any]]
    sign: int = 1
    numbered: str = ""  # the column that numbers a person's items; empty if there is none
    planned: float | None = None
    setting: str = ""
    places: int = 1

    def choose_difference(self, difference: float | None, win_rate: float | None) -> float | None:
        """Return the requested difference or the planned one; None to keep the study's observers.

        Raises InputError: both options are given, or the win rate is invalid or does not apply.
        """
        if win_rate is None:
            return self.planned if difference is None else float(difference)
        if difference is not None:
            raise InputError("--win-rate", "means the same as --difference", "use only one")
        if self.unit != ELO:
            raise InputError(
                "--win-rate", f"does not apply to {self.title}", f"give --difference in {self.unit}"
            )
        if not 0 < win_rate < 1:
            raise InputError("--win-rate", f"{win_rate:g}", "above 0 and below 1, such as 0.55")
        return elo_of(win_rate)

    @property
    def settings(self) -> Any:
        return self.course.study.settings

    @property
    def each(self) -> int:
        """The number of conditions that one evaluator judges."""
        return len(next(iter(self.groups)))

    def value(self, settings: Any, condition: str) -> float:
        """Read the parameter of a condition's observer."""
        return float(getattr(observer_of(settings, condition), self.parameter))

    def move_rival(self, baseline: str, rival: str, by: float) -> Any:
        """Return settings that give the rival the baseline's observer, with a new parameter."""
        observer = observer_of(self.settings, baseline)
        moved = observer.model_copy(update=self.move(observer, by))
        observers = {**self.settings.observers, rival: moved}
        return self.settings.model_copy(update={"observers": observers})

    def find_verdict(self, frame: pd.DataFrame, baseline: str, rival: str) -> PairVerdict:
        for pair in self.pairs(frame):
            if (pair.a, pair.b) == (rival, baseline):
                return pair
            if (pair.a, pair.b) == (baseline, rival):
                return PairVerdict(rival, baseline, -pair.difference, pair.separable)
        return PairVerdict(rival, baseline, math.nan, separable=False)


def observer_of(settings: Any, condition: str) -> Any:
    kind = type(settings).model_fields["observers"].annotation.__args__[1]
    return settings.observers.get(condition) or kind()
