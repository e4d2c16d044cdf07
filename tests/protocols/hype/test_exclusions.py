"""What is not scored and why; who has not finished is left out, and said to be."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import a_third

from hype.errors import InputError
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import (
    Treatment,
    are_finished,
    are_spoiled,
    check_judgements,
    count_left_out,
)

COLUMNS = ("evaluator", "condition", "status", "task", "verdict")


def table(*rows: tuple[str, ...]) -> pd.DataFrame:
    """Make judgements of evaluator, condition, status, task and verdict."""
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    timed = frame["task"].eq("time")
    return check_judgements(
        frame.assign(truth="real", answer="fake", exposure_ms=timed.map({True: 500, False: None}))
    )


def found(judgements: pd.DataFrame, treatment: Treatment = "leave-out") -> list[tuple[object, ...]]:
    return [
        (one.meaning, one.evaluators, one.answers) for one in count_left_out(judgements, treatment)
    ]


DONE = ("p1", "gan", "complete")


def test_each_reason_has_its_name():
    judgements = table(
        (*DONE, "practice", ""),
        (*DONE, "qualification", ""),
        (*DONE, "time", "ok"),
        (*DONE, "time", "late"),
        (*DONE, "time", "dropped"),
        ("p2", "gan", "unqualified", "practice", ""),
        ("p2", "gan", "unqualified", "qualification", ""),
        ("p3", "vae", "active", "time", "late"),
        ("p4", "vae", "declined", "practice", ""),
    )

    assert found(judgements) == [
        ("by somebody who declined", 1, 1),
        ("by somebody who did not pass the qualification", 1, 2),
        ("by somebody who has not finished", 1, 1),
        ("for practice", 1, 1),
        ("for the qualification", 1, 1),
        ("spoiled by the screen", 1, 2),
    ]


def test_a_table_without_status_and_verdict_excludes_what_is_never_scored():
    judgements = table((*DONE, "practice", ""), (*DONE, "infinity", ""))

    assert found(judgements.drop(columns=["status"])) == [("for practice", 1, 1)]


def test_what_a_table_excludes_itself_is_neither_scored_nor_forgotten():
    judgements = table((*DONE, "time", "ok"), (*DONE, "time", "late"), (*DONE, "infinity", ""))
    own = judgements.assign(excluded=["spilled coffee", "spoiled", ""])

    assert are_finished(own).tolist() == [False, True, True]
    assert found(own, "keep") == [("spilled coffee", 1, 1)]
    assert found(own) == [
        ("spoiled by the screen", 1, 1),
        ("spilled coffee", 1, 1),
    ]


ROWS = st.tuples(
    st.sampled_from(["p1", "p2", "p3"]),
    st.sampled_from(["gan", "vae"]),
    st.sampled_from(["complete", "active", "unqualified", "declined", "gone"]),
    st.sampled_from(["practice", "qualification", "time", "infinity"]),
    st.sampled_from(["", "ok", "late", "dropped"]),
)


@a_third()
@given(st.lists(ROWS, min_size=1, max_size=30), st.sampled_from(["keep", "leave-out"]))
def test_every_judgement_is_scored_or_excluded_once(rows, treatment):
    judgements = table(*rows, (*DONE, "infinity", ""))
    scored = are_finished(judgements) & judgements["task"].isin(["time", "infinity"])
    if treatment == "leave-out":
        scored &= ~are_spoiled(judgements)
    excluded = count_left_out(judgements, treatment)

    assert sum(one.answers for one in excluded) == len(judgements) - scored.sum()
    assert len({one.reason for one in excluded}) == len(excluded)
    assert all(0 < one.evaluators <= one.answers for one in excluded)


def statuses_of(statuses: dict[str, str]) -> pd.DataFrame:
    """Four judgements of each evaluator; those of the first are all wrong."""
    first = next(iter(statuses))
    return pd.DataFrame(
        [
            {
                "evaluator": evaluator,
                "condition": "model",
                "truth": truth,
                "answer": "fake" if (evaluator == first) != (truth == "fake") else "real",
                "status": status,
            }
            for evaluator, status in statuses.items()
            for truth in ("real", "fake", "real", "fake")
        ]
    )


def test_only_complete_evaluators_are_scored():
    result = score(statuses_of({"a": "active", "b": "complete", "c": "complete"}), draws=100)[0]
    assert result.rows("conditions")[0]["evaluators"] == 2
    assert result.rows("conditions")[0]["score"] == 0.0
    assert any("1 evaluator has begun" in note for note in result.notes)


def test_rows_that_the_table_leaves_out_are_not_scored_and_nobody_is_called_unfinished():
    whole = statuses_of({"a": "complete", "b": "complete", "c": "complete"})
    marked = whole.assign(excluded=whole["evaluator"].map({"a": "spilled coffee"}))
    (result,) = score(marked, draws=100)
    (row,) = result.rows("conditions")
    assert (row["evaluators"], row["score"]) == (2, 0.0)
    assert not any("begun" in note for note in result.notes)


def test_nobody_finished_is_refused():
    with pytest.raises(InputError, match="no evaluator has finished yet"):
        score(statuses_of({"a": "active"}), draws=100)
