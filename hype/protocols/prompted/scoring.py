"""What scoring comparisons, ratings and rankings has in common: its options and their checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args

from hype.errors import InputError
from hype.protocols.prompted.results import FEW
from hype.statistics.crossed import Images
from hype.statistics.resampling import check_draws, condition_rng
from hype.statistics.strengths import Ties

if TYPE_CHECKING:
    import pandas as pd


TIES: Final[Mapping[str, Ties]] = {"davidson": "davidson", "half": "half", "drop": "none"}
"""What --ties takes, and what the analysis calls it."""
DRAWS: Final = 1_000
"""Of the bootstrap, unless it is said: intervals are read to two digits."""


def treatment_of(ties: str) -> Ties:
    if ties not in TIES:
        raise InputError("--ties", f"{ties!r} is not known", f"one of {', '.join(TIES)}")
    return TIES[ties]


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """The choices that every analysis has.

    ``ties``: what becomes of them in win rates and in Bradley and Terry's strengths: "davidson",
    "half" or "none". ``images``: whether images and prompts are a sample of what a model makes, or
    all that is spoken of. ``draws``, ``seed``: of the bootstrap. ``alpha``, ``confidence``: the
    level of the tests, and the coverage of the intervals, as proportions.

    Raises InputError: a value that is not allowed.
    """

    ties: Ties = "davidson"
    images: Images = "sample"
    draws: int = 1_000
    seed: int = 0
    alpha: float = 0.05
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_draws(self.draws)
        condition_rng(self.seed, "")
        self.require_one_of("ties", self.ties, Ties)
        self.require_one_of("images", self.images, Images)
        self.require_between_0_and_1("alpha", "confidence")

    def require_one_of(self, name: str, value: str, allowed: Any) -> None:
        if value not in (words := get_args(allowed)):
            raise InputError(name, repr(value), f"allowed are {', '.join(words)}")

    def require_between_0_and_1(self, *names: str) -> None:
        for name in names:
            if not 0 < getattr(self, name) < 1:
                allowed = "allowed is a number above 0 and below 1"
                raise InputError(name, f"{getattr(self, name):g}", allowed)

    def require_from_0_to_1(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise InputError(name, f"{value:g}", "allowed is a number from 0 to 1")


def number_of(rows: pd.DataFrame, name: str) -> int | None:
    """Count the different cells of a column; None where there is none."""
    return int(rows[name].nunique()) if name in rows else None


def few_evaluators(people: int) -> Iterator[str]:
    if people < FEW:
        yield f"There are only {people} evaluators: how evaluators vary is known roughly."


def lost_conditions(
    every: pd.DataFrame, scored_task: str, columns: Iterable[str], left: Iterable[str]
) -> Iterator[str]:
    """Name the conditions that were asked about and of which nothing is ``left`` to score."""
    asked = every[every["task"].eq(scored_task).to_numpy()]
    names = {str(name) for column in columns if column in asked for name in asked[column].unique()}
    if lost := sorted(names - set(left)):
        yield f"Nothing is left to score of {', '.join(lost)}."
