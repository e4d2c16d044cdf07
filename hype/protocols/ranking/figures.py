"""The figures of rankings: strengths, places, agreement, and annotators compared with checkers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from hype.judges.report import judge_drawing
from hype.protocols.prompted.strengths import (
    HEADER_IN,
    MOST_DRAWN,
    SCALES,
    StrengthScale,
    strength_drawing,
)
from hype.protocols.prompted.wording import allowed_for
from hype.protocols.ranking.results import RankedCondition, RankingScore
from hype.protocols.ranking.tables import models_of, say
from hype.report import wording
from hype.report.figures.drawing import (
    BLUE,
    FAINT,
    INK,
    PAPER,
    SKY,
    SOFT,
    VERMILLION,
    Axes,
    Drawing,
    LegendEntry,
    Margins,
    Panel,
    draw_key,
    fitted,
    letters_pt,
    level_grid,
    linear,
)
from hype.report.figures.rows import (
    WIDTH_IN,
    Rows,
    mark,
)
from hype.report.tabular import Row
from hype.report.wording import letters_in
from hype.statistics.estimate import value_of

FEWEST: Final = 3
_WIDTH_IN: Final = 5.2
_HEIGHT_IN: Final = 3.2
_MOST_LINES: Final = 60
"""Pairs whose intervals are drawn; more of them hide the dots."""
_ROOM_OF_AGREEMENT: Final = 0.04


def agreement_drawing(score: RankingScore) -> Drawing | None:
    """Draw a dot for each pair of conditions; None if fewer than three pairs have strengths."""
    agreement, scale = score.agreement, SCALES[score.strengths]
    shown = (
        [pair for pair in agreement.pairs if pair["difference"] is not None] if agreement else []
    )
    if agreement is None or len(shown) < FEWEST:
        return None
    return Drawing(
        name="ranking-agreement",
        title="Agreement and the difference of strengths",
        caption=_caption_of_agreement(score, shown),
        alt=_alt_of_agreement(agreement.difference_correlation, shown, scale),
        panels=(Panel(draw=partial(_draw_agreement, shown=shown, scale=scale)),),
        width_in=_WIDTH_IN,
        height_in=_HEIGHT_IN,
        x_label=f"difference of strengths, {scale.difference}",
        y_label="two people agree, in %",
        margins=Margins(left_in=0.42, right_in=0.12, bottom_in=0.48, top_in=0.34),
    )


def expected(difference: np.ndarray) -> np.ndarray:
    """Give how often two people agree, in percent, if each chooses by the strengths alone."""
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


def _caption_of_agreement(score: RankingScore, shown: Sequence[Row]) -> str:
    agreement = score.agreement
    rho = agreement.difference_correlation if agreement else None
    lines = f" with {score.confidence:.0%} intervals" if len(shown) <= _MOST_LINES else ""
    sentences = [
        f"Each dot is two conditions: how often two people put the same of their images first"
        f"{lines}, against how much stronger one is than the other.",
        "Dashed: people who choose by the strengths alone, each anew. Above it people agree on "
        "images beyond what made them.",
    ]
    if rho is not None:
        sentences.append(f"Spearman's ρ = {wording.number(rho, 2)}.")
    return " ".join(sentences)


def _alt_of_agreement(rho: float | None, shown: Sequence[Row], scale: StrengthScale) -> str:
    by = sorted(shown, key=lambda pair: pair["agreement"].value)
    ends = [
        f"{pair['a']} and {pair['b']} {100 * pair['agreement'].value:.0f}%, apart by "
        f"{wording.number(scale.apart(abs(pair['difference'] or 0.0)), scale.decimals)}"
        for pair in (by[0], by[-1])
    ]
    correlation = "" if rho is None else f", Spearman's ρ = {wording.number(rho, 2)}"
    every = f"Agreement on {len(shown):,} pairs of conditions{correlation}"
    return f"{every}: from {ends[0]}, to {ends[1]}."


_PITCH_IN: Final = 0.3
_TOP_IN: Final = 0.3
_BOTTOM_IN: Final = 0.3
_LONGEST: Final = 18
_LETTER_EM: Final = 0.58
_DARKEST: Final = 0.6
"""Of the colour at a share of 1: letters must be read upon it, in the dark as well."""
_GAP: Final = 0.04


def place_drawing(score: RankingScore) -> Drawing | None:
    """Draw the share of each condition's images at each place; None if there is one place."""
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
        caption=_caption_of_places(score, places),
        alt=_alt_of_places(shown),
        panels=(Panel(draw=partial(_draw_places, shown=shown, places=places)),),
        width_in=WIDTH_IN,
        height_in=_TOP_IN + _PITCH_IN * len(shown) + _BOTTOM_IN,
        x_label="place, the best one first",
        margins=margins,
    )


