"""Who has not finished is left out, and said to be."""

from __future__ import annotations

import pandas as pd
import pytest

from hype.errors import InputError
from hype.protocols.hype.scoring import score


def table(statuses: dict[str, str]) -> pd.DataFrame:
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
    result = score(table({"a": "active", "b": "complete", "c": "complete"}), draws=100)[0]
    assert result.conditions[0]["evaluators"] == 2
    assert result.conditions[0]["score"] == 0.0
    assert any("1 evaluator has begun" in note for note in result.notes)


def test_rows_that_the_table_leaves_out_are_not_scored_and_nobody_is_called_unfinished():
    whole = table({"a": "complete", "b": "complete", "c": "complete"})
    marked = whole.assign(excluded=whole["evaluator"].map({"a": "spilled coffee"}))
    (result,) = score(marked, draws=100)
    assert (result.conditions[0]["evaluators"], result.conditions[0]["score"]) == (2, 0.0)
    assert not any("begun" in note for note in result.notes)


def test_nobody_finished_is_refused():
    with pytest.raises(InputError, match="no evaluator has finished yet"):
        score(table({"a": "active"}), draws=100)
