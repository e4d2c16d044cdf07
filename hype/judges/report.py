"""Automated judges and preference models on the page: their parts, and the figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from hype.judges import preference_tables
from hype.judges import tables as judge_details
from hype.judges import tables as judge_tables
from hype.judges.results import JudgeVerdict, RankingJudgesScore
from hype.judges.tables import FOUND
from hype.protocols.prompted.tables import share_cell, share_square
from hype.protocols.rating import wording as rating_wording
from hype.report import tabular, wording
from hype.report.figures.drawing import BLUE, FAINT, INK, Drawing, LegendEntry, draw_key, linear
from hype.report.figures.rows import (
    CHANCE,
    PANEL_WIDTH_IN,
    Dot,
    DotPanel,
    DotPanels,
    Rows,
    draw_estimate,
    drawn_values,
    mark,
)
from hype.report.parts import Block, Findings, Folded, PartMaker, Tabled
from hype.report.tabular import Table
from hype.statistics.estimate import in_percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from hype.judges.results import (
        JudgeAgreement,
        PreferenceAgreement,
        RatingJudgesScore,
    )
    from hype.judges.tables import ChoiceJudges
    from hype.protocols.prompted.tables import ShareSquare
    from hype.protocols.ranking.agreement import RankingAgreement
    from hype.protocols.ranking.results import RankingScore
    from hype.report.parts import Part
    from hype.statistics.estimate import Estimate


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
class JudgeVerdicts(Block):
    """What is found of all judges; those of `more` are folded."""

    template: ClassVar[str] = "judge_verdicts.html"

    judges: tuple[JudgeVerdictText, ...]
    more: tuple[JudgeVerdictText, ...] = ()


def judge_verdicts(judges: Sequence[JudgeInWords]) -> JudgeVerdicts:
    texts = tuple(
        JudgeVerdictText(
            judge=judge.judge,
            found=FOUND[judge.verdict],
            sentences=judge.said,
            well=judge.verdict is JudgeVerdict.AGREES,
        )
        for judge in judges
    )
    return JudgeVerdicts(judges=texts[:OPEN], more=texts[OPEN:])


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
        blocks=(judge_verdicts(score.judges), Findings(sentences=(), notes=score.notes)),
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


def judge_blocks(score: ChoiceJudges, tables: Sequence[Table]) -> tuple[Block, ...]:
    """Say what is found of each judge, and fold the tables."""
    return (
        judge_verdicts(score.judges),
        Findings(sentences=(), notes=score.notes),
        *(
            Folded(summary=table.title, table=table)
            for table in tables
            if table.says_something and len(table.rows) <= MOST_ROWS
        ),
    )


MOST_BENCHMARKS: Final = 12
MOST_ROWS: Final = 2000
"""Rows of a folded table of models and pairs."""

ModelPart = tuple[str, tuple[str, ...], Table | None, tuple[Block, ...]]


def model_parts(score: RankingScore, models: RankingJudgesScore) -> Iterator[ModelPart]:
    """Give name, sentences, table and blocks of each part."""
    many = [judge_tables.tally(models)] if len(models.judges) > OPEN else []
    yield "models", tuple(many), preference_tables.summary(models), tuple(_blocks(score, models))
    if models.benchmarks:
        yield _benchmark(models)


def _blocks(score: RankingScore, models: RankingJudgesScore) -> Iterator[Block]:
    yield judge_verdicts(models.judges)
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


MOST_DRAWN: Final = 30
"""Judges; of more, the first."""


def judge_drawing(score: RatingJudgesScore | None) -> Drawing | None:
    """Draw r of judges with people, a panel for each axis; None where no judge has any."""
    if score is None:
        return None
    judges = score.judges[:MOST_DRAWN]
    panels = tuple(panel for axis in score.axes if (panel := _panel(score, judges, axis)))
    if not panels:
        return None
    shown = DotPanels(names=tuple(j.judge for j in judges), panels=panels, mark=(0, ""))
    return Drawing(
        name="rating-judge-agreement",
        title="How far judges agree with people",
        caption=_caption_of_agreement(score, banded=any(panel.band for panel in panels)),
        alt=_alt_of_agreement(judges),
        panels=shown.drawn(),
        width_in=PANEL_WIDTH_IN,
        height_in=shown.height_in,
        x_label="Pearson's r with people",
        margins=shown.margins,
        by_condition=False,
    )


def _panel(
    score: RatingJudgesScore, judges: tuple[JudgeAgreement, ...], axis: str
) -> DotPanel | None:
    dots = tuple(_dot(judge, axis) for judge in judges)
    if all(dot.value is None for dot in dots):
        return None
    person = next((second.r for second in score.people if second.axis == axis), None)
    band = Dot(value=person.value, low=person.low, high=person.high) if person else None
    return DotPanel(title=axis, dots=dots, band=band if band and band.value is not None else None)


def _dot(judge: JudgeAgreement, axis: str) -> Dot:
    correlated = next((row.correlation for row in judge.axes if row.axis == axis), None)
    return (
        Dot(value=correlated.r, low=correlated.low, high=correlated.high)
        if correlated
        else Dot(value=None)
    )


def _caption_of_agreement(score: RatingJudgesScore, *, banded: bool) -> str:
    sentences = f"Pearson's r of each judge with people's ratings, with its {score.confidence:.0%} "
    sentences += (
        "interval. Without a dot: a judge that did not answer, or said the same to everything."
    )
    if banded:
        sentences += (
            " Line and pale ground: how far two people agree who rated the same, with interval."
        )
    if len(score.judges) > MOST_DRAWN:
        sentences += f" The first {MOST_DRAWN} of {len(score.judges):,}; the table has all."
    return sentences


def _alt_of_agreement(judges: tuple[JudgeAgreement, ...]) -> str:
    correlated = [judge for judge in judges if judge.mean_r is not None]
    if not correlated:
        return f"{len(judges)} judges."
    ends = [
        f"{axis_row.judge}, mean r {wording.number(axis_row.mean_r, 2)}"
        for axis_row in (correlated[0], correlated[-1])
    ]
    return f"{len(judges)} judges, from {ends[0]}, to {ends[1]}."


MOST_MODELS: Final = 39
"""Models; the best ones are drawn of more."""
PERSON: Final = "a person"
_HEADER_IN: Final = 0.55


@dataclass(frozen=True, kw_only=True)
class AgreementRow:
    """A row: how often somebody agrees with single people, and with the mean of them."""

    name: str  # of the model, or `PERSON`
    # single, average: in percent; None where unknown
    single: Estimate | None
    average: Estimate | None


@dataclass(frozen=True, kw_only=True)
class ModelWords:
    """What is said of the figure of judges of choices."""

    name: str
    title: str
    prefers: str  # what is counted
    average: str  # and of most people
    units: str
    of_most: str = "mean of all"  # in the key
    single: str = "the one that a person prefers"


RANKED: Final = ModelWords(
    name="ranking-models",
    title="Preference models beside people",
    prefers="the image with the higher score",
    average="that has the better mean rank of all",
    units="models",
)
DETECTED: Final = ModelWords(
    name="judge-agreement",
    title="How far judges agree with people",
    prefers="what the judge calls an image",
    average="what most people call it",
    units="judges",
    of_most="most people",
    single="what a person calls it",
)
COMPARED: Final = ModelWords(
    name="comparison-judge-agreement",
    title="How far judges agree with people",
    prefers="the image that the judge prefers",
    average="that most people prefer",
    units="judges",
    of_most="most people",
)


def model_drawing(
    score: ChoiceJudges | None,
    agreement: RankingAgreement | None,
    words: ModelWords = RANKED,
    *,
    of: str = "",
) -> Drawing | None:
    """Draw how often models are right, and how often a person is; None without models.

    ``of``: what the figure's name begins with, beside that of ``words``.
    """
    if score is None or not score.judges:
        return None
    person = _person(score, agreement)
    shown = [*([person] if person else []), *map(_model, score.judges[:MOST_MODELS])]
    rows = Rows(
        names=tuple(row.name for row in shown),
        values=tuple(_value(row) for row in shown),
        header_in=_HEADER_IN,
    )
    return rows.drawing(
        name=tabular.slug(*filter(None, [of]), words.name),
        title=words.title,
        caption=" ".join(_caption_of_models(score, agreement, words)),
        alt=_alt_of_models(shown, words),
        draw=partial(_draw, shown=shown, rows=rows, key=_key(words)),
        x_label="agrees with people, in %",
    )


def _person(score: ChoiceJudges, agreement: RankingAgreement | None) -> AgreementRow | None:
    """Give how often a person is right in the choices that models were held against."""
    asked = max(score.judges, key=lambda judge: judge.comparisons).single
    single = in_percent(asked.estimate) if asked else None
    average = in_percent(agreement.single_averaged) if agreement else None
    if single is None and average is None:
        return None
    return AgreementRow(name=PERSON, single=single, average=average)


def _model(judge: PreferenceAgreement) -> AgreementRow:
    mean = judge.average
    return AgreementRow(
        name=judge.judge,
        single=in_percent(judge.accuracy.estimate),
        average=in_percent(mean.estimate) if mean else None,
    )


def _key(words: ModelWords) -> tuple[LegendEntry, ...]:
    return (
        LegendEntry(label="single people", marker="o", colour=INK),
        LegendEntry(label=words.of_most, marker="d", colour=BLUE),
    )


def _value(row: AgreementRow) -> tuple[str, str]:
    shares = [f"{wording.number(share.value)}%" for share in (row.single, row.average) if share]
    return " · ".join(shares), shares[0] if shares else ""


def _draw(
    axes: Axes, shown: Sequence[AgreementRow], rows: Rows, key: tuple[LegendEntry, ...]
) -> None:
    rows.prepare(axes)
    values = [CHANCE, *drawn_values(share for row in shown for share in (row.single, row.average))]
    low, high = min(values), max(values)
    # The label of 100 needs room beside it.
    axes.set_xlim(max(0.0, low - 3), high + 3 if high < 95 else 103.0)
    linear(axes.xaxis)
    mark(axes, CHANCE, "a coin")
    apart = rows.half * 0.55
    for place, judge in enumerate(shown):
        for entry, share, y in zip(
            key, (judge.single, judge.average), (-apart, apart), strict=True
        ):
            if share:
                draw_estimate(axes, entry, share, rows.centre(place) + y, close=rows.close)
    if shown[0].name == PERSON:
        axes.axhline(0.5, color=FAINT, linewidth=0.8, zorder=0.6)
    draw_key(axes, key, 72 * _HEADER_IN - 12)


def _caption_of_models(
    score: ChoiceJudges,
    agreement: RankingAgreement | None,
    words: ModelWords,
) -> Iterator[str]:
    yield (
        f"How often {words.prefers} is {words.single} (circle), and "
        f"{words.average} (diamond), with {score.confidence:.0%} intervals."
    )
    if _person(score, agreement) is not None:
        yield (
            "The first row is a person: beside another one in the same cases"
            + (f", and beside the mean rank of all others{_which(score)}." if agreement else ".")
        )
    more = len(score.judges) - MOST_MODELS
    if more > 0:
        yield f"The {MOST_MODELS} best of {len(score.judges):,} {words.units}."


def _which(score: ChoiceJudges) -> str:
    held_out = isinstance(score, RankingJudgesScore) and score.held_out
    return " (of all rankings)" if held_out else ""


def _alt_of_models(shown: Sequence[AgreementRow], words: ModelWords) -> str:
    agreements = [f"{row.name} {_value(row)[0].replace(' · ', ' and ')}" for row in shown[:4]]
    more = f", and {len(shown) - 4:,} more" if len(shown) > 4 else ""
    return f"Agreement with single people and {words.of_most}: {'; '.join(agreements)}{more}."