def _room_in(texts: Sequence[str]) -> float:
    return max(map(letters_in, texts)) * _LETTER_EM * letters_pt(WIDTH_IN) / 72 + 0.14


def _draw_places(axes: Axes, shown: Sequence[RankedCondition], places: int) -> None:
    axes.set_xlim(0.5, places + 0.5)
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_yticks([])
    axes.set_xticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    for y, row in enumerate(shown):
        for place, share in enumerate(row.places, start=1):
            _cell(axes, place, y, share)
        _draw_labels(axes, y, row)
    for place in range(1, places + 1):
        axes.text(place, -0.62, f"{place}", ha="center", va="bottom", color=SOFT)
    axes.text(1.012, -0.62, "mean", transform=axes.get_yaxis_transform(), va="bottom", color=SOFT)


def _cell(axes: Axes, place: int, y: int, share: float) -> None:
    from matplotlib.patches import Rectangle

    size = 1 - 2 * _GAP
    style: dict[str, Any] = {"facecolor": BLUE, "edgecolor": "none", "alpha": _DARKEST * share}
    axes.add_patch(Rectangle((place - 0.5 + _GAP, y - 0.5 + _GAP), size, size, **style))
    axes.text(place, y, f"{100 * share:.0f}", ha="center", va="center", color=INK)


def _draw_labels(axes: Axes, y: int, row: RankedCondition) -> None:
    side = axes.get_yaxis_transform()
    name = fitted(row.condition, _LONGEST)
    style: dict[str, Any] = {"transform": side, "va": "center"}
    axes.text(-0.012, y, name, ha="right", color=INK, **style)
    axes.text(1.012, y, wording.number(value_of(row.mean_rank), 2), color=SOFT, **style)


def _caption_of_places(score: RankingScore, places: int) -> str:
    sentences = [
        "Of each condition's images, how many in a hundred came first, second and so on, and their "
        "mean rank. Colour says the same as the number; ties share their places."
    ]
    if len(score.sizes) > 1:
        sentences.append(
            f"Groups differ in size, up to {places} images: a place means less in a small one."
        )
    if len(score.conditions) > MOST_DRAWN:
        sentences.append(f"The {MOST_DRAWN} strongest of {len(score.conditions):,}.")
    return " ".join(sentences)


def _alt_of_places(shown: Sequence[RankedCondition]) -> str:
    ends = [
        f"{row.condition}: {wording.share(value_of(row.first_share))} came first, mean rank "
        f"{wording.number(value_of(row.mean_rank), 2)}"
        for row in (shown[0], shown[-1])
    ]
    return f"Places of the images of {len(shown)} conditions. {'; '.join(ends)}."


_ROOM_OF_SCREENING: Final = 2
_TEST: Final = LegendEntry(label="test", marker="o", colour=BLUE)
_WORK: Final = LegendEntry(
    label="work that was checked", marker="s", colour=VERMILLION, hollow=True
)


def screening_drawing(score: RankingScore) -> Drawing | None:
    """Draw recall@2 of each evaluator; None if nobody was tested or checked."""
    screening = score.screening
    judged = (
        [row for row in screening["evaluators"] if row["test"] or row["check"]] if screening else []
    )
    if screening is None or not judged:
        return None
    shown = judged[:MOST_DRAWN]
    rows = Rows(
        names=tuple(evaluator["evaluator"] for evaluator in shown),
        values=tuple(_value_of_screening(evaluator) for evaluator in shown),
        header_in=HEADER_IN,
    )
    return rows.drawing(
        name="ranking-screening",
        title="Screening",
        caption=" ".join(_caption_of_screening(score, screening, judged)),
        alt=_alt_of_screening(judged),
        draw=partial(_draw_screening, shown=shown, screening=screening, rows=rows),
        x_label="first choice among a checker's first two, in %",
    )


