"""Agreement on two conditions against the difference of their strengths, as figure 5 of the source.

Wu et al. (2023), "Human Preference Score v2".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hype.report import wording
from hype.report.figures.drawing import Drawing, Margins, Panel
from hype.report.figures.palette import BLUE, FAINT, PAPER, SKY, SOFT
from hype.report.figures.scales import level_grid, linear

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from hype.analysis.rankings.ranking_agreement import PairAgreement
    from hype.analysis.rankings.scores import RankingScore

FEWEST: Final = 3
_WIDTH_IN: Final = 5.2
_HEIGHT_IN: Final = 3.2
_MOST_LINES: Final = 60
"""Pairs whose intervals are drawn; more of them hide the dots."""
_ROOM: Final = 0.04


def agreement_drawing(score: RankingScore) -> Drawing | None:
    """Draw a dot for each two conditions; None where fewer than three pairs have strengths."""
    found = score.agreement
    shown = [pair for pair in found.pairs if pair.difference is not None] if found else []
    if found is None or len(shown) < FEWEST:
        return None
    return Drawing(
        name="ranking-agreement",
        title="Agreement and the difference of strengths",
        caption=_caption(score, shown),
        alt=_alt(found.difference_correlation, shown),
        panels=(Panel(draw=partial(_draw, shown=shown)),),
        width_in=_WIDTH_IN,
        height_in=_HEIGHT_IN,
        x_label="difference of log-strengths",
        y_label="two people agree, in %",
        margins=Margins(left_in=0.42, right_in=0.12, bottom_in=0.48, top_in=0.34),
    )


def expected(difference: np.ndarray) -> np.ndarray:
    """Give how often two people agree, in percent, if each chooses by the strengths alone."""
    chosen = 1 / (1 + np.exp(-difference))
    return np.asarray(100 * (chosen**2 + (1 - chosen) ** 2))


def _draw(axes: Axes, shown: Sequence[PairAgreement]) -> None:
    x = np.array([abs(pair.difference or 0.0) for pair in shown])
    y = np.array([100 * pair.agreement.value for pair in shown])
    level_grid(axes)
    widest = float(x.max()) * (1 + _ROOM) or 1.0
    axes.set_xlim(-widest * _ROOM, widest)
    ends = [100 * end for pair in shown for end in _ends(pair)]
    low, high = min([50.0, *y.tolist(), *ends]), max([*y.tolist(), *ends])
    axes.set_ylim(low - _ROOM * (high - low), min(100.0, high + _ROOM * (high - low)))
    linear(axes.xaxis)
    linear(axes.yaxis)
    line = np.linspace(0, widest, 60)
    axes.plot(line, expected(line), color=FAINT, linewidth=1.2, linestyle=(0, (4, 3)), zorder=1)
    if len(shown) <= _MOST_LINES:
        _draw_intervals(axes, shown)
    style: dict[str, Any] = {"color": BLUE, "mec": PAPER, "mew": 0.6, "markersize": 6}
    axes.plot(x, y, "o", **style, zorder=3, clip_on=False)
    axes.tick_params(colors=SOFT)


def _draw_intervals(axes: Axes, shown: Sequence[PairAgreement]) -> None:
    known = [(abs(p.difference or 0.0), *_ends(p)) for p in shown if _ends(p)]
    if known:
        x, low, high = (np.array(values) for values in zip(*known, strict=True))
        axes.vlines(x, 100 * low, 100 * high, color=SKY, linewidth=1.2, zorder=2)


def _ends(pair: PairAgreement) -> tuple[float, ...]:
    low, high = pair.agreement.low, pair.agreement.high
    return () if low is None or high is None else (low, high)


def _caption(score: RankingScore, shown: Sequence[PairAgreement]) -> str:
    found = score.agreement
    rho = found.difference_correlation if found else None
    lines = f" with {score.confidence:.0%} intervals" if len(shown) <= _MOST_LINES else ""
    said = [
        f"Each dot is two conditions: how often two people put the same of their images first"
        f"{lines}, against how much stronger one is than the other.",
        "Dashed: people who choose by the strengths alone, each anew. Above it people agree on "
        "images beyond what made them.",
    ]
    if rho is not None:
        said.append(f"Spearman's ρ = {wording.number(rho, 2)}.")
    return " ".join(said)


def _alt(rho: float | None, shown: Sequence[PairAgreement]) -> str:
    by = sorted(shown, key=lambda pair: pair.agreement.value)
    told = [
        f"{pair.a} and {pair.b} {100 * pair.agreement.value:.0f}%, apart by "
        f"{wording.number(abs(pair.difference or 0.0), 2)}"
        for pair in (by[0], by[-1])
    ]
    known = "" if rho is None else f", Spearman's ρ = {wording.number(rho, 2)}"
    return f"Agreement on {len(shown):,} pairs of conditions{known}: from {told[0]}, to {told[1]}."
