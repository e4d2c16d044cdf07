"""How far a study of comparisons is: its evaluators, its votes, and what an arena knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sqlalchemy import Connection, Row, case, func, select, union

from hype.errors import InputError
from hype.protocol.comparison import Choice, ComparisonTask
from hype.sessions.arenas import known_so_far, votes_so_far, why_enough
from hype.sessions.comparers import Comparer
from hype.sessions.progress import CellProgress, Places, Remaining, remaining_of, together
from hype.sessions.protocols.comparison import ComparisonProtocol
from hype.sessions.shares import cells_by_share
from hype.store.answer_tables import comparisons
from hype.study.assignment import Cell
from hype.study.comparing import METHODS, evaluators_per_cell, times_met
from hype.study.studies import ComparisonStudy

ARENA = Cell(condition="", methods=METHODS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What a study asks for, as far as its stimuli can be read.

    Attributes
    ----------
    conditions
        What is compared.
    cells
        The places of the design.
    wanted
        Votes of each pair of conditions; None where nobody can say, and in an arena.
    problem
        Why the stimuli do not say, if so.
    """

    conditions: tuple[str, ...]
    cells: tuple[Cell, ...]
    wanted: Mapping[tuple[str, str], int] | None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVotes:
    """Votes on two conditions, ties included; ``wanted`` is None where no number is planned."""

    one: str
    other: str
    votes: int
    wanted: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaProgress:
    """What an arena knows.

    Attributes
    ----------
    votes, most_votes
        Votes so far, and those at which it ends in any case.
    goal, reached
        What is to be known, and whether it is.
    top, order
        The best condition, and all of them from the best; None where that is not known.
    enough
        Why nobody more is needed; nothing where somebody is.
    """

    votes: int
    most_votes: int
    goal: str
    reached: bool
    top: str | None
    order: tuple[str, ...] | None
    enough: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """All answers of comparisons that count, by what they are, and how many were hasty."""

    left: int
    right: int
    tie: int
    none: int
    hasty: int

    @property
    def votes(self) -> int:
        """How many say something."""
        return self.left + self.right + self.tie


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparingProgress:
    """How far a study is.

    ``failed`` is how many evaluators failed the validation, of those whom it ``tested``.
    """

    cells: tuple[CellProgress, ...]
    whole: Places
    pairs: tuple[PairVotes, ...]
    arena: ArenaProgress | None
    given: Given
    tested: int
    failed: int
    remaining: Remaining


def design_at_hand(connection: Connection, study: ComparisonStudy) -> Design:
    """Give what a study asks for, whether or not its stimuli can be read.

    Where they cannot, conditions and shares are those that were met in the record.
    """
    asked = study.settings.comparison
    try:
        protocol = ComparisonProtocol(study)
    except InputError as error:
        names = tuple(sorted(met_conditions(connection) | {*study.settings.stimuli.conditions}))
        cells = (ARENA,) if asked.arena else ()
        return Design(conditions=names, cells=cells, wanted=None, problem=str(error))
    names, pools = protocol.pools.conditions, protocol.pools
    wanted = {pair: times_met(pools, *pair) * asked.votes for pair in combinations(names, 2)}
    return Design(conditions=names, cells=protocol.cells, wanted=None if asked.arena else wanted)


def met_conditions(connection: Connection) -> set[str]:
    """List the conditions that anybody compared."""
    sides = union(select(comparisons.c.left), select(comparisons.c.right))
    return set(connection.execute(sides).scalars())


def comparing_progress(
    connection: Connection,
    study: ComparisonStudy,
    design: Design,
    found: Sequence[Comparer],
    *,
    simulated: bool,
) -> ComparingProgress:
    """Compare what was done with the plan."""
    rows = votes_in(connection, simulated=simulated)
    arena = arena_progress(connection, study, design, simulated=simulated)
    wanted = evaluators_per_cell(study.settings)
    cells = cells_by_share(design.cells, found, wanted, done=bool(arena and arena.enough))
    return ComparingProgress(
        cells=cells,
        whole=together([one.places for one in cells]),
        pairs=tuple(pairs_of(design, rows)),
        arena=arena,
        given=given_of(rows),
        tested=sum(one.passed is not None for one in found),
        failed=sum(one.passed is False for one in found),
        remaining=remaining_of(found, cells),
    )


def votes_in(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Count answers by what met, on which side, and what was answered; validation is no vote."""
    found = comparisons.c
    what = (found.left, found.right, found.answer)
    hasty = func.sum(case((found.hasty, 1), else_=0)).label("hasty")
    query = select(*what, func.count().label("times"), hasty).where(
        found.simulated == simulated, found.task == ComparisonTask.COMPARISON.value
    )
    return connection.execute(query.group_by(*what)).all()


def given_of(rows: Iterable[Row[Any]]) -> Given:
    """Add up answers."""
    counts: Counter[str] = Counter()
    hasty = 0
    for row in rows:
        counts[row.answer] += row.times
        hasty += row.hasty
    return Given(**{choice.value: counts[choice.value] for choice in Choice}, hasty=hasty)


def pairs_of(design: Design, rows: Iterable[Row[Any]]) -> Iterable[PairVotes]:
    """Yield the votes on each pair of conditions, in the order of the conditions."""
    votes: Counter[frozenset[str]] = Counter()
    for row in rows:
        if row.answer != Choice.NONE.value:
            votes[frozenset((row.left, row.right))] += row.times
    for one, other in combinations(design.conditions, 2):
        wanted = design.wanted[one, other] if design.wanted else None
        number = votes[frozenset((one, other))]
        yield PairVotes(one=one, other=other, votes=number, wanted=wanted)


def arena_progress(
    connection: Connection, study: ComparisonStudy, design: Design, *, simulated: bool
) -> ArenaProgress | None:
    """Say what an arena knows; None where there is none, or nothing to compare."""
    arena = study.settings.comparison.arena
    if arena is None or len(design.conditions) < 2:
        return None
    votes = votes_so_far(connection, study, design.conditions, simulated=simulated)
    known, names = known_so_far(arena, votes), design.conditions
    return ArenaProgress(
        votes=int(votes.wins.sum() + votes.ties.sum() // 2),
        most_votes=arena.most_votes,
        goal=arena.goal,
        reached=known.reached,
        top=None if known.top is None else names[known.top],
        order=None if known.order is None else tuple(names[place] for place in known.order),
        enough=why_enough(arena, votes, names),
    )
