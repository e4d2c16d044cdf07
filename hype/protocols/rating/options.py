"""How ratings are scored: every choice of a study or an analyst, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from hype.errors import InputError
from hype.protocols.rating.scale import Scale
from hype.statistics.krippendorff import Level
from hype.statistics.resampling import check_draws, condition_rng
from hype.statistics.strengths import Ties

if TYPE_CHECKING:
    from collections.abc import Mapping

OVERALL = "overall"


@dataclass(frozen=True, kw_only=True)
class RatingOptions:
    """The choices.

    Parameters
    ----------
    axes
        The axes in the order in which they are reported; those that are not named come after, as
        they appear in the table.
    overall
        The axis that says how good an image is on the whole; the others are ranked by how they go
        with it.
    scale
        What could be answered.
    ties
        What becomes of answers in the middle, where strengths are estimated: "davidson", "half"
        or "none".
    level
        Of measurement of the answers, for Krippendorff's α: "ordinal", "interval" or "nominal".
    leaderboard
        Condition to its score elsewhere, higher is better; None for no comparison.
    draws, seed
        Of the bootstrap of strengths.
    alpha, confidence
        The level of the tests, and the coverage of the intervals, as proportions.

    Raises
    ------
    InputError
        A value that is not allowed.
    """

    axes: tuple[str, ...] = ()
    overall: str = OVERALL
    scale: Scale = field(default_factory=Scale)
    ties: Ties = "davidson"
    level: Level = "ordinal"
    leaderboard: Mapping[str, float] | None = None
    draws: int = 1_000
    seed: int = 0
    alpha: float = 0.05
    confidence: float = 0.95

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        check_draws(self.draws)
        condition_rng(self.seed, "")
        for name, allowed in (("ties", get_args(Ties)), ("level", get_args(Level))):
            if getattr(self, name) not in allowed:
                said = f"allowed are {', '.join(allowed)}"
                raise InputError(name, repr(getattr(self, name)), said)
        for name in ("alpha", "confidence"):
            if not 0 < getattr(self, name) < 1:
                said = "allowed is a number above 0 and below 1"
                raise InputError(name, f"{getattr(self, name):g}", said)
        for condition, score in (self.leaderboard or {}).items():
            if not math.isfinite(score):
                raise InputError("leaderboard", f"{condition!r} has {score}", "allowed is a number")
