"""What planning asks of a protocol: how to simulate people, how to tell two conditions apart.

Who owns what: the protocol gives a `PlannedScore`, which computes nothing of power; `people`
simulates and draws studies; `power` moves the rival, counts verdicts and looks for numbers;
`tables` lays these out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from hype.protocols.base import Conduct
    from hype.session.outgoing import Outgoing
    from hype.session.steps import Pay
    from hype.study.assignment import Cell


@dataclass(frozen=True, kw_only=True)
class Told:
    """What scoring says of two conditions."""

    difference: float  # score of the second less that of the first; NaN where either has none
    separable: bool


@dataclass(frozen=True, kw_only=True)
class PlannedGroup:
    """People who serve the same conditions, so that any of them could replace another."""

    serves: tuple[str, ...]  # in no order; empty for all conditions of the study
    cells: tuple[Cell, ...]

    def sees(self, condition: str) -> bool:
        return not self.serves or condition in self.serves


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """What of a simulated observer moves so that a condition scores higher.

    ``moved`` takes settings, the baseline, the rival and by how much: in what it gives the rival is
    as the baseline, moved by that; more scores higher. ``value`` reads it for a condition.
    """

    name: str
    moved: Callable[[Any, str, str, float], Any]
    value: Callable[[Any, str], float]
    room: float = 8.0  # how far it can move, up or down
    sign: int = 1  # -1 where a larger value scores lower


@dataclass(frozen=True, kw_only=True)
class PlannedScore:
    """One score of a study.

    ``told`` takes a checked frame, a baseline and a rival: the verdict of `hype score`, alone.
    ``paid`` counts in a frame the answers that are paid. ``of_win_rate`` makes a difference of a
    win rate, where scores have one; ``planned``: the difference that the study plans to tell.
    """

    conduct: Conduct[Any]
    title: str
    unit: str
    conditions: tuple[str, ...]
    groups: tuple[PlannedGroup, ...]
    outgoing: Outgoing[Any]
    columns: frozenset[str]
    check: Callable[..., pd.DataFrame]
    told: Callable[[pd.DataFrame, str, str], Told]
    pay: Pay
    paid: Callable[[pd.DataFrame], int]
    parameter: Parameter
    numbered: str = ""  # the column that numbers what a person did several of, if there is one
    of_win_rate: Callable[[float], float] | None = None
    planned: float | None = None

    def wanted(self, difference: float | None, win_rate: float | None) -> float | None:
        """Give the difference that is asked about; None for that of the study's observers.

        Raises InputError: both are given, or scores have no win rate.
        """
        if win_rate is None:
            return self.planned if difference is None else float(difference)
        if difference is not None:
            raise InputError("--win-rate", "says the same as --difference", "one of them")
        if self.of_win_rate is None:
            raise InputError(
                "--win-rate", f"is not for {self.title}", f"a --difference in {self.unit}"
            )
        if not 0 < win_rate < 1:
            raise InputError("--win-rate", f"{win_rate:g}", "above 0 and below 1, such as 0.55")
        return self.of_win_rate(win_rate)

    @property
    def settings(self) -> Any:
        return self.conduct.study.settings

    @property
    def each(self) -> int:
        """How many conditions one evaluator serves."""
        return len(self.groups[0].serves) or len(self.conditions)

    def conducted(self, settings: Any, group: PlannedGroup) -> Conduct[Any]:
        """Give the study with other simulated people, and room for one group alone."""
        study = replace(self.conduct.study, settings=settings)
        own: Any = type(self.conduct)
        conduct: Conduct[Any] = own(study, self.conduct.pools)  # type: ignore[attr-defined]
        conduct.cells = group.cells
        return conduct
