"""Judges beside people: agreement on each axis, and preference models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from hype.report import wording
from hype.report.figures.axes import BLUE, FAINT, INK, linear
from hype.report.figures.drawing import Drawing, Entry, Panel, draw_key
from hype.report.figures.rows import (
    CHANCE,
    PANEL_WIDTH_IN,
    WIDTH_IN,
    Dot,
    DotPanel,
    DotPanels,
    Rows,
    draw_estimate,
    drawn_values,
    mark,
)
from hype.statistics.estimate import in_percent

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
    from hype.statistics.estimate import Estimate

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
    person = next((second.r for second in score.people if second.axis == axis), None)
    band = Dot(value=person.value, low=person.low, high=person.high) if person else None
    return DotPanel(title=axis, dots=dots, band=band if band and band.value is not None else None)


def _dot(judge: JudgeAgreement, axis: str) -> Dot:
    correlated = next((row.correlation for row in judge.axes if row.axis == axis), None)
    return (
        Dot(value=correlated.r, low=correlated.low, high=correlated.high)
        if correlated
        else Dot(value=None)
    )


def _caption_of_agreement(score: RatingJudgesScore, *, banded: bool) -> str:
    sentences = f"Pearson's r of each judge with people's ratings, with its {score.confidence:.0%} "
    sentences += (
        "interval. Without a dot: a judge that did not answer, or said the same to everything."
    )
    if banded:
        sentences += (
            " Line and pale ground: how far two people agree who rated the same, with interval."
        )
    if len(score.judges) > MOST_DRAWN:
        sentences += f" The first {MOST_DRAWN} of {len(score.judges):,}; the table has all."
    return sentences


def _alt_of_agreement(judges: tuple[JudgeAgreement, ...]) -> str:
    correlated = [judge for judge in judges if judge.mean_r is not None]
    if not correlated:
        return f"{len(judges)} judges."
    ends = [
        f"{axis_row.judge}, mean r {wording.number(axis_row.mean_r, 2)}"
        for axis_row in (correlated[0], correlated[-1])
    ]
    return f"{len(judges)} judges, from {ends[0]}, to {ends[1]}."


MOST_MODELS: Final = 39
"""Models; the best ones are drawn of more."""
PERSON: Final = "a person"
_HEADER_IN: Final = 0.55

_KEY: Final = (
    Entry(label="single people", marker="o", colour=INK),
    Entry(label="mean of all", marker="d", colour=BLUE),
)


@dataclass(frozen=True, kw_only=True)
class AgreementRow:
    """A row: how often somebody agrees with single people, and with the mean of them."""

    name: str  # of the model, or `PERSON`
    # single, average: in percent; None where unknown
    single: Estimate | None
    average: Estimate | None


def model_drawing(
    score: RankingJudgesScore | None, agreement: RankingAgreement | None
) -> Drawing | None:
    """Draw how often models are right, and how often a person is; None without models."""
    if score is None or not score.judges:
        return None
    person = _person(score, agreement)
    shown = [*([person] if person else []), *map(_model, score.judges[:MOST_MODELS])]
    rows = Rows(
        names=tuple(row.name for row in shown),
        values=tuple(_value(row) for row in shown),
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


def _person(score: RankingJudgesScore, agreement: RankingAgreement | None) -> AgreementRow | None:
    """Give how often a person is right in the choices that models were held against."""
    asked = max(score.judges, key=lambda judge: judge.comparisons).single
    single = in_percent(asked.estimate) if asked else None
    average = in_percent(agreement.single_averaged) if agreement else None
    if single is None and average is None:
        return None
    return AgreementRow(name=PERSON, single=single, average=average)


def _model(judge: PreferenceAgreement) -> AgreementRow:
    mean = judge.average
    return AgreementRow(
        name=judge.judge,
        single=in_percent(judge.accuracy.estimate),
        average=in_percent(mean.estimate) if mean else None,
    )


def _value(row: AgreementRow) -> tuple[str, str]:
    shares = [f"{wording.number(share.value)}%" for share in (row.single, row.average) if share]
    return " · ".join(shares), shares[0] if shares else ""


def _draw(axes: Axes, shown: Sequence[AgreementRow], rows: Rows) -> None:
    rows.prepare(axes)
    values = [CHANCE, *drawn_values(share for row in shown for share in (row.single, row.average))]
    low, high = min(values), max(values)
    axes.set_xlim(max(0.0, low - 3), min(100.0, high + 3))
    linear(axes.xaxis)
    mark(axes, CHANCE, "a coin")
    apart = rows.half * 0.55
    for place, one in enumerate(shown):
        for entry, share, y in zip(_KEY, (one.single, one.average), (-apart, apart), strict=True):
            if share:
                draw_estimate(axes, entry, share, rows.centre(place) + y, close=rows.close)
    if shown[0].name == PERSON:
        axes.axhline(0.5, color=FAINT, linewidth=0.8, zorder=0.6)
    draw_key(axes, _KEY, 72 * _HEADER_IN - 12)


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


def _alt_of_models(shown: Sequence[AgreementRow]) -> str:
    agreements = [f"{row.name} {_value(row)[0].replace(' · ', ' and ')}" for row in shown[:4]]
    more = f", and {len(shown) - 4:,} more" if len(shown) > 4 else ""
    return f"Agreement with single people and with their mean rank: {'; '.join(agreements)}{more}."
