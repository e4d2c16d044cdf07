"""How rankings are scored: every choice of a study or an analyst, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from hype.errors import InputError
from hype.statistics.resampling import check_draws, condition_rng
from hype.statistics.strengths import Ties

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, kw_only=True)
class RankingOptions:
    """The choices.

    Parameters
    ----------
    ties
        What becomes of ties in win rates and in Bradley and Terry's strengths: "davidson", "half"
        or "none". In Plackett and Luce's they always count by Breslow's rule.
    draws, seed
        Of the bootstrap.
    alpha, confidence
        The level of the tests, and the coverage of the intervals, as proportions.
    min_recall
        The lowest recall@2 against checkers with which an evaluator is scored, fixed before; None
        for no such rule.
    check_share
        The share of everybody's work that checkers are to rank too.

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
    min_recall: float | None = None
    check_share: float = 0.1

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        check_draws(self.draws)
        condition_rng(self.seed, "")
        allowed: Sequence[str] = get_args(Ties)
        if self.ties not in allowed:
            raise InputError("ties", repr(self.ties), f"allowed are {', '.join(allowed)}")
        for name in ("alpha", "confidence"):
            if not 0 < getattr(self, name) < 1:
                between = "allowed is a number above 0 and below 1"
                raise InputError(name, f"{getattr(self, name):g}", between)
        for name in ("min_recall", "check_share"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise InputError(name, f"{value:g}", "allowed is a number from 0 to 1")
