"""What a study adds to its rankings as they leave it, and which of a table are not scored.

What a ranking is for and how far its evaluator came is known of each row; checkers and how others
compare with them are known of a whole study alone.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from sqlalchemy import Engine

from hype.protocols.ranking.record import RANKINGS
from hype.protocols.ranking.rows import REASONS, why_excluded
from hype.protocols.ranking.sampling import read_ranking_pools
from hype.protocols.ranking.screening import screening
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.table import check_rankings
from hype.report.tabular import Row
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.store.record import record_of
from hype.tables.distinct import codes_of
from hype.tables.reasons import LeftOut, left_out, reasons_of


def ranking_reasons(rankings: pd.DataFrame, *, failed: Collection[str] = ()) -> pd.Series:
    """Give each row why its ranking is not scored, `SCORED` where it is.

    ``rankings``: as `check_rankings` returns them. ``failed``: evaluators whom the study's rule
    leaves out. What the column excluded says of any image of a ranking holds of all of it.
    """
    facts: dict[str, Any] = {}
    if failed:
        facts["failed"] = rankings["evaluator"].isin(list(failed))
    if "excluded" in rankings:
        names = rankings["excluded"].cat.categories  # sorted: the empty one is the first
        last = codes_of(rankings["excluded"])
        of_ranking = np.zeros(int(rankings["ranking"].max()) + 1, dtype=np.int64)
        np.maximum.at(of_ranking, rankings["ranking"].to_numpy(), last)
        facts["excluded"] = pd.Categorical.from_codes(
            of_ranking[rankings["ranking"].to_numpy()], categories=names
        )
    return reasons_of(rankings, REASONS, **facts)


def left_out_rankings(rankings: pd.DataFrame, reasons: pd.Series) -> tuple[LeftOut, ...]:
    """Count the rankings that are not scored by their reasons."""
    number = rankings["ranking"]
    return left_out(rankings, reasons, REASONS, lambda rows: int(number[rows].nunique()))


def split_of(prompt: object, held_out: Collection[str]) -> str:
    """Say what a prompt may be used for; nothing where none is held out."""
    if not held_out:
        return ""
    return "test" if prompt in held_out else "train"


def what_is_added(
    _engine: Engine,
    study: RankingStudy,
    _simulated: bool,
    *,
    failed: Collection[str] = (),
) -> Adding:
    """Give what the study says of a ranking.

    Which prompts are held out is drawn from the images. That a checker's rankings are not scored
    their task says.
    """
    settings = study.settings
    drawn = settings.ranking.held_out
    held_out = read_ranking_pools(study).held_out if drawn else frozenset()

    def added(
        evaluator: object, status: object, task: object, prompt: object, rank: object
    ) -> Cells:
        reason = why_excluded(
            status=status, task=task, finished=rank is not None, failed=evaluator in failed
        )
        is_checker = settings.screening.is_checker(str(evaluator))
        return (is_checker, split_of(prompt, held_out), reason)

    return added


def what_is_added_and_screened(engine: Engine, study: RankingStudy, simulated: bool) -> Adding:
    """Give the same, the study's rule of screening among the reasons."""
    failed = failed_screening(engine, study, simulated=simulated)
    return what_is_added(engine, study, simulated, failed=failed)


RANKED: Final[Outgoing[RankingStudy]] = Outgoing(
    answers=RANKINGS,
    needed=("evaluator", "status", "task", "prompt", "rank"),
    adding=what_is_added,
)
"""How rankings leave a study to be scored, which screens them."""
SCREENED: Final = replace(RANKED, adding=what_is_added_and_screened)
"""How they are exported."""
TO_SCREEN: Final = (
    *("evaluator", "session", "status", "task", "block", "group", "condition", "image", "rank"),
    "simulated",
)
"""What the screening is computed from, beside what the study adds."""


def screening_in(engine: Engine, study: RankingStudy, *, simulated: bool) -> Row | None:
    """Hold a record's evaluators against its checkers, as `hype score` does.

    Raises InputError: what was ranked cannot be read.
    """
    exported = RANKED.read(engine, study, simulated=simulated, columns=TO_SCREEN)
    frame = pd.DataFrame(list(exported.rows), columns=list(exported.columns))
    if not frame["rank"].notna().any():
        return None
    rule = study.settings.screening
    rankings = check_rankings(frame, where=record_of(study).where, simulated=simulated)
    return screening(rankings, min_recall=rule.min_recall, check_share=rule.check_share)


def failed_screening(engine: Engine, study: RankingStudy, *, simulated: bool) -> frozenset[str]:
    """Give the evaluators whom the study's rule leaves out."""
    if study.settings.screening.min_recall is None:
        return frozenset()
    screened = screening_in(engine, study, simulated=simulated)
    return frozenset(screened["failed"]) if screened else frozenset()
