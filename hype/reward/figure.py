"""A reward model's figures at a glance: beside people and shortcuts, never seen, calibrated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from hype.judges.benchmark import Benchmark
from hype.judges.results import CountedEstimate
from hype.report.figures.drawing import (
    BLUE,
    FAINT,
    GRID,
    INK,
    PAPER,
    SOFT,
    VERMILLION,
    Axes,
    Drawing,
    Margins,
    Panel,
    fitted,
    linear,
    upright_grid,
)
from hype.reward.train import PLACE, TOGETHER, Calibration, Evaluation, UnseenModel

WIDTH_IN, HEIGHT_IN = 4.7, 3.6
MARGINS: Final = Margins(left_in=1.75, right_in=0.5, bottom_in=0.72, top_in=0.3)
LONGEST: Final = 22
"""Letters of a name beside its row."""
SHORT: Final = {TOGETHER: "all these together", PLACE: "the image on the left"}
Row = tuple[str, "CountedEstimate | None", str]
"""Name, share, and colour."""


def figure_of(name: str, evaluation: Evaluation) -> Drawing:
    """Draw what a model gets right on the test prompts."""
    return Drawing(
        name="card",
        title=f"The reward model {name} on its test prompts",
        caption="",
        alt=f"What {name} gets right beside people and shortcuts; the numbers stand in the card.",
        panels=tuple(panels_of(evaluation)),
        width_in=WIDTH_IN,
        height_in=HEIGHT_IN,
        margins=MARGINS,
        by_condition=False,
    )


def panels_of(evaluation: Evaluation) -> Iterator[Panel]:
    agreement = evaluation.agreement
    rows: list[Row] = [
        ("the model", agreement.accuracy, INK),
        ("another person", agreement.person, BLUE),
        ("a person beside most", evaluation.single_averaged, BLUE),
        *((SHORT.get(s.name, s.name), s.accuracy, VERMILLION) for s in evaluation.shortcuts),
    ]
    yield Panel(title="Right in people's choices", draw=partial(draw_shares, rows=rows))
    if evaluation.unseen:
        draw = partial(draw_unseen, unseen=evaluation.unseen)
        yield Panel(title="Of models seen and never seen", draw=draw)
    if evaluation.calibration:
        draw = partial(draw_calibration, calibration=evaluation.calibration)
        yield Panel(title="What it foretells", draw=draw)
    if evaluation.benchmark:
        draw = partial(draw_benchmark, benchmark=evaluation.benchmark)
        yield Panel(title="Conditions by its scores", draw=draw)


def name_rows(axes: Axes, names: Sequence[str], values: Sequence[str]) -> None:
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    linear(axes.xaxis)
    upright_grid(axes)
    place = axes.get_yaxis_transform()
    axes.hlines(range(len(names)), 0, 1, transform=place, color=GRID, linewidth=0.8, zorder=0.5)
    for row, (name, value) in enumerate(zip(names, values, strict=True)):
        shown = fitted(name, LONGEST)
        axes.text(-0.02, row, shown, transform=place, va="center", ha="right", color=INK)
        axes.text(1.03, row, value, transform=place, va="center", color=SOFT)


def dot(axes: Axes, row: float, share: CountedEstimate, colour: str, *, hollow: bool) -> None:
    if share.value is None:
        return
    if share.low is not None and share.high is not None:
        axes.hlines(row, 100 * share.low, 100 * share.high, color=colour, linewidth=2, zorder=3)
    style: dict[str, Any] = {"mfc": PAPER, "mec": colour, "mew": 1.6} if hollow else {"mec": PAPER}
    axes.plot(100 * share.value, row, "o", color=colour, markersize=6, **style, zorder=5)


def draw_shares(axes: Axes, rows: Sequence[Row]) -> None:
    values = [share.value if share else None for _, share, _ in rows]
    name_rows(
        axes, [row[0] for row in rows], ["" if v is None else f"{100 * v:.1f}" for v in values]
    )
    axes.axvline(50, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
    axes.set_xlabel("% of choices, 95 % CI; a coin has 50")
    for place, (_, share, colour) in enumerate(rows):
        if share is not None:
            dot(axes, place, share, colour, hollow=False)


def draw_unseen(axes: Axes, unseen: Sequence[UnseenModel]) -> None:
    values = [f"{100 * (one.unseen.value or 0):.1f}" for one in unseen]
    name_rows(axes, [one.condition for one in unseen], values)
    axes.axvline(50, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
    axes.set_xlabel("% right in choices with it; hollow: trained without it")
    for place, one in enumerate(unseen):
        dot(axes, place - 0.12, one.seen, INK, hollow=False)
        dot(axes, place + 0.12, one.unseen, VERMILLION, hollow=True)


def draw_calibration(axes: Axes, calibration: Calibration) -> None:
    axes.plot([50, 100], [50, 100], color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
    most = max(one.choices for one in calibration.bins)
    for one in calibration.bins:
        size = 3 + 7 * (one.choices / most) ** 0.5
        axes.plot(100 * one.predicted, 100 * one.right, "o", color=INK, mec=PAPER, markersize=size)
    axes.set_xlabel("foretold, %; larger dots have more choices")
    axes.set_ylabel("chosen, %")
    linear(axes.xaxis)
    linear(axes.yaxis)
    axes.set_xlim(49, 101)
    upright_grid(axes)
    off, by_chance = 100 * calibration.error, 100 * calibration.error_of_chance
    words = f"off by {off:.1f} points,\nby chance {by_chance:.1f}"
    axes.text(-0.24, 0.5, words, transform=axes.transAxes, ha="right", va="center", color=SOFT)


def draw_benchmark(axes: Axes, benchmark: Benchmark) -> None:
    rows = benchmark.rows
    name_rows(
        axes,
        [row.condition for row in rows],
        [f"{row.mean:+.2f}".replace("-", "−") for row in rows],
    )
    axes.set_xlabel(f"mean score ± SD over {benchmark.groups} groups of prompts")
    for place, row in enumerate(rows):
        if row.sd is not None:
            axes.hlines(place, row.mean - row.sd, row.mean + row.sd, color=INK, linewidth=2)
        axes.plot(row.mean, place, "o", color=INK, mec=PAPER, markersize=6, zorder=5)
