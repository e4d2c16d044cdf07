"""How far judges agree with people on each axis, over how far two people do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report import wording
from hype.report.figures.dot_panels import WIDTH_IN, Dot, DotPanel, DotPanels
from hype.report.figures.drawing import Drawing

if TYPE_CHECKING:
    from hype.analysis.judges.scores import JudgeAgreement, RatingJudgesScore

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
        caption=_caption(score, banded=any(panel.band for panel in panels)),
        alt=_alt(judges),
        panels=shown.drawn(),
        width_in=WIDTH_IN,
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


def _caption(score: RatingJudgesScore, *, banded: bool) -> str:
    said = f"Pearson's r of each judge with people's ratings, with its {score.confidence:.0%} "
    said += "interval. Without a dot: a judge that did not answer, or said the same to everything."
    if banded:
        said += " Line and pale ground: how far two people agree who rated the same, with interval."
    if len(score.judges) > MOST_DRAWN:
        said += f" The first {MOST_DRAWN} of {len(score.judges):,}; the table has all."
    return said


def _alt(judges: tuple[JudgeAgreement, ...]) -> str:
    known = [judge for judge in judges if judge.mean_r is not None]
    if not known:
        return f"{len(judges)} judges."
    told = [f"{one.judge}, mean r {wording.number(one.mean_r, 2)}" for one in (known[0], known[-1])]
    return f"{len(judges)} judges, from {told[0]}, to {told[1]}."
