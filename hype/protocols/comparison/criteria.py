"""Several criteria: their separate scores are joined, and tests may cover all criteria."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from hype.protocols.comparison.layout import OF_CRITERION
from hype.protocols.prompted.strengths import StrengthScale
from hype.protocols.prompted.tables import matrix_of_axes
from hype.report import tabular
from hype.report.scores import Scores
from hype.report.tabular import Table, slug
from hype.statistics.pairs import verdict_of
from hype.statistics.proportions import holm
from hype.statistics.strength_table import Difference, StrengthTable
from hype.tables.answers import drop_unused_categories


def split_by_criterion(rows: pd.DataFrame, first: Iterable[str] = ()) -> dict[str, pd.DataFrame]:
    """Return the scored rows by criterion: first the criteria in ``first``, then others by name.

    Without a column ``criterion``, all rows belong to a criterion with an empty name.
    """
    if "criterion" not in rows:
        return {"": rows}
    known = [str(name) for name in rows["criterion"].cat.categories]
    order = dict.fromkeys([*(name for name in first if name in known), *known])
    apart = {name: rows[rows["criterion"].eq(name).to_numpy()] for name in order}
    return {
        name: drop_unused_categories(own, ("left", "right"), "evaluator", "prompt", "criterion")
        for name, own in apart.items()
    }


def correct_over_criteria(
    fitted: Mapping[str, StrengthTable], alpha: float
) -> dict[str, StrengthTable]:
    """Correct p by Holm's rule over the pairs of all criteria, and decide the verdicts again.

    The p of equivalence tests is multiplied by the number of criteria (Bonferroni's rule).
    """
    tested = [own.p for table in fitted.values() for own in table.differences if own.p is not None]
    corrected = dict(zip(tested, holm(tested).tolist(), strict=True))

    def correct(own: Difference) -> Difference:
        if own.p is None or own.p_adjusted is None:
            return own
        p, alike = max(corrected[own.p], own.p_adjusted), own.p_equivalent
        alike = None if alike is None else min(1.0, len(fitted) * alike)
        verdict = verdict_of(p < alpha, is_equivalent=alike is not None and alike < alpha)
        return replace(own, p_adjusted=p, p_equivalent=alike, verdict=verdict)

    return {
        name: replace(table, differences=tuple(map(correct, table.differences)), rule="holm")
        for name, table in fitted.items()
    }


def join_criteria(
    parts: Mapping[str, Scores], facts: Mapping[str, Any], scale: StrengthScale
) -> Scores:
    """Join the scores on several criteria; the first column of their tables is the criterion.

    ``facts``: the facts about all answers.
    """
    first, *_ = parts.values()
    own = {slug(first.protocol, slot.table or slot.name) for slot in OF_CRITERION}
    tables: dict[str, dict[str, Table]] = {}
    for name, part in parts.items():
        for table in part.tables:
            tables.setdefault(table.name, {})[name] = table
    joined = (
        join_tables(each) if name in own else next(iter(each.values()))
        for name, each in tables.items()
    )
    axes = tuple(
        {"axis": name, "conditions": part.rows("conditions")} for name, part in parts.items()
    )
    conditions = (name for part in parts.values() for name in part.names)
    matrix = matrix_of_axes(axes, conditions, scale, protocol=first.protocol, by="criterion")
    # Each criterion has its own fit; only the rule of the tests is common to all criteria.
    fit = dict.fromkeys(first.facts["fit"]) | {"problems": "", "rule": first.facts["fit"]["rule"]}
    return replace(
        first,
        facts={**first.facts, "criterion": "", "fit": fit, **facts},
        tables=(*joined, matrix),
        notes=tuple(join_notes({name: part.notes for name, part in parts.items()})),
        parts={name: part_of(first, name, part) for name, part in parts.items()},
    )


def join_notes(notes: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield each note once; a note on only some criteria starts with their names."""
    criteria: dict[str, list[str]] = {}
    for name, own in notes.items():
        for note in own:
            criteria.setdefault(note, []).append(name)
    for note, names in criteria.items():
        yield note if len(names) == len(notes) else f"{', '.join(names)}: {note}"


def join_tables(tables: Mapping[str, Table]) -> Table:
    first = next(iter(tables.values()))
    return replace(
        first,
        columns=(tabular.name("Criterion", "criterion"), *first.columns),
        rows=tuple((name, *row) for name, table in tables.items() for row in table.rows),
        records=tuple(
            {"criterion": name, **row} for name, table in tables.items() for row in table.records
        ),
    )


def part_of(whole: Scores, name: str, scores: Scores) -> Scores:
    """Rename the scores on a criterion and their tables, so that a page can show several criteria.

    Facts about all criteria are left out: the notes, the plan and, if ``whole`` says the same, what
    intervals generalise to.
    """
    protocol = slug(scores.protocol, name)
    facts = {**scores.facts, "plan": None}
    if facts["random"] == whole.facts["random"]:
        facts["random"] = None
    tables = (
        replace(table, name=protocol + table.name.removeprefix(scores.protocol))
        for table in scores.tables
    )
    return replace(scores, protocol=protocol, facts=facts, tables=tuple(tables), notes=())
