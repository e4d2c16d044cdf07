"""Automated judges and preference models in a report: sentences, tables and the figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from hype.errors import few
from hype.judges import tables
from hype.judges.results import ChoiceAgreement, JudgesScore, RankingJudgesScore, RatingJudgesScore
from hype.report import wording
from hype.report.figures.drawing import Drawing
from hype.report.figures.rows import CHANCE, DotPanel, DotPanels
from hype.report.parts import Block, Findings, Folded, ShareSquare, Tabled, share_cell, share_square
from hype.report.tabular import Table

MOST_ROWS: Final = 2000
"""The maximum number of rows of a folded table; longer tables are left out."""


def rating_sentences(score: RatingJudgesScore) -> dict[str, Sequence[str]]:
    """Write sentences that compare judges with people's ratings, for each place in the report."""
    second = tables.second_sentence(score, tables.main_axis(score))
    scores = score.pairs and any(judge.shape == "scores" for judge in score.judges)
    also = "; for a judge that scores single images, κ for which of two is better" if scores else ""
    return {
        "judges": tuple(filter(None, [second, *tables.remarks(score)])),
        "judge-axes": (
            f"Cohen’s κ with people’s ratings, unweighted{also}. The next table shows Pearson’s r.",
        ),
    }


def rating_blocks(score: RatingJudgesScore) -> dict[str, Iterable[Block]]:
    """Return tables that compare judges with people's ratings, for each place in the report."""
    every = Folded(
        summary="Every judge on every axis, with intervals", table=tables.every_axis(score)
    )
    truth, first = tables.truth_comparison(score), tables.first_images(score)
    return {
        "judges": (Tabled(table=tables.summary(score)), *judge_blocks(score, ())),
        "judge-axes": (
            *(Tabled(table=tables.axis_matrix(score, what)) for what in ("kappa", "r")),
            *_fold([tables.axis_matrix(score, "weighted")]),
            every,
        ),
        "judge-truth": [Tabled(table=truth)] if truth.rows else [],
        "judge-position": [Tabled(table=first)] if first.rows else [],
    }


def judge_blocks(score: JudgesScore[Any], further: Iterable[Table]) -> tuple[Block, ...]:
    """Return the notes about judges, then further tables, which the reader can unfold."""
    return (Findings(sentences=(), notes=score.notes), *_fold(further))


def _fold(further: Iterable[Table]) -> Iterator[Folded]:
    for table in further:
        if table.has_values and len(table.rows) <= MOST_ROWS:
            yield Folded(summary=table.title, table=table)


MOST_BENCHMARKS: Final = 12


def model_blocks(models: RankingJudgesScore, conditions: Sequence[str]) -> tuple[Block, ...]:
    square = model_square(conditions, models.judges[0]) if models.judges else None
    return (
        *judge_blocks(models, ()),
        *([square] if square else []),
        *_fold([tables.pairs(models)]),
    )


def benchmark_blocks(models: RankingJudgesScore) -> tuple[list[str], list[Block]]:
    """Say how many tables are left out, and return the others; all but the first are folded."""
    if not models.benchmarks:
        return [], []
    first, *others = tables.benchmarks(models)
    shown = others[: MOST_BENCHMARKS - 1]
    more = len(others) - len(shown)
    rest = [f"hype report --tables DIR writes {more:,} more benchmarks."] if more else []
    return rest, [Tabled(table=first), *_fold(shown)]


def model_square(conditions: Sequence[str], judge: ChoiceAgreement) -> ShareSquare | None:
    """Lay out a model's accuracy by pair of conditions; None if there are none or too many."""
    cells = {}
    for pair in judge.pairs:
        one, other, accuracy = pair["a"], pair["b"], pair["accuracy"]
        if accuracy.value is not None:
            for a, b in ((one, other), (other, one)):
                cells[a, b] = share_cell(accuracy.value, accuracy.n, f"{a} and {b}")
    return share_square(
        conditions,
        cells,
        key="ranking-models",
        label=f"Accuracy of {judge.judge} for each pair of conditions",
        explained="People chose between an image of the row's condition and an image of the "
        f"column's condition. Cells: how often {judge.judge} prefers the chosen image, in %, and "
        "the number of choices; chance is 50%.",
        ends=("always wrong", "always right"),
    )


MOST_DRAWN: Final = 30
"""The maximum number of judges in the figure."""


def judge_drawing(score: JudgesScore[Any] | None, name: str) -> Drawing | None:
    """Draw how well judges, and a second person, agree with people; None if no value is known."""
    if score is None:
        return None
    judges = score.judges[:MOST_DRAWN]
    if rated := isinstance(score, RatingJudgesScore):
        factor, what = 1, "Pearson's r of each judge with people's ratings"
        drawn = [
            (one["axis"], [judge.axis(one["axis"]).r for judge in judges], one["r"])
            for one in score.people
        ]
    else:
        factor, what = 100, "How often each judge gives the same answer as a person"
        most = max(judges, key=lambda judge: judge.comparisons, default=None)
        drawn = [("", [judge.accuracy for judge in judges], most.person if most else None)]
    panels = []
    for title, figures, person in drawn:
        every = (figure.estimate if figure else None for figure in (person, *figures))
        band, *dots = (one.scale(factor) if one else None for one in every)
        if any(dots):
            panels.append(DotPanel(title=title, dots=tuple(dots), band=band))
    if not panels:
        return None
    shown = DotPanels(
        names=tuple(judge.judge for judge in judges),
        panels=tuple(panels),
        mark=(0, "") if rated else (CHANCE, "a coin"),
    )
    known = [
        f"{judge.judge} {wording.number(dot.value, 2)}"
        for judge, dot in zip(judges, panels[0].dots, strict=True)
        if dot
    ]
    caption = [f"{what}, with its {score.confidence:.0%} interval."]
    if rated:
        caption.append("A judge without a dot gave no answers, or the same answer to everything.")
    if any(panel.band for panel in panels):
        caption.append("Line and pale band show how well two people agree, with the interval.")
    if len(score.judges) > MOST_DRAWN:
        caption.append(
            f"The figure shows {MOST_DRAWN} of {len(score.judges):,} judges; the table has all."
        )
    return Drawing(
        name=name,
        title="How well judges agree with people",
        caption=" ".join(caption),
        alt=f"{len(judges)} judges: {few(known, 4)}.",
        panels=shown.make_panels(),
        width_in=shown.width_in,
        height_in=shown.height_in,
        x_label="Pearson's r with people" if rated else "agrees with people, in %",
        margins=shown.margins,
        by_condition=False,
    )
