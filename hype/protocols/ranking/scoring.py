"""From a table of rankings to everything that is known from it; each step is in a sibling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

import numpy as np
import numpy.typing as npt

from hype.errors import InputError
from hype.protocols.prompted.results import FEW
from hype.protocols.ranking.agreement import ranking_agreement
from hype.protocols.ranking.exclusion import DECLINED, SCORED, left_out, reasons_of
from hype.protocols.ranking.orders import Expanded, Orders, Units, expanded, orders, units
from hype.protocols.ranking.places import placements
from hype.protocols.ranking.results import (
    GroupSize,
    RankedCondition,
    RankedPair,
    RankingFit,
    RankingResampling,
    RankingScore,
)
from hype.protocols.ranking.rows import SCORED_TASK
from hype.protocols.ranking.screening import screening
from hype.protocols.ranking.strengths import (
    RankingStrengths,
    drawn_weights,
    ranked_conditions,
    ranked_pairs,
    ranking_strengths,
    rates_of_conditions,
    strengths_of_pairs,
)
from hype.protocols.ranking.table import codes_of
from hype.statistics.bradley_terry import listed
from hype.statistics.resampling import check_draws, condition_rng
from hype.statistics.strength_table import StrengthTable
from hype.statistics.strengths import Ties
from hype.tables.distinct import only_used

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from hype.protocols.ranking.agreement import RankingAgreement
    from hype.protocols.ranking.exclusion import LeftOutRankings
    from hype.protocols.ranking.screening import Screening


@dataclass(frozen=True, kw_only=True)
class RankingOptions:
    """The choices.

    Parameters
    ----------
    ties
        What becomes of ties in win rates and in Bradley and Terry's strengths: "davidson", "half"
        or "none". In Plackett and Luce's they always count by Breslow's rule.
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


NO_AGREEMENT: Final = (
    "No group was ranked by two evaluators: how far they agree cannot be known from these rankings."
)


def notes_on_data(scored: ScoredRankings, laid: Orders, pairs: Expanded) -> Iterator[str]:
    """Say what the rankings are, and what they are not."""
    yield from _on_evaluators(scored.rows)
    if len(set(laid.sizes.tolist())) > 1:
        yield (
            "Groups differ in size: a mean rank, a share of first places and a win rate depend on "
            "how many images were in a group and which; strengths allow for that."
        )
    if pairs.within:
        yield (
            f"{pairs.within:,} comparisons of two images of one condition say nothing of "
            "conditions and are not counted."
        )
    every = scored.every
    shown = every[every["task"].eq(SCORED_TASK).to_numpy() & ~every["checker"].to_numpy()]
    if lost := sorted({str(name) for name in shown["condition"].unique()} - set(laid.conditions)):
        yield f"Nothing is left to score of {', '.join(lost)}."


def notes_on_results(
    scored: ScoredRankings,
    strengths: RankingStrengths,
    agreement: RankingAgreement | None,
    options: RankingOptions,
) -> Iterator[str]:
    """Say what the figures lack."""
    if strengths.undefined:
        yield (
            f"In {strengths.undefined:,} of {options.draws:,} draws of the bootstrap some "
            "condition was never above or never below others: intervals are as wide as if these "
            "draws lay outside, and open where they are too many."
        )
    if agreement is None and "evaluator" in scored.rows:
        yield NO_AGREEMENT
    if scored.screening is not None:
        yield from _on_screening(scored.screening)
    elif options.min_recall is not None:
        yield "No checker ranked anything: nobody is left out for a low recall@2."


def _on_evaluators(scored: pd.DataFrame) -> Iterator[str]:
    if "evaluator" not in scored:
        yield (
            "The table does not say who ranked: groups are taken to be independent, which makes "
            "intervals too narrow where somebody ranked several, and how far evaluators agree is "
            "not known."
        )
        return
    people = scored["evaluator"].nunique()
    if people == 1:
        yield (
            "All rankings are of one evaluator: intervals say how other groups of images would "
            "vary, and nothing of other people."
        )
    elif people < FEW:
        yield f"There are only {people} evaluators: how evaluators vary is known roughly."


