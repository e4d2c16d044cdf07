"""Figures, tables, terminal and page of every protocol, tested by one contract."""

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from comparison_pages import write_full_comparison_report, written
from drawn import drawn, texts
from full_report import pictured
from made_comparisons import everything, rows_scored, scored, votes_of
from made_ranked import STRENGTHS, models_in, rankings_of, with_models
from made_ranked import scored as scored_rankings
from made_rated import LEADERBOARD, judge_files, rated_pairs
from made_rated import scored as scored_ratings
from page_structure import BANNER, facts_of
from reported import without_figures
from rich.console import Console
from score_rows import row_of

from hype.judges.tables import MOST_ROWS
from hype.protocols.comparison import figures as comparison_figures
from hype.protocols.comparison import layout as comparison_layout
from hype.protocols.prompted.report import AskedQuestion, PageContext
from hype.protocols.prompted.strengths import MOST_DRAWN
from hype.protocols.prompted.tables import neighbours
from hype.protocols.ranking import figures as ranking_figures
from hype.protocols.ranking import layout as ranking_layout
from hype.protocols.ranking import report as ranking_report
from hype.protocols.rating import layout as rating_layout
from hype.protocols.rating import report as rating_report
from hype.protocols.rating.figures import rating_drawings
from hype.protocols.rating.report import AskedAxes
from hype.report.figures.files import panel_svg
from hype.report.parts import MOST_IN_SQUARE
from hype.report.table_files import latex_table, write_tables

PROTOCOLS = ("comparison", "rating", "ranking")
MARKUP = {"[bold]flow" if name == "flow" else name: of for name, of in STRENGTHS.items()}
AXES = AskedAxes(axes=[("style", "Which has <style>?", "1 to 5")])
ORDER = AskedQuestion(question="Put the <images> in order.", details=(("Ties", "allowed"),))


@dataclass(frozen=True)
class Shown:
    """A score with every optional part, and everything that shows it."""

    score: Any
    drawings: list[Any]
    terminal: Any
    page: str


def page_of(report: Any, out: Path) -> str:
    with without_figures():
        return str(report.write_page(out).read_text(encoding="utf-8"))


def context(**more: Any) -> PageContext:
    return PageContext(**{"title": "shown", "provenance": {"source": "x.csv"}} | more)


def of_comparisons(folder: Path) -> Shown:
    votes, score = everything(simulated=True, arena=True)
    with without_figures():
        page = write_full_comparison_report(folder / "r.html").read_text(encoding="utf-8")
    return Shown(
        score,
        comparison_figures.comparison_drawings(score, rows_scored(votes, score)),
        comparison_layout.lay_out(score, ("Registered.",), whole=True),
        page,
    )


def of_ratings(folder: Path) -> Shown:
    frame = rated_pairs(simulated=True)
    judges = judge_files(folder / "judges", frame, more=20)
    score = scored_ratings(frame, judges, leaderboard=LEADERBOARD)
    about = context(asked=AXES, registered=("Registered.",))
    report = rating_report.report_scores(score, about)
    return Shown(
        score,
        rating_drawings(score),
        rating_layout.lay_out(score, ("Registered.",), whole=True),
        page_of(report, folder / "r.html"),
    )


def of_rankings(folder: Path) -> Shown:
    frame = rankings_of(MARKUP, simulated=True)
    score = scored_rankings(frame, models_in(folder, frame, strengths=MARKUP), min_recall=0.3)
    about = context(asked=ORDER, registered=("Registered.",), pictured=pictured)
    return Shown(
        score,
        ranking_figures.ranking_drawings(score),
        ranking_layout.lay_out(score, ("Registered.",), whole=True),
        page_of(ranking_report.report_scores(score, about), folder / "r.html"),
    )


MAKE: dict[str, Callable[[Path], Shown]] = {
    "comparison": of_comparisons,
    "rating": of_ratings,
    "ranking": of_rankings,
}


@pytest.fixture(scope="module", params=PROTOCOLS)
def shown(request, tmp_path_factory):
    """Return the name of a protocol, and its score in all forms."""
    return request.param, MAKE[request.param](tmp_path_factory.mktemp("shown"))


