"""The key facts of comparisons at the head of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report import wording
from hype.report.page.tops import few, on_top

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis.pairwise.scores import PairResult, PairwiseScore
    from hype.report.page.background import Background
    from hype.report.page.key_facts import Fact


def comparison_facts(score: PairwiseScore, background: Background | None) -> tuple[Fact, ...]:
    """Say who is on top and how sure that is, of how many, and what was fixed before."""
    return (*_found(score), *_counted(score), *(background.facts if background else ()))


def _found(score: PairwiseScore) -> Iterator[Fact]:
    if score.fit.unbeaten:
        yield "Never lost, so without a strength", few(score.fit.unbeaten)
    yield _top(score)
    pair = leading_pair(score)
    if pair is not None:
        ends = _together(wording.interval(_percent(pair.ci_low), _percent(pair.ci_high), 0))
        yield f"{pair.a} over {pair.b}", f"{wording.share(pair.win_rate)} ({ends})"
    agreement = score.agreement
    if agreement is not None and agreement.alpha is not None:
        ends = _together(wording.interval(agreement.ci_low, agreement.ci_high, 2))
        shown = wording.number(agreement.alpha, 2)
        known = agreement.ci_low is not None
        yield "Agreement, Krippendorff's α", f"{shown} ({ends})" if known else shown


def _together(ends: str) -> str:
    """Write an interval without spaces, so that it stays on one line."""
    return ends.replace(" ", "")


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def leading_pair(score: PairwiseScore) -> PairResult | None:
    """Give the pair of the two at the top, where both have a strength and met."""
    strong = [row.condition for row in score.conditions if row.strength is not None][:2]
    return next((pair for pair in score.pairs if [pair.a, pair.b] == strong), None)


def _top(score: PairwiseScore) -> Fact:
    """Name whoever may be the first: what resampling leaves open is not decided here."""
    if score.sequential is not None and score.sequential.reached:
        first = score.sequential.top or (score.sequential.order or ("",))[0]
        return "On top, by the stopping rule", first
    return on_top(score.conditions)


def _counted(score: PairwiseScore) -> Iterator[Fact]:
    yield "Conditions", f"{len(score.conditions):,}"
    if score.evaluators is not None:
        yield "Simulated evaluators" if score.simulated else "Evaluators", f"{score.evaluators:,}"
    yield "Comparisons", f"{score.comparisons:,}"
    if score.sequential is not None:  # an arena gives most votes to the pairs that matter
        return
    if score.plan is not None and score.plan.needed is not None and score.pairs:
        least = min(pair.wins_a + pair.wins_b for pair in score.pairs)
        yield "Comparisons of a pair, at least", f"{least:,} ({score.plan.needed:,} needed)"