def _on_screening(screening: Screening) -> Iterator[str]:
    if screening.unscreened:
        yield f"Neither tested nor checked: {listed(screening.unscreened)}."
    little = [
        evaluator.evaluator for evaluator in screening.evaluators if evaluator.enough is False
    ]
    if little:
        yield f"Less than {screening.check_share:.0%} of the work was checked of {listed(little)}."


FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Study:
    """Scored rankings in all the forms that figures are computed from."""

    laid: Orders
    pairs: Expanded
    units: Units
    drawn: Units
    weights: FloatArray | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredRankings:
    """A table of rankings, and what of it is scored.

    ``every``: all rows, as `check_rankings` returns them. ``rows``: those that are scored, over the
    conditions that they have. ``screening``: of everybody but those who withdrew.
    """

    every: pd.DataFrame
    rows: pd.DataFrame
    screening: Screening | None
    exclusions: tuple[LeftOutRankings, ...]


def scored_rankings(
    rankings: pd.DataFrame, options: RankingOptions | None = None
) -> ScoredRankings:
    """Choose the rankings that are scored, by the rule of `hype.protocols.ranking.exclusion`.

    Raises
    ------
    InputError
        No ranking is left to score.
    """
    screened = _screened(rankings, options or RankingOptions())
    reasons = reasons_of(rankings, failed=screened.failed if screened else ())
    exclusions, kept = left_out(rankings, reasons), reasons.eq(SCORED).to_numpy()
    if not kept.any():
        named = ", ".join(f"{exclusion.rankings:,} {exclusion.meaning}" for exclusion in exclusions)
        raise InputError("rankings", f"none is left to score: {named}", "one or more")
    rows = rankings[kept].copy(deep=False)
    rows["condition"] = only_used(rows["condition"])
    return ScoredRankings(every=rankings, rows=rows, screening=screened, exclusions=exclusions)


def score_rankings(rankings: pd.DataFrame, options: RankingOptions | None = None) -> RankingScore:
    """Score a table of rankings.

    ``rankings``: as `check_rankings` returns them. Only finished rankings of the task ranking are
    scored that are no checker's, and of these only what neither the columns excluded and status nor
    a rule of the options leaves out. The same rankings, options and seed give the same result. The
    order of the rows matters where a person ranked a group several times: for agreement the last
    ranking counts.

    Raises
    ------
    InputError
        No ranking is left to score.
    """
    chosen = options or RankingOptions()
    return score_of(scored_rankings(rankings, chosen), chosen)


def score_of(scored: ScoredRankings, options: RankingOptions) -> RankingScore:
    """Compute all figures of the rankings that are scored."""
    rows, study = scored.rows, _study(scored.rows, options)
    strengths, by_pairs = _strengths(study, options)
    conditions, pairs = _rows(study, strengths, by_pairs, options)
    agreement = ranking_agreement(
        rows,
        {row.condition: row.strength.value for row in conditions if row.strength is not None},
        order=[row.condition for row in conditions],
        confidence=options.confidence,
    )
    return RankingScore(
        simulated=bool(scored.every["simulated"].any()),
        groups=int(rows["group"].nunique()),
        rankings=len(study.laid.sizes),
        comparisons=len(study.pairs.cell),
        evaluators=_number(rows, "evaluator"),
        prompts=_number(rows, "prompt"),
        sizes=_sizes(rows, study.laid),
        ties=options.ties,
        tied=int(study.pairs.counts().ties.sum() / 2),
        conditions=conditions,
        pairs=pairs,
        fit=_fit(strengths, by_pairs),
        bootstrap=_bootstrap(study, strengths, options),
        agreement=agreement,
        screening=scored.screening,
        exclusions=scored.exclusions,
        alpha=options.alpha,
        confidence=options.confidence,
        notes=(
            *notes_on_data(scored, study.laid, study.pairs),
            *notes_on_results(scored, strengths, agreement, options),
        ),
    )


