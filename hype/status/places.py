"""The places of a design: how many evaluators each wants, has and still needs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from statistics import fmean
from typing import Final

from hype.session.steps import LEFT_OUT
from hype.status.design import Facts
from hype.store.people import COMING, IN_DESIGN, LEFT
from hype.study.assignment import Cell

TURNED_AWAY: Final = ("unqualified", "declined", "full")
"""How people end who take no place: ``full`` where their group was full."""


def named_place(cell: Cell) -> Facts:
    return {
        "condition": cell.condition or None,
        "methods": cell.methods,
        "share": cell.share or None,
    }


def cells_of_design(
    people: Collection[Facts], planned: Collection[Cell], each: int, *, is_enough: bool
) -> list[Facts]:
    """Count evaluators in the places of the design, then where somebody is although it is none.

    ``each``: how many evaluators each place of the design wants. ``is_enough``: whether nobody more
    is needed all the same.
    """
    theirs: dict[Cell, list[Facts]] = {cell: [] for cell in planned}
    for who in people:
        theirs.setdefault(cell_of(who), []).append(who)
    others = sorted_cells({*theirs} - {*planned})
    return [
        {**named_place(cell), **places_of(theirs[cell], wanted, is_enough=is_enough)}
        for cells, wanted in ((planned, each), (others, 0))
        for cell in cells
    ]


def cell_of(who: Facts) -> Cell:
    return Cell(condition=who["condition"] or "", methods=who["methods"], share=who["share"] or 0)


def sorted_cells(cells: Iterable[Cell]) -> list[Cell]:
    return sorted({*cells}, key=lambda cell: (cell.methods, cell.condition, cell.share))


def places_of(people: Collection[Facts], wanted: int, *, is_enough: bool = False) -> Facts:
    """Count evaluators by what became of them.

    ``active`` have begun and are not done, ``left`` have no place any more. ``needed``: how many
    more must finish; some of them may have begun. ``answers``: those that count.
    """
    count = Counter(who["status"] for who in people)
    return {
        "wanted": wanted,
        "came": len(people),
        "complete": count["complete"],
        "active": count["active"] + count[COMING],
        "left": count[LEFT],
        **{status: count[status] for status in TURNED_AWAY},
        "left_out": count[LEFT_OUT],
        "needed": 0 if is_enough else max(0, wanted - count["complete"]),
        "answers": sum(who["answers"] for who in people),
    }


def together(cells: Sequence[Facts]) -> Facts:
    names = places_of((), 0)
    return {name: sum(cell[name] for cell in cells) for name in names}


def turned_away(places: Facts) -> int:
    return sum(places[status] for status in TURNED_AWAY)


def remaining_of(people: Sequence[Facts], cells: Sequence[Facts]) -> Facts:
    """Say what is still to be done.

    ``evaluators``: how many must still finish; some of them have ``begun``. ``newcomers``: about
    how many must come for the others, if as many are turned away as so far; None where everybody
    was. ``cost``: what all of them cost if they earn what the complete ones with the same methods
    did on average; None where nobody has completed some of these methods.
    """
    needed = sum(cell["needed"] for cell in cells)
    begun = sum(min(cell["active"], cell["needed"]) for cell in cells)
    stayed = sum(who["status"] in IN_DESIGN for who in people)
    newcomers = math.ceil((needed - begun) * len(people) / stayed) if stayed else None
    costs: list[float | None] = []
    for cell in (cell for cell in cells if cell["needed"]):
        alike = (who for who in people if who["methods"] == cell["methods"])
        paid = [who["pay"] for who in alike if who["status"] == "complete"]
        costs.append(cell["needed"] * fmean(paid) if paid else None)
    return {
        "evaluators": needed,
        "begun": begun,
        "newcomers": newcomers if needed > begun else 0,
        "cost": None if None in costs else round(sum(filter(None, costs)), 2),
    }
