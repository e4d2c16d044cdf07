"""What a reader must know in order to read the figures of rankings rightly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.protocols.prompted.results import FEW
from hype.protocols.ranking.rows import SCORED_TASK
from hype.statistics.bradley_terry import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from hype.protocols.ranking.agreement import RankingAgreement
    from hype.protocols.ranking.orders import Expanded, Orders
    from hype.protocols.ranking.screening import Screening
    from hype.protocols.ranking.strengths import RankingStrengths

NO_AGREEMENT: Final = (
    "No group was ranked by two evaluators: how far they agree cannot be known from these rankings."
)


def notes_on_data(
    rankings: pd.DataFrame, scored: pd.DataFrame, laid: Orders, pairs: Expanded
) -> Iterator[str]:
    """Say what the rankings are, and what they are not.

    Parameters
    ----------
    rankings
        All rows, as `check_rankings` returns them.
    scored
        Those that are scored.
    laid, pairs
        The scored rankings, and their comparisons.
    """
    yield from _on_evaluators(scored)
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
    shown = rankings[rankings["task"].eq(SCORED_TASK).to_numpy() & ~rankings["checker"].to_numpy()]
    if lost := sorted({str(name) for name in shown["condition"].unique()} - set(laid.conditions)):
        yield f"Nothing is left to score of {', '.join(lost)}."


def notes_on_results(
    scored: pd.DataFrame,
    strengths: RankingStrengths,
    agreement: RankingAgreement | None,
    screening: Screening | None,
    *,
    draws: int,
    min_recall: float | None,
) -> Iterator[str]:
    """Say what the figures lack.

    Parameters
    ----------
    scored
        The rows that are scored.
    strengths, agreement, screening
        The figures.
    draws
        Of the bootstrap.
    min_recall
        The rule of screening; None without one.
    """
    if strengths.undefined:
        yield (
            f"In {strengths.undefined:,} of {draws:,} draws of the bootstrap some condition was "
            "never above or never below others: intervals are as wide as if these draws lay "
            "outside, and open where they are too many."
        )
    if agreement is None and "evaluator" in scored:
        yield NO_AGREEMENT
    if screening is None and min_recall is not None:
        yield "No checker ranked anything: nobody is left out for a low recall@2."
    if screening is not None:
        yield from _on_screening(screening)


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
    little = [one.evaluator for one in screening.evaluators if one.enough is False]
    if little:
        yield f"Less than {screening.check_share:.0%} of the work was checked of {listed(little)}."
