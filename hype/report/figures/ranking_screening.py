"""Annotators beside checkers: recall@2 in the test and in the work, the lowest on top."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from hype.report.figures.drawing import Drawing, Panel
from hype.report.figures.key import Entry, draw_key
from hype.report.figures.palette import BLUE, SKY, SOFT, VERMILLION
from hype.report.figures.rows import WIDTH_IN, Rows, mark
from hype.report.figures.scales import linear
from hype.report.tables.ranking_screening import chance_of, lowest_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from hype.analysis.rankings.scores import RankingScore
    from hype.analysis.rankings.screening import ScreenedEvaluator, Screening

MOST_DRAWN: Final = 40
"""Evaluators; of more, those with the lowest recall are drawn."""
_HEADER_IN: Final = 0.55
_ROOM: Final = 2
_TEST: Final = Entry(label="test", marker="o", colour=BLUE)
_WORK: Final = Entry(label="work that was checked", marker="s", colour=VERMILLION, hollow=True)


def screening_drawing(score: RankingScore) -> Drawing | None:
    """Draw recall@2 of each evaluator; None where nobody was tested or checked."""
    found = score.screening
    known = [one for one in lowest_first(found) if one.test or one.check] if found else []
    if found is None or not known:
        return None
    shown = known[:MOST_DRAWN]
    rows = Rows(
        names=tuple(one.evaluator for one in shown),
        values=tuple(_value(one) for one in shown),
        header_in=_HEADER_IN,
    )
    return Drawing(
        name="ranking-screening",
        title="Screening",
        caption=" ".join(_caption(score, found, known)),
        alt=_alt(known),
        panels=(Panel(draw=partial(_draw, shown=shown, found=found, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label="first choice among a checker's first two, in %",
        margins=rows.margins,
    )


def _value(one: ScreenedEvaluator) -> tuple[str, str]:
    told = [
        f"{name} {recall.recall:.0%} of {recall.groups}"
        for name, recall in (("test", one.test), ("work", one.check))
        if recall is not None
    ]
    judged = one.test or one.check
    return " · ".join(told), f"{judged.recall:.0%}" if judged else ""


def _draw(axes: Axes, shown: Sequence[ScreenedEvaluator], found: Screening, rows: Rows) -> None:
    rows.prepare(axes)
    axes.set_xlim(-_ROOM, 100 + _ROOM)
    linear(axes.xaxis)
    _mark_bounds(axes, chance_of(found), found.min_recall)
    size = 5 if rows.close else 6.5
    for place, one in enumerate(shown):
        y = rows.centre(place)
        if one.test is not None:
            low, high = 100 * one.test.ci_low, 100 * one.test.ci_high
            axes.hlines(y, low, high, color=SKY, linewidth=1.6, zorder=2)
            _TEST.draw(axes, [100 * one.test.recall], [y], size=size)
        if one.check is not None:
            _WORK.draw(axes, [100 * one.check.recall], [y], size=size)
    draw_key(axes, _entries(shown), 72 * _HEADER_IN - 12)


def _mark_bounds(axes: Axes, chance: float | None, bound: float | None) -> None:
    """Mark chance and the study's rule, their names on different sides of their lines."""
    above = bound is None or chance is None or chance <= bound
    sides: tuple[Literal["left", "right"], ...] = ("right", "left") if above else ("left", "right")
    place = axes.get_xaxis_transform()
    for name, at, side in zip(("chance", "bound"), (chance, bound), sides, strict=True):
        if at is not None:
            mark(axes, 100 * at, "")
            axes.text(100 * at, 1, f" {name} ", transform=place, ha=side, va="bottom", color=SOFT)


def _entries(shown: Sequence[ScreenedEvaluator]) -> list[Entry]:
    tested, checked = any(one.test for one in shown), any(one.check for one in shown)
    return [entry for entry, there in ((_TEST, tested), (_WORK, checked)) if there]


def _caption(
    score: RankingScore, found: Screening, known: Sequence[ScreenedEvaluator]
) -> Iterator[str]:
    yield (
        "Recall@2 of each evaluator: how often their first choice is among a checker's first two, "
        f"in the test with Wilson's {score.confidence:.0%} interval (line)."
    )
    if found.min_recall is not None:
        yield f"Whoever is below {found.min_recall:.0%} is not scored."
    if len(known) > MOST_DRAWN:
        yield f"The {MOST_DRAWN} with the lowest of {len(known):,}."


def _alt(known: Sequence[ScreenedEvaluator]) -> str:
    first, last = known[0], known[-1]
    told = [f"{one.evaluator}, {_value(one)[0]}" for one in (first, last)]
    return f"Recall@2 of {len(known):,} evaluators, from {told[0]}, to {told[1]}."
