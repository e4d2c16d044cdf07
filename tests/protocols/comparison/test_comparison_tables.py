"""Comparisons as tables: in the terminal, and in files."""

from __future__ import annotations

import csv
import io
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from hype.protocols.comparison import tables as comparison_people
from hype.protocols.comparison import tables as comparison_tables
from hype.protocols.comparison.results import AnalysisPlan
from hype.protocols.comparison.scoring import PairwiseOptions, score_comparisons
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.comparison.tables import MOST_PAIRS, every_table, shown_pairs
from hype.protocols.comparison.wording import comparison_table
from hype.report.table_files import write_tables

STRENGTHS = {"a": 0.8, "b": 0.0, "[bold]c": -0.8}


def votes(
    strengths: dict[str, float] = STRENGTHS, *, people: int = 8, each: int = 6, ties: float = 0.0
) -> pd.DataFrame:
    """Comparisons with a known truth, some with an obvious answer."""
    rng = np.random.default_rng(5)
    rows = []
    for person in range(people):
        for one, other in combinations(strengths, 2):
            for number in range(each):
                left, right = (one, other) if number % 2 else (other, one)
                wins = 1 / (1 + np.exp(strengths[right] - strengths[left]))
                said = "tie" if rng.random() < ties else "left" if rng.random() < wins else "right"
                rows.append((f"p{person}", "a bag", left, right, said, "comparison", ""))
        for number in range(4):
            said = "left" if person or number else "right"
            rows.append((f"p{person}", "a bag", "a", "a", said, "validation", "left"))
    columns = ["evaluator", "prompt", "left", "right", "answer", "task", "obvious"]
    return pd.DataFrame(rows, columns=columns).assign(hasty=False)


def score(frame: pd.DataFrame, **options):
    chosen = PairwiseOptions(**options)
    return score_comparisons(check_comparisons(frame), chosen)


@pytest.fixture(scope="module")
def result():
    ages = {f"p{n}": ("young", "old", "")[n % 3] for n in range(8)}
    return score(
        votes(ties=0.1),
        plan=AnalysisPlan(win_rate=0.55),
        min_correct=0.9,
        criterion="Which?",
        demographics={"age": ages},
        reference={"age": {"old": 0.9, "young": 0.1}},
    )


def printed(result, width=80, background=()):
    console = Console(file=io.StringIO(), width=width)
    console.print(comparison_table(result, background=background))
    return console.file.getvalue()


def test_the_ranking_has_the_figures(result) -> None:
    table = comparison_tables.conditions(result)

    assert [*table.short.values()] == [
        *("rank", "condition", "win_rate", "win_rate_low", "win_rate_high"),
        *("score", "low", "high", "comparisons"),
    ]
    for row, found in zip(table.rows, result.conditions, strict=True):
        assert row[:2] == (found.rank, found.condition)
        assert row[2] == 100 * found.win_rate.value
        assert row[4:6] == (found.elo.value, found.elo.ends)
    assert [row[1] for row in table.rows] == ["a", "b", "[bold]c"]


def test_pairs_have_their_verdict(result) -> None:
    rows = comparison_tables.pairs(result).rows

    for row, pair in zip(rows, result.pairs, strict=True):
        assert row[4:7] == (pair.p_adjusted, pair.wins_a, pair.wins_b)
        assert row[7] == pair.verdict
    assert "separable" in {row[7] for row in rows}


def test_who_the_evaluators_are(result) -> None:
    rows = comparison_people.demographics(result).rows

    # p0 failed the validation, so that seven are left.
    assert [row[:3] for row in rows] == [
        ("age", "old", 3),
        ("age", "young", 2),
        ("age", "withheld", 2),
    ]
    assert [row[4] for row in rows] == [0.9, 0.1, None]


def test_answers_without_a_reference_stand_in_their_order() -> None:
    ages = {f"p{n}": "18 to 29" if n < 2 else "30 to 49" for n in range(8)}
    found = score(votes(), demographics={"age": ages})

    assert [row[1:3] for row in comparison_people.demographics(found).rows] == [
        ("18 to 29", 2),
        ("30 to 49", 6),
    ]


def test_validation_and_exclusions(result) -> None:
    rows = {row[0]: row for row in comparison_people.validation(result).rows}

    assert rows["p0"][1:4] == (4, 3, 75.0)
    assert (rows["p0"][5], rows["p1"][5]) == (False, True)
    reasons = {row[0]: row[1:] for row in comparison_people.left_out(result).short.rows}
    assert reasons["by somebody who failed the comparisons with an obvious answer"] == (1, 22)
    assert reasons["with an obvious answer"] == (7, 28)


def test_what_a_person_reads(result) -> None:
    text = " ".join(printed(result, 400, ["Registered."]).split())

    for said in (
        "Asked: Which?",
        f"{result.comparisons} comparisons by 7 evaluators on 1 prompt.",
        "a part of the model (Davidson 1970), and half a win to either in win rates.",
        "a over b: Significant, but ",
        result.sides["said"],
        result.validation["said"],
        "Not scored, for failing them: p0.",
        "came faster than the study's minimum time.",
        result.demographics[0]["said"],
        "Registered. 95% CI and p allow for other evaluators (7 here), with these images.",
    ):
        assert said in text


def test_of_many_conditions_neighbours_are_shown() -> None:
    many = score(votes({f"m{n:02d}": n / 10 for n in range(12)}, people=3, each=4))
    shown = shown_pairs(many)

    assert len(many.pairs) > MOST_PAIRS
    order = [row.condition for row in many.conditions]
    assert [(pair.a, pair.b) for pair in shown] == list(pairwise(order))
    assert len(comparison_tables.pairs(many).rows) == len(many.pairs)


def test_tables_in_files_hold_all_digits(result, tmp_path) -> None:
    tables = every_table(result)
    write_tables(tables, tmp_path, simulated=False)
    with (tmp_path / "comparison-conditions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert len({table.name for table in tables}) == len(tables) >= 7
    assert [float(row["score"]) for row in rows] == [row.elo.value for row in result.conditions]
    assert [float(row["low"]) for row in rows] == [row.elo.low for row in result.conditions]
    assert [int(row["wins"]) for row in rows] == [row.wins for row in result.conditions]
    for table in tables:
        keys = [name for column in table.columns for name in column.file_columns]
        assert len(set(keys)) == len(keys), table.name
        assert (tmp_path / f"{table.name}.tex").read_text()


def test_chances_of_a_choice_allow_for_ties():
    two = {"a": 0.8, "b": 0.0}
    decided = score(votes(two), strengths="share")
    tied = score(votes(two, each=30, ties=0.3), strengths="share")
    assert comparison_tables.conditions(decided).note.endswith("the probability a/(a + b).")
    assert f"; a tie has r/(a + b + r) of all, r = {tied.fit.tie_parameter:.2f} √(ab)." in (
        comparison_tables.conditions(tied).note
    )
    a, b = (tied.row(name) for name in "ab")
    r = tied.fit.tie_parameter * np.sqrt(a.share100.value * b.share100.value)
    # Of two conditions the model fits what was answered.
    assert a.share100.value / (100 + r) == pytest.approx(a.wins / a.comparisons)
    assert r / (100 + r) == pytest.approx(a.ties / a.comparisons)
