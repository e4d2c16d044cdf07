"""Parts of figures, tables and pages that only ratings have."""

import io
import re
from dataclasses import replace

import pytest
from drawn import drawn
from made_judges import by_name
from made_rated import LEADERBOARD, judge_files, rated_images, rated_pairs, scored
from rich.console import Console
from score_rows import axis_of, on_axis

from hype.protocols.prompted.report import PageContext
from hype.protocols.rating.figures import rating_drawings
from hype.protocols.rating.layout import lay_out
from hype.protocols.rating.report import report_scores
from hype.protocols.rating.score import add_judges
from hype.report.tabular import break_name, columns_of_names, whole


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    frame = rated_pairs()
    score = scored(
        frame, judge_files(tmp_path_factory.mktemp("judges"), frame), leaderboard=LEADERBOARD
    )
    return {d.name: d for d in rating_drawings(score)}, score


def test_answers_that_are_not_relevant_stand_apart(full):
    figures, score = full
    bars = [p for p in drawn(figures["rating-answers"]).patches if p.get_width() > 0]
    (hollow,) = [bar for bar in bars if bar.get_x() + bar.get_width() > 100.5]
    assert hollow.get_width() == pytest.approx(100 * axis_of(score, "style")["not_relevant_share"])


def test_judges_are_seen_against_a_second_person(full):
    figures, score = full
    axes = drawn(figures["rating-judge-agreement"])
    (band,) = axes.patches
    person = score.judges.people[0]["r"]
    assert band.get_x() == pytest.approx(person.low)
    assert band.get_x() + band.get_width() == pytest.approx(person.high)


def test_columns_of_axes_have_keys_that_differ():
    keys = [column.key for column in columns_of_names("r", ["a b", "a-b", "ab"], whole)]
    assert keys == ["r_a_b", "r_a_b_2", "r_ab"]
    assert break_name("composition") == "compos-\nition"
    assert break_name("style") == "style"
    assert break_name("shininess of the cloth") == "shini-\nness\nof the\ncloth"


def printed(score, *, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(lay_out(score, ("Not registered.",), whole=True))
    lines = console.file.getvalue().splitlines()
    assert all(len(line.rstrip()) <= width for line in lines)
    return "\n".join(line.rstrip() for line in lines)


def test_single_images_have_means_and_shares():
    score = scored(rated_images())
    text = printed(score)
    assert "Ratings of single images" in text
    assert "People compared with the right answers" in text
    rows = {row[:2]: row for row in score.table("conditions").rows}
    beauty, anatomy = rows["beauty", "fine"], rows["anatomy", "fine"]
    assert beauty[2] == on_axis(axis_of(score, "beauty"), "fine")["value"].value
    assert beauty[4] is None
    assert anatomy[2] is None
    assert anatomy[4] == on_axis(axis_of(score, "anatomy"), "fine")["value"].value


def written(out, score, **more):
    context = PageContext(**{"title": "rated", "provenance": {"source": "x.csv"}, **more})
    return report_scores(score, context).write_page(out).read_text(encoding="utf-8")


def part_of(page, name):
    return re.search(rf'<section id="rating-{name}".*?</section>', page, re.DOTALL)[0]


def parts_of(page):
    return re.findall(r'<section id="rating-([\w-]+)"', page)


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
    assert parts_of(page)[1:5] == ["main", "means-by-axis", "means", "yes"]
    right = axis_of(score, "anatomy")["truth"]["right"].value
    assert f">{right:.0%}</td>" in part_of(page, "truth")
    assert ">100.0%</td>" in part_of(page, "judge-truth")
    assert "rating-strengths" not in page


@pytest.mark.usefixtures("undrawn")
def test_where_no_condition_has_a_strength_the_page_names_none_as_the_top(tmp_path):
    score = scored(rated_pairs({"fine": 50.0, "coarse": 0.0}, items=8))
    page = written(tmp_path / "r.html", score)
    assert "fine never lost" in printed(score, width=200)
    assert "On top" not in page


@pytest.mark.usefixtures("undrawn")
def test_a_hundred_judges_do_not_break_it(full, tmp_path):
    _, full = full
    judge = by_name(full.judges)["like-people"]
    many = tuple(replace(judge, judge=f"judge{n:03}") for n in range(100))
    bare = replace(full, tables=tuple(t for t in full.tables if t.name.startswith("rating")))
    score = add_judges(bare, replace(full.judges, judges=many))
    page = written(tmp_path / "r.html", score)
    assert page.count('<th scope="row" class="name">judge099</th>') >= 4
    assert len(page) < 1_500_000
