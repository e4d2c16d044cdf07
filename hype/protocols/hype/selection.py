"""Who is scored: whom the qualification turned away, and who is careless by the study's rules.

Of both it is said how much the scores depend on it. The rules are the study's and are put to the
record (`hype.protocols.hype.carelessness`); a table has what came of it in its columns ``careless``
and ``excluded``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from hype.protocols.hype.condition_scores import JudgementRows, plain_scores
from hype.protocols.hype.error_rates import percent
from hype.protocols.hype.exclusion import are_left_out
from hype.protocols.hype.results import BothWays, Careless, CarelessEvaluator, Selection
from hype.protocols.hype.trial import SCORED_TASKS
from hype.session.steps import Ending
from hype.tables.reasons import COMPLETE


def selections(judgements: pd.DataFrame) -> tuple[Selection, ...]:
    """Compare who passed with who came, condition by condition, in the order of their names.

    Without a column "status" it is not known what became of anybody, and nothing is returned.
    """
    if "status" not in judgements:
        return ()
    test = judgements[judgements["task"].eq("qualification")]
    went_on = judgements.loc[judgements["task"].isin(SCORED_TASKS), "evaluator"].unique()
    away = test["status"].eq(Ending.UNQUALIFIED.value)
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


def are_careless(judgements: pd.DataFrame) -> pd.Series:
    left_out = are_left_out(judgements)
    return judgements["careless"].ne("") | left_out if "careless" in judgements else left_out


def careless(rows: JudgementRows) -> Careless | None:
    """Say who of those who finished one protocol is careless; None where nobody is."""
    flagged = are_careless(rows.scored)
    if not flagged.any():
        return None
    theirs = rows.scored[flagged]
    every, others = plain_scores(rows), plain_scores(rows.only(~are_careless(rows.shown)))
    names = theirs["condition"].unique()
    return Careless(
        left_out=bool(are_left_out(theirs).all()),
        evaluators=tuple(_evaluators(theirs)),
        conditions=tuple(
            BothWays(
                condition=name,
                evaluators=every[name][0],
                score=every[name][1],
                evaluators_without=others[name][0] if name in others else 0,
                score_without=others[name][1] if name in others else None,
            )
            for name in sorted(map(str, names))
        ),
    )


def _evaluators(theirs: pd.DataFrame) -> Iterator[CarelessEvaluator]:
    """Yield each of them, by condition and code."""
    if "careless" not in theirs:
        theirs = theirs.assign(careless="")
    who = theirs[["condition", "evaluator", "careless"]].astype(str).drop_duplicates()
    for condition, evaluator, rules in sorted(who.itertuples(index=False, name=None)):
        yield CarelessEvaluator(
            evaluator=evaluator, condition=condition, rules=tuple(rules.split())
        )
