"""Ratings for the terminal: conditions on each axis, the axes, and judges beside people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from hype.judges import tables as judge_tables
from hype.protocols.rating import wording as said
from hype.protocols.rating.tables_of_axes import (
    MOST_JUDGES,
    of_axes,
    of_conditions,
    rating_judges,
    shown_judges,
)
from hype.report.terminal import closing, opening, titled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from hype.judges.results import RatingJudgesScore
    from hype.protocols.rating.results import RatingScore


def rating_table(score: RatingScore, *, background: Sequence[str] = ()) -> Group:
    """Lay out a score for a terminal at least 80 columns wide.

    Parameters
    ----------
    score
        As `hype.protocols.rating.scoring.score_ratings` returns it, with judges or without.
    background
        Sentences on where it comes from, such as what was registered.
    """
    return Group(*_parts(score, background))


def _parts(score: RatingScore, background: Sequence[str]) -> Iterator[RenderableType]:
    title = said.TITLES[score.what]
    yield from opening(title, said.asked_sentences(score), simulated=score.simulated)
    yield from _conditions(score)
    for table in of_axes(score):
        yield from titled(table)
        if table.name == "rating-with-overall":
            yield from map(Text, filter(None, [said.correlation_sentence(score)]))
        if table.name == "rating-leaderboard":
            yield from map(Text, said.leaderboard_sentences(score))
    judges = rating_judges(score)
    if judges is not None:
        yield from _judges(judges)
    yield Text()
    yield from map(Text, filter(None, [said.exclusion_sentence(score)]))
    yield from closing(background, said.interval_sentence(score), score.notes)


def _conditions(score: RatingScore) -> Iterator[RenderableType]:
    shown = of_conditions(score)
    for table in shown:
        yield from titled(table)
    if len(shown) > 1:
        yield Text("Intervals on all axes: hype report, or --json.", style="dim")
    yield from (Text(problem, style="yellow") for problem in said.problem_sentences(score))
    yield from map(Text, said.rank_sentences(score))


def _judges(score: RatingJudgesScore) -> Iterator[RenderableType]:
    yield from titled(judge_tables.summary(score, short=True), MOST_JUDGES)
    second = said.second_sentence(score, judge_tables.main_axis(score))
    yield from map(Text, filter(None, [second]))
    yield Text()
    for judge in shown_judges(score.judges):
        yield Text.assemble((f"{judge.judge}: ", "bold"), " ".join(judge.said))
    if len(score.judges) > sum(MOST_JUDGES):
        yield Text("hype report and --json have all judges.", style="dim")
    yield from (Text(f"Note: {note}", style="yellow") for note in score.notes)
