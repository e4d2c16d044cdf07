"""The figures of rankings: strengths, and agreement by difference in strength."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from hype.judges.report import judge_drawing
from hype.protocols.prompted.strengths import SCALES, StrengthScale, strength_drawing
from hype.protocols.prompted.wording import describe_randomness
from hype.protocols.ranking.layout import say
from hype.report import wording
from hype.report.figures.drawing import (
    BLUE,
    FAINT,
    INK,
    PAPER,
    SKY,
    SOFT,
    Axes,
    Drawing,
    LegendEntry,
    Margins,
    Panel,
    level_grid,
    linear,
)
from hype.report.scores import Scores
from hype.report.tabular import Row

FEWEST: Final = 3
_WIDTH_IN: Final = 5.2
_HEIGHT_IN: Final = 3.2
_MOST_LINES: Final = 60
"""With more pairs than this, intervals are not drawn, because they would hide the dots."""
_ROOM_OF_AGREEMENT: Final = 0.04


def agreement_drawing(scores: Scores) -> Drawing | None:
    """Draw a dot for each pair of conditions; None if fewer than three pairs have strengths."""
    scale, pairs = SCALES[scores.facts["strengths"]], scores.rows("pair-agreement")
    shown = [pair for pair in pairs if pair["difference"] is not None]
    if len(shown) < FEWEST:
        return None
    rho = scores.rows("shared")[0]["difference_correlation"]
    return Drawing(
        name="ranking-agreement",
        title="Agreement and the difference of strengths",
        caption=_caption_of_agreement(rho, shown, scores.facts["confidence"]),
        alt=_alt_of_agreement(rho, shown, scale),
        panels=(Panel(draw=partial(_draw_agreement, shown=shown, scale=scale)),),
        width_in=_WIDTH_IN,
        height_in=_HEIGHT_IN,
        x_label=f"difference of strengths, {scale.difference}",
        y_label="two people agree, in %",
        margins=Margins(left_in=0.42, right_in=0.12, bottom_in=0.48, top_in=0.34),
    )


def expected(difference: np.ndarray) -> np.ndarray:
    """Return how often two people agree, in percent, if their choices depend on strengths only."""
    chosen = 1 / (1 + np.exp(-difference))
    return np.asarray(100 * (chosen**2 + (1 - chosen) ** 2))


def _draw_agreement(axes: Axes, shown: Sequence[Row], scale: StrengthScale) -> None:
    apart = np.array([abs(pair["difference"] or 0.0) for pair in shown])
    x, equal = scale.apart(apart), float(scale.apart(0.0))
    y = np.array([100 * pair["agreement"].value for pair in shown])
    level_grid(axes)
    room = _ROOM_OF_AGREEMENT * (float(x.max()) - equal or 1.0)
    axes.set_xlim(equal - room, float(x.max()) + room)
    ends = [100 * end for pair in shown for end in _ends_of_agreement(pair)]
    low, high = min([50.0, *y.tolist(), *ends]), max([*y.tolist(), *ends])
    axes.set_ylim(
        low - _ROOM_OF_AGREEMENT * (high - low),
        min(100.0, high + _ROOM_OF_AGREEMENT * (high - low)),
    )
    linear(axes.xaxis)
    linear(axes.yaxis)
    line = np.linspace(0, float(apart.max()) * (1 + _ROOM_OF_AGREEMENT), 60)
    axes.plot(
        scale.apart(line),
        expected(line),
        color=FAINT,
        linewidth=1.2,
        linestyle=(0, (4, 3)),
        zorder=1,
    )
    if len(shown) <= _MOST_LINES:
        _draw_intervals(axes, shown, scale)
    style: dict[str, Any] = {"color": BLUE, "mec": PAPER, "mew": 0.6, "markersize": 6}
    axes.plot(x, y, "o", **style, zorder=3, clip_on=False)
    axes.tick_params(colors=SOFT)


def _draw_intervals(axes: Axes, shown: Sequence[Row], scale: StrengthScale) -> None:
    intervals = [
        (scale.apart(abs(p["difference"] or 0.0)), *_ends_of_agreement(p))
        for p in shown
        if _ends_of_agreement(p)
    ]
    if intervals:
        x, low, high = (np.array(values) for values in zip(*intervals, strict=True))
        axes.vlines(x, 100 * low, 100 * high, color=SKY, linewidth=1.2, zorder=2)


def _ends_of_agreement(pair: Row) -> tuple[float, ...]:
    low, high = pair["agreement"].low, pair["agreement"].high
    return () if low is None or high is None else (low, high)


def _caption_of_agreement(rho: float | None, shown: Sequence[Row], confidence: float) -> str:
    lines = f", with {confidence:.0%} intervals" if len(shown) <= _MOST_LINES else ""
    sentences = [
        "Each dot is a pair of conditions. Vertical: how often two people put the same image "
        f"first{lines}. Horizontal: how much stronger one condition is than the other.",
        "Dashed line: how often people would agree if only the conditions' strengths mattered. "
        "Above this line, people agree on images, not only on conditions.",
    ]
    if rho is not None:
        sentences.append(f"Spearman's ρ = {wording.number(rho, 2)}.")
    return " ".join(sentences)


def _alt_of_agreement(rho: float | None, shown: Sequence[Row], scale: StrengthScale) -> str:
    by = sorted(shown, key=lambda pair: pair["agreement"].value)
    ends = [
        f"{100 * pair['agreement'].value:.0f}% for {pair['a']} and {pair['b']}, which differ by "
        f"{wording.number(scale.apart(abs(pair['difference'] or 0.0)), scale.decimals)}"
        for pair in (by[0], by[-1])
    ]
    correlation = "" if rho is None else f", Spearman's ρ = {wording.number(rho, 2)}"
    every = f"Agreement on {len(shown):,} pairs of conditions{correlation}"
    return f"{every}: from {ends[0]}, to {ends[1]}."


MODELS: Final = {
    "": LegendEntry(label="Plackett–Luce", marker="o", colour=INK),
    "bt_": LegendEntry(label="Bradley–Terry", marker="d", colour=BLUE),
}


def ranking_drawing(scores: Scores) -> Drawing | None:
    scale = SCALES[scores.facts["strengths"]]
    caption = (
        say(
            "drawn_strengths",
            score=scores.facts,
            allowed=describe_randomness(scores.facts["random"]),
        ),
        scale.steps_in_words("is put above the other", "their rankings"),
    )
    return strength_drawing(scores.rows("conditions"), scale, "ranking-strengths", MODELS, caption)


def ranking_drawings(scores: Scores) -> tuple[Drawing, ...]:
    """Prepare the figures of rankings; a figure without data is left out."""
    drawings = (
        ranking_drawing(scores),
        agreement_drawing(scores),
        judge_drawing(scores.judges, "ranking-models"),
    )
    return tuple(drawing for drawing in drawings if drawing is not None)