FIGURES = {
    "comparison": ["ranking", "course", "response-times"],
    "rating": ["strengths", "correlations", "answers", "judge-agreement"],
    "ranking": ["strengths", "agreement", "models"],
}
PARTS = {
    "comparison": [
        *("asked", "conditions", "pairs", "agreement", "demographics", "images"),
        *("registered", "course", "sides", "response-times", "validation"),
    ],
    "rating": [
        *("asked", "main", "strengths-by-axis", "strengths", "axes", "judges", "registered"),
        *("correlations", "answers", "leaderboard", "judge-agreement", "judge-axes"),
        "judge-position",
    ],
    "ranking": [
        *("asked", "conditions", "pairs", "agreement", "models", "screening"),
        *("images", "registered", "places", "benchmark"),
    ],
}
SAID = {
    "comparison": [
        *("Asked: Which image better", "Not scored, since they failed these comparisons: e00."),
        "(Davidson 1970); in win rates a tie is half a win for each condition.",
    ],
    "rating": [
        *("Asked: 3 axes (overall, style, anatomy).", "<b>gauss</b>", "not rated: other."),
        "first & foremost gives the same answer to everything (1).",
        f"… {23 - sum(MOST_ROWS)} more",
    ],
    "ranking": [
        *("comparisons of two", "10 evaluators were compared with 1 checker"),
        *("Not scored because of a recall@2 below 30%: ", "Benchmark by the scores of model-00"),
        *("Only the rankings of held-out prompts count", "[bold]flow"),
    ],
}
BARE = {
    "comparison": ["conditions", "pairs", "sides"],
    "rating": ["asked", "main", "strengths-by-axis", "strengths", "axes", "answers"],
    "ranking": ["asked", "conditions", "pairs", "places"],
}


def parts_of(protocol: str, page: str) -> list[str]:
    return re.findall(rf'<section id="{protocol}-([\w-]+)"', page)


