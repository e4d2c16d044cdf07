"""Answers that are not scored, with the reason; unfinished evaluators are excluded and named."""

from __future__ import annotations

import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import (
    Treatment,
    check_judgements,
    count_left_out,
)

COLUMNS = ("evaluator", "condition", "status", "task", "verdict")


def table(*rows: tuple[str, ...]) -> pd.DataFrame:
    """Make judgements from rows of evaluator, condition, status, task and verdict."""
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
        ("by people who declined", 1, 1),
        ("by people who did not pass the qualification", 1, 2),
        ("by people who have not finished", 1, 1),
        ("in practice", 1, 1),
        ("in the qualification", 1, 1),
        ("spoiled by the screen", 1, 2),
    ]


def statuses_of(statuses: dict[str, str]) -> pd.DataFrame:
    """Make four judgements of each evaluator; those of the first one are all wrong."""
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
    assert any("1 evaluator started" in note for note in result.notes)


def test_rows_that_the_table_leaves_out_are_not_scored_and_nobody_is_called_unfinished():
    whole = statuses_of({"a": "complete", "b": "complete", "c": "complete"})
    marked = whole.assign(excluded=whole["evaluator"].map({"a": "spilled coffee"}))
    (result,) = score(marked, draws=100)
    (row,) = result.rows("conditions")
    assert (row["evaluators"], row["score"]) == (2, 0.0)
    assert not any("started" in note for note in result.notes)


def test_nobody_finished_is_refused():
    with pytest.raises(InputError, match="no evaluator has finished yet"):
        score(statuses_of({"a": "active"}), draws=100)
