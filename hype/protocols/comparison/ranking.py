"""Win rates and strengths put together: a row for each condition, and one for each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.protocols.comparison.power import caution, is_powered
from hype.protocols.comparison.results import ConditionStrength, Fit, PairResult, Resampling
from hype.statistics.bradley_terry import StrengthsNotFound
from hype.statistics.connectivity import connectivity
from hype.statistics.estimate import Estimate
from hype.statistics.strength_table import StrengthTable, strength_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.random import Generator

    from hype.protocols.comparison.power import Plan
    from hype.protocols.comparison.results import Ties
    from hype.protocols.comparison.win_rates import PairRate, WinRate
    from hype.statistics.paired_counts import Counts, EvaluatorCounts
    from hype.statistics.strength_intervals import ConditionEstimate, Difference
    from hype.statistics.strength_table import StrengthTable

_NONE = Estimate(value=0.0, low=None, high=None)


def ranked(rates: Iterable[WinRate], table: StrengthTable) -> tuple[ConditionStrength, ...]:
    """Give the rows of the ranking: by strength, then those without one by win rate and name."""
    by_name = {rate.condition: rate for rate in rates}
    strong = [_row(by_name[found.condition], found) for found in table.conditions]
    done = {row.condition for row in strong}
    weak = [
        _without(rate, table.connectivity.reasons.get(rate.condition, _all(table)))
        for rate in by_name.values()
        if rate.condition not in done
    ]
    weak.sort(key=lambda row: (row.win_rate is None, -(row.win_rate or 0.0), row.condition))
    return (*strong, *weak)


def _all(table: StrengthTable) -> str:
    return table.problems[-1] if table.problems else ""


def _row(rate: WinRate, found: ConditionEstimate) -> ConditionStrength:
    sandwich = found.sandwich or _NONE
    return ConditionStrength(
        condition=rate.condition,
        rank=found.rank,
        comparisons=rate.comparisons,
        wins=rate.wins,
        losses=rate.losses,
        ties=rate.ties,
        win_rate=rate.rate,
        ci_low=rate.low,
        ci_high=rate.high,
        strength=found.strength.value,
        strength_low=found.strength.low,
        strength_high=found.strength.high,
        strength_sandwich_low=sandwich.low,
        strength_sandwich_high=sandwich.high,
        elo=found.elo.value,
        elo_low=found.elo.low,
        elo_high=found.elo.high,
        share100=found.share100.value,
        share100_low=found.share100.low,
        share100_high=found.share100.high,
        rank_low=found.rank_low,
        rank_high=found.rank_high,
    )


def _without(rate: WinRate, reason: str) -> ConditionStrength:
    return ConditionStrength(
        condition=rate.condition,
        rank=None,
        comparisons=rate.comparisons,
        wins=rate.wins,
        losses=rate.losses,
        ties=rate.ties,
        win_rate=rate.rate,
        ci_low=rate.low,
        ci_high=rate.high,
        reason=reason,
    )


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


def strengths_found(
    counts: Counts,
    by_evaluator: EvaluatorCounts | None,
    *,
    ties: Ties,
    draws: int,
    rng: Generator,
    confidence: float,
) -> StrengthTable:
    """Estimate strengths as `strength_table` does; where that fails, say so among the problems."""
    try:
        return strength_table(
            counts, by_evaluator, ties=ties, draws=draws, rng=rng, confidence=confidence
        )
    except StrengthsNotFound as problem:
        found = connectivity(counts.without_ties() if ties == "none" else counts)
        return StrengthTable(connectivity=found, problems=(*found.problems, str(problem)))


def fit_of(table: StrengthTable, *, ties: Ties) -> Fit:
    """Say how the strengths of a table were found."""
    fitted = table.fitted
    return Fit(
        ties=ties,
        iterations=fitted.steps if fitted else None,
        log_likelihood=fitted.log_likelihood if fitted else None,
        tie_parameter=fitted.nu if fitted else None,
        pieces=table.connectivity.pieces,
        groups=table.connectivity.groups,
        unbeaten=table.connectivity.unbeaten,
        winless=table.connectivity.winless,
        problems=table.problems,
    )


def resampling_of(table: StrengthTable, *, seed: int) -> Resampling | None:
    """Say how the strengths of a table were resampled; None where they were not."""
    if table.draws is None:
        return None
    return Resampling(
        draws=table.draws.draws,
        seed=seed,
        unit=table.draws.unit,
        undefined=table.draws.undefined,
    )
