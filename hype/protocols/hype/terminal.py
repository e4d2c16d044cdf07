"""The score table for the terminal, laid out as in the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from hype.protocols.hype import tables as score_tables
from hype.protocols.hype.further_tables import terminal_tables
from hype.protocols.hype.wording import (
    anova_sentence,
    bootstrap_sentence,
    further_sentences,
    not_separable,
    pairs_sentence,
    protocol_meaning,
    protocol_name,
)
from hype.report.terminal import closing, grid, opening, titled
from hype.statistics.pairs import TUKEY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from hype.protocols.hype.results import Score


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
    title = f"{protocol_name(score)}: {protocol_meaning(score)}"
    yield from opening(title, (), simulated=score.simulated)
    yield grid(score_tables.scores(score))
    yield Text(anova_sentence(score))
    yield from map(Text, filter(None, [pairs_sentence(score)]))
    if score.pairwise_method == TUKEY:
        yield from (Text(f"  not separable: {pair}") for pair in not_separable(score))
    yield from map(Text, further_sentences(score))
    for table in terminal_tables(score):
        yield from titled(table)
    yield from closing((), bootstrap_sentence(score), score.notes)
