"""Parts of figures, tables and pages that only comparisons have."""

import io
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from comparison_pages import write_full_comparison_report, written
from drawn import drawn, texts
from made_comparisons import everything, rows_scored, score_votes, scored, votes_of
from rich.console import Console
from score_rows import row_of

from hype.protocols.comparison.figures import comparison_drawings
from hype.protocols.comparison.layout import lay_out
from hype.protocols.comparison.power import AnalysisPlan
from hype.protocols.comparison.report import facts, statistics_in_words
from hype.protocols.comparison.score import PairwiseOptions
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.prompted.tables import win_square
from hype.report.methods import methods_of


@pytest.fixture(scope="module")
def full():
    votes, score = everything(arena=True)
    return {d.name: d for d in comparison_drawings(score, rows_scored(votes, score))}, score


def test_hasty_answers_have_a_colour_of_their_own_and_are_counted(full):
    figures, score = full
    times = figures["comparison-response-times"]
    hasty = [p for p in drawn(times).patches if p.get_facecolor()[0] > 0.8 and p.get_height()]
    number = round(sum(p.get_height() for p in hasty))
    assert f"{number:,} of the {score.facts['comparisons']:,} answers" in times.caption
    assert number > 0


def test_the_course_ends_at_the_strengths_and_marks_when_the_top_was_known(full):
    figures, score = full
    axes = drawn(figures["comparison-course"])
    ends = [line.get_ydata()[-1] for line in axes.lines if len(line.get_ydata()) > 2]
    assert ends == pytest.approx([row["elo"].value for row in score.rows("conditions")])
    assert score.facts["sequential"]["reached"] == any(
        "known after" in text for text in texts(axes)
    )


STRENGTHS = {"a": 0.8, "b": 0.0, "[bold]c": -0.8}


def votes(
    strengths: dict[str, float] = STRENGTHS, *, people: int = 8, each: int = 6, ties: float = 0.0
) -> pd.DataFrame:
    """Make comparisons with a known truth, some with an obvious answer."""
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
    return score_votes(check_comparisons(frame), chosen)


@pytest.fixture(scope="module")
def result():
    ages = {f"p{n}": ("young", "old", "")[n % 3] for n in range(8)}
    return score(
        votes(ties=0.1),
        plan=AnalysisPlan(win_rate=0.55),
        min_correct=0.9,
        questions={"": "Which?"},
        demographics={"age": ages},
        reference={"age": {"old": 0.9, "young": 0.1}},
    )


def test_who_the_evaluators_are(result):
    rows = result.table("demographics").rows

    # p0 failed the validation, so seven people are left.
    assert [row[:3] for row in rows] == [
        ("age", "old", 3),
        ("age", "young", 2),
        ("age", "withheld", 2),
    ]
    assert [row[4] for row in rows] == [0.9, 0.1, None]


def test_answers_without_a_reference_stand_in_their_order():
    ages = {f"p{n}": "18 to 29" if n < 2 else "30 to 49" for n in range(8)}
    found = score(votes(), demographics={"age": ages})

    assert [row[1:3] for row in found.table("demographics").rows] == [
        ("18 to 29", 2),
        ("30 to 49", 6),
    ]


def test_validation_and_exclusions(result):
    rows = {row[0]: row for row in result.table("validation").rows}

    assert rows["p0"][1:4] == (4, 3, 75.0)
    assert (rows["p0"][5], rows["p1"][5]) == (False, True)
    reasons = {row[0]: row[1:] for row in result.table("exclusions").short.rows}
    assert reasons["by people who failed the comparisons with an obvious answer"] == (1, 22)
    assert reasons["with an obvious answer"] == (7, 28)


def test_chances_of_a_choice_allow_for_ties():
    two = {"a": 0.8, "b": 0.0}
    decided = score(votes(two), strengths="share")
    tied = score(votes(two, each=30, ties=0.3), strengths="share")
    nu = tied.facts["fit"]["tie_parameter"]
    assert decided.table("conditions").note.endswith("the probability a/(a + b).")
    assert f"; a tie has the probability r/(a + b + r), where r = {nu:.2f} √(ab)." in (
        tied.table("conditions").note
    )
    a, b = (row_of(tied, name) for name in "ab")
    r = nu * np.sqrt(a["share100"].value * b["share100"].value)
    # For two conditions the model fits the answers exactly.
    assert a["share100"].value / (100 + r) == pytest.approx(a["wins"] / a["comparisons"])
    assert r / (100 + r) == pytest.approx(a["ties"] / a["comparisons"])


def square_of(score):
    square, _ = win_square(score, chosen="chosen over", over="over", alpha=0.05)
    return square


