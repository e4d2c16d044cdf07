"""How far the shares of a study are: the places of a design in which everybody does a part."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Protocol

from hype.sessions.progress import CellProgress, cell_of, places_of
from hype.sessions.status import Owed
from hype.study.assignment import Cell


class Sharer(Owed, Protocol):
    """Somebody who was given a share."""

    @property
    def share(self) -> int:
        """Which; 0 for none."""


def cells_by_share(
    planned: Collection[Cell], found: Collection[Sharer], wanted: int, *, done: bool = False
) -> tuple[CellProgress, ...]:
    """Give the places of the design in order, then those in which somebody is beside it.

    Parameters
    ----------
    planned
        The places of the design; without any, those are that somebody came to.
    wanted
        Evaluators for each of them.
    done
        Whether nobody more is needed, wherever somebody lacks.
    """
    theirs: dict[Cell, list[Sharer]] = {cell: [] for cell in planned}
    for one in found:
        theirs.setdefault(cell_of(one, one.share), []).append(one)
    expected = {*planned} or {*theirs}

    def progress(cell: Cell) -> CellProgress:
        places = places_of(theirs[cell], wanted if cell in expected else 0)
        return CellProgress(cell=cell, places=replace(places, needed=0) if done else places)

    return tuple(progress(cell) for cell in sorted(theirs, key=lambda cell: cell.share))
