"""How judges are held against people: every choice of an analyst, checked once."""

from __future__ import annotations

from dataclasses import dataclass, field

from hype.errors import InputError
from hype.protocols.rating.rows import Scale
from hype.protocols.rating.scoring import OVERALL
from hype.statistics.resampling import condition_rng


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """The choices.

    Parameters
    ----------
    confidence, alpha
        Coverage of the intervals and level of the tests, as proportions.
    seed
        Of the splits in halves.
    splits
        In how many ways people are split, to know how far two halves of them are apart.
    axes
        The axes in the order in which they are reported; others follow as they appear.
    overall
        The axis of the whole verdict; that of scores that name no axis.
    scale
        What may be answered to a rating.
    groups
        Into how many groups the prompts of a style are cut for a benchmark.

    Raises
    ------
    InputError
        A value that is not allowed.
    """

    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 0
    splits: int = 100
    axes: tuple[str, ...] = ()
    overall: str = OVERALL
    scale: Scale = field(default_factory=Scale)
    groups: int = 10

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        condition_rng(self.seed, "")
        for name in ("confidence", "alpha"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise InputError(name, f"{value:g}", "allowed is a number above 0 and below 1")
        for name, least in (("splits", 20), ("groups", 2)):
            if getattr(self, name) < least:
                raise InputError(name, str(getattr(self, name)), f"allowed is {least} or more")
