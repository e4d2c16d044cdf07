"""How far a study of rankings is: its evaluators, its rankings, and what waits for a checker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from hype.errors import InputError
from hype.sessions.check_queue import CheckQueue, check_queue
from hype.sessions.progress import CellProgress, Places, Remaining, remaining_of, together
from hype.sessions.protocols.ranking import RankingProtocol
from hype.sessions.rankers import Ranker
from hype.sessions.shares import cells_by_share
from hype.study.assignment import Cell
from hype.study.studies import RankingStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingDesign:
    """What a study asks for, as far as its stimuli can be read.

    Attributes
    ----------
    cells
        The places of the design.
    groups
        The names of all groups but the test's; None where nobody can say.
    problem
        Why the stimuli do not say, if so.
    """

    cells: tuple[Cell, ...] = ()
    groups: frozenset[str] | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingProgress:
    """How far a study is.

    Attributes
    ----------
    cells, whole, remaining
        Of those who are no checkers.
    wanted
        Rankings that are planned; None where nobody can say.
    queue
        What waits for a checker.
    """

    cells: tuple[CellProgress, ...]
    whole: Places
    wanted: int | None
    queue: CheckQueue
    remaining: Remaining


def ranking_design(study: RankingStudy) -> RankingDesign:
    """Give what a study asks for, whether or not its stimuli can be read."""
    try:
        protocol = RankingProtocol(study)
    except InputError as error:
        return RankingDesign(problem=str(error))
    return RankingDesign(cells=protocol.cells, groups=frozenset(protocol.pools.groups))


def ranking_progress(
    connection: Connection,
    study: RankingStudy,
    design: RankingDesign,
    found: Sequence[Ranker],
    *,
    simulated: bool,
) -> RankingProgress:
    """Compare what was done with the plan."""
    settings, each = study.settings, study.settings.ranking.rankings
    theirs = [one for one in found if not one.checker]
    cells = cells_by_share(design.cells, theirs, each)
    return RankingProgress(
        cells=cells,
        whole=together([one.places for one in cells]),
        wanted=None if design.groups is None else len(design.groups) * each,
        queue=check_queue(connection, settings, found, known=design.groups, simulated=simulated),
        remaining=remaining_of(theirs, cells),
    )
