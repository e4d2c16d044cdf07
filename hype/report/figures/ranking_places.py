"""Where the images of each condition came: a square for each place, darker the more came there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from matplotlib.patches import Rectangle

from hype.report import wording
from hype.report.figures.canvas import letters_pt
from hype.report.figures.drawing import Drawing, Margins, Panel
from hype.report.figures.names import fitted, letters_in
from hype.report.figures.palette import BLUE, INK, SOFT
from hype.report.figures.rows import WIDTH_IN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from hype.analysis.rankings.scores import RankedCondition, RankingScore

MOST_DRAWN: Final = 40
_PITCH_IN: Final = 0.3
_TOP_IN: Final = 0.3
_BOTTOM_IN: Final = 0.3
_LONGEST: Final = 18
_LETTER_EM: Final = 0.58
_DARKEST: Final = 0.6
"""Of the colour at a share of 1: letters must be read upon it, in the dark as well."""
_GAP: Final = 0.04


def place_drawing(score: RankingScore) -> Drawing | None:
    """Draw the share of each condition's images at each place; None where there is one place."""
    shown = score.conditions[:MOST_DRAWN]
    places = max((len(row.places) for row in shown), default=0)
    if places < 2:
        return None
    margins = Margins(
        left_in=_room_in([fitted(row.condition, _LONGEST) for row in shown]),
        right_in=_room_in(["0.00"]),
        bottom_in=_BOTTOM_IN,
        top_in=_TOP_IN,
    )
    return Drawing(
        name="ranking-places",
        title="Where images came",
        caption=_caption(score, places),
        alt=_alt(shown),
        panels=(Panel(draw=partial(_draw, shown=shown, places=places)),),
        width_in=WIDTH_IN,
        height_in=_TOP_IN + _PITCH_IN * len(shown) + _BOTTOM_IN,
        x_label="place, the best one first",
        margins=margins,
    )


def _room_in(texts: Sequence[str]) -> float:
    return max(map(letters_in, texts)) * _LETTER_EM * letters_pt(WIDTH_IN) / 72 + 0.14


def _draw(axes: Axes, shown: Sequence[RankedCondition], places: int) -> None:
    axes.set_xlim(0.5, places + 0.5)
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_yticks([])
    axes.set_xticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    for y, row in enumerate(shown):
        for place, share in enumerate(row.places, start=1):
            _cell(axes, place, y, share)
        _beside(axes, y, row)
    for place in range(1, places + 1):
        axes.text(place, -0.62, f"{place}", ha="center", va="bottom", color=SOFT)
    axes.text(1.012, -0.62, "mean", transform=axes.get_yaxis_transform(), va="bottom", color=SOFT)


def _cell(axes: Axes, place: int, y: int, share: float) -> None:
    size = 1 - 2 * _GAP
    style: dict[str, Any] = {"facecolor": BLUE, "edgecolor": "none", "alpha": _DARKEST * share}
    axes.add_patch(Rectangle((place - 0.5 + _GAP, y - 0.5 + _GAP), size, size, **style))
    axes.text(place, y, f"{100 * share:.0f}", ha="center", va="center", color=INK)


def _beside(axes: Axes, y: int, row: RankedCondition) -> None:
    side = axes.get_yaxis_transform()
    name = fitted(row.condition, _LONGEST)
    style: dict[str, Any] = {"transform": side, "va": "center"}
    axes.text(-0.012, y, name, ha="right", color=INK, **style)
    axes.text(1.012, y, wording.number(row.mean_rank, 2), color=SOFT, **style)


def _caption(score: RankingScore, places: int) -> str:
    said = [
        "Of each condition's images, how many in a hundred came first, second and so on, and their "
        "mean rank. Colour says the same as the number; ties share their places."
    ]
    if len(score.sizes) > 1:
        said.append(
            f"Groups differ in size, up to {places} images: a place means less in a small one."
        )
    if len(score.conditions) > MOST_DRAWN:
        said.append(f"The {MOST_DRAWN} strongest of {len(score.conditions):,}.")
    return " ".join(said)


def _alt(shown: Sequence[RankedCondition]) -> str:
    told = [
        f"{row.condition}: {wording.share(row.first_share)} came first, mean rank "
        f"{wording.number(row.mean_rank, 2)}"
        for row in (shown[0], shown[-1])
    ]
    return f"Places of the images of {len(shown)} conditions. {'; '.join(told)}."
