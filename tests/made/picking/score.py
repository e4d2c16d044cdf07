"""How often each condition was picked, with Wilson's interval; and how that is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
from rich.console import Group, RenderableType

from hype.answers.sources import LoadedAnswers, Reader
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import ProtocolScore, score_object
from hype.protocols.prompted.scoring import alike_by_prompts, number_of
from hype.protocols.prompted.tables import by_reason
from hype.report import tabular
from hype.report.tabular import Table
from hype.report.terminal import closing, opening, titled
from hype.statistics.proportions import wilson
from hype.tables.reasons import SCORED, LeftOut, left_out, reasons_of
from picking.export import OUTGOING
from picking.rows import REASONS
from picking.settings import NAME
from picking.table import TABLE

MEANING = "How often the image of a condition was picked of a row with one image of each."


@dataclass(frozen=True, kw_only=True)
class PickingScore(ProtocolScore):
    protocol: ClassVar[str] = NAME

    simulated: bool
    evaluators: int | None
    picks: int
    conditions: Table
    exclusions: tuple[LeftOut, ...]


def score_picks(answers: LoadedAnswers) -> PickingScore:
    frame, reasons = answers.frame, reasons_of(answers.frame, REASONS)
    scored = frame[reasons.eq(SCORED)]
    score = PickingScore(
        simulated=bool(frame["simulated"].any()),
        evaluators=number_of(scored, "evaluator"),
        picks=int(scored["picked"].sum()),
        conditions=shares_table(scored),
        exclusions=left_out(frame, reasons, REASONS, lambda rows: int(frame["picked"][rows].sum())),
    )
    return answers.add_notes(score)


def shares_table(scored: pd.DataFrame) -> Table:
    """Lay out the conditions, the one that was picked most often first."""
    shares = scored.groupby("condition", observed=True)["picked"].agg(shown="size", picked="sum")
    shares["share"] = shares["picked"] / shares["shown"]
    shares["low"], shares["high"] = wilson(shares["picked"], shares["shown"])
    ordered = shares.sort_values("picked", ascending=False, kind="stable").reset_index()
    return tabular.tabulated(
        ordered.itertuples(),
        name="picking-conditions",
        title="How often each was picked",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.whole("Shown", "shown"),
            tabular.whole("Picked", "picked"),
            tabular.percent("Share", "share"),
            tabular.percents("95% interval", "share", of=lambda row: (row.low, row.high)),
        ),
    )


def every_table(score: PickingScore) -> tuple[Table, ...]:
    return score.conditions, by_reason(score.exclusions, "images")


def laid_out(answers: LoadedAnswers, score: PickingScore, *, whole: bool) -> RenderableType:
    said = f"{score.picks:,} picks of {score.evaluators or 'unknown'} evaluators"
    return Group(
        *opening("Picking the best", [said], simulated=score.simulated),
        *titled(score.conditions),
        *closing(answers.said, "", score.notes, whole=whole),
    )


SCORING = Scoring(
    read=Reader(outgoing=lambda: OUTGOING, table=TABLE).answers,
    score=lambda answers, _choices: score_picks(answers),
    laid_out=laid_out,
    as_object=lambda score: score_object(score, every_table(score)),
    alike=alike_by_prompts,
)