def test_the_square_has_every_pair_from_both_sides():
    _, score = scored(votes_of())
    matrix = square_of(score)
    cells = {
        (row, column): cell
        for row, found in matrix.rows
        for column, cell in zip(matrix.names, found, strict=True)
    }
    assert [name for name, _ in matrix.rows] == [
        row["condition"] for row in score.rows("conditions")
    ]
    for pair in score.rows("pairs"):
        there, back = cells[pair["a"], pair["b"]], cells[pair["b"], pair["a"]]
        assert there.share == f"{100 * pair['win_rate'].value:.0f}"
        assert int(there.share) + int(back.share) in (99, 100, 101)
        assert there.bold == back.bold == bool(pair["separable"])
    assert all(cells[name, name] is None for name in matrix.names)


def test_colours_go_with_rates():
    _, score = scored(votes_of({"a": 3.0, "b": 0.0, "c": -0.02}, each=400, ties=0.0))
    matrix = square_of(score)
    rates = dict(matrix.rows)
    place = matrix.names.index("a")
    (strong,) = [c for c in rates["b"] if c and c.said.startswith("b over a")]
    assert strong.css_class in ("under-4", "under-5")
    assert rates["a"][place] is None
    (even,) = [c for c in rates["b"] if c and c.said.startswith("b over c")]
    assert even.css_class == "even"
    assert len(matrix.scale) == 11


def methods_in(score):
    return methods_of(statistics_in_words(score))


def text_of(score):
    return "\n".join(methods_in(score).paragraphs)


def test_only_what_was_computed_is_said():
    bare = text_of(scored(votes_of(ties=0.0)[["left", "right", "answer"]])[1])
    for absent in ("Davidson", "Krippendorff", "Cohen", "Lan & DeMets", "Pearson", "Clark", "Ford"):
        assert absent not in bare
    assert "each answer counts as if it came from a different person" in bare
    assert "Bradley & Terry, 1952" in bare
    full = text_of(everything(arena=True)[1])
    for said in ("Davidson, 1970", "Lan & DeMets, 1983", "Liang & Zeger, 1986"):
        assert said in full
    assert f"hash {'ab' * 32}" in full


def test_facts_leave_open_what_tests_leave_open():
    _, score = scored(votes_of({"a": 0.01, "b": 0.0, "c": -2.0}))
    (name, top), *_ = facts(score)
    assert name == "On top"
    assert sorted(top.split(" or ")) == ["a", "b"]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_full_comparison_report(tmp_path_factory.mktemp("compared") / "report.html")


@pytest.fixture
def opened(browser, report):
    browser.open(report)
    return browser


def colours(browser):
    return browser.js(
        "[...document.querySelectorAll('#matrix-comparison-pairs td:not(.self)')].slice(1)"
        ".map(d => getComputedStyle(d).backgroundColor)"
    )


def test_cells_of_the_square_are_coloured_and_in_the_dark_otherwise(opened):
    light = colours(opened)
    assert len(light) == 12
    assert len(set(light)) > 4
    opened.look(scheme="dark")
    assert set(colours(opened)).isdisjoint(light)


def test_on_paper_the_square_keeps_its_colours(browser, report):
    browser.open(report, scheme="dark", media="print")
    assert len(set(colours(browser))) > 4
    kept = browser.js(
        "getComputedStyle(document.querySelector('#matrix-comparison-pairs td[class^=over]'))"
        ".printColorAdjust"
    )
    assert kept == "exact"


def test_what_holds_for_every_criterion_is_said_once():
    apart = [votes().assign(criterion=name) for name in ("beauty", "adherence")]
    found = score(pd.concat(apart), plan=AnalysisPlan(win_rate=0.55), over_criteria=True)
    console = Console(file=io.StringIO(), width=1000)
    console.print(lay_out(found, (), whole=True))
    lines = console.file.getvalue()

    for sentence in (*found.notes, "Planned: to detect", "CI and p generalise beyond"):
        assert lines.count(sentence) == 1
    assert lines.count("Criterion: ") == 2


def test_few_answers_that_both_are_bad_have_a_share_without_an_interval():
    few = votes(people=2, each=1)
    few.loc[few["task"].eq("comparison").idxmax(), "answer"] = "both-bad"
    table = score(few).table("both-bad")

    assert ("25.0%", "–") in {row[-2:] for row in table.shown}


def test_without_obvious_answers_only_hasty_ones_are_listed():
    own = votes()
    table = score(own[own["task"].eq("comparison")]).table("validation")

    assert table.title == "Hasty answers"
    assert [column.key for column in table.short.columns] == ["evaluator", "answers", "hasty"]


def test_tables_of_several_criteria_have_labels_that_differ(tmp_path):
    apart = [votes().assign(criterion=name) for name in ("beauty", "adherence")]
    page, _ = written(tmp_path / "page.html", pd.concat(apart))
    labels = re.findall('aria-label="(Table: [^"]*)"', page)

    assert "Table: beauty: Win rates of each pair of conditions" in labels
    assert len(labels) == len({*labels})
