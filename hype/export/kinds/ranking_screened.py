"""Rankings as they go out: those of evaluators who failed the study's screening say so.

What the screening finds is a matter of statistics, which `hype.sessions` knows nothing of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlalchemy import Engine

from hype.sessions.exported_rankings import FAILED_SCREENING, RANKED
from hype.sessions.outgoing import Adding, Outgoing, Row
from hype.sessions.records import where_of
from hype.study.studies import RankingStudy

NEEDED: Final = (
    *("evaluator", "session", "status", "task", "block", "group", "condition", "image", "rank"),
    "simulated",
)
"""What the screening is computed from, beside what the study adds."""


def failed_screening(engine: Engine, study: RankingStudy, *, simulated: bool) -> frozenset[str]:
    """Give the evaluators whom the study's rule leaves out, as `hype score` finds them."""
    rule = study.settings.screening
    if rule.min_recall is None:
        return frozenset()
    import pandas as pd

    from hype.analysis.rankings.rankings import check_rankings
    from hype.analysis.rankings.screening import screening

    exported = RANKED.read(engine, study, simulated=simulated, columns=NEEDED)
    frame = pd.DataFrame(list(exported.rows), columns=list(exported.columns))
    if not frame["rank"].notna().any():
        return frozenset()
    checked = check_rankings(frame, where=where_of(study), simulated=simulated)
    found = screening(checked, min_recall=rule.min_recall, check_share=rule.check_share)
    return frozenset(found.failed) if found else frozenset()


def with_screening(engine: Engine, study: RankingStudy, simulated: bool) -> Adding:
    """Give what the study says of a ranking, and the screening where nothing else speaks."""
    add = RANKED.adding(engine, study, simulated)
    failed = failed_screening(engine, study, simulated=simulated)

    def added(evaluator: object, *of_ranking: object) -> Row:
        *said, excluded = add(evaluator, *of_ranking)
        return (*said, excluded or (FAILED_SCREENING if evaluator in failed else ""))

    return added


SCREENED: Final[Outgoing[RankingStudy]] = replace(RANKED, adding=with_screening)
"""How rankings go out."""
