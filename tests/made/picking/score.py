"""How often each condition was picked, with Wilson's interval; and how that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
from rich.console import Group, RenderableType

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers, Reader
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import ProtocolScore, score_object
from hype.protocols.prompted.scoring import alike_by_prompts, number_of
from hype.protocols.prompted.tables import by_reason
from hype.report import tabular
from hype.report.tabular import Table
from hype.report.terminal import closing, opening, titled
from hype.statistics.estimate import Estimate, estimated
from hype.statistics.proportions import wilson
from hype.tables.reasons import SCORED, LeftOut, left_out
from picking.export import OUTGOING
from picking.rows import MEANINGS, NAMES
from picking.settings import NAME
from picking.table import TABLE, check_picks, reasons_of

MEANING = "How often the image of a condition was picked of a row with one image of each."


@dataclass(frozen=True, kw_only=True)
class PickShare:
    condition: str
    shown: int
    picked: int
    share: Estimate | None = estimated("share")


@dataclass(frozen=True, kw_only=True)
class PickingScore(ProtocolScore):
    protocol: ClassVar[str] = NAME

    simulated: bool
    evaluators: int | None
    picks: int
    conditions: tuple[PickShare, ...]
    exclusions: tuple[LeftOut, ...]


def read_picks(source, choices: Choices) -> LoadedAnswers:
    reader = Reader(outgoing=lambda: OUTGOING, columns=NAMES, check=check_picks, read=TABLE.load)
    return reader.answers(source, choices)


def score_picks(answers: LoadedAnswers) -> PickingScore:
    frame, reasons = answers.frame, reasons_of(answers.frame)
    scored = frame[reasons.eq(SCORED)]
    score = PickingScore(
        simulated=bool(frame["simulated"].any()),
        evaluators=number_of(scored, "evaluator"),
        picks=int(scored["picked"].sum()),
        conditions=tuple(shares_of(scored)),
        exclusions=left_out(
            frame, reasons, MEANINGS, lambda rows: int(frame["picked"][rows].sum())
        ),
    )
    return answers.add_notes(score)


def shares_of(scored: pd.DataFrame) -> Iterator[PickShare]:
    """Give each condition, the one that was picked most often first."""
    by_condition = scored.groupby("condition", observed=True)["picked"].agg(["sum", "size"])
    for name, row in by_condition.sort_values("sum", ascending=False, kind="stable").iterrows():
        picked, shown = int(row["sum"]), int(row["size"])
        low, high = map(float, wilson(picked, shown))
        share = Estimate(value=picked / shown, low=low, high=high)
        yield PickShare(condition=str(name), shown=shown, picked=picked, share=share)


def shares_table(score: PickingScore) -> Table:
    return tabular.tabulated(
        score.conditions,
        name="picking-conditions",
        title="How often each was picked",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.whole("Shown", "shown"),
            tabular.whole("Picked", "picked"),
            tabular.percent("Share", "share"),
            tabular.percents("95% interval", "share"),
        ),
    )


def left_out_table(score: PickingScore) -> Table:
    return by_reason(score.exclusions, "images", of="answers")


def every_table(score: PickingScore) -> tuple[Table, ...]:
    return shares_table(score), left_out_table(score)


def laid_out(answers: LoadedAnswers, score: PickingScore, *, whole: bool) -> RenderableType:
    said = f"{score.picks:,} picks of {score.evaluators or 'unknown'} evaluators"
    return Group(
        *opening("Picking the best", [said], simulated=score.simulated),
        *titled(shares_table(score)),
        *closing(answers.said, "", score.notes, whole=whole),
    )


SCORING = Scoring(
    read=read_picks,
    score=lambda answers, _choices: score_picks(answers),
    laid_out=laid_out,
    as_object=lambda score: score_object(score, every_table(score)),
    alike=alike_by_prompts,
)
