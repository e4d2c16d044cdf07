"""Comparisons for the terminal: the ranking, and all that is to be read with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from hype.protocols.comparison import wording as said
from hype.protocols.comparison.tables import beneath, ranking
from hype.report.terminal import closing, grid, opening, titled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from hype.protocols.comparison.results import PairwiseScore


def comparison_table(score: PairwiseScore, *, background: Sequence[str] = ()) -> Group:
    """Lay out a score for a terminal at least 80 columns wide.

    Parameters
    ----------
    score
        As `hype.protocols.comparison.scoring.score_comparisons` returns it.
    background
        Sentences on where it comes from, such as what was registered.
    """
    return Group(*_parts(score, background))


def _parts(score: PairwiseScore, background: Sequence[str]) -> Iterator[RenderableType]:
    yield from opening(said.TITLE, said.asked_sentences(score), simulated=score.simulated)
    table = ranking(score)
    yield grid(table)
    yield Text(table.note, style="dim")
    yield from (Text(problem, style="yellow") for problem in score.fit.problems)
    yield from map(Text, said.rank_sentences(score))
    if score.sequential is not None:
        yield Text(f"Arena: {score.sequential.said}")
    for one in beneath(score):
        yield from titled(one)
        if one.name == "comparison-pairs":
            yield from map(Text, said.pair_sentences(score))
            yield from map(Text, filter(None, [said.plan_sentence(score)]))
    yield Text()
    yield Text("Answers and evaluators", style="bold")
    yield from map(Text, _evaluators(score))
    yield from map(Text, filter(None, [said.elo_sentence(score)]))
    yield from closing(background, said.bootstrap_sentence(score), score.notes)


def _evaluators(score: PairwiseScore) -> Iterator[str]:
    yield from said.agreement_sentences(score)
    yield from said.quality_sentences(score)
    yield from (one.said for one in score.demographics)