def _screened(rankings: pd.DataFrame, options: RankingOptions) -> Screening | None:
    """Look at everybody's rankings, but those of people who withdrew."""
    declined = reasons_of(rankings).eq(DECLINED).to_numpy()
    kept = rankings[~declined] if declined.any() else rankings
    return screening(
        kept,
        min_recall=options.min_recall,
        check_share=options.check_share,
        confidence=options.confidence,
    )


def _study(scored: pd.DataFrame, options: RankingOptions) -> _Study:
    laid = orders(scored)
    independent = units(scored, laid)
    drawn, weights = independent.bundled(), None
    if drawn.number > 1:
        rng = condition_rng(options.seed, "", "rankings")
        weights = drawn_weights(drawn.number, draws=options.draws, rng=rng)
    return _Study(laid=laid, pairs=expanded(laid), units=independent, drawn=drawn, weights=weights)


def _strengths(study: _Study, options: RankingOptions) -> tuple[RankingStrengths, StrengthTable]:
    own = ranking_strengths(
        study.laid,
        study.drawn,
        study.pairs.counts(),
        study.weights,
        confidence=options.confidence,
    )
    by_pairs = strengths_of_pairs(
        study.pairs,
        study.drawn,
        ties=options.ties,
        draws=options.draws,
        rng=condition_rng(options.seed, "", "strengths"),
        confidence=options.confidence,
    )
    return own, by_pairs


def _rows(
    study: _Study, strengths: RankingStrengths, by_pairs: StrengthTable, options: RankingOptions
) -> tuple[tuple[RankedCondition, ...], tuple[RankedPair, ...]]:
    ties, confidence = options.ties, options.confidence
    conditions = ranked_conditions(
        rates_of_conditions(study.pairs, study.drawn, ties=ties, confidence=confidence),
        placements(study.laid, study.drawn, confidence=confidence),
        strengths,
        by_pairs,
    )
    pairs = ranked_pairs(
        study.pairs,
        study.units,
        study.drawn,
        conditions,
        strengths.differences,
        ties=ties,
        alpha=options.alpha,
        confidence=confidence,
    )
    return conditions, pairs


def _fit(strengths: RankingStrengths, by_pairs: StrengthTable) -> RankingFit:
    fitted, pairs = strengths.fitted, by_pairs.fitted
    return RankingFit(
        iterations=fitted.steps if fitted else None,
        log_likelihood=fitted.log_likelihood if fitted else None,
        tie_parameter=pairs.nu if pairs else None,
        pieces=strengths.connectivity.pieces,
        unbeaten=strengths.connectivity.unbeaten,
        winless=strengths.connectivity.winless,
        problems=strengths.problems,
        bt_problems=by_pairs.problems,
    )


def _bootstrap(
    study: _Study, strengths: RankingStrengths, options: RankingOptions
) -> RankingResampling | None:
    if study.weights is None:
        return None
    return RankingResampling(
        draws=options.draws,
        seed=options.seed,
        unit=study.units.kind,
        units=study.units.number,
        undefined=strengths.undefined,
    )


def _sizes(scored: pd.DataFrame, laid: Orders) -> tuple[GroupSize, ...]:
    group = codes_of(scored["group"])[laid.row[laid.starts]]
    counted = []
    for size in np.unique(laid.sizes).tolist():
        own = group[laid.sizes == size]
        counted.append(
            GroupSize(
                images=size,
                groups=len(np.unique(own)),
                rankings=len(own),
                comparisons=len(own) * size * (size - 1) // 2,
            )
        )
    return tuple(counted)


def _number(scored: pd.DataFrame, name: str) -> int | None:
    return int(scored[name].nunique()) if name in scored else None
