"""Assignment of evaluators to cells, the least-filled cell first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hype.study.draws import Draws, Purpose, seed_sequence
from hype.study.table import KeySettings

HERE: Final = "."


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of the design: its evaluators have the same condition, methods and share."""

    condition: str  # the condition that its evaluators judge; empty if they judge all
    methods: tuple[str, ...]  # the methods of each evaluator.
    # If comparisons are divided into parts: the part that its evaluators get, from 1; else 0
    share: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The permanent assignment of one evaluator."""

    evaluator: str
    cell: Cell  # the evaluator's cell of the design.
    # The answer of the left key: "real" or "fake"; empty if the keys choose one of two images
    left_means: str = ""
    # The conditions that the evaluator compares, in order, if an arena chose them on arrival
    pairs: tuple[tuple[str, str], ...] = ()
    # The names of the groups that a checker of others' work ranks again
    groups: tuple[str, ...] = ()
    # The study in which the evaluator qualified before; `HERE` if the experimenter admitted them
    # after the test of this study; else empty
    qualified_in: str = ""

    @property
    def is_exempt(self) -> bool:
        """Whether the evaluator can skip this study's test."""
        return self.qualified_in not in ("", HERE)

    @property
    def is_admitted(self) -> bool:
        return self.qualified_in == HERE


def design(conditions: Sequence[str], methods: Sequence[tuple[str, ...]]) -> tuple[Cell, ...]:
    return tuple(Cell(condition=c, methods=m) for m in methods for c in conditions)


def assign(
    evaluator: str,
    *,
    cells: Sequence[Cell],
    filled: Mapping[Cell, int],
    arrived: Mapping[tuple[Cell, str], int],
    keys: KeySettings,
    seed: int,
) -> Assignment:
    """Assign a cell and a key mapping to ``evaluator``.

    ``filled``: how many evaluators of each cell have finished or may still finish. The cell with
        the fewest is chosen; if several have equally few, a random draw decides.
    ``arrived``: how many evaluators came, by cell and key mapping. It includes those who were
        turned away, but not those who left. The evaluator gets the mapping that is rarer in the
        cell. So both become equally frequent, and an evaluator's replacement gets the same mapping.
    """
    cell = least_filled(evaluator, cells=cells, filled=filled, seed=seed)
    left_means: str = keys.left_means
    if left_means == "counterbalanced":
        first = cells.index(cell) % 2  # neighbouring cells start with different mappings
        turns = [("real", "fake"), ("fake", "real")][first]
        left_means = min(turns, key=lambda means: arrived.get((cell, means), 0))
    return Assignment(evaluator=evaluator, cell=cell, left_means=left_means)


def least_filled(
    evaluator: str, *, cells: Sequence[Cell], filled: Mapping[Cell, int], seed: int
) -> Cell:
    """Choose the cell with the fewest evaluators; if several have equally few, draw one."""
    order = Draws(seed_sequence(seed, evaluator, Purpose.ASSIGNMENT)).permutation(len(cells))
    shuffled: list[Cell] = [cells[i] for i in order.tolist()]
    return min(shuffled, key=lambda cell: filled.get(cell, 0))
