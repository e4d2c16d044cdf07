from itertools import product

import pandas as pd
import pytest

from hype.protocols.comparison.exclusion import MEANINGS, reasons_of, why_excluded
from hype.protocols.comparison.table import check_comparisons
from hype.tables.reasons import left_out


@pytest.fixture
def votes():
    frame = pd.DataFrame(
        {
            "evaluator": ["a", "a", "a", "b", "c", "d", "d", "e"],
            "left": "x",
            "right": "y",
            "answer": ["left", "left", "none", "left", "left", "left", "right", "left"],
            "task": ["comparison", "practice", *["comparison"] * 4, "validation", "comparison"],
            "obvious": ["", "left", "", "", "", "", "left", ""],
            "status": ["complete"] * 3 + ["active", "declined"] + ["complete"] * 3,
            "excluded": [""] * 7 + ["spilled coffee"],
        }
    )
    return check_comparisons(frame)


def test_each_row_has_one_reason(votes):
    assert reasons_of(votes, failed=["d"]).astype(str).tolist() == [
        "",
        "practice",
        "no-answer",
        "unfinished",
        "declined",
        "failed-validation",
        "failed-validation",
        "spilled coffee",
    ]


def test_counts_in_the_order_of_the_reasons(votes):
    found = left_out(votes, reasons_of(votes, one_sided=["d"]), MEANINGS)
    assert [(one.reason, one.evaluators, one.answers) for one in found] == [
        ("declined", 1, 1),
        ("unfinished", 1, 1),
        ("one-sided", 1, 2),
        ("no-answer", 1, 1),
        ("practice", 1, 1),
        ("spilled coffee", 1, 1),
    ]
    assert found[1].meaning == "by somebody who has not finished"
    assert found[-1].meaning == "spilled coffee"


def test_nobody_is_known(votes):
    unknown = votes.drop(columns="evaluator")
    found = left_out(unknown, reasons_of(unknown), MEANINGS)
    assert {one.evaluators for one in found} == {None}


def test_a_table_is_ruled_row_by_row_as_a_record_is():
    statuses, tasks = ("complete", "active", "declined"), ("comparison", "validation", "practice")
    every = [*product(statuses, tasks, ("left", "none"), ("good", "bad"))]
    frame = pd.DataFrame(every, columns=["status", "task", "answer", "evaluator"])
    frame = frame.assign(left="x", right="y")
    frame["obvious"] = frame["task"].map({"comparison": ""}).fillna("left")
    found = reasons_of(check_comparisons(frame), failed=["bad"]).astype(str).tolist()
    assert found == [
        why_excluded(status=status, task=task, answered=answer != "none", failed=who == "bad")
        for status, task, answer, who in every
    ]
