"""The pairs of conditions as a square table: the row of a condition has all that is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hype.report import wording

if TYPE_CHECKING:
    from hype.protocols.hype.results import Score
    from hype.statistics.pairs import Pair

MOST_IN_NUMBERS: Final = 10
"""With more conditions than these a cell has room for a sign only."""

_VERDICTS: Final = {True: "separable", False: "not separable", None: "not tested"}
_SIGNS: Final = {True: "●", False: "○", None: "·"}
_CLASSES: Final = {True: "separable", False: "alike", None: "untested"}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What was found of two conditions.

    Parameters
    ----------
    difference
        Row less column, in words.
    p
        In words.
    verdict, sign
        Whether the two can be told apart, in words and as one character.
    css_class
        The same for a style sheet.
    said
        All of it in one sentence.
    """

    difference: str
    p: str
    verdict: str
    sign: str
    css_class: str
    said: str


@dataclass(frozen=True, kw_only=True)
class PairMatrix:
    """Pairs by their two conditions.

    Parameters
    ----------
    names
        All conditions, the best first: of the columns and of the rows.
    rows
        Each condition with one cell for each column, None on the diagonal.
    in_numbers
        Whether there is room for the differences.
    signs
        Those that occur, each with its class and its verdict.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]
    in_numbers: bool
    signs: tuple[tuple[str, str, str], ...]


def pair_matrix(score: Score) -> PairMatrix | None:
    """Arrange a score's pairs; None where there are none."""
    if not score.pairwise:
        return None
    cells: dict[tuple[str, str], Cell] = {}
    for pair in score.pairwise:
        cells[pair.a, pair.b] = _cell(pair, score.unit, 1)
        cells[pair.b, pair.a] = _cell(pair, score.unit, -1)
    names = tuple(row.condition for row in score.conditions)
    found = {pair.separable for pair in score.pairwise}
    return PairMatrix(
        names=names,
        rows=tuple((a, tuple(cells.get((a, b)) for b in names)) for a in names),
        in_numbers=len(names) <= MOST_IN_NUMBERS,
        signs=tuple((_SIGNS[v], _CLASSES[v], _VERDICTS[v]) for v in _VERDICTS if v in found),
    )


def _cell(pair: Pair, unit: str, direction: int) -> Cell:
    row, column = (pair.a, pair.b)[::direction]
    difference = wording.number(direction * pair.difference)
    p, verdict = wording.probability(pair.p), _VERDICTS[pair.separable]
    return Cell(
        difference=difference,
        p=p,
        verdict=verdict,
        sign=_SIGNS[pair.separable],
        css_class=_CLASSES[pair.separable],
        said=f"{row} less {column}: {difference} {unit}, {p}, {verdict}",
    )
