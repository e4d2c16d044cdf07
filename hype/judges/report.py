"""What the page says of automated judges beside people who rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from hype.judges import preference_tables
from hype.judges import tables as judge_details
from hype.judges import tables as judge_tables
from hype.judges.results import JudgeVerdict
from hype.judges.tables import FOUND
from hype.protocols.prompted.tables import share_cell, share_square
from hype.protocols.rating import wording as rating_wording
from hype.report.parts import Block, Findings, Folded, PartMaker, Tabled
from hype.report.tabular import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.judges.results import PreferenceAgreement, RankingJudgesScore, RatingJudgesScore
    from hype.protocols.prompted.tables import ShareSquare
    from hype.protocols.ranking.results import RankingScore
    from hype.report.parts import Part


OPEN: Final = 12
"""Judges of whom all is said; what is said of further ones is folded."""


class JudgeInWords(Protocol):
    """A judge of any kind."""

    @property
    def judge(self) -> str:
        """Its name."""

    @property
    def verdict(self) -> JudgeVerdict:
        """What is found."""

    @property
    def said(self) -> tuple[str, ...]:
        """In sentences."""


@dataclass(frozen=True, kw_only=True)
class JudgeVerdictText:
    """What is found of one judge: its name, a word, sentences, and whether nothing is wrong."""

    judge: str
    found: str
    sentences: tuple[str, ...]
    well: bool


@dataclass(frozen=True, kw_only=True)
class JudgesFound(Block):
    """What is found of all judges; those of `more` are folded."""

    template: ClassVar[str] = "judges_found.html"

    judges: tuple[JudgeVerdictText, ...]
    more: tuple[JudgeVerdictText, ...] = ()


def judges_found(judges: Sequence[JudgeInWords]) -> JudgesFound:
    texts = tuple(
        JudgeVerdictText(
            judge=judge.judge,
            found=FOUND[judge.verdict],
            sentences=judge.said,
            well=judge.verdict is JudgeVerdict.AGREES,
        )
        for judge in judges
    )
    return JudgesFound(judges=texts[:OPEN], more=texts[OPEN:])


_TITLES: Final = {
    "judges": "Judges beside people",
    "judge-axes": "Judges, axis by axis",
    "judge-truth": "Judges against what is right",
    "judge-position": "Do judges look at the images, or at their places?",
}


def judge_parts(score: RatingJudgesScore, protocol: str) -> Iterator[Part]:
    """Yield the parts on judges.

    ``protocol``: what the keys of the parts begin with.
    """
    part = PartMaker(protocol=protocol, titles=_TITLES)
    second = rating_wording.second_sentence(score, judge_tables.main_axis(score))
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
    of_models = judge_tables.about_and_within(score)
    return (
        Tabled(table=r),
        *([Tabled(table=of_models)] if of_models.rows else []),
        *([Folded(summary=weighted.title, table=weighted)] if weighted.says_something else []),
        Folded(
            summary="Every judge on every axis, with intervals",
            table=judge_tables.every_axis(score),
        ),
    )


MOST_BENCHMARKS: Final = 12
MOST_ROWS: Final = 2000
"""Rows of a folded table of models and pairs."""

ModelPart = tuple[str, tuple[str, ...], Table | None, tuple[Block, ...]]


def model_parts(score: RankingScore, models: RankingJudgesScore) -> Iterator[ModelPart]:
    """Give name, sentences, table and blocks of each part."""
    many = [preference_tables.tally(models.judges)] if len(models.judges) > OPEN else []
    yield "models", tuple(many), preference_tables.summary(models), tuple(_blocks(score, models))
    if models.benchmarks:
        yield _benchmark(models)


def _blocks(score: RankingScore, models: RankingJudgesScore) -> Iterator[Block]:
    yield judges_found(models.judges)
    yield Findings(sentences=(), notes=models.notes)
    every = preference_tables.every_figure(models)
    yield Folded(summary="Every figure with its interval", table=every)
    conditions = [row.condition for row in score.conditions]
    square = model_square(conditions, models.judges[0]) if models.judges else None
    if square is not None:
        yield square
    pairs = preference_tables.pairs(models)
    if pairs.rows and len(pairs.rows) <= MOST_ROWS:
        yield Folded(summary="Every model and pair in a table", table=pairs)


def model_square(conditions: Sequence[str], judge: PreferenceAgreement) -> ShareSquare | None:
    """Arrange a model's accuracy; None where nothing is known, or there are too many conditions."""
    cells = {}
    for pair in judge.pairs:
        if pair.accuracy is not None:
            for a, b in ((pair.a, pair.b), (pair.b, pair.a)):
                cells[a, b] = share_cell(pair.accuracy, pair.comparisons, f"{a} and {b}")
    return share_square(
        conditions,
        cells,
        key="ranking-models",
        label=f"Accuracy of {judge.judge} on each two conditions",
        explained=f"In how many of people's choices between an image of the row and one of the "
        f"column {judge.judge} is right, in %, and of how many choices; a coin is in 50.",
        ends=("always wrong", "always right"),
    )


def _benchmark(models: RankingJudgesScore) -> ModelPart:
    first, *others = preference_tables.benchmarks(models)
    shown = others[: MOST_BENCHMARKS - 1]
    more = len(others) - len(shown)
    rest = [f"{more:,} more benchmarks: hype report --tables writes them."] if more else []
    return (
        "benchmark",
        (f"{first.title}.", *rest),
        first,
        tuple(Folded(summary=table.title, table=table) for table in shown),
    )
