"""Who came to rank: a table beside the rankings, which also has those who made none."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Row

from hype.export.kinds.base import PeopleTable
from hype.export.kinds.people_table import answered, flag, prompted_table, scored
from hype.export.kinds.ranking_screened import failed_screening
from hype.export.pieces import Tally
from hype.sessions.exported_rankings import BY_STATUS, FAILED_SCREENING, REASONS
from hype.study.studies import RankingStudy

CHECKER: Final = "checker"
NOT_SCORED: Final = {
    **{why: REASONS[why] for why in BY_STATUS.values()},
    CHECKER: "what checkers rank is what others are held against",
    FAILED_SCREENING: REASONS[FAILED_SCREENING],
}


def evaluator_table(
    connection: Connection, study: RankingStudy, tally: Tally, simulated: bool
) -> PeopleTable:
    """Give a row for each evaluator, with what they said about themselves."""
    failed = failed_screening(connection.engine, study, simulated=simulated)

    def is_checker(who: Row[Any]) -> bool:
        return study.settings.screening.is_checker(who.evaluator)

    def why_not(who: Row[Any]) -> str:
        checks = CHECKER if is_checker(who) else ""
        lost = FAILED_SCREENING if who.evaluator in failed else ""
        return BY_STATUS.get(who.status) or checks or lost

    did = (
        flag("checker", "whether they are a checker, whom others are held against", is_checker),
        answered(
            tally,
            "rankings",
            "how many rankings they began, accepted or not, practice and test included",
        ),
        *scored(tally, "rankings", NOT_SCORED, why_not),
    )
    return prompted_table(connection, study, did, simulated=simulated)
