"""The score table for the terminal, laid out as in the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from hype.analysis.separability.comparison import TUKEY
from hype.report import wording
from hype.report.tables import tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from hype.analysis import ConditionScore, Score
    from hype.report.words_table import Table


def score_table(scores: Sequence[Score]) -> Group:
    """Lay out scores for a terminal at least 80 columns wide.

    Parameters
    ----------
    scores
        As `hype.analysis.score` returns them.

    Returns
    -------
    Group
        For each protocol its table, what the tests say, and the notes; and, if the evaluators
        are simulated, a line above it that cannot be missed.
    """
    return Group(*(part for score in scores for part in _section(score)))


def _section(score: Score) -> Iterator[RenderableType]:
    if score.simulated:
        yield Text(f" {wording.SIMULATED} ", style="bold reverse")
    title = f"{wording.protocol_name(score)}: {wording.protocol_meaning(score)}"
    yield Text(title, style="bold")
    yield _table(score)
    yield Text(wording.anova_sentence(score))
    yield from map(Text, filter(None, [wording.pairs_sentence(score)]))
    if score.pairwise_method == TUKEY:
        yield from (Text(f"  not separable: {pair}") for pair in wording.not_separable(score))
    yield from map(Text, wording.further_sentences(score))
    for table in tables(score):
        yield from _beside(table)
    yield Text(wording.bootstrap_sentence(score), style="dim")
    yield from (Text(f"Note: {note}", style="yellow") for note in score.notes)
    yield Text()


def _beside(table: Table) -> Iterator[RenderableType]:
    yield Text()
    yield Text(table.title, style="bold")
    grid = _grid()
    grid.add_column(Text(table.columns[0]), overflow="fold", min_width=9)
    for heading in table.columns[1:]:
        if table.prose:
            grid.add_column(Text(heading), overflow="fold")
        else:
            grid.add_column(Text(heading), justify="right", no_wrap=True)
    for row in table.rows:
        grid.add_row(*map(Text, row))
    yield grid
    if table.note:
        yield Text(table.note, style="dim")


def _grid() -> Grid:
    return Grid(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)


def _table(score: Score) -> Grid:
    table = _grid()
    table.add_column("Rank", justify="right")
    # Text, not str: a condition called [b] must not switch on bold.
    table.add_column("Condition", overflow="fold", min_width=9)
    for heading in (
        f"{wording.protocol_name(score)}\n({score.unit})",
        "Fakes\nerror",
        "Reals\nerror",
        "Std.",
        f"{score.confidence:.0%} CI",
        "Evalu-\nators",
        "Judge-\nments",
    ):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for rank, row in enumerate(score.conditions, start=1):
        table.add_row(str(rank), Text(row.condition), *_numbers(row))
    return table


def _numbers(row: ConditionScore) -> tuple[str, ...]:
    return (
        wording.number(row.score),
        _percent(row.fakes_error),
        _percent(row.reals_error),
        wording.number(row.std),
        wording.interval(row.ci_low, row.ci_high),
        str(row.evaluators),
        str(row.judgements),
    )


def _percent(value: float | None) -> str:
    return wording.number(value) + ("" if value is None else "%")
