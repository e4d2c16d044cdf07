"""A reward model's card: what it was trained on, what it gets right, and what it may not claim."""

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
from hype.reward.model import ModelSettings
from hype.reward.train import PLACE, TOGETHER, Calibration, Evaluation, UnseenModel
from hype.statistics.resampling import FEWEST_CLUSTERS

SIMULATED: Final = (
    "TRAINED ON SIMULATED EVALUATORS: nobody real was asked, and its scores say nothing of people."
)
ON_TEST: Final = "## On the test prompts"
FOR: Final = {"train": "training", "validation": "validation", "test": "the test"}
NOT_CLAIMED: Final = (
    "It stands for what most of these people answered to this question about such images, and for "
    "nobody in particular. It may be right more often than another single person, since it "
    "learnt from many; it knows no more than they said, and is no second opinion.",
    "Scores are comparable between images of one prompt. Their zero is the mean image that it was "
    "trained on.",
    "Held against the same people on prompts that it was trained on, its accuracy flatters: the "
    "column part of hype reward score says which these are.",
    "Images of models that it never saw may differ in ways that it never learnt about.",
    "A generator that is tuned towards its scores, or the best of many images by them, finds what "
    "the model likes and people do not. hype reward pick makes the study that tells.",
)


def percent(figure: CountedEstimate | None) -> str:
    if figure is None or figure.value is None:
        return "not known"
    value = f"{100 * figure.value:.1f} %"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({100 * figure.low:.1f} to {100 * figure.high:.1f})"


def points(figure: CountedEstimate) -> str:
    value, low, high = (100 * (x or 0.0) for x in (figure.value, figure.low, figure.high))
    return f"{value:+.1f} ({low:+.1f} to {high:+.1f})"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write a table in Markdown; all columns but the first are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(str(c).replace('|', '/') for c in line)} |" for line in lines)


def card_of(name: str, settings: ModelSettings, evaluation: Evaluation, figure: str = "") -> str:
    """Write the card in Markdown; ``figure``: what its picture is called, if there is one."""
    parts = [part for part in paragraphs(name, settings, evaluation) if part]
    if figure:
        parts.insert(
            parts.index(ON_TEST) + 1, f"![What it gets right, as below in numbers]({figure})"
        )
    return "\n\n".join(parts) + "\n"


def paragraphs(name: str, settings: ModelSettings, evaluation: Evaluation) -> Iterator[str]:
    data = settings.data
    yield f"# {name}"
    if data.simulated:
        yield f"**{SIMULATED}**"
    yield what_it_is(settings)
    yield ON_TEST
    yield "\n".join(f"- {line}" for line in scores_in_words(evaluation))
    yield few_prompts(settings)
    yield "## Between conditions"
    yield table(
        ("conditions", "right", "choices"),
        [
            (
                f"{pair['a']}, {pair['b']}",
                percent(pair["accuracy"]),
                pair["accuracy"].n,
            )
            for pair in evaluation.agreement.pairs
        ],
    )
    yield "## Shortcuts"
    yield "What is right by less than a look at the image, and the model's lead in points."
    yield table(
        ("by", "right", "the model's lead"),
        [(one.name, percent(one.accuracy), points(one.gain)) for one in evaluation.shortcuts],
    )
    if evaluation.unseen:
        yield "## Models never seen"
        yield "Trained without the images of a condition; right in choices between them and others."
        yield table(
            ("condition", "never seen", "seen"),
            [(u.condition, percent(u.unseen), percent(u.seen)) for u in evaluation.unseen],
        )
    if evaluation.benchmark:
        yield "## Conditions by its scores"
        rows = [
            (r.condition, f"{r.mean:.3f}", "" if r.sd is None else f"{r.sd:.3f}", r.prompts)
            for r in evaluation.benchmark.rows
        ]
        spread = f"SD over {evaluation.benchmark.groups} groups"
        yield table(("condition", "mean score", spread, "prompts"), rows)
    yield "## What it may not claim"
    yield "\n".join(f"- {sentence}" for sentence in NOT_CLAIMED)


def what_it_is(settings: ModelSettings) -> str:
    data = settings.data
    parts = data.prompts.by_part
    prompts = ", ".join(f"{len(some):,} for {FOR[part.value]}" for part, some in parts.items())
    return (
        f"A linear head on {settings.features.source}, trained on {data.votes:,} "
        f"votes of {data.evaluators:,} {'simulated evaluators' if data.simulated else 'people'} on "
        f"{data.images:,} images of the study {data.study} ({data.study_checksum[:12]}). They were "
        f"asked: {' '.join(data.question.split())} Prompts: {prompts}; none is in two parts. "
        f"Seed {settings.seed}."
    )


def scores_in_words(evaluation: Evaluation) -> Iterator[str]:
    agreement = evaluation.agreement
    yield f"right in people's choices: {percent(agreement.accuracy)}"
    yield f"another person would be: {percent(agreement.person)}"
    yield f"a person beside most others: {percent(evaluation.single_averaged)}"
    if agreement.difference is not None and agreement.difference.low is not None:
        yield f"the model less another person: {points(agreement.difference)}"
    if evaluation.train_accuracy is not None:
        yield f"on the prompts that it was trained on: {100 * evaluation.train_accuracy:.1f} %"
    if calibration := evaluation.calibration:
        yield (
            f"calibration: its probabilities are off by {100 * calibration.error:.1f} points "
            f"(expected calibration error, by chance {100 * calibration.error_of_chance:.1f}; "
            f"{100 * calibration.error_before:.1f} before dividing by the temperature "
            f"{calibration.temperature:.2f})"
        )


def few_prompts(settings: ModelSettings) -> str:
    """State what intervals are about if too few prompts are left for the test."""
    tests = len(settings.data.prompts.test)
    if tests >= FEWEST_CLUSTERS:
        return ""
    return (
        f"Intervals are for other people only: prompts vary too, and {tests} for the test are too "
        f"few to know by how much; {FEWEST_CLUSTERS} or more would tell."
    )


def shortcut_in_words(evaluation: Evaluation) -> Iterator[str]:
    """Name the shortcut that gets most right, and the model that is hardest where never seen."""
    best = max(evaluation.shortcuts, key=lambda one: one.accuracy.value or 0.0)
    yield (
        f"by no more than {best.name}: {percent(best.accuracy)}; the model's lead in points: "
        f"{points(best.gain)}"
    )
    if evaluation.unseen:
        hardest = min(evaluation.unseen, key=lambda one: one.unseen.value or 0.0)
        yield (
            f"in choices with {hardest.condition}, had it never seen images of it: "
            f"{percent(hardest.unseen)}; as it is: {percent(hardest.seen)}"
        )


WIDTH_IN, HEIGHT_IN = 4.7, 3.6
MARGINS: Final = Margins(left_in=1.75, right_in=0.5, bottom_in=0.72, top_in=0.3)
LONGEST: Final = 22
"""Letters of a name next to its row."""
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
