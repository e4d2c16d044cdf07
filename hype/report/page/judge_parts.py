"""What the page says of automated judges beside people who rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report import rating_wording as said
from hype.report.page.judges_found import judges_found
from hype.report.page.parts import Findings, Folded, PartMaker, Tabled
from hype.report.tables import judge_details, judge_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis.judges.scores import RatingJudgesScore
    from hype.report.page.parts import Block, Part
    from hype.report.tables.tabular import Table

_TITLES: Final = {
    "judges": "Judges beside people",
    "judge-axes": "Judges, axis by axis",
    "judge-truth": "Judges against what is right",
    "judge-position": "Do judges look at the images, or at their places?",
}


def judge_parts(score: RatingJudgesScore, protocol: str) -> Iterator[Part]:
    """Yield the parts on judges.

    Parameters
    ----------
    score
        Of the judges.
    protocol
        What the keys of the parts begin with.
    """
    part = PartMaker(protocol=protocol, titles=_TITLES)
    second = said.second_sentence(score, judge_tables.main_axis(score))
    yield part(
        "judges",
        sentences=filter(None, [second]),
        table=judge_tables.summary(score),
        blocks=(judges_found(score.judges), Findings(sentences=(), notes=score.notes)),
    )
    kappa, r = (judge_tables.by_axis(score, what) for what in ("kappa", "r"))
    yield part("judge-axes", sentences=(_kappa(score),), table=kappa, blocks=_axis_blocks(score, r))
    truth = judge_details.against_truth(score)
    if truth.rows:
        yield part("judge-truth", table=truth)
    positions = judge_details.positions(score)
    if positions.rows:
        yield part("judge-position", table=positions)


def _kappa(score: RatingJudgesScore) -> str:
    scores = score.pairs and any(judge.shape == "scores" for judge in score.judges)
    also = "; of a judge that scores images, κ of which image is better" if scores else ""
    return f"Cohen’s κ with people’s ratings, levels as names{also}. Beneath it Pearson’s r."


def _axis_blocks(score: RatingJudgesScore, r: Table) -> tuple[Block, ...]:
    weighted = judge_tables.by_axis(score, "weighted")
    return (
        Tabled(table=r),
        *([Folded(summary=weighted.title, table=weighted)] if weighted.says_something else []),
        Folded(
            summary="Every judge on every axis, with intervals",
            table=judge_tables.every_axis(score),
        ),
    )
