"""What the page on comparisons says, and what it leaves unsaid."""

import re

import pandas as pd
import pytest
from comparison_pages import QUESTION, write_full_comparison_report, written
from made_comparisons import everything, scored, votes_of
from page_structure import facts_of
from reported import without_figures

from hype.protocols.comparison.report import leading_facts
from hype.protocols.comparison.tables import win_matrix
from hype.protocols.comparison.wording import statistics_in_words
from hype.report.methods import methods_of
from hype.report.parts import MOST_IN_SQUARE


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    out = tmp_path_factory.mktemp("page") / "report.html"
    with without_figures():
        return write_full_comparison_report(out).read_text(encoding="utf-8")


def parts_of(page):
    return re.findall(r'<section id="comparison-([\w-]+)"', page)


def test_parts_stand_in_reading_order(page):
    assert parts_of(page) == [
        *("asked", "ranking", "pairs", "evaluators", "demographics"),
        *("images", "registered", "course", "leading-pair", "sides", "response-times"),
        "validation",
    ]


def test_the_question_stands_verbatim(page):
    assert f'<blockquote class="asked">{QUESTION}</blockquote>' in page
    assert "unchanged since." in page


def test_facts_name_the_top_and_how_sure_that_is(page):
    _, score = everything(simulated=True, arena=True)
    facts = facts_of(page)
    pair = score.pairs[0]
    low, high = (round(100 * end) for end in pair.win_rate.ends)
    assert facts[f"{pair.a} over {pair.b}"] == f"{pair.win_rate.value:.0%} ({low}\N{EN DASH}{high})"
    assert facts["Comparisons"] == f"{score.comparisons:,}"
    assert facts["Simulated evaluators"] == "11", "one failed the validation"
    assert facts["Registered"] == "abababab, unchanged"
    assert any(name.startswith("On top") for name in facts)


def test_what_was_left_out_is_said(page):
    section = page[page.index('<section id="exclusions"') : page.index('<section id="methods"')]
    assert "failed the comparisons with an obvious answer" in section
    assert "with an obvious answer</th>" in section


def test_the_square_has_every_pair_from_both_sides():
    _, score = scored(votes_of())
    matrix = win_matrix(score)
    cells = {
        (row, column): cell
        for row, found in matrix.rows
        for column, cell in zip(matrix.names, found, strict=True)
    }
    assert [name for name, _ in matrix.rows] == [row.condition for row in score.conditions]
    for pair in score.pairs:
        there, back = cells[pair.a, pair.b], cells[pair.b, pair.a]
        assert there.share == f"{100 * pair.win_rate.value:.0f}"
        assert int(there.share) + int(back.share) in (99, 100, 101)
        assert there.bold == back.bold == bool(pair.separable)
    assert all(cells[name, name] is None for name in matrix.names)


def test_colours_go_with_rates():
    _, score = scored(votes_of({"a": 3.0, "b": 0.0, "c": -0.02}, each=400, ties=0.0))
    matrix = win_matrix(score)
    rates = dict(matrix.rows)
    place = matrix.names.index("a")
    (strong,) = [c for c in rates["b"] if c and c.said.startswith("b over a")]
    assert strong.css_class in ("under-4", "under-5")
    assert rates["a"][place] is None
    (even,) = [c for c in rates["b"] if c and c.said.startswith("b over c")]
    assert even.css_class == "even"
    assert len(matrix.scale) == 11


def test_a_bare_table_says_what_it_can(tmp_path):
    bare = votes_of()[["left", "right", "answer"]]
    page, _ = written(tmp_path / "r.html", bare)
    assert parts_of(page) == ["ranking", "pairs", "sides"]
    assert 'id="asked"' not in page
    assert "None" not in page
    assert not re.search(r"\bnan\b", page)


def test_conditions_that_never_met_have_no_score(tmp_path):
    pairs = [votes_of({a: 0.5, b: 0.0}, each=20) for a, b in (("a", "b"), ("x", "y"))]
    page, _ = written(tmp_path / "r.html", pd.concat(pairs, ignore_index=True))
    assert "On top of those with a strength" in facts_of(page)
    assert re.search(r"no comparison joins \{(a, b\} and \{x, y|x, y\} and \{a, b)\}", page)
    table = page[page.index('id="table-comparison-conditions"') :].split("</table>")[0]
    assert table.count("\N{EN DASH}</td>") >= 2 * 2
    assert page.count('class="unmet"') == 8


def test_who_never_lost_is_named_and_has_no_number(tmp_path):
    frame = votes_of({"a": 0.0, "b": 0.5, "c": 0.0}, ties=0.0)
    for side, other in (("left", "right"), ("right", "left")):
        frame.loc[frame[other].eq("a"), "answer"] = other
        frame.loc[frame[side].eq("a"), "answer"] = side
    page, score = written(tmp_path / "r.html", frame)
    facts = facts_of(page)
    assert facts["Never lost, so without a strength"] == "a"
    assert "On top of those with a strength" in facts
    assert "Ford, 1957" in page
    assert score.row("a").strength is None


def test_very_many_conditions_do_not_explode(tmp_path):
    names = {f"model-{n:03}": 1 - n / 30 for n in range(MOST_IN_SQUARE + 5)}
    page, _ = written(tmp_path / "r.html", votes_of(names, each=400, evaluators=8))
    assert len(names) > MOST_IN_SQUARE
    assert len(page.encode()) < 2_000_000
    assert 'class="matrix' not in page
    assert f"A square of {MOST_IN_SQUARE + 5} conditions would not be read" in page
    assert "Each condition and the next one, in a table" in page


def methods_in(score):
    return methods_of(statistics_in_words(score, drawn=frozenset()))


def text_of(score):
    return "\n".join(methods_in(score).paragraphs)


def test_only_what_was_computed_is_said():
    bare = text_of(scored(votes_of(ties=0.0)[["left", "right", "answer"]])[1])
    for absent in ("Davidson", "Krippendorff", "Cohen", "Lan & DeMets", "Pearson", "Clark", "Ford"):
        assert absent not in bare
    assert "each answer counts as if it were of somebody else" in bare
    assert "Bradley & Terry, 1952" in bare
    full = text_of(everything(arena=True)[1])
    for said in ("Davidson, 1970", "Lan & DeMets, 1983", "Liang & Zeger, 1986"):
        assert said in full
    assert f"hash {'ab' * 32}" in full


def test_facts_leave_open_what_tests_leave_open():
    _, score = scored(votes_of({"a": 0.01, "b": 0.0, "c": -2.0}))
    (name, top), *_ = leading_facts(score)
    assert name == "On top"
    assert sorted(top.split(" or ")) == ["a", "b"]
