"""The key facts of rankings at the head of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report import ranking_wording as said
from hype.report import wording
from hype.report.tables.ranking_catalogue import models_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis.rankings.scores import RankingScore
    from hype.report.page.background import Background
    from hype.report.page.key_facts import Fact

NO_STRENGTH = "cannot be said"
_MOST_NAMED = 3


def ranking_facts(score: RankingScore, background: Background | None) -> tuple[Fact, ...]:
    """Say who is on top and how sure that is, how far people agree, and of how many."""
    return (*_found(score), *_counted(score), *(background.facts if background else ()))


def _found(score: RankingScore) -> Iterator[Fact]:
    if score.fit.unbeaten:
        yield "Never below another, so without a strength", _listed(score.fit.unbeaten)
    yield _top(score)
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


def _top(score: RankingScore) -> Fact:
    """Name whoever may be the first: what resampling leaves open is not decided here."""
    strong = [row for row in score.conditions if row.strength is not None]
    if not strong:
        return "On top", NO_STRENGTH
    whom = "On top" if len(strong) == len(score.conditions) else "On top of those with a strength"
    firsts = [row.condition for row in strong if row.rank_low == 1] or [strong[0].condition]
    return whom, _listed(firsts, "or")


def _listed(names: list[str] | tuple[str, ...], word: str = "and") -> str:
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    return f" {word} ".join([*names[:_MOST_NAMED], *more])


def _counted(score: RankingScore) -> Iterator[Fact]:
    yield "Conditions", f"{len(score.conditions):,}"
    if score.evaluators is not None:
        yield "Simulated evaluators" if score.simulated else "Evaluators", f"{score.evaluators:,}"
    yield "Rankings", f"{score.rankings:,}"
    yield "Comparisons in them", f"{score.comparisons:,}"
