"""How often each condition was picked, with Wilson's interval, as a table."""

import pandas as pd
from rich.console import RenderableType

from hype.answers.sources import LoadedAnswers, Reader
from hype.protocols.facets import Scoring
from hype.protocols.prompted.scoring import common_settings_of_prompted, number_of
from hype.protocols.prompted.tables import exclusion_table
from hype.report import tabular
from hype.report.layout import Slot, Terminal, lay_out_terminal
from hype.report.parts import Place
from hype.report.scores import Scores
from hype.statistics.proportions import wilson
from hype.tables import answers as tables
from hype.tables import reasons
from picking.export import OUTGOING
from picking.record import REASONS, ROW
from picking.settings import NAME


def score_picks(answers: LoadedAnswers, _choices: object) -> Scores:
    frame = answers.frame
    why_not = reasons.reasons_of(frame, REASONS)
    scored = frame[why_not.eq(reasons.SCORED)]
    left_out = reasons.count_by_reason(frame, why_not, REASONS)
    score = Scores(
        protocol=NAME,
        simulated=bool(frame["simulated"].any()),
        facts={"evaluators": number_of(scored, "evaluator"), "picks": len(scored)},
        tables=(shares_table(scored), exclusion_table(left_out, "picks")),
        notes=(),
    )
    return answers.add_notes(score)


def shares_table(scored: pd.DataFrame) -> tabular.Table:
    """Return a table of the picked conditions, the most frequent one first."""
    shares = scored["picked"].value_counts().rename_axis("condition").to_frame("picked")
    shares["shown"] = len(scored)
    shares["share"] = shares["picked"] / shares["shown"]
    shares["low"], shares["high"] = wilson(shares["picked"], shares["shown"])
    return tabular.tabulate(
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


LAYOUT = (Slot("conditions", Place.RESULT, title="Picks", terminal=Terminal.WHOLE),)


def laid_out(answers: LoadedAnswers, score: Scores, *, whole: bool) -> RenderableType:
    return lay_out_terminal(
        score,
        LAYOUT,
        title="Picking the best",
        asked=[f"{score.facts['picks']:,} picks"],
        sentences={},
        background=answers.said,
        intervals="",
        whole=whole,
    )


TABLE = tables.TableReader(row=ROW, own_checks=lambda table, _where: table)
SCORING = Scoring(
    read=Reader(outgoing=lambda: OUTGOING, table=TABLE).answers,
    score=score_picks,
    laid_out=laid_out,
    common_settings=common_settings_of_prompted,
)
