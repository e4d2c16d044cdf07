"""How far a study is, made of the standings of its evaluators."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean

from hype.session.standings import Owed
from hype.store.people import TURNED_AWAY
from hype.study.assignment import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Evaluators of one place of the design, or of several together."""

    wanted: int  # how many the study asks for
    # complete, active, unqualified, declined: how many are done, have begun and are not done, did
    # not qualify, did not want to
    complete: int
    active: int
    unqualified: int
    declined: int
    needed: int  # how many more must finish; some of them may have begun
    judgements: int  # answers that are scored, judgements or votes, of whoever gave them

    @property
    def came(self) -> int:
        return self.complete + self.active + self.unqualified + self.declined


@dataclass(frozen=True, slots=True, kw_only=True)
class CellProgress:
    """How far one place of the design is."""

    cell: Cell
    places: Places


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """What is still to be done."""

    evaluators: int  # how many must still finish
    begun: int  # how many of these have begun
    # About how many people must come for the others, as many being turned away as so far; None
    # where nobody came who was not
    newcomers: int | None
    # What all of ``evaluators`` cost if they earn what the complete ones with the same methods did
    # on average; None where nobody has completed some of these methods
    cost: float | None


def cell_of(standing: Owed, share: int = 0) -> Cell:
    return Cell(condition=standing.condition, methods=standing.methods, share=share)


def places_of(standings: Collection[Owed], wanted: int) -> Places:
    count = Counter(standing.status for standing in standings)
    return Places(
        wanted=wanted,
        complete=count["complete"],
        active=count["active"],
        unqualified=count["unqualified"],
        declined=count["declined"],
        needed=max(0, wanted - count["complete"]),
        judgements=sum(standing.trials for standing in standings),
    )


def together(some: Collection[Places]) -> Places:
    return Places(
        wanted=sum(one.wanted for one in some),
        complete=sum(one.complete for one in some),
        active=sum(one.active for one in some),
        unqualified=sum(one.unqualified for one in some),
        declined=sum(one.declined for one in some),
        needed=sum(one.needed for one in some),
        judgements=sum(one.judgements for one in some),
    )


def remaining_of(standings: Sequence[Owed], cells: Sequence[CellProgress]) -> Remaining:
    needed = sum(one.places.needed for one in cells)
    begun = sum(min(one.places.active, one.places.needed) for one in cells)
    return Remaining(
        evaluators=needed,
        begun=begun,
        newcomers=newcomers_for(needed - begun, standings),
        cost=cost_of(standings, cells),
    )


def newcomers_for(places: int, standings: Sequence[Owed]) -> int | None:
    """Expect how many must come to fill some places; None where nobody knows."""
    if not places:
        return 0
    stayed = sum(standing.status not in TURNED_AWAY for standing in standings)
    return math.ceil(places * len(standings) / stayed) if stayed else None


def cost_of(standings: Sequence[Owed], cells: Sequence[CellProgress]) -> float | None:
    """Expect what those who must still finish will be paid."""
    cost = 0.0
    for one in cells:
        if not one.places.needed:
            continue
        done = [s for s in standings if s.status == "complete" and s.methods == one.cell.methods]
        if not done:
            return None
        cost += one.places.needed * fmean(standing.pay for standing in done)
    return round(cost, 2)
