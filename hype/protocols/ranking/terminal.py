"""Rankings for the terminal: the conditions in order, and all that is to be read with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from hype.judges import preference_tables
from hype.protocols.ranking import tables as ranking_tables
from hype.protocols.ranking import wording as said
from hype.protocols.ranking.tables import models_of, screening
from hype.report.terminal import closing, grid, opening, titled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from hype.judges.preference_results import RankingJudgesScore
    from hype.protocols.ranking.results import RankingScore

CONDITIONS: Final = (30, 10)
SCREENED: Final = (12, 0)
MODELS: Final = (10, 5)
"""How many rows of a long table are shown, from the top and from its end."""
_MODELS_TOLD: Final = 6
_BENCHMARKS: Final = 3
_STYLES: Final = 4


def ranking_table(score: RankingScore, *, background: Sequence[str] = ()) -> Group:
    """Lay out a score for a terminal at least 80 columns wide.

    Parameters
    ----------
    score
        As `hype.protocols.ranking.scoring.score_rankings` returns it.
    background
        Sentences on where it comes from, such as what was registered.
    """
    return Group(*_parts(score, background))


def _parts(score: RankingScore, background: Sequence[str]) -> Iterator[RenderableType]:
    yield from opening(said.TITLE, said.asked_sentences(score), simulated=score.simulated)
    yield from _ranking(score)
    yield from _people(score)
    models = models_of(score)
    if models is not None:
        yield from _models(models)
    yield from _rest(score, background)


def _ranking(score: RankingScore) -> Iterator[RenderableType]:
    table = ranking_tables.ranking(score)
    yield grid(table, CONDITIONS)
    yield Text(table.note, style="dim")
    yield from (Text(problem, style="yellow") for problem in score.fit.problems)
    yield from map(Text, said.rank_sentences(score))
    yield from map(Text, said.pair_sentences(score))


def _people(score: RankingScore) -> Iterator[RenderableType]:
    sentences = tuple(said.agreement_sentences(score))
    if sentences:
        yield Text()
        yield Text("Agreement", style="bold")
        yield from map(Text, sentences)
    if score.screening is not None:
        yield from titled(screening(score), SCREENED)
        yield from map(Text, said.screening_sentences(score.screening))


def _models(score: RankingJudgesScore) -> Iterator[RenderableType]:
    yield from titled(preference_tables.summary(score), MODELS)
    if len(score.judges) > _MODELS_TOLD:
        yield Text(preference_tables.tally(score.judges))
    for judge in score.judges[:_MODELS_TOLD]:
        yield Text(f"{judge.judge}: {' '.join(judge.said)}")
    more = len(score.judges) - _MODELS_TOLD
    if more > 0:
        yield Text(f"What is found of the {more:,} others: --json, or hype report.", style="dim")
    yield from (Text(note, style="dim") for note in score.notes)
    yield from _benchmarks(score)


def _benchmarks(score: RankingJudgesScore) -> Iterator[RenderableType]:
    """Lay out benchmarks; of many that by the model with the highest accuracy."""
    found = preference_tables.best_first(score)
    shown = found if len(found) <= _BENCHMARKS else found[:1]
    for one in shown:
        yield from titled(preference_tables.benchmark(one, styles=_STYLES), CONDITIONS)
    rest = len(found) - len(shown)
    if rest > 0:
        yield Text(f"{rest:,} more benchmarks: hype report --tables has them.", style="dim")


def _rest(score: RankingScore, background: Sequence[str]) -> Iterator[RenderableType]:
    yield Text()
    if score.exclusions:
        reasons = "; ".join(f"{one.rankings:,} {one.meaning}" for one in score.exclusions)
        yield Text(f"Not scored: {reasons}.")
    yield from closing(background, said.bootstrap_sentence(score), score.notes)
