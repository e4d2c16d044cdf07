"""Several criteria: their rows apart, their scores together, and tests over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from hype.protocols.prompted.strengths import StrengthScale
from hype.protocols.prompted.tables import value_matrix
from hype.report import tabular
from hype.report.scores import Scores
from hype.report.tabular import Row, Rows, Table, slug, tabulate
from hype.statistics.pairs import verdict_of
from hype.statistics.proportions import holm
from hype.tables.answers import drop_unused_categories

OWN: Final = (
    *("conditions", "pairs", "agreement", "sides", "leaning"),
    *("both-bad", "extreme-images"),
)
"""The tables that each criterion has of its own; the others are about all answers."""


def split_by_criterion(
    rows: pd.DataFrame, questions: Iterable[str] = ()
) -> dict[str, pd.DataFrame]:
    """Give the scored rows of each criterion, in the order of the questions, then of the names.

    Rows that name none are of one criterion without a name.
    """
    if "criterion" not in rows:
        return {"": rows}
    known = [str(name) for name in rows["criterion"].cat.categories]
    if len(known) == 1:
        return {known[0]: rows}
    order = dict.fromkeys([*(name for name in questions if name in known), *known])
    apart = {name: rows[rows["criterion"].eq(name).to_numpy()] for name in order}
    return {
        name: drop_unused_categories(own, ("left", "right"), "evaluator", "prompt", "criterion")
        for name, own in apart.items()
    }


def correct_over_criteria(
    pairs: Rows, tested: Sequence[float], criteria: int, alpha: float
) -> Iterator[Row]:
    """Correct p of a criterion's pairs for those of all criteria, and give the verdicts again.

    By Holm's rule over ``tested``, p of all pairs; that two are equivalent by Bonferroni's rule
    over the criteria.
    """
    corrected = dict(zip(tested, holm(tested).tolist(), strict=True))
    for pair in pairs:
        if pair["p"] is None:
            yield pair
            continue
        p, alike = max(corrected[pair["p"]], pair["p_adjusted"]), pair["p_equivalent"]
        if alike is not None:
            alike = min(1.0, criteria * alike)
        yield pair | {
            "p_adjusted": p,
            "p_equivalent": alike,
            "separable": p < alpha,
            "verdict": verdict_of(p < alpha, is_equivalent=alike is not None and alike < alpha),
        }


def join_criteria(
    parts: Mapping[str, Scores], facts: Mapping[str, Any], scale: StrengthScale
) -> Scores:
    """Put the scores on several criteria together; their own tables name the criterion first.

    ``facts``: those about all answers.
    """
    first = next(iter(parts.values()))
    own = {slug(first.protocol, name) for name in OWN}
    by_name: dict[str, dict[str, Table]] = {}
    for name, part in parts.items():
        for table in part.tables:
            by_name.setdefault(table.name, {})[name] = table
    joined = [
        join_tables(tables) if table_name in own else next(iter(tables.values()))
        for table_name, tables in by_name.items()
    ]
    strengths = {
        name: {row["condition"]: scale.estimate(row) for row in part.rows("conditions")}
        for name, part in parts.items()
    }
    # Strengths are found on each criterion: of all together only the rule of the tests is known.
    fit = dict.fromkeys(first.facts["fit"]) | {"problems": "", "rule": first.facts["fit"]["rule"]}
    notes = dict.fromkeys(note for part in parts.values() for note in part.notes)
    matrix = value_matrix(
        strengths,
        decimals=scale.decimals,
        prefix="score",
        name=slug(first.protocol, "strengths-by-criterion"),
        title=f"{scale.name[:1].upper()}{scale.name[1:]} on each criterion",
    )
    return replace(
        first,
        facts={**first.facts, "criterion": "", "fit": fit, **facts},
        tables=(*joined, matrix, criteria_table(parts)),
        notes=(*notes, *([OVER_CRITERIA] if facts["over_criteria"] else [])),
        parts={name: keep_own(part, name, own) for name, part in parts.items()},
    )


OVER_CRITERIA: Final = "p is by Holm's rule over the pairs of all criteria."


def join_tables(tables: Mapping[str, Table]) -> Table:
    """Put the tables of criteria under each other."""
    first = next(iter(tables.values()))
    return replace(
        first,
        columns=(tabular.name("Criterion", "criterion"), *first.columns),
        rows=tuple((name, *row) for name, table in tables.items() for row in table.rows),
        records=tuple(
            {"criterion": name, **row} for name, table in tables.items() for row in table.records
        ),
    )


def criteria_table(parts: Mapping[str, Scores]) -> Table:
    """List the criteria: what was asked, how often, how strengths were found, who agrees."""
    return tabulate(
        [
            {
                "name": name,
                "question": part.facts["criterion"],
                "comparisons": part.facts["comparisons"],
                "agreement": next(iter(part.rows("agreement")), None),
                "fit": part.facts["fit"],
            }
            for name, part in parts.items()
        ],
        name="comparison-criteria",
        title="Questions, and whether evaluators agree",
        columns=(
            tabular.name("Criterion", "criterion", of="name"),
            tabular.words("Question", "question"),
            *tabular.further(tabular.whole("Comparisons", "comparisons")),
            tabular.number("α", "alpha", 2, of="agreement.alpha"),
            tabular.interval("95% CI", "alpha", 2, of="agreement.alpha"),
            *tabular.further(
                tabular.whole("Iterations", "iterations", of="fit.iterations"),
                tabular.number("Log-likelihood", "log_likelihood", 3, of="fit.log_likelihood"),
                tabular.number("Davidson's ν", "tie_parameter", 3, of="fit.tie_parameter"),
                tabular.words("Rule of p", "rule", of="fit.rule"),
                tabular.words("Without strength, because", "problems", of="fit.problems"),
            ),
        ),
        note="α: Krippendorff's, how far evaluators agree on the criterion.",
    )


def keep_own(part: Scores, criterion: str, own: set[str]) -> Scores:
    """Give scores on one of several criteria: its own tables alone, under names of its own."""
    protocol = slug(part.protocol, criterion)
    tables = (
        table if table.name in own else replace(table, rows=(), records=()) for table in part.tables
    )
    return replace(
        part,
        protocol=protocol,
        tables=tuple(
            replace(table, name=protocol + table.name.removeprefix(part.protocol))
            for table in tables
        ),
        notes=(),
    )


def keep_shared(scores: Scores) -> Scores:
    """Give what scores on several criteria say of all answers together."""
    own = {slug(scores.protocol, name) for name in OWN}
    return replace(
        scores,
        tables=tuple(
            replace(table, rows=(), records=()) if table.name in own else table
            for table in scores.tables
        ),
    )
