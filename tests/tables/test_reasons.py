"""Why answers are not scored: rows of a record and tables have the same rule in every protocol."""

from __future__ import annotations

from itertools import product

import pandas as pd
import pytest

from hype.protocols.comparison import rows as comparison
from hype.protocols.hype import rows as hype
from hype.protocols.ranking import rows as ranking
from hype.protocols.ranking.export import count_left_out_rankings, ranking_reasons
from hype.protocols.ranking.table import check_rankings
from hype.protocols.rating import rows as rating
from hype.tables.reasons import SCORED, count_by_reason, reasons_of, rule_of

ROWS = {
    "hype": hype.ROW,
    "comparison": comparison.ROW,
    "rating": rating.ROW,
    "ranking": ranking.ROW,
}
EACH = pytest.mark.parametrize("name", ROWS)
STATUSES = ("complete", "declined", "left-out", "unqualified", "full", "withdrew")


def every_combination(name: str) -> pd.DataFrame:
    """Return a row for each combination of the facts on which a protocol's reasons depend."""
    row = ROWS[name]
    facts = {reason.of: (False, True) for reason in row.reasons}
    facts |= {"status": STATUSES, "task": tuple(row["task"].levels)}
    if "answer" in facts:
        facts["answer"] = ("left", "both-bad", "none")
    return pd.DataFrame([*product(*facts.values())], columns=[*facts])


@EACH
def test_a_table_is_ruled_row_by_row_as_a_record_is(name):
    row, facts = ROWS[name], every_combination(name)
    why_excluded = rule_of(row.reasons)
    by_row = [why_excluded(**cells) for cells in facts.to_dict("records")]

    assert reasons_of(facts, row.reasons).astype(str).tolist() == by_row
    # Every reason must apply to some row, also after the reasons before it.
    assert {*by_row} == {SCORED, *(reason.name for reason in row.reasons)}


@EACH
def test_the_first_reason_counts_and_people_s_own_come_first(name):
    why_excluded = rule_of(ROWS[name].reasons)
    facts = every_combination(name)
    unfinished = facts[facts["status"].isin(["full", "withdrew"])].to_dict("records")

    assert {why_excluded(**cells) for cells in unfinished} == {"unfinished"}
    assert why_excluded(status="declined", task="practice") == "declined"
    assert why_excluded(task="practice") == "practice"
    assert why_excluded() == why_excluded(status="complete") == SCORED


@EACH
def test_what_the_table_says_itself_comes_before_all_reasons(name):
    row = ROWS[name]
    facts = every_combination(name).assign(excluded="spilled coffee")
    assert set(reasons_of(facts, row.reasons)) == {"spilled coffee"}
    some = facts.assign(excluded=["spilled coffee", *[""] * (len(facts) - 1)])
    rest = reasons_of(some.drop(columns="excluded"), row.reasons)
    assert reasons_of(some, row.reasons).astype(str).tolist()[1:] == rest.astype(str).tolist()[1:]


@EACH
def test_each_reason_is_said_in_the_dictionary_and_in_a_sentence(name):
    row = ROWS[name]
    recorded = {reason.name: reason.meaning for reason in row.reasons if reason.is_recorded}
    assert row["excluded"].levels == recorded
    assert all(recorded.values())
    every = every_combination(name)
    facts = pd.concat([every.iloc[:1].assign(excluded="spilled coffee"), every]).reset_index()
    facts = facts.assign(excluded=facts["excluded"].fillna(""), evaluator=facts.index % 3)
    why = reasons_of(facts, row.reasons)
    counted = count_by_reason(facts, why, row.reasons)

    assert [one.reason for one in counted] == [*(r.name for r in row.reasons), "spilled coffee"]
    assert [one.meaning for one in counted] == [*(r.said for r in row.reasons), "spilled coffee"]
    assert sum(one.answers for one in counted) == (why != SCORED).sum()
    assert counted[-1].evaluators == counted[-1].answers == 1
    unknown = count_by_reason(facts.drop(columns="evaluator"), why, row.reasons)
    assert {one.evaluators for one in unknown} == {None}


def test_a_ranking_is_left_out_whole():
    frame = pd.DataFrame(
        {
            "evaluator": [*"aabbccdd"],
            "group": "g",
            "condition": [*"xy"] * 4,
            "rank": [1, 2, 1, None, 2, 1, 1, 2],
            "excluded": ["", "spilled coffee", *[""] * 6],
            "checker": [False] * 6 + [True] * 2,
        }
    )
    rankings = check_rankings(frame)
    reasons = ranking_reasons(rankings)
    assert reasons.astype(str).tolist() == [
        *["spilled coffee"] * 2,
        *["unfinished-ranking"] * 2,
        *[SCORED] * 2,
        *["checker"] * 2,
    ]
    counted = [(one.reason, one.answers) for one in count_left_out_rankings(rankings, reasons)]
    assert counted == [("checker", 1), ("unfinished-ranking", 1), ("spilled coffee", 1)]
    assert set(ranking_reasons(rankings, failed=["c"]).iloc[4:6]) == {"failed-screening"}
