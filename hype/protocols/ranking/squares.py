"""The squares of rankings: win rates, agreement, and how often a model is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.protocols.prompted.report import share_cell, share_square

if TYPE_CHECKING:
    from hype.judges.preference_results import PreferenceAgreement
    from hype.protocols.prompted.report import ShareCell, ShareSquare
    from hype.protocols.ranking.results import RankingScore

_TIES = {"none": "ties are not counted", "half": "a tie is half a win"}
Cells = dict[tuple[str, str], "ShareCell"]


def win_square(score: RankingScore) -> ShareSquare | None:
    """Arrange win rates; None where there are no pairs, or too many conditions."""
    cells: Cells = {}
    for pair in score.pairs:
        if pair.win_rate is None:
            continue
        for a, b, rate in ((pair.a, pair.b, pair.win_rate), (pair.b, pair.a, 1 - pair.win_rate)):
            bold = bool(pair.separable)
            cells[a, b] = share_cell(rate, pair.comparisons, f"{a} above {b}", bold=bold)
    ties = _TIES.get(score.ties, "a tie is half a win")
    return share_square(
        names_of(score),
        cells,
        key="ranking-pairs",
        label="Win rates of each two conditions",
        explained="How often the image of the row was put above that of the column, in %, and of "
        f"how many comparisons; {ties}. Bold: separable at α = {score.alpha:g}.",
        ends=("row never above", "row always above"),
    )


def agreement_square(score: RankingScore) -> ShareSquare | None:
    """Arrange agreement; None where nothing is known, or there are too many conditions."""
    cells: Cells = {}
    for pair in score.agreement.pairs if score.agreement else ():
        for a, b in ((pair.a, pair.b), (pair.b, pair.a)):
            cells[a, b] = share_cell(pair.agreement.value, pair.comparisons, f"{a} and {b}")
    return share_square(
        names_of(score),
        cells,
        key="ranking-agreement",
        label="Agreement on each two conditions",
        explained="How often two people put the same of two images first, in %, and over how many "
        "pairs of images; 50 is what two coins do.",
        ends=("never the same", "always the same"),
    )


def model_square(score: RankingScore, judge: PreferenceAgreement) -> ShareSquare | None:
    """Arrange a model's accuracy; None where nothing is known, or there are too many conditions."""
    cells: Cells = {}
    for pair in judge.pairs:
        if pair.accuracy is not None:
            for a, b in ((pair.a, pair.b), (pair.b, pair.a)):
                cells[a, b] = share_cell(pair.accuracy, pair.comparisons, f"{a} and {b}")
    return share_square(
        names_of(score),
        cells,
        key="ranking-models",
        label=f"Accuracy of {judge.judge} on each two conditions",
        explained=f"In how many of people's choices between an image of the row and one of the "
        f"column {judge.judge} is right, in %, and of how many choices; a coin is in 50.",
        ends=("always wrong", "always right"),
    )


def names_of(score: RankingScore) -> tuple[str, ...]:
    return tuple(row.condition for row in score.conditions)
