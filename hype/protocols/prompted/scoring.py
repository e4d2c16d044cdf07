"""What scoring comparisons, ratings and rankings has in common: its options and their checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeVar, get_args

from hype.errors import InputError
from hype.protocols.prompted.results import FEW, RankedPair
from hype.statistics.crossed import Images
from hype.statistics.pairs import verdict_of
from hype.statistics.resampling import condition_rng
from hype.statistics.strengths import Ties

if TYPE_CHECKING:
    from dataclasses import Field

    import pandas as pd

    from hype.statistics.estimate import Estimate
    from hype.statistics.paired_counts import PairRate
    from hype.statistics.strength_table import Difference


TIES: Final[Mapping[str, Ties]] = {"davidson": "davidson", "half": "half", "drop": "none"}
"""What --ties takes, and what the analysis calls it."""


def treatment_of(ties: str) -> Ties:
    if ties not in TIES:
        raise InputError("--ties", f"{ties!r} is not known", f"one of {', '.join(TIES)}")
    return TIES[ties]


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """The choices that every analysis has.

    ``ties``: what becomes of them in win rates and in Bradley and Terry's strengths: "davidson",
    "half" or "none". ``images``: whether images and prompts are a sample of what a model makes, or
    all that is spoken of. ``seed``: of what is dealt at random. ``alpha``, ``confidence``: the
    level of the tests, and the coverage of the intervals, as proportions.

    Raises InputError: a value that is not allowed.
    """

    ties: Ties = "davidson"
    images: Images = "sample"
    seed: int = 0
    alpha: float = 0.05
    confidence: float = 0.95

    def __post_init__(self) -> None:
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


def people_by_condition(rows: pd.DataFrame, *columns: str) -> dict[str, int]:
    """Count who answered about each condition that ``columns`` name; of none without evaluators."""
    people: dict[str, set[str]] = {}
    for name in (each for each in columns if "evaluator" in rows and each in rows):
        for condition, those in rows.groupby(name, observed=True)["evaluator"].unique().items():
            people.setdefault(str(condition), set()).update(those)
    return {condition: len(those) for condition, those in people.items()}


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


def ranked_pairs(
    rates: Iterable[PairRate],
    ranking: Sequence[str],
    differences: Iterable[Difference],
    *,
    alpha: float,
) -> tuple[RankedPair, ...]:
    """Give the rows of the pairs that were compared, in the order of the ranking.

    ``differences``: of log-strengths, the stronger condition first.
    """
    order = {name: number for number, name in enumerate(ranking)}
    apart = {(difference.a, difference.b): difference.difference for difference in differences}
    turned = (rate.turned() if order[rate.a] > order[rate.b] else rate for rate in rates)
    return tuple(
        _ranked_pair(rate, apart.get((rate.a, rate.b)), alpha)
        for rate in sorted(turned, key=lambda rate: (order[rate.a], order[rate.b]))
    )


def _ranked_pair(rate: PairRate, difference: Estimate | None, alpha: float) -> RankedPair:
    separable = None if rate.p_holm is None else rate.p_holm < alpha
    alike = rate.p_equivalent_holm
    return RankedPair(
        a=rate.a,
        b=rate.b,
        comparisons=rate.comparisons,
        wins_a=rate.wins_a,
        wins_b=rate.wins_b,
        ties=rate.ties,
        win_rate=rate.rate,
        p=rate.p,
        p_holm=rate.p_holm,
        p_equivalent=alike,
        difference=difference,
        separable=separable,
        verdict=verdict_of(separable, is_equivalent=alike is not None and bool(alike < alpha)),
    )


class _Ranked(Protocol):
    """A row, such as a `ConditionStrength`, that is a dataclass with `rank_low` and `rank_high`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def condition(self) -> str: ...

    @property
    def rank(self) -> int | None: ...


Row = TypeVar("Row", bound=_Ranked)


def with_open_ranks(ranking: Sequence[Row], pairs: Iterable[RankedPair]) -> Iterator[Row]:
    """Leave a rank open to as many conditions as are not separable, so that both say the same.

    As of Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to
    mobility across neighbourhoods and academic achievement across countries", The Review of
    Economic Studies 91.
    """
    strong = {row.condition for row in ranking if row.rank is not None}
    above, below = Counter[str](), Counter[str]()
    for pair in pairs:
        if pair.separable and pair.win_rate and {pair.a, pair.b} <= strong:
            # Tests are of win rates; an arena's rule, without them, is of the strengths.
            is_a = pair.p is None or pair.win_rate.value > 0.5
            better, worse = (pair.a, pair.b) if is_a else (pair.b, pair.a)
            above[worse] += 1
            below[better] += 1
    for row in ranking:
        if row.rank is None:
            yield row
        else:
            low, high = 1 + above[row.condition], len(strong) - below[row.condition]
            yield replace(row, rank_low=min(row.rank, low), rank_high=max(row.rank, high))
