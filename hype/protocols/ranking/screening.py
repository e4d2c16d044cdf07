"""Whether annotators see what checkers see: recall@2, as Wu et al. (2023), section 3.3, screen.

Of a group that a checker ranked too: is the annotator's first choice among the checker's first two?
Ties share: of two images that are tied for the first either is half a first choice, and of two that
are tied for the second either is half among the first two. Several checkers of a group: the mean
over them. By chance, recall@2 is 2 of the group's size.

A test is work of its own, of the task test. A cross-check is a group of the annotator's work that a
checker also ranked, unknown to the annotator; so much of the work should be checked.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import pandas as pd

from hype.protocols.ranking.table import joint, member_codes
from hype.report.tabular import Row
from hype.statistics.arrays import BoolArray, FloatArray
from hype.statistics.paired_counts import orders
from hype.statistics.proportions import shares
from hype.tables.distinct import codes_of

TOP: Final = 2
_ROUNDING: Final = 1e-9


def screening(
    rankings: pd.DataFrame,
    *,
    min_recall: float | None = None,
    check_share: float = 0.1,
    confidence: float = 0.95,
) -> Row | None:
    """Hold annotators against checkers.

    Gives the rule, how many `checkers` there are, recall@2 by `chance` over all groups that were
    checked, the annotators who `failed` the rule and those of whom nothing is known (`unscreened`),
    and `evaluators`: a row for each annotator; those below the bound first, then by recall@2.

    ``rankings``: as `check_rankings` returns them, those of checkers, tests and practice too.
    ``min_recall``: the lowest recall@2 that an annotator may have and be scored; None for no rule.
    ``check_share``: the share of everybody's work that is to be checked. Gives None where
    evaluators are not known, or there is no checker.
    """
    checker = rankings["checker"].to_numpy()
    real = rankings["finished"].to_numpy() & rankings["task"].ne("practice").to_numpy()
    if "evaluator" not in rankings or not (checker & real).any():
        return None
    work = rankings["task"].isin(["ranking", "test"]).to_numpy()
    each = _recalls(rankings, real & checker, real & ~checker & work)
    rows = [
        _screened(str(name), own, min_recall, check_share, confidence)
        for name, own in each.groupby("evaluator", sort=True)
    ]
    compared = each["recall"].notna()
    return {
        "check_share": check_share,
        "min_recall": min_recall,
        "checkers": int(rankings["evaluator"][checker & real].nunique()),
        "chance": float(each["chance"][compared].mean()) if compared.any() else None,
        "failed": tuple(row["evaluator"] for row in rows if row["failed"]),
        "unscreened": tuple(r["evaluator"] for r in rows if not (r["test"] or r["check"])),
        "evaluators": tuple(sorted(rows, key=_lowest_first)),
    }


def _lowest_first(row: Row) -> tuple[bool, float]:
    judged = row["test"] or row["check"]
    return not row["failed"], judged["recall"].value if judged else math.inf


def _recalls(rankings: pd.DataFrame, checked: BoolArray, work: BoolArray) -> pd.DataFrame:
    """Give each annotator's rankings, with their recall, NaN where no checker ranked the group."""
    key = joint([codes_of(rankings["group"]), member_codes(rankings)])
    number, _ = pd.factorize(key)
    by_checker, own = orders(rankings[checked]), orders(rankings[work])
    in_top = np.clip(TOP + 1 - by_checker.rank, 0, by_checker.tied) / by_checker.tied
    tops = np.bincount(number[checked][by_checker.row], in_top, minlength=int(number.max()) + 1)
    times = np.bincount(number[checked], minlength=len(tops))
    mean = np.divide(tops, times, out=np.full(len(tops), np.nan), where=times > 0)
    first = (own.rank == 1) / own.tied
    hits = np.bincount(own.ranking, first * mean[number[work][own.row]], minlength=len(own.sizes))
    head = rankings[work].iloc[own.row[own.starts]]
    return pd.DataFrame(
        {
            "evaluator": head["evaluator"].astype(str).to_numpy(),
            "test": head["task"].eq("test").to_numpy(),
            "recall": hits,
            "chance": np.minimum(1.0, TOP / own.sizes),
        }
    )


def _screened(
    name: str,
    own: pd.DataFrame,
    min_recall: float | None,
    check_share: float,
    confidence: float,
) -> Row:
    """Say what is known of an annotator: recall@2 in the `test`, and in work that was a `check`.

    `rankings` are of the task ranking; `checked`, how many of these a checker also ranked, may be
    `enough`. `failed`: whether the rule leaves the annotator out.
    """
    is_test, recall, chance = (own[name].to_numpy() for name in ("test", "recall", "chance"))
    compared = ~np.isnan(recall)
    test, check = (
        _recall(recall[which], chance[which], confidence)
        for which in (compared & is_test, compared & ~is_test)
    )
    rankings, checked = int((~is_test).sum()), check["groups"] if check else 0
    share = checked / rankings if rankings else None
    judged = test or check
    too_low = judged is not None and min_recall is not None and judged["recall"].value < min_recall
    return {
        "evaluator": name,
        "test": test,
        "check": check,
        "rankings": rankings,
        "checked": checked,
        "enough": None if share is None else share >= check_share - _ROUNDING,
        "failed": too_low,
    }


def _recall(recall: FloatArray, chance: FloatArray, confidence: float) -> Row | None:
    """Count groups that a checker also ranked; `recall` has Wilson's interval."""
    (share,) = shares(float(recall.sum()), len(recall), confidence=confidence)
    if share is None:
        return None
    return {"groups": len(recall), "recall": share, "chance": float(chance.mean())}
