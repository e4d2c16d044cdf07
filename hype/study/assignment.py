"""Who evaluates what: between subjects, the least-filled cell first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hype.study.draws import Draws, Purpose, seed_sequence
from hype.study.station_settings import KeySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One place of the design: a condition, and the methods one of its evaluators does."""

    condition: str
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What one evaluator was given for good. ``left_means`` is "real" or "fake"."""

    evaluator: str
    cell: Cell
    left_means: str


def design(conditions: Sequence[str], methods: Sequence[tuple[str, ...]]) -> tuple[Cell, ...]:
    """List the cells of a study, in order."""
    return tuple(Cell(condition=c, methods=m) for m in methods for c in conditions)


def assign(
    evaluator: str,
    *,
    cells: Sequence[Cell],
    filled: Mapping[Cell, int],
    arrived: Mapping[Cell, int],
    keys: KeySettings,
    seed: int,
) -> Assignment:
    """Give ``evaluator`` a cell and a key mapping.

    Parameters
    ----------
    filled
        Evaluators per cell who have finished or may still do so. The cell with the fewest is
        taken; among equals the draw of this evaluator decides.
    arrived
        Evaluators per cell including those who were turned away. Their number alternates the
        mapping of the keys, so that each cell has both in equal parts.
    """
    order = Draws(seed_sequence(seed, evaluator, Purpose.ASSIGNMENT)).permutation(len(cells))
    cell = min((cells[i] for i in order), key=lambda c: filled.get(c, 0))
    left_means = keys.left_means
    if left_means == "counterbalanced":
        first = cells.index(cell)  # neighbouring cells begin with different mappings
        left_means = ("real", "fake")[(first + arrived.get(cell, 0)) % 2]
    return Assignment(evaluator=evaluator, cell=cell, left_means=left_means)
