"""Judges beside people: agreement on each axis, and preference models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from hype.report import wording
from hype.report.figures.axes import BLUE, FAINT, INK, linear
from hype.report.figures.dot_panels import PANEL_WIDTH_IN, Dot, DotPanel, DotPanels
from hype.report.figures.drawing import Drawing, Entry, Panel, draw_key
from hype.report.figures.rows import CHANCE, WIDTH_IN, Rows, mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from hype.judges.results import (
        JudgeAgreement,
        PreferenceAgreement,
        RankingJudgesScore,
        RatingJudgesScore,
    )
    from hype.protocols.ranking.agreement import RankingAgreement

MOST_DRAWN: Final = 30
"""Judges; of more, the first."""


def judge_drawing(score: RatingJudgesScore | None) -> Drawing | None:
    """Draw r of judges with people, a panel for each axis; None where no judge has any."""
    if score is None:
        return None
    judges = score.judges[:MOST_DRAWN]
    panels = tuple(panel for axis in score.axes if (panel := _panel(score, judges, axis)))
    if not panels:
        return None
    shown = DotPanels(names=tuple(j.judge for j in judges), panels=panels, mark=(0, ""))
    return Drawing(
        name="rating-judge-agreement",
        title="How far judges agree with people",
        caption=_caption_of_agreement(score, banded=any(panel.band for panel in panels)),
        alt=_alt_of_agreement(judges),
        panels=shown.drawn(),
        width_in=PANEL_WIDTH_IN,
        height_in=shown.height_in,
        x_label="Pearson's r with people",
        margins=shown.margins,
        by_condition=False,
    )


def _panel(
    score: RatingJudgesScore, judges: tuple[JudgeAgreement, ...], axis: str
) -> DotPanel | None:
    dots = tuple(_dot(judge, axis) for judge in judges)
    if all(dot.value is None for dot in dots):
        return None
    person = next((one.r for one in score.people if one.axis == axis), None)
    band = Dot(value=person.value, low=person.low, high=person.high) if person else None
    return DotPanel(title=axis, dots=dots, band=band if band and band.value is not None else None)


def _dot(judge: JudgeAgreement, axis: str) -> Dot:
    found = next((row.correlation for row in judge.axes if row.axis == axis), None)
    return Dot(value=found.r, low=found.low, high=found.high) if found else Dot(value=None)


def _caption_of_agreement(score: RatingJudgesScore, *, banded: bool) -> str:
    said = f"Pearson's r of each judge with people's ratings, with its {score.confidence:.0%} "
    said += "interval. Without a dot: a judge that did not answer, or said the same to everything."
    if banded:
        said += " Line and pale ground: how far two people agree who rated the same, with interval."
    if len(score.judges) > MOST_DRAWN:
        said += f" The first {MOST_DRAWN} of {len(score.judges):,}; the table has all."
    return said


def _alt_of_agreement(judges: tuple[JudgeAgreement, ...]) -> str:
    known = [judge for judge in judges if judge.mean_r is not None]
    if not known:
        return f"{len(judges)} judges."
    told = [f"{one.judge}, mean r {wording.number(one.mean_r, 2)}" for one in (known[0], known[-1])]
    return f"{len(judges)} judges, from {told[0]}, to {told[1]}."


MOST_MODELS: Final = 39
"""Models; the best ones are drawn of more."""

PERSON: Final = "a person"

_HEADER_IN: Final = 0.55

_KEY: Final = (
    Entry(label="single people", marker="o", colour=INK),
    Entry(label="mean of all", marker="d", colour=BLUE),
)


@dataclass(frozen=True, kw_only=True)
class Beside:
    """A row: how often somebody agrees with single people, and with the mean of them.

    Parameters
    ----------
    name
        Of the model, or `PERSON`.
    single, average
        Value and ends, in percent; None where unknown.
    """

    name: str
    single: tuple[float, float | None, float | None] | None
    average: tuple[float, float | None, float | None] | None


def model_drawing(
    score: RankingJudgesScore | None, agreement: RankingAgreement | None
) -> Drawing | None:
    """Draw how often models are right, and how often a person is; None without models."""
    if score is None or not score.judges:
        return None
    person = _person(score, agreement)
    shown = [*([person] if person else []), *map(_model, score.judges[:MOST_MODELS])]
    rows = Rows(
        names=tuple(one.name for one in shown),
        values=tuple(_value(one) for one in shown),
        header_in=_HEADER_IN,
    )
    return Drawing(
        name="ranking-models",
        title="Preference models beside people",
        caption=" ".join(_caption_of_models(score, agreement)),
        alt=_alt_of_models(shown),
        panels=(Panel(draw=partial(_draw, shown=shown, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label="agrees with people, in %",
        margins=rows.margins,
    )


def _person(score: RankingJudgesScore, agreement: RankingAgreement | None) -> Beside | None:
    """Give how often a person is right in the choices that models were held against."""
    asked = max(score.judges, key=lambda judge: judge.comparisons).single
    single = None if asked is None else _percent(asked.value, asked.low, asked.high)
    mean = agreement.single_averaged if agreement else None
    average = _percent(mean.value, mean.low, mean.high) if mean else None
    if single is None and average is None:
        return None
    return Beside(name=PERSON, single=single, average=average)


def _model(judge: PreferenceAgreement) -> Beside:
    own, mean = judge.accuracy, judge.average
    return Beside(
        name=judge.judge,
        single=_percent(own.value, own.low, own.high),
        average=_percent(mean.value, mean.low, mean.high) if mean else None,
    )


def _percent(
    value: float | None, low: float | None, high: float | None
) -> tuple[float, float | None, float | None] | None:
    if value is None:
        return None
    return (
        100 * value,
        None if low is None else 100 * low,
        None if high is None else 100 * high,
    )


def _value(one: Beside) -> tuple[str, str]:
    known = [f"{wording.number(three[0])}%" for three in (one.single, one.average) if three]
    return " · ".join(known), known[0] if known else ""


def _draw(axes: Axes, shown: Sequence[Beside], rows: Rows) -> None:
    rows.prepare(axes)
    known = [v for one in shown for three in (one.single, one.average) for v in three or ()]
    ends = [CHANCE, *(value for value in known if value is not None)]
    low, high = min(ends), max(ends)
    axes.set_xlim(max(0.0, low - 3), min(100.0, high + 3))
    linear(axes.xaxis)
    mark(axes, CHANCE, "a coin")
    apart = rows.half * 0.55
    for place, one in enumerate(shown):
        for entry, three, y in zip(_KEY, (one.single, one.average), (-apart, apart), strict=True):
            if three is not None:
                _draw_one(axes, entry, three, rows.centre(place) + y, close=rows.close)
    if shown[0].name == PERSON:
        axes.axhline(0.5, color=FAINT, linewidth=0.8, zorder=0.6)
    draw_key(axes, _KEY, 72 * _HEADER_IN - 12)


def _draw_one(
    axes: Axes,
    entry: Entry,
    three: tuple[float, float | None, float | None],
    y: float,
    *,
    close: bool,
) -> None:
    value, low, high = three
    if low is not None and high is not None:
        axes.hlines(y, low, high, color=entry.colour, linewidth=1.3 if close else 2, zorder=4)
    entry.draw(axes, [value], [y], size=4 if close else 6.5)


def _caption_of_models(
    score: RankingJudgesScore, agreement: RankingAgreement | None
) -> Iterator[str]:
    yield (
        "How often the image with the higher score is the one that a person prefers (circle), and "
        f"that has the better mean rank of all (diamond), with {score.confidence:.0%} intervals."
    )
    if _person(score, agreement) is not None:
        yield (
            "The first row is a person: beside another one in the same choices, and beside the "
            f"mean rank of all others{' (of all rankings)' if score.held_out else ''}."
        )
    more = len(score.judges) - MOST_MODELS
    if more > 0:
        yield f"The {MOST_MODELS} best of {len(score.judges):,} models."


def _alt_of_models(shown: Sequence[Beside]) -> str:
    told = [f"{one.name} {_value(one)[0].replace(' · ', ' and ')}" for one in shown[:4]]
    more = f", and {len(shown) - 4:,} more" if len(shown) > 4 else ""
    return f"Agreement with single people and with their mean rank: {'; '.join(told)}{more}."
