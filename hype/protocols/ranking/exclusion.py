"""Which rankings are scored, and why the others are not: the one rule, and where it is applied.

`why_excluded` is the rule. The record applies it to each of its rows as they leave a study, by what
a row tells; `reasons_of` to a whole table, where checkers and their screening are known as well.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import Engine

from hype.protocols.ranking.record import RANKINGS
from hype.protocols.ranking.rows import ROW
from hype.protocols.ranking.sampling import read_ranking_pools
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.trial import RankingTask
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.statistics.arrays import IntArray
from hype.store.columns import added_columns
from hype.store.record import RECORD_FILE
from hype.tables.reasons import (
    BY_PEOPLE,
    COMPLETE,
    OF_PEOPLE,
    SCORED,
    LeftOut,
    by_rule,
    facts_in,
    left_out,
    reason_of_row,
)

if TYPE_CHECKING:
    import pandas as pd

    from hype.protocols.ranking.screening import Screening

CHECKER: Final = "checker"
FAILED_SCREENING: Final = "failed-screening"
UNFINISHED_RANKING: Final = "unfinished-ranking"

REASONS: Final = {
    **OF_PEOPLE,
    "practice": "practice is never scored",
    "test": "the test is never scored",
    "check": "what checkers rank after others is never scored",
    UNFINISHED_RANKING: "the order was not accepted",
    FAILED_SCREENING: "the evaluator's first choices too often were not among a checker's first "
    "two, by the study's rule",
}
"""What the column excluded may say of a study's rankings."""
MEANINGS: Final = {
    **BY_PEOPLE,
    FAILED_SCREENING: "by somebody whose first choices too often were not among a checker's first "
    "two",
    CHECKER: "by a checker",
    "test": "of the test",
    "check": "for a check",
    "practice": "for practice",
    UNFINISHED_RANKING: "in which not every image has its place",
}
"""Reasons in the order in which they are reported, and how a sentence says them."""


def why_excluded(
    *,
    status: str = COMPLETE,
    task: str = RankingTask.RANKING.value,
    finished: bool = True,
    checker: bool = False,
    failed: bool = False,
    excluded: str = "",
) -> str:
    """Say why a ranking is not scored; `SCORED` where it is. Of several reasons the first counts.

    What a table says of it comes first, then where its evaluator stands and whether they check
    others, then what it was for, whether the study's rule leaves the evaluator out for their
    recall@2, and last whether each image has its place.
    """
    if reason := reason_of_row(status=status, excluded=excluded):
        return reason
    if checker:
        return CHECKER
    if task != RankingTask.RANKING.value:
        return task
    if failed:
        return FAILED_SCREENING
    return SCORED if finished else UNFINISHED_RANKING


def reasons_of(rankings: pd.DataFrame, *, failed: Collection[str] = ()) -> pd.Series:
    """Apply the rule to a table: give each row the reason of its ranking.

    ``rankings``: as `check_rankings` returns them. ``failed``: evaluators whom the study's rule
    leaves out. Gives categories; those of `MEANINGS` are always among them.
    """
    facts = facts_in(rankings, "status", "task", "finished", "checker")
    if failed:
        facts["failed"] = rankings["evaluator"].isin(list(failed))
    if "excluded" in rankings:
        facts["excluded"] = _excluded(rankings)
    return by_rule(why_excluded, facts, list(MEANINGS), rankings.index)


def _excluded(rankings: pd.DataFrame) -> pd.Categorical[str]:
    """Give what the column says of any image of a ranking to all of it."""
    import numpy as np
    import pandas as pd

    number = rankings["ranking"].to_numpy()
    cells = rankings["excluded"].cat
    names = [SCORED, *(name for name in map(str, cells.categories) if name)]
    places = np.array([names.index(str(name)) for name in cells.categories])
    of_ranking = np.zeros(int(number.max()) + 1, dtype=np.int64)
    np.maximum.at(of_ranking, number, places[cells.codes.to_numpy()])
    codes: IntArray = of_ranking[number]
    return pd.Categorical.from_codes(codes, categories=pd.Index(names))


def left_out_rankings(rankings: pd.DataFrame, reasons: pd.Series) -> tuple[LeftOut, ...]:
    """Count the rankings that are not scored by their reasons, in the order of `MEANINGS`."""
    number = rankings["ranking"]
    return left_out(rankings, reasons, MEANINGS, lambda rows: int(number[rows].nunique()))


SPLITS: Final = {
    "train": "preference models may be trained on it",
    "test": "held out, for testing preference models",
}
ADDED: Final = added_columns(ROW, excluded=REASONS, split=SPLITS)
"""The columns that the study file makes."""


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
            status=str(status),
            task=str(task),
            finished=rank is not None,
            failed=evaluator in failed,
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
    added=ADDED,
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


def screening_in(engine: Engine, study: RankingStudy, *, simulated: bool) -> Screening | None:
    """Hold a record's evaluators against its checkers, as `hype score` does.

    Raises InputError: what was ranked cannot be read.
    """
    import pandas as pd

    from hype.protocols.ranking.screening import screening
    from hype.protocols.ranking.table import check_rankings

    exported = RANKED.read(engine, study, simulated=simulated, columns=TO_SCREEN)
    frame = pd.DataFrame(list(exported.rows), columns=list(exported.columns))
    if not frame["rank"].notna().any():
        return None
    rule = study.settings.screening
    rankings = check_rankings(frame, where=study.folder / RECORD_FILE, simulated=simulated)
    return screening(rankings, min_recall=rule.min_recall, check_share=rule.check_share)


def failed_screening(engine: Engine, study: RankingStudy, *, simulated: bool) -> frozenset[str]:
    """Give the evaluators whom the study's rule leaves out."""
    if study.settings.screening.min_recall is None:
        return frozenset()
    screened = screening_in(engine, study, simulated=simulated)
    return frozenset(screened.failed) if screened else frozenset()