def _value_of_screening(evaluator: Row) -> tuple[str, str]:
    recalls = [
        f"{name} {recall['recall'].value:.0%} of {recall['groups']}"
        for name, recall in (("test", evaluator["test"]), ("work", evaluator["check"]))
        if recall is not None
    ]
    judged = evaluator["test"] or evaluator["check"]
    return " · ".join(recalls), f"{judged['recall'].value:.0%}" if judged else ""


def _draw_screening(axes: Axes, shown: Sequence[Row], screening: Row, rows: Rows) -> None:
    rows.prepare(axes)
    axes.set_xlim(-_ROOM_OF_SCREENING, 100 + _ROOM_OF_SCREENING)
    linear(axes.xaxis)
    _mark_bounds(axes, screening["chance"], screening["min_recall"])
    size = 5 if rows.close else 6.5
    for place, evaluator in enumerate(shown):
        y = rows.centre(place)
        if evaluator["test"] is not None:
            recall = evaluator["test"]["recall"].scaled(100)
            low, high = recall.low or 0.0, recall.high or 0.0
            axes.hlines(y, low, high, color=SKY, linewidth=1.6, zorder=2)
            _TEST.draw(axes, [recall.value], [y], size=size)
        if evaluator["check"] is not None:
            _WORK.draw(axes, [100 * evaluator["check"]["recall"].value], [y], size=size)
    draw_key(axes, _entries(shown), 72 * HEADER_IN - 12)


def _mark_bounds(axes: Axes, chance: float | None, bound: float | None) -> None:
    """Mark chance and the study's rule, their names on different sides of their lines."""
    above = bound is None or chance is None or chance <= bound
    sides: tuple[Literal["left", "right"], ...] = ("right", "left") if above else ("left", "right")
    place = axes.get_xaxis_transform()
    for name, at, side in zip(("chance", "bound"), (chance, bound), sides, strict=True):
        if at is not None:
            mark(axes, 100 * at, "")
            axes.text(100 * at, 1, f" {name} ", transform=place, ha=side, va="bottom", color=SOFT)


def _entries(shown: Sequence[Row]) -> list[LegendEntry]:
    tested, checked = (
        any(evaluator["test"] for evaluator in shown),
        any(evaluator["check"] for evaluator in shown),
    )
    return [entry for entry, there in ((_TEST, tested), (_WORK, checked)) if there]


def _caption_of_screening(
    score: RankingScore, screening: Row, judged: Sequence[Row]
) -> Iterator[str]:
    yield (
        "Recall@2 of each evaluator: how often their first choice is among a checker's first two, "
        f"in the test with Wilson's {score.confidence:.0%} interval (line)."
    )
    if (bound := screening["min_recall"]) is not None:
        yield f"Evaluators below {bound:.0%} are not scored."
    if len(judged) > MOST_DRAWN:
        yield f"The {MOST_DRAWN} with the lowest of {len(judged):,}."


def _alt_of_screening(judged: Sequence[Row]) -> str:
    first, last = judged[0], judged[-1]
    ends = [
        f"{evaluator['evaluator']}, {_value_of_screening(evaluator)[0]}"
        for evaluator in (first, last)
    ]
    return f"Recall@2 of {len(judged):,} evaluators, from {ends[0]}, to {ends[1]}."


MODELS: Final = {
    "": LegendEntry(label="Plackett–Luce", marker="o", colour=INK),
    "bt_": LegendEntry(label="Bradley–Terry", marker="d", colour=BLUE),
}


def ranking_drawing(score: RankingScore) -> Drawing | None:
    caption = (
        say("drawn_strengths", score=score, allowed=allowed_for(score.random)),
        SCALES[score.strengths].steps_in_words("is put above the other", "rankings"),
    )
    return strength_drawing(score, "ranking-strengths", MODELS, caption)


def ranking_drawings(score: RankingScore) -> tuple[Drawing, ...]:
    """Prepare the figures of rankings; those that lack their data are left out."""
    drawings = (
        ranking_drawing(score),
        place_drawing(score),
        agreement_drawing(score),
        judge_drawing(models_of(score), "ranking-models"),
        screening_drawing(score),
    )
    return tuple(drawing for drawing in drawings if drawing is not None)
