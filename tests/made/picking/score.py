"""How often each condition was picked, with Wilson's interval; and how that is shown."""

from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
from rich.console import Group, RenderableType

from hype.answers.sources import LoadedAnswers, Reader
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import ProtocolScore
from hype.protocols.prompted.scoring import alike_by_prompts, number_of
from hype.report import tabular
from hype.report.terminal import closing, opening, titled
from hype.statistics.proportions import wilson
from hype.tables import answers as tables
from hype.tables import reasons
from picking.export import OUTGOING
from picking.record import REASONS, ROW
from picking.settings import NAME


@dataclass(frozen=True, kw_only=True)
class PickingScore(ProtocolScore):
    protocol: ClassVar[str] = NAME

    simulated: bool
    evaluators: int | None
    picks: int
    conditions: tabular.Table
    exclusions: tuple[reasons.LeftOut, ...]


def score_picks(answers: LoadedAnswers, _choices: object) -> PickingScore:
    frame = answers.frame
    why_not = reasons.reasons_of(frame, REASONS)
    scored = frame[why_not.eq(reasons.SCORED)]
    score = PickingScore(
        simulated=bool(frame["simulated"].any()),
        evaluators=number_of(scored, "evaluator"),
        picks=len(scored),
        conditions=shares_table(scored),
        exclusions=reasons.left_out(frame, why_not, REASONS),
    )
    return answers.add_notes(score)


def shares_table(scored: pd.DataFrame) -> tabular.Table:
    """Lay out the conditions that were picked, the one that was most often first."""
    shares = scored["picked"].value_counts().rename_axis("condition").to_frame("picked")
    shares["shown"] = len(scored)
    shares["share"] = shares["picked"] / shares["shown"]
    shares["low"], shares["high"] = wilson(shares["picked"], shares["shown"])
    return tabular.tabulated(
        shares.reset_index().itertuples(),
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


def laid_out(answers: LoadedAnswers, score: PickingScore, *, whole: bool) -> RenderableType:
    return Group(
        *opening("Picking the best", [f"{score.picks:,} picks"], simulated=score.simulated),
        *titled(score.conditions),
        *closing(answers.said, "", score.notes, whole=whole),
    )


TABLE = tables.TableReader(row=ROW, own_checks=lambda table, _where: table)
SCORING = Scoring(
    read=Reader(outgoing=lambda: OUTGOING, table=TABLE).answers,
    score=score_picks,
    laid_out=laid_out,
    as_object=lambda score: tabular.printed_scores(
        NAME,
        {"simulated": score.simulated, "evaluators": score.evaluators, "picks": score.picks},
        score.notes,
        [score.conditions],
    ),
    alike=alike_by_prompts,
)
