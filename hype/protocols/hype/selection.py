"""What the qualification did to who is scored: how many it turned away, and how they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hype.protocols.hype.completeness import COMPLETE
from hype.protocols.hype.error_rates import percent
from hype.protocols.hype.rows import SCORED_TASKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

UNQUALIFIED: Final = "unqualified"
MANY: Final = 0.5
"""Beyond this share, those who are scored are the exception."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The evaluators of one condition who came to the end of a qualification.

    Who was turned away judged nothing else, so that both groups can be compared on the images of
    the qualification alone.

    Parameters
    ----------
    condition
        What they were to evaluate.
    came, turned_away
        How many; who has not finished the qualification is not among them.
    error_of_all, error_of_passed
        Percent of the qualification's images judged wrongly, by all who came and by those who
        passed; the latter is None where nobody did.
    """

    condition: str
    came: int
    turned_away: int
    error_of_all: float
    error_of_passed: float | None


def selections(judgements: pd.DataFrame) -> tuple[Selection, ...]:
    """Compare who passed with who came, condition by condition, in the order of their names.

    Parameters
    ----------
    judgements
        As `check_judgements` returns them; without a column "status" it is not known what became
        of anybody, and nothing is returned.
    """
    if "status" not in judgements:
        return ()
    test = judgements[judgements["task"].eq("qualification")]
    went_on = judgements.loc[judgements["task"].isin(SCORED_TASKS), "evaluator"].unique()
    away = test["status"].eq(UNQUALIFIED)
    passed = test["status"].eq(COMPLETE) | (test["evaluator"].isin(went_on) & ~away)
    known = test[passed | away]
    return tuple(
        selection_of(str(condition), rows, passed[rows.index])
        for condition, rows in known.groupby("condition", observed=True)
    )


def selection_of(condition: str, rows: pd.DataFrame, passed: pd.Series) -> Selection:
    """Compare the evaluators of one condition; ``passed`` tells which rows are of who passed."""
    wrong = rows["answer"].astype(str).ne(rows["truth"].astype(str))
    came = rows["evaluator"].nunique()
    return Selection(
        condition=condition,
        came=came,
        turned_away=came - rows.loc[passed, "evaluator"].nunique(),
        error_of_all=100 * float(wrong.mean()),
        error_of_passed=percent(int(wrong[passed].sum()), int(passed.sum())),
    )


def selection_notes(found: Sequence[Selection]) -> tuple[str, ...]:
    """Say how many were turned away, and where that is more than half, what it does to scores."""
    many = [
        f"{one.turned_away} of {one.came} for {one.condition}"
        for one in found
        if one.turned_away > MANY * one.came
    ]
    away, came = sum(one.turned_away for one in found), sum(one.came for one in found)
    if not away:
        return ()
    said = (
        f"The qualification turned away {away} of {came} evaluators ({away / came:.0%}); scores "
        "are of those who passed."
    )
    if not many:
        return (said,)
    return (
        said,
        f"More than half were turned away: {', '.join(many)}. Scores are of the few who tell the "
        "test's fakes best; where those look like what is evaluated, other people would have been "
        "wrong more often.",
    )
