"""The score of each condition with its interval: the paper's Figure 1."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hype.report import wording
from hype.report.figures.axes import INK, PAPER, SKY, SOFT, linear
from hype.report.figures.drawing import Drawing, Panel, measured
from hype.report.figures.rows import CHANCE, WIDTH_IN, Rows, mark, widest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from hype.protocols.hype.figures.staircases import Bounds
    from hype.protocols.hype.results import ConditionScore, Score

_MOST_OF_HEIGHT: Final = 0.29
"""By how much of the height of equal scores moved apart the next one is moved."""
_NEAR: Final = 0.6
"""How far beyond the scores something may lie to be marked, as a share of their range."""


def interval_drawing(score: Score, bounds_ms: Bounds | None) -> Drawing:
    """Draw each condition's score and interval over the scores of its evaluators.

    Parameters
    ----------
    score
        Of either protocol.
    bounds_ms
        Floor and ceiling of the staircases, where they are known.
    """
    rows = Rows(
        names=tuple(row.condition for row in score.conditions),
        values=tuple(_value(row) for row in score.conditions),
    )
    return Drawing(
        name=f"{score.protocol}-intervals",
        title=f"Scores of {wording.protocol_name(score)}",
        caption=_caption(score, bounds_ms),
        alt=_alt(score),
        panels=(Panel(draw=partial(_draw, score=score, rows=rows, bounds_ms=bounds_ms)),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label=f"score in {score.unit}",
        margins=rows.margins,
    )


def _value(row: ConditionScore) -> tuple[str, str]:
    score = wording.number(row.score)
    interval = wording.interval(row.ci_low, row.ci_high)
    return (f"{score}  ({interval})" if row.ci_low is not None else score), score


def _draw(axes: Axes, score: Score, rows: Rows, bounds_ms: Bounds | None) -> None:
    rows.prepare(axes)
    values = [value for row in score.conditions for value in _values(row)]
    marks = [(at, label) for at, label in _marks(score, bounds_ms) if _in_sight(at, values)]
    widest(axes, [*values, *(at for at, _ in marks)])
    linear(axes.xaxis)
    for at, label in marks:
        mark(axes, at, label)
    _draw_evaluators(axes, score, rows)
    _draw_intervals(axes, score, rows)


def _values(row: ConditionScore) -> list[float]:
    """Give all that a row shows."""
    both = row.two_way
    ends = [row.ci_low, row.ci_high, *((both.ci_low, both.ci_high) if both else ())]
    return [
        row.score,
        *(e.score for e in row.evaluator_scores),
        *(e for e in ends if e is not None),
    ]


def _marks(score: Score, bounds_ms: Bounds | None) -> list[tuple[float, str]]:
    if score.protocol == "infinity":
        return [(CHANCE, "chance")]
    return list(zip(bounds_ms or (), ("floor", "ceiling"), strict=False))


def _in_sight(at: float, values: Sequence[float]) -> bool:
    """Whether a mark is near enough not to squeeze what is drawn into a part of the width."""
    low, high = min(values), max(values)
    near = (high - low) * _NEAR
    return low - near <= at <= high + near


def _draw_evaluators(axes: Axes, score: Score, rows: Rows) -> None:
    for place, row in enumerate(score.conditions):
        scores = np.array([evaluator.score for evaluator in row.evaluator_scores])
        y = rows.centre(place) + spread(scores, rows.half)
        size = 3 if rows.close else 4.2
        axes.plot(scores, y, "o", color=SKY, markersize=size, alpha=0.5, mew=0, clip_on=False)


def _draw_intervals(axes: Axes, score: Score, rows: Rows) -> None:
    places = range(len(score.conditions))
    known = [(rows.centre(p), row) for p, row in zip(places, score.conditions, strict=True)]
    both = [(y, row.two_way) for y, row in known if row.two_way]
    axes.hlines(
        [y for y, _ in both],
        [two_way.ci_low for _, two_way in both],
        [two_way.ci_high for _, two_way in both],
        color=SOFT,
        linewidth=1,
        zorder=3,
    )
    own = [(y, row.bootstrap) for y, row in known if row.bootstrap]
    axes.hlines(
        [y for y, _ in own],
        [bootstrap.ci_low for _, bootstrap in own],
        [bootstrap.ci_high for _, bootstrap in own],
        color=INK,
        linewidth=2 if rows.close else 2.6,
        zorder=4,
    )
    size = 4.5 if rows.close else 7
    heights, scores = [y for y, _ in known], [row.score for _, row in known]
    style: dict[str, Any] = {
        "color": INK,
        "markersize": size,
        "markeredgecolor": PAPER,
        "markeredgewidth": 1,
    }
    axes.plot(scores, heights, "o", **style, zorder=5, clip_on=False)


def spread(scores: np.ndarray, half: float) -> np.ndarray:
    """Move equal scores apart, the same way every time: up, down, further up, further down."""
    seen: dict[float, int] = {}
    offsets = []
    for score in scores.tolist():
        nth = seen[score] = seen.get(score, -1) + 1
        offsets.append((nth + 1) // 2 * (1 if nth % 2 else -1))
    most = max(map(abs, offsets))
    return np.array(offsets) * min(_MOST_OF_HEIGHT * half, half / most if most else 0)


def _caption(score: Score, bounds_ms: Bounds | None) -> str:
    confidence = f"{score.confidence:.0%}"
    said = ["Each condition's score (large dot)"]
    if any(row.bootstrap for row in score.conditions):
        said[0] += f" with its {confidence} interval over evaluators (thick line)"
    said[0] += ". Small dots: the scores of its evaluators; equal ones are moved apart."
    if any(row.two_way for row in score.conditions):
        said.append(f"Thin line: the {confidence} interval over evaluators and images.")
    if score.protocol == "infinity":
        above = "above it, fakes look more real than the reals do"
        said.append(f"Dashed: guessing gives {CHANCE}%; {above}.")
    if bounds_ms:
        floor, ceiling = (f"{bound:g} ms" for bound in bounds_ms)
        said.append(f"No exposure can be below {floor} (floor) or above {ceiling} (ceiling).")
    return " ".join(said)


def _alt(score: Score) -> str:
    best, worst = score.conditions[0], score.conditions[-1]
    unit = score.unit
    if best is worst:
        return f"Score of {best.condition}: {_told(best, unit)}."
    told = f"{worst.condition}, {_told(worst, unit)}, to {best.condition}, {_told(best, unit)}"
    return f"Scores of {len(score.conditions)} conditions, from {told}."


def _told(row: ConditionScore, unit: str) -> str:
    if row.ci_low is None or row.ci_high is None:
        return measured(row.score, unit)
    ends = f"{wording.number(row.ci_low)} to {wording.number(row.ci_high)}"
    return f"{measured(row.score, unit)} ({ends})"
