"""How judgements are scored: every choice an analyst may make, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hype.errors import InputError
from hype.protocols.hype.exclusion import Treatment, check_treatment
from hype.statistics.resampling import check_draws, condition_rng

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

ALPHA: Final = 0.05
CONFIDENCE: Final = 0.95


@dataclass(frozen=True, kw_only=True)
class Options:
    """The choices; `hype.analysis.score` says what each does.

    Raises
    ------
    InputError
        Fewer than two draws, a negative seed, an unknown treatment of spoiled trials, an accuracy
        that is not above chance and below 1, fewer than one process.
    """

    draws: int = 10_000
    seed: int = 0
    spoiled: Treatment = "keep"
    two_way: bool = True
    thresholds_at: float | None = None
    mixed: bool = False
    order: tuple[str, ...] = ()
    metrics: pd.DataFrame | None = None
    by: str | None = None
    processes: int = 1
    progress: Callable[[int, int], None] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        check_draws(self.draws)
        condition_rng(self.seed, "")
        check_treatment(self.spoiled)
        if self.thresholds_at is not None and not 0.5 < self.thresholds_at < 1:
            allowed = "an accuracy above 0.5, which is chance, and below 1"
            raise InputError("at", f"{self.thresholds_at:g}", allowed)
        if self.processes < 1:
            raise InputError("processes", str(self.processes), "1 or more")
