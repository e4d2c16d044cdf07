"""Who is scored: whom the qualification turned away, and who is careless by the study's rules.

Of both it is said how much the scores depend on it. The rules are the study's and are put to the
record (`hype.protocols.hype.carelessness`); a table has what came of it in its columns ``careless``
and ``excluded``.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from hype.protocols.hype.condition_scores import JudgementRows
from hype.protocols.hype.error_rates import percent
from hype.protocols.hype.exclusion import are_left_out
from hype.protocols.hype.results import Row, Rows
from hype.protocols.hype.trial import SCORED_TASKS
from hype.session.steps import Ending
from hype.tables.reasons import COMPLETE


def compare_selected(judgements: pd.DataFrame) -> Rows:
    """Compare who passed the qualification with who came to its end, condition by condition.

    Those who were turned away judged nothing else, so that both groups can be compared on the
    images of the qualification alone: percent judged wrongly by all who came and by those who
    passed. Without a column "status" it is not known what became of anybody, and nothing is
    returned.
    """
    if "status" not in judgements:
        return ()
    test = judgements[judgements["task"].eq("qualification")]
    went_on = judgements.loc[judgements["task"].isin(SCORED_TASKS), "evaluator"].unique()
    away = test["status"].eq(Ending.UNQUALIFIED.value)
    passed = test["status"].eq(COMPLETE) | (test["evaluator"].isin(went_on) & ~away)
    known = test[passed | away]
    rows = []
    for condition, own in known.groupby("condition", observed=True):
        wrong = own["answer"].astype(str).ne(own["truth"].astype(str))
        own_passed = passed[own.index]
        came = own["evaluator"].nunique()
        rows.append(
            {
                "condition": str(condition),
                "came": came,
                "turned_away": came - own.loc[own_passed, "evaluator"].nunique(),
                "error_of_all": 100 * float(wrong.mean()),
                "error_of_passed": percent(int(wrong[own_passed].sum()), int(own_passed.sum())),
            }
        )
    return tuple(rows)


def are_careless(judgements: pd.DataFrame) -> pd.Series:
    left_out = are_left_out(judgements)
    return judgements["careless"].ne("") | left_out if "careless" in judgements else left_out


def compare_careless(rows: JudgementRows) -> Row | None:
    """Say who of those who finished one protocol is careless; None where nobody is.

    Each of them with the rules that they broke; and their conditions' scores with and without them,
    None where nobody else is left. ``left_out``: whether every other figure is without them.
    """
    flagged = are_careless(rows.scored)
    if not flagged.any():
        return None
    theirs = rows.scored[flagged]
    others = rows.only(~are_careless(rows.shown))
    scores, without = rows.scores(), others.scores()
    people, left = (each.evaluators["condition"].value_counts() for each in (rows, others))
    if "careless" not in theirs:
        theirs = theirs.assign(careless="")
    who = theirs[["condition", "evaluator", "careless"]].astype(str).drop_duplicates()
    evaluators: list[dict[str, Any]] = [
        {"evaluator": evaluator, "condition": condition, "rules": tuple(rules.split())}
        for condition, evaluator, rules in sorted(who.itertuples(index=False, name=None))
    ]
    return {
        "left_out": bool(are_left_out(theirs).all()),
        "evaluators": tuple(evaluators),
        "conditions": tuple(
            {
                "condition": name,
                "evaluators": int(people[name]),
                "score": scores[name],
                "evaluators_without": int(left.get(name, 0)),
                "score_without": without.get(name),
            }
            for name in sorted(who["condition"].unique())
        ),
    }