def printed(table: Any, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    text = console.file.getvalue()
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    return text


def test_figures_and_parts_of_the_page_stand_in_reading_order(shown):
    protocol, of = shown
    assert [one.name for one in of.drawings] == [f"{protocol}-{name}" for name in FIGURES[protocol]]
    for drawing in of.drawings:
        assert drawing.title
        assert drawing.caption.endswith(".")
        assert drawing.alt.endswith(".")
        assert panel_svg(drawing, drawing.panels[0])
    assert parts_of(protocol, of.page) == PARTS[protocol]


def test_strengths_are_drawn_with_their_intervals(shown):
    protocol, of = shown
    first = of.drawings[0]
    rows = [of.score.rows("conditions")]
    if protocol == "rating":
        every = of.score.rows("axes")
        assert [panel.title for panel in first.panels] == [axis["axis"] for axis in every]
        rows = [axis["conditions"] for axis in every]
    for place, some in enumerate(rows):
        axes = drawn(first, place)
        segments = [line for one in axes.collections for line in one.get_segments()]
        ends = {(line[0][0], line[1][0]) for line in segments if len(line) == 2}
        marks = {x for line in axes.lines for x in line.get_xdata()}
        assert {row["elo"].ends for row in some} <= ends
        assert {row["elo"].value for row in some} <= marks
        if protocol == "ranking":
            assert {row["bt_elo"].ends for row in some} <= ends


def test_the_terminal_says_all_of_it_in_its_width(shown):
    protocol, of = shown
    printed(of.terminal)
    text = " ".join(printed(of.terminal, 400).split())
    assert [said for said in (*SAID[protocol], BANNER, "Registered.") if said not in text] == []


def test_tables_in_files_hold_all_digits(shown, tmp_path):
    protocol, of = shown
    written_files = write_tables(of.score.tables, tmp_path, simulated=True)
    names = [table.name for table in of.score.tables]
    assert len(written_files) - 1 == 2 * len(set(names)) == 2 * len(names) >= 14
    for table in of.score.tables:
        keys = [name for column in table.columns for name in column.file_columns]
        assert len(set(keys)) == len(keys), table.name
        assert latex_table(table, simulated=False)
    with (tmp_path / f"{protocol}-conditions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scored_rows = of.score.rows("conditions")
    assert len(rows) == len(scored_rows)
    for column, value in (("low", "low"), ("high", "high"), ("score", "value")):
        expected = [getattr(row["elo"], value) for row in scored_rows]
        assert [float(row[column]) for row in rows] == expected


def test_facts_of_the_page_are_those_of_the_score(shown):
    protocol, of = shown
    facts, score = facts_of(of.page), of.score
    if protocol == "comparison":
        pair = score.rows("pairs")[0]
        low, high = (round(100 * end) for end in pair["win_rate"].ends)
        said = f"{pair['win_rate'].value:.0%} ({low}\N{EN DASH}{high})"
        assert facts[f"Win rate: {pair['a']} over {pair['b']}"] == said
        assert facts["Comparisons"] == f"{score.facts['comparisons']:,}"
        assert facts["Simulated evaluators"] == "11", "one failed the validation"
    elif protocol == "rating":
        closest = score.rows("with-overall")[0]
        assert facts["Closest to overall"] == f"{closest['axis']}, r = {closest['r'].value:.2f}"
        assert facts["Ratings"] == f"{score.facts['ratings']:,}"
        assert facts["Judge closest to people"].startswith("like-people, r = 0.")
    else:
        best = score.judges.judges[0]
        assert facts["Rankings"] == f"{score.facts['rankings']:,}"
        assert facts["Best preference model"] == f"{best.judge}, {best.accuracy.value:.0%}"


def bare_page(protocol: str, out: Path) -> str:
    """Return the page on a table that has only the necessary columns."""
    if protocol == "comparison":
        return str(written(out, votes_of()[["left", "right", "answer"]])[0])
    if protocol == "rating":
        score = scored_ratings(rated_pairs().drop(columns="evaluator"))
        return page_of(rating_report.report_scores(score, context()), out)
    bare = rankings_of(drop=("evaluator", "checker", "image", "prompt", "split"))
    bare = bare[bare["task"].eq("ranking")].drop_duplicates(["group", "condition"])
    return page_of(ranking_report.report_scores(scored_rankings(bare), context()), out)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_bare_table_says_what_it_can(protocol, tmp_path):
    page = bare_page(protocol, tmp_path / "r.html")
    assert parts_of(protocol, page) == BARE[protocol]
    assert BANNER not in page
    assert "None" not in page
    assert not re.search(r"\bnan\b", page)


def test_very_many_conditions_stay_readable(tmp_path):
    names = {f"model-{n:03}": 1 - n / 30 for n in range(MOST_IN_SQUARE + 5)}
    frame = votes_of(names, each=400, evaluators=8)
    with without_figures():
        page, score = written(tmp_path / "r.html", frame)
    assert len(page.encode()) < 2_000_000
    assert 'class="matrix' not in page
    assert "Each condition and the next in the ranking, in a table" in page
    drawing = comparison_figures.ranking_drawing(score)
    assert f"The {MOST_DRAWN} strongest of {len(names)}" in drawing.caption
    assert drawing.height_in < 12
    assert score.rows("conditions")[-1]["condition"] not in texts(drawn(drawing))
    order = [row["condition"] for row in score.rows("conditions")]
    shown = neighbours(score.table("pairs"), order)
    assert [(pair["a"], pair["b"]) for pair in shown.objects()] == [*pairwise(order)]
    axes = ("overall", *(f"quality number {n}" for n in range(7)))
    frame = rated_pairs({f"model{n:02}": n / 10 for n in range(8)}, axes=axes, items=40)
    text = printed(rating_layout.lay_out(scored_ratings(frame), (), whole=True))
    assert text.count("Strength in Elo points on each axis") == 2
    assert len(text.splitlines()) < 120


@pytest.mark.long
def test_a_hundred_models_and_very_many_ranked_conditions_fit(tmp_path):
    most = MOST_DRAWN
    names = {f"a-model-with-a-long-name-{n:02}": 1 - n / 15 for n in range(most + 2)}
    frame = rankings_of(names, evaluators=6, groups=25, size=10)
    score = with_models(scored_rankings(frame, models_in(tmp_path, frame, strengths=names)), 100)
    text = printed(ranking_layout.lay_out(score, (), whole=True))
    assert f"… {100 - sum(MOST_ROWS)} more" in text
    assert "99 more benchmarks" in text
    assert len(text.splitlines()) < 300
    drawing = ranking_figures.ranking_drawing(score)
    assert f"The {most} strongest of {most + 2}" in drawing.caption
    assert drawing.height_in < 14


def test_conditions_that_never_met_or_lost_have_no_score(tmp_path):
    pairs = [votes_of({a: 0.5, b: 0.0}, each=20) for a, b in (("a", "b"), ("x", "y"))]
    with without_figures():
        page, _ = written(tmp_path / "r.html", pd.concat(pairs, ignore_index=True))
    assert "Top condition with a strength" in facts_of(page)
    assert re.search(r"no comparison connects \{(a, b\} and \{x, y|x, y\} and \{a, b)\}", page)
    assert page.count('class="unmet"') == 8

    frame = votes_of({"a": 0.0, "b": 0.5, "c": 0.0}, ties=0.0)
    for side, other in (("left", "right"), ("right", "left")):
        frame.loc[frame[other].eq("a"), "answer"] = other
        frame.loc[frame[side].eq("a"), "answer"] = side
    with without_figures():
        page, score = written(tmp_path / "r.html", frame)
    assert facts_of(page)["Never lost, so no strength"] == "a"
    assert row_of(score, "a")["strength"] is None
    (ranking, *_) = comparison_figures.comparison_drawings(score, rows_scored(*scored(frame)))
    assert "Not drawn: 1 condition without a strength." in ranking.caption

    score = scored_rankings(rankings_of({"a": 90.0, "b": 0.5, "c": 0.0}, evaluators=4))
    page = page_of(ranking_report.report_scores(score, context()), tmp_path / "r.html")
    assert facts_of(page)["Never ranked below another, so no strength"] == "a"
    drawings = ranking_figures.ranking_drawings(
        scored_rankings(rankings_of({"a": 90.0, "b": 0.0}, evaluators=3))
    )
    assert "ranking-strengths" not in {one.name for one in drawings}
