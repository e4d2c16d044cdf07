"""What the page on ratings says, and what it leaves unsaid."""

import re
from dataclasses import replace

import numpy as np
import pytest
from made_judges import by_name
from made_rated import (
    AXES,
    LEADERBOARD,
    judge_files,
    rated_images,
    rated_pairs,
    scored,
)
from page_structure import facts_of
from reported import without_figures

from hype.protocols.prompted.report import PageContext
from hype.protocols.rating.report import MOST_MAPS, AskedAxes, AskedAxis, RatingReport, heat_maps

ASKED = AskedAxes(axes=(AskedAxis(name="style", question="Which has <style>?", answers="1 to 5"),))


def written(out, score, leaderboard=(), **more):
    context = PageContext(**{"title": "rated", "provenance": {"source": "x.csv"}, **more})
    report = RatingReport(score=score, leaderboard=dict(leaderboard), context=context)
    return report.write_page(out).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A score with everything that pairs can have."""
    frame = rated_pairs(simulated=True)
    folder = judge_files(tmp_path_factory.mktemp("judges"), frame)
    return scored(frame, folder, leaderboard=LEADERBOARD)


@pytest.fixture(scope="module")
def page(full, tmp_path_factory):
    out = tmp_path_factory.mktemp("page") / "report.html"
    with without_figures():
        return written(out, full, leaderboard=LEADERBOARD, asked=ASKED, registered=("Registered.",))


def parts_of(page):
    return re.findall(r'<section id="rating-([\w-]+)"', page)


def part_of(page, name):
    return re.search(rf'<section id="rating-{name}".*?</section>', page, re.DOTALL)[0]


def test_parts_stand_in_reading_order(page):
    assert parts_of(page) == [
        *("asked", "main", "conditions", "strengths", "agreement", "judges"),
        *("registered", "correlations", "answers", "leaderboard", "judge-agreement", "judge-axes"),
        "judge-position",
    ]


def test_facts_say_what_the_score_has(page, full):
    facts = facts_of(page)
    closest = full.correlations.with_overall[0]
    assert facts["On top, overall"] == "flow"
    assert facts["Closest to overall"] == f"{closest['axis']}, r = {closest['r'].value:.2f}"
    assert facts["Simulated evaluators"] == "12"
    assert facts["Ratings"] == f"{full.ratings:,}"
    assert facts["Judge closest to people"].startswith("like-people, r = 0.")


def test_squares_have_the_correlations(page, full):
    found = full.correlations
    maps = heat_maps(found, full.judges.judges)
    for i, (name, row) in enumerate(maps.people.rows):
        assert name == AXES[i]
        assert row[i] is None
        shown = [float(cell.r.replace("\N{MINUS SIGN}", "-")) for cell in row if cell]
        assert shown == pytest.approx(np.delete(found.matrix.r[i], i), abs=0.0051)
    cell = maps.people.rows[0][1][1]
    assert f'class="{cell.css_class}" title="{cell.sentence}"' in page
    own = by_name(full.judges)["like-people"].between_axes
    (like,) = [one for one in maps.judges if one.title == "like-people"]
    assert like.rows[0][1][1].r == f"{own.judge[0][1]:.2f}"
    assert "first & foremost" not in [one.title for one in maps.judges]


def test_judges_stand_beside_a_second_person(page):
    told = part_of(page, "judges")
    assert "first &amp; foremost gives one answer to everything (1)." in told
    assert "Difference" in told
    assert "Verdict" not in told  # no margin is stated
    assert "(a second person)" in part_of(page, "judge-axes")


@pytest.mark.usefixtures("undrawn")
def test_without_judges_evaluators_and_a_leaderboard(tmp_path):
    page = written(tmp_path / "r.html", scored(rated_pairs().drop(columns="evaluator")))
    parts = parts_of(page)
    assert parts == ["asked", "main", "conditions", "strengths", "agreement", "answers"]
    assert "The table does not say who answered" in page


def test_single_images_are_held_against_what_is_right(tmp_path):
    frame = rated_images()
    folder = tmp_path / "judges"
    folder.mkdir()
    words = frame[frame["axis"].eq("anatomy")].drop_duplicates("item")
    words.assign(answer=words["truth"])[["item", "axis", "answer"]].to_csv(
        folder / "knows.csv", index=False
    )
    score = scored(frame, folder)
    page = written(tmp_path / "r.html", score)
    assert parts_of(page)[1:5] == ["main", "conditions", "means", "yes"]
    right = score.axis("anatomy").truth["right"].value
    assert f">{right:.0%}</td>" in part_of(page, "truth")
    assert ">100.0%</td>" in part_of(page, "judge-truth")
    assert "rating-strengths" not in page


@pytest.mark.usefixtures("undrawn")
def test_a_hundred_judges_do_not_break_it(full, tmp_path):
    judge = by_name(full.judges)["like-people"]
    many = tuple(replace(judge, judge=f"judge{n:03}") for n in range(100))
    score = replace(full, judges=replace(full.judges, judges=many))
    page = written(tmp_path / "r.html", score)
    assert part_of(page, "correlations").count("<h5>") == MOST_MAPS
    assert page.count('<th scope="row" class="name">judge099</th>') >= 4
    assert len(page) < 1_500_000
