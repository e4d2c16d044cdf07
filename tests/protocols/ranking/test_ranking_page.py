"""What the page on rankings says, and what it leaves unsaid."""

import re
from dataclasses import replace

import pytest
from full_report import pictured
from made_ranked import models_in, rankings_of, scored
from page_structure import BANNER, YEAR, facts_of, works_named
from reported import without_figures

from hype.judges.report import model_square
from hype.protocols.prompted.report import AskedQuestion, PageContext
from hype.protocols.ranking.orders import image_places, place_ends
from hype.protocols.ranking.report import RankingReport
from hype.protocols.ranking.table import check_rankings
from hype.protocols.ranking.tables import agreement_square, names_of, win_square
from hype.protocols.ranking.wording import statistics_in_words
from hype.report.methods import methods_of

ASKED = AskedQuestion(question="Put the <images> in order.", details=(("Ties", "allowed"),))


def written(out, score, **more):
    context = PageContext(**{"title": "ranked", "provenance": {"source": "x.csv"}, **more})
    return RankingReport(score=score, context=context).write_page(out).read_text(encoding="utf-8")


def parts_of(page):
    return re.findall(r'<section id="ranking-([\w-]+)"', page)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A score with everything, and the images at either end."""
    frame = rankings_of(simulated=True)
    folder = models_in(tmp_path_factory.mktemp("models"), frame)
    own = frame[~frame["checker"] & frame["task"].eq("ranking")]
    score = scored(frame, folder, min_recall=0.3)
    return replace(score, image_ends=place_ends(image_places(check_rankings(own))))


@pytest.fixture(scope="module")
def page(full, tmp_path_factory):
    out = tmp_path_factory.mktemp("page") / "report.html"
    with without_figures():
        return written(out, full, asked=ASKED, registered=("Registered.",), pictured=pictured)


def test_parts_stand_in_reading_order(page):
    assert parts_of(page) == [
        *("asked", "strengths", "pairs", "agreement", "models", "screening"),
        *("images", "registered", "places", "benchmark"),
    ]


def test_facts_and_words_are_those_of_the_score(page, full):
    score = full
    facts = facts_of(page)
    best = score.judges.judges[0]
    assert facts["Rankings"] == f"{score.rankings:,}"
    assert facts["Comparisons in them"] == f"{score.comparisons:,}"
    assert facts["Best preference model"] == f"{best.judge}, {best.accuracy.value:.0%}"
    assert facts["Two people prefer the same"].startswith(
        f"{score.agreement.single_single.value:.0%} ("
    )
    assert "Only the rankings of held-out prompts count" in page
    assert 'id="figure-ranking-models"' in page
    assert page.count('src="data:') == sum(
        len(one["first"]) + len(one["last"]) for one in score.image_ends
    )


def test_squares_have_the_numbers(full):
    score = full
    names = [row.condition for row in score.conditions]
    wins = {name: dict(zip(names, cells, strict=True)) for name, cells in win_square(score).rows}
    for pair in score.pairs:
        cell, back = wins[pair.a][pair.b], wins[pair.b][pair.a]
        assert cell.share == f"{100 * pair.win_rate.value:.0f}"
        assert cell.bold == back.bold == bool(pair.separable)
        assert cell.css_class.replace("over", "under") == back.css_class or "even" in back.css_class
    agreed = agreement_square(score)
    for k in range(len(names)):
        column = [cells[k] and cells[k].share for _, cells in agreed.rows]
        assert column == [cell and cell.share for cell in agreed.rows[k][1]]
    judge = score.judges.judges[0]
    right = dict(model_square(names_of(score), judge).rows)
    a, b, accuracy = judge.pairs[0].values()
    shown = right[a][names.index(b)]
    assert shown.said == f"{a} and {b}: {100 * accuracy.value:.0f}% of {accuracy.n:,}"


def test_a_bare_table_says_what_it_can(tmp_path):
    bare = rankings_of(drop=("evaluator", "checker", "image", "prompt", "split"))
    bare = bare[bare["task"].eq("ranking")].drop_duplicates(["group", "condition"])
    page = written(tmp_path / "r.html", scored(bare))
    assert parts_of(page) == ["asked", "strengths", "pairs", "places"]
    assert BANNER not in page
    assert "Nothing was excluded: all rankings were scored." in page
    assert "None" not in page
    assert not re.search(r"\bnan\b", page)


def test_what_is_always_first_is_named_and_has_no_number(tmp_path):
    names = {"a": 90.0, "b": 0.5, "c": 0.0}
    score = scored(rankings_of(names, evaluators=4))
    facts = facts_of(written(tmp_path / "r.html", score))
    assert facts["Never below another, so without a strength"] == "a"
    assert "On top of those with a strength" in facts


def test_every_work_that_is_named_is_listed_and_no_other(full):
    score = full
    for some in (score, replace(score, judges=None, screening=None, agreement=None)):
        found = methods_of(statistics_in_words(some, drawn=frozenset()))
        text = "\n".join(found.paragraphs)
        assert set(found.works) == works_named("ranking", text)
        assert YEAR.search(text)
    assert "jackknife" not in text
    assert "recall@2" not in text
