"""How the qualification changes who is scored."""

import pandas as pd
import pytest

from hype.protocols.hype.condition_scores import compare_selected
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import check_judgements


def rows_of(
    evaluator: str, status: str, wrong: int, *, tested: bool = True, condition: str = "gan"
) -> list[dict[str, object]]:
    """Return 10 trials of a qualification, ``wrong`` of them wrong, and 4 more after a pass."""
    test = [("qualification", n < wrong) for n in range(10)] if tested else []
    after = [("infinity", False)] * 4 if status in ("complete", "active") else []
    return [
        {
            "evaluator": evaluator,
            "condition": condition,
            "status": status,
            "task": task,
            "truth": truth,
            "answer": {"real": "fake", "fake": "real"}[truth] if is_wrong else truth,
        }
        for number, (task, is_wrong) in enumerate([*test, *after])
        for truth in (("real", "fake")[number % 2],)
    ]


def table(*people: list[dict[str, object]]) -> pd.DataFrame:
    return pd.DataFrame([row for person in people for row in person])


MOST_PASS = table(
    rows_of("a", "complete", 1),
    rows_of("b", "complete", 2),
    rows_of("c", "unqualified", 6),
    rows_of("d", "active", 3),
    rows_of("e", "declined", 0, tested=False),
    rows_of("f", "complete", 0, tested=False),  # qualified elsewhere
)
FEW_PASS = table(
    *(rows_of(f"u{n}", "unqualified", 5) for n in range(3)), rows_of("a", "complete", 1)
)


def test_all_who_came_beside_those_who_passed():
    """Worked by hand: 12 of all 40 answers are wrong, and 6 of 30 answers of those who passed."""
    assert compare_selected(check_judgements(MOST_PASS)) == (
        {
            "condition": "gan",
            "came": 4,
            "turned_away": 1,
            "error_of_all": 30.0,
            "error_of_passed": 20.0,
        },
    )


def test_more_than_half_turned_away_is_a_caution():
    (few,) = score(FEW_PASS, draws=100)
    (most,) = score(MOST_PASS, draws=100)

    assert "The qualification turned away 3 of 4 evaluators (75%); scores" in few.notes[0]
    assert "More than half of the evaluators were turned away: 3 of 4 for gan." in few.notes[0]
    assert sum("turned away" in note for note in most.notes) == 1
    assert few.to_object()["qualification"] == [
        {
            "condition": "gan",
            "came": 4,
            "turned_away": 3,
            "error_of_all": 40.0,
            "error_of_passed": 10.0,
        }
    ]


@pytest.mark.parametrize("column", ["status", "task"])
def test_a_table_that_does_not_tell_says_nothing(column):
    told = MOST_PASS.query("task == 'infinity'") if column == "task" else MOST_PASS
    assert compare_selected(check_judgements(told.drop(columns=column))) == ()


def test_who_is_still_at_it_is_neither_here_nor_there():
    begun = table(rows_of("x", "active", 9)).query("task == 'qualification'")

    assert compare_selected(check_judgements(pd.concat([MOST_PASS, begun]))) == compare_selected(
        check_judgements(MOST_PASS)
    )
