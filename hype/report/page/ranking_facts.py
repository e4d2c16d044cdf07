"""The key facts of rankings at the head of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report import ranking_wording as said
from hype.report import wording
from hype.report.page.tops import few, on_top
from hype.report.tables.ranking_catalogue import models_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis.rankings.scores import RankingScore
    from hype.report.page.background import Background
    from hype.report.page.key_facts import Fact


def ranking_facts(score: RankingScore, background: Background | None) -> tuple[Fact, ...]:
    """Say who is on top and how sure that is, how far people agree, and of how many."""
    return (*_found(score), *_counted(score), *(background.facts if background else ()))


def _found(score: RankingScore) -> Iterator[Fact]:
    if score.fit.unbeaten:
        yield "Never below another, so without a strength", few(score.fit.unbeaten)
    yield on_top(score.conditions)
    if score.agreement is not None:
        single = score.agreement.single_single
        ends = wording.interval(_percent(single.low), _percent(single.high), 0).replace(" ", "")
        known = f" ({ends})" if single.low is not None else ""
        yield "Two people prefer the same", f"{said.percent(single.value, 0)}{known}"
    models = models_of(score)
    if models is not None and models.judges:
        best = models.judges[0]
        yield "Best preference model", f"{best.judge}, {said.percent(best.accuracy.value, 0)}"


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _counted(score: RankingScore) -> Iterator[Fact]:
    yield "Conditions", f"{len(score.conditions):,}"
    if score.evaluators is not None:
        yield "Simulated evaluators" if score.simulated else "Evaluators", f"{score.evaluators:,}"
    yield "Rankings", f"{score.rankings:,}"
    yield "Comparisons in them", f"{score.comparisons:,}"
