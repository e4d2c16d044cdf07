"""How comparisons are scored: every choice of a study or an analyst, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from hype.errors import InputError
from hype.protocols.comparison.sequential import GoalUnit
from hype.statistics.resampling import check_draws, condition_rng
from hype.statistics.separation import Goal
from hype.statistics.strengths import Ties

if TYPE_CHECKING:
    from hype.protocols.comparison.power import Plan


@dataclass(frozen=True, kw_only=True)
class PairwiseOptions:
    """The choices.

    Parameters
    ----------
    ties
        What becomes of ties: "davidson", "half" or "none".
    draws, seed
        Of the bootstrap.
    alpha, confidence
        The level of the tests, and the coverage of the intervals, as proportions.
    criterion
        The question that was asked; where empty, what the table says.
    plan
        What was fixed before; None where nothing is known.
    min_correct
        The share of validation comparisons that an evaluator must get right, fixed before; None
        for no rule.
    exclude_one_sided
        Whether the study's rule leaves out evaluators who chose nothing but one side.
    goal
        Of an arena's stopping rule, where the study is one; None where not.
    goal_unit
        What the rule takes to be independent.
    goal_alpha
        Its error rate.
    demographics
        Question to evaluator to answer; empty where it was withheld.
    reference
        Question to answer to its share of whom the evaluators are to stand for.
    elo
        Whether to compute Elo's numbers in the order of the table.

    Raises
    ------
    InputError
        A value that is not allowed.
    """

    ties: Ties = "davidson"
    draws: int = 1_000
    seed: int = 0
    alpha: float = 0.05
    confidence: float = 0.95
    criterion: str = ""
    plan: Plan | None = None
    min_correct: float | None = None
    exclude_one_sided: bool = False
    goal: Goal | None = None
    goal_unit: GoalUnit = "vote"
    goal_alpha: float = 0.05
    demographics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    reference: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    elo: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        check_draws(self.draws)
        condition_rng(self.seed, "")
        _one_of("ties", self.ties, get_args(Ties))
        _one_of("goal", self.goal or "top", get_args(Goal))
        _one_of("goal unit", self.goal_unit, get_args(GoalUnit))
        for name in ("alpha", "confidence", "goal_alpha"):
            _part(name, getattr(self, name))
        if self.min_correct is not None and not 0 <= self.min_correct <= 1:
            allowed = "allowed is a number from 0 to 1"
            raise InputError("min_correct", f"{self.min_correct:g}", allowed)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(name, repr(value), f"allowed are {', '.join(allowed)}")


def _part(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise InputError(name, f"{value:g}", "allowed is a number above 0 and below 1")
