"""Rankings as votes: a ranking of n images is n(n - 1)/2 of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Engine

from hype.export.columns import ExportedColumn, Kind
from hype.export.kinds.ranking_screened import SCREENED
from hype.export.passing import ANSWER
from hype.export.votes_by_pair import Ballot, Vote
from hype.sessions.exported_rankings import SPLITS
from hype.study.studies import RankingStudy

CELLS: Final = (
    *("excluded", "evaluator", "prompt", "group", "split", "rank"),
    *("image", "condition", "image_sha256"),
)
ABOUT: Final = (
    ExportedColumn(
        name="group", meaning="name of the group in which both were ranked", kind=Kind.TEXT
    ),
    ExportedColumn(
        name="split",
        meaning="what the prompt may be used for; empty where none is held out",
        kind=Kind.TEXT,
        levels=SPLITS,
        gaps=True,
    ),
)
"""What is said of a pair beside its images and votes."""


def votes_of(engine: Engine, study: RankingStudy, simulated: bool) -> Ballot:
    """Collect the rankings that are scored, each two images of one as a comparison."""
    exported = SCREENED.read(engine, study, simulated=simulated)
    name: Any = itemgetter(*map(exported.columns.index, ANSWER))
    cells: Any = itemgetter(*map(exported.columns.index, CELLS))
    ballot, rankings = Ballot(), 0
    for _, rows in groupby(exported.rows, name):
        ranked = [tuple(cells(row)) for row in rows]
        excluded, evaluator, *_ = ranked[0]
        if excluded:
            continue
        rankings += 1
        for vote in pairs_in(ranked):
            ballot.cast(evaluator, vote)
    ballot.told = {"rankings_scored": rankings}
    return ballot


def pairs_in(ranked: Sequence[tuple[Any, ...]]) -> Iterator[Vote]:
    """Yield a vote for each two images of a ranking; a lower rank is better, equals are a tie."""
    for one, other in combinations(ranked, 2):
        _, _, prompt, group, split, rank, *seen = one
        verdict = (rank < other[5]) - (rank > other[5])
        yield Vote(prompt, tuple(seen), other[6:], verdict, (group, split or None))
