"""The key facts of ratings at the head of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.analysis.judges.verdicts import Verdict
from hype.report import wording
from hype.report.page.tops import few, firsts
from hype.report.tables import judge_tables
from hype.report.tables.rating_catalogue import rating_judges
from hype.report.tables.rating_tables import main_axis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis.ratings.axis_scores import AxisScore
    from hype.analysis.ratings.scores import RatingScore
    from hype.report.page.background import Background
    from hype.report.page.key_facts import Fact


def rating_facts(score: RatingScore, background: Background | None) -> tuple[Fact, ...]:
    """Say who is on top, which axis tells most of the whole, how far people agree, of how many."""
    return (
        *_found(score),
        *_of_judges(score),
        *_counted(score),
        *(background.facts if background else ()),
    )


def _found(score: RatingScore) -> Iterator[Fact]:
    axis = main_axis(score)
    if top := _top(axis):
        yield f"On top, {axis.axis}", top
    close = score.correlations.with_overall[:1] if score.correlations else ()
    for row in close:
        if row.r is not None:
            yield f"Closest to {score.overall}", f"{row.axis}, r = {wording.number(row.r, 2)}"
    found = axis.alpha("items") or axis.alpha("conditions")
    if found is not None:
        shown = f"{wording.number(found.alpha, 2)}{together(found.low, found.high)}"
        yield f"Agreement on {axis.axis}, α over {found.unit}", shown


def together(low: float | None, high: float | None) -> str:
    """Write an interval without spaces, so that it stays on one line; empty where unknown."""
    if low is None or high is None:
        return ""
    return f" ({wording.interval(low, high, 2).replace(' ', '')})"


def _top(axis: AxisScore) -> str:
    """Name whoever may be the first; empty where nobody can be said to be."""
    found = firsts(axis.strengths)
    if found:
        return few(found, "or")
    if axis.strengths or not axis.means:
        return ""
    best = axis.means[0]
    reach = best.mean if best.low is None else best.low
    level = [row for row in axis.means if row is best or (row.high or row.mean) >= reach]
    return few([row.condition for row in level], "or")


def _of_judges(score: RatingScore) -> Iterator[Fact]:
    """Name the judge that agrees most, one that was made of people's answers left out."""
    judges = rating_judges(score)
    if judges is None:
        return
    yield "Judges", f"{len(judges.judges):,}"
    axis = judge_tables.main_axis(judges)
    for judge in judges.judges:
        own = next((row.correlation.r for row in judge.axes if row.axis == axis), judge.mean_r)
        if own is not None and judge.verdict is not Verdict.COPIES:
            yield "Judge closest to people", f"{judge.judge}, r = {wording.number(own, 2)}"
            return


def _counted(score: RatingScore) -> Iterator[Fact]:
    yield "Conditions", f"{len(score.conditions):,}"
    yield "Axes", f"{len(score.axes):,}"
    if score.evaluators is not None:
        yield "Simulated evaluators" if score.simulated else "Evaluators", f"{score.evaluators:,}"
    yield "Pairs" if score.what == "pairs" else "Images", f"{score.items:,}"
    yield "Ratings", f"{score.ratings:,}"
