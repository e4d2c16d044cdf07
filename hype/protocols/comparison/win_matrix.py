"""Win rates of all pairs as a square: how often the row was chosen over the column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from hype.protocols.prompted.report import MOST, MOST_ROOMY, scale, shade
from hype.report import wording
from hype.report.parts import Block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.protocols.comparison.results import PairResult, PairwiseScore


@dataclass(frozen=True, kw_only=True)
class RateCell:
    """How often the row was chosen over the column.

    Parameters
    ----------
    rate, comparisons
        In words.
    css_class
        Which colour, and how much of it.
    separable
        Whether the two are.
    said
        All of it in one sentence.
    """

    rate: str
    comparisons: str
    css_class: str
    separable: bool
    said: str


@dataclass(frozen=True, kw_only=True)
class WinMatrix(Block):
    """Win rates by the two conditions.

    Parameters
    ----------
    names
        All conditions in the order of the ranking: of the rows and of the columns.
    rows
        Each condition with one cell for each column: None on the diagonal, and where two never met.
    roomy
        Whether cells have room for the numbers of comparisons.
    alpha
        The level at which pairs are separable.
    ties
        What becomes of ties, in half a sentence.
    """

    template: ClassVar[str] = "win_matrix.html"

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[RateCell | None, ...]], ...]
    roomy: bool
    alpha: float
    ties: str

    @property
    def scale(self) -> tuple[str, ...]:
        """Classes of a legend, from never to always."""
        return scale()


_TIES: Final = {"none": "ties are not counted", "half": "a tie is half a win"}


def win_matrix(score: PairwiseScore) -> WinMatrix | None:
    """Arrange the pairs of a score; None where there are none, or too many conditions."""
    names = tuple(row.condition for row in score.conditions)
    if not score.pairs or len(names) > MOST:
        return None
    cells = {key: cell for pair in score.pairs for key, cell in _cells(pair)}
    return WinMatrix(
        names=names,
        rows=tuple((a, tuple(cells.get((a, b)) for b in names)) for a in names),
        roomy=len(names) <= MOST_ROOMY,
        alpha=score.alpha,
        ties=_TIES.get(score.ties, "a tie is half a win"),
    )


def _cells(pair: PairResult) -> Iterator[tuple[tuple[str, str], RateCell]]:
    if pair.win_rate is None:
        return
    yield (pair.a, pair.b), _cell(pair, pair.a, pair.b, pair.win_rate)
    yield (pair.b, pair.a), _cell(pair, pair.b, pair.a, 1 - pair.win_rate)


def _cell(pair: PairResult, row: str, column: str, rate: float) -> RateCell:
    percent = wording.number(100 * rate, 0)
    verdict = {True: ", separable", False: ", not separable", None: ""}[pair.separable]
    return RateCell(
        rate=percent,
        comparisons=f"{pair.comparisons:,}",
        css_class=shade(rate),
        separable=bool(pair.separable),
        said=f"{row} over {column}: {percent}% of {pair.comparisons:,}{verdict}",
    )
