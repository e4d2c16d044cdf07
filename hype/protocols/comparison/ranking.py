"""Win rates and strengths put together: a row for each condition, and one for each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.protocols.comparison.power import caution, is_powered
from hype.protocols.comparison.results import PairResult
from hype.statistics.strength_table import (
    ConditionStrength,
    StrengthTable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hype.protocols.comparison.power import Plan
    from hype.statistics.strength_intervals import Difference
    from hype.statistics.strength_table import StrengthTable
    from hype.statistics.win_rates import PairRate


def paired(
    rates: Iterable[PairRate],
    ranking: Sequence[ConditionStrength],
    table: StrengthTable,
    *,
    plan: Plan | None,
    alpha: float,
) -> tuple[PairResult, ...]:
    """Give the rows of the pairs that were compared, in the order of the ranking."""
    place = {row.condition: number for number, row in enumerate(ranking)}
    known = {(found.a, found.b): found for found in table.differences}
    rows = [_pair(rate, place, known, plan, alpha) for rate in rates]
    return tuple(sorted(rows, key=lambda row: (place[row.a], place[row.b])))


def _pair(
    rate: PairRate,
    place: dict[str, int],
    known: dict[tuple[str, str], Difference],
    plan: Plan | None,
    alpha: float,
) -> PairResult:
    turned = place[rate.a] > place[rate.b]
    a, b = (rate.b, rate.a) if turned else (rate.a, rate.b)
    won = (rate.wins_b, rate.wins_a) if turned else (rate.wins_a, rate.wins_b)
    found = known.get((a, b))
    decided = rate.wins_a + rate.wins_b
    p = rate.p_holm if rate.p_clustered_holm is None else rate.p_clustered_holm
    separable = p < alpha if decided else None
    said = caution(decided, rate.wins_a / decided, plan) if separable else ""
    return PairResult(
        a=a,
        b=b,
        comparisons=rate.comparisons,
        wins_a=won[0],
        wins_b=won[1],
        ties=rate.ties,
        win_rate=_turned(rate.rate, turned=turned),
        ci_low=_turned(rate.high if turned else rate.low, turned=turned),
        ci_high=_turned(rate.low if turned else rate.high, turned=turned),
        p=rate.p,
        p_holm=rate.p_holm,
        p_clustered=rate.p_clustered,
        p_clustered_holm=rate.p_clustered_holm,
        difference=found.difference.value if found else None,
        difference_low=found.difference.low if found else None,
        difference_high=found.difference.high if found else None,
        separable=separable,
        powered=is_powered(decided, plan),
        said=said,
    )


def _turned(share: float | None, *, turned: bool) -> float | None:
    return 1 - share if turned and share is not None else share
